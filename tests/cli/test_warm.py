"""`rbmle warm`: after it nothing is left to compile."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rbmle.cli import app, known, warm
from rbmle.policies.glm import GLMPolicy

AFTERWARDS = """
import numpy as np
from numba.core import event
from rbmle import LinUCB
from rbmle.problems import LinearProblem
from rbmle.simulation import simulate
with event.install_recorder("numba:compile") as recorded:
    policy, X = LinUCB(n_features=7), np.ones((4, 7)) / 3.0
    policy.choose(X)
    policy.update(X[0], 1.0)
    policy.fix_arms(X).decide()
    simulate({"a": policy}, LinearProblem([0.1] * 7, 3, static=False), horizon=30, trials=9, progress=False)
print(len(recorded.buffer))
"""


def run(folder: Path, *arguments: str) -> str:
    environment = os.environ | {"RBMLE_CACHE_DIR": str(folder)}
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.long
def test_what_is_warm_compiles_nothing(tmp_path: Path) -> None:
    told = run(tmp_path, "-m", "rbmle", "warm", "--methods", "LinUCB", "--quiet")
    assert "1 methods are ready" in told
    assert "Newly compiled" in told
    assert run(tmp_path, "-c", AFTERWARDS) == "0\n"
    assert "Nothing had to be compiled." in run(tmp_path, "-m", "rbmle", "warm", "--methods", "linucb", "--quiet")


def test_kinds_are_all_methods() -> None:
    linear, glm = warm.of_kind("linear"), warm.of_kind("glm")
    assert {*linear, *glm} == {*warm.of_kind("all")} == {*known.methods().values()}
    assert glm and all(issubclass(cls, GLMPolicy) for cls in glm)
    assert not any(issubclass(cls, GLMPolicy) for cls in linear)


def test_every_way_of_a_method_is_one() -> None:
    for policy in warm.forms(known.method("Uniform")):
        for way in warm.ways(policy):
            way()
    assert {policy.n_features for policy in warm.forms(known.method("GLMRBMLE"))} >= {*warm.SIZES}


def test_where_nothing_can_be_kept_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rbmle.kernels.cache.cache_folder", lambda module: None)
    answer = CliRunner().invoke(app, ["warm", "--methods", "Uniform"])
    assert answer.exit_code == 2
    assert "must name a folder that is yours" in " ".join(answer.output.split())


def test_an_unknown_method_is_told() -> None:
    answer = CliRunner().invoke(app, ["warm", "--methods", "LinUCBB"])
    assert answer.exit_code == 2
    assert "LinUCB" in answer.output
