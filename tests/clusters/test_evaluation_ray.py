"""The recipe of docs/evaluation.md on a real Ray, in a network namespace of its own: it would listen on the network."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.clusters.logged import OPTIONS, Softmax, numbers

from rbmle import LinRBMLE
from rbmle.evaluation import evaluate, fit
from rbmle.logs import Log

ROOT = Path(__file__).parents[2]
APART = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is not installed: pip install ray"),
]

PROGRAM = """
import pickle
import sys

import numpy as np
import ray
from tests.clusters.logged import OPTIONS, Softmax, numbers

from rbmle import LinRBMLE
from rbmle.evaluation import evaluate, fit, merge, partition_sums
from rbmle.logs import Log

{recipe}

folder, kept = sys.argv[1:]
ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False)
policy = fit(Log.read(folder), LinRBMLE(n_features=3), engine=on_ray)
found = [numbers(evaluate(folder, target, engine=on_ray, **OPTIONS)) for target in (Softmax(), policy)]
np.savez(kept, function=found[0], policy=found[1], V=policy.model.V, b=policy.model.b)
ray.shutdown()
"""


def test_the_recipe_of_the_guide_gives_the_same_numbers(folder, tmp_path):
    if shutil.which("unshare") is None or subprocess.run([*APART, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no network namespace of its own can be had here")
    guide = (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"^def on_ray\(.*?(?=^```)", guide, re.S | re.M)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(recipe=recipe), encoding="utf-8")
    path = os.pathsep.join([str(ROOT), *sys.path])
    quiet = {"PYTHONPATH": path, "RAY_USAGE_STATS_ENABLED": "0", "RAY_DISABLE_IMPORT_WARNING": "1"}
    call = [*APART, sys.executable, str(program), str(folder), str(tmp_path / "numbers.npz")]
    done = subprocess.run(call, capture_output=True, text=True, check=False, timeout=300, env={**os.environ, **quiet})
    assert done.returncode == 0, done.stderr[-3000:]
    there = np.load(tmp_path / "numbers.npz")
    np.testing.assert_array_equal(there["function"], numbers(evaluate(folder, Softmax(), **OPTIONS)))
    policy = fit(Log.read(folder), LinRBMLE(n_features=3))
    for name in ("V", "b"):
        np.testing.assert_allclose(there[name], getattr(policy.model, name), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(there["policy"], numbers(evaluate(folder, policy, **OPTIONS)), rtol=1e-9)
