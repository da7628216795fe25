"""What signatures promise: names that `help` can show, and types that take what people have."""

import inspect
import os
import pydoc
import subprocess
import sys
import typing
from pathlib import Path

import pytest

from rbmle import LinRBMLE, models
from rbmle.online import Agent
from rbmle.policies import Policy
from rbmle.policies.catalogue import Catalogue
from rbmle.problems import ChoiceProblem, ClassificationProblem, PreparedProblem

ROOT = Path(__file__).parents[1]
DATA = {"contexts", "context", "rewards", "reward", "mean_rewards", "chosen", "features", "X", "y"}
OWNERS = [Policy, Catalogue, Agent, PreparedProblem, ChoiceProblem, ClassificationProblem]
OWNERS += [thing for name in models.__all__ if isinstance(thing := getattr(models, name), type)]

# Every line that must be refused says so.
SCRIPT = """
import numpy as np
import numpy.typing as npt
import pandas as pd
from rbmle import LinRBMLE
from rbmle.features import Category, Features, Number
from rbmle.models import RidgeModel
from rbmle.online import Agent

array: npt.NDArray[np.float32] = np.eye(2, dtype=np.float32)
lists: list[list[int]] = [[1, 0], [0, 1]]
frame = pd.DataFrame({"age": [1.0, 0.0], "visits": [0.0, 1.0]})
policy, model = LinRBMLE(n_features=2), RidgeModel(n_features=2)

policy.choose(array)
policy.choose(lists)
policy.choose(((1.0, 0), (0, 1)))
policy.choose([array[0], array[1]])
policy.choose(frame)
policy.choose({"age": [1.0, 0.0]})  # refused
policy.choose(None)  # refused
policy.choose_many(np.ones((3, 2, 2)))
policy.choose_many([array, frame, lists])
policy.choose_many(frame)  # refused
policy.update(frame.iloc[0], 1)
policy.update([1.0, 0.0], array[0, 0])
policy.update([1.0, 0.0], np.int64(1))
policy.update([1.0, 0.0], "1")  # refused
policy.update([1.0, 0.0], [1.0])  # refused
policy.update_many(frame, frame["age"])
policy.update_many(lists, (1, 0.5))
policy.update_many(frame, None)  # refused
policy.fix_arms(frame).update(0, np.float32(0.5))
model.observe((1, 0), True)
model.observe_many(frame, array[0])
model.predict({1.0, 0.0})  # refused

agent = Agent(policy)
agent.decide(frame, arms=("news", "sport"))
agent.decide(lists, arms={"news": None}, id=3)  # refused
agent.reward("visit", None)  # refused
features = Features(shared=[Number("age"), Category("city", ["A", "B"])], arm=[Number("price")])
with Agent(LinRBMLE(n_features=features.n_features), features=features) as told:
    told.decide({"age": 3.0, "city": "A"}, arms={"x": {"price": 1.0}, "y": [2.0]})
    told.decide([3.0, "A"], arms={"x": [1.0], "y": [2.0]})
    told.decide(frame.iloc[0], arms={"x": [1.0]})
    told.decide(3j, arms=3)  # refused
"""


@pytest.mark.parametrize("owner", OWNERS, ids=lambda owner: owner.__name__)
def test_no_signature_says_that_contexts_or_rewards_may_be_anything(owner: type) -> None:
    for name, method in inspect.getmembers(owner, callable):
        if name.startswith("_") and name != "__init__":
            continue
        for parameter in inspect.signature(method).parameters.values():
            assert parameter.name not in DATA or parameter.annotation is not typing.Any, f"{name}({parameter})"


def test_help_tells_names_and_not_what_they_are_made_of() -> None:
    for name, method in inspect.getmembers(LinRBMLE, inspect.isfunction):
        told = pydoc.plain(pydoc.render_doc(method))
        assert name.startswith("_") or "numpy._typing" not in told, name
    told = pydoc.plain(pydoc.render_doc(LinRBMLE.choose)).replace("'", "")  # which newer Pythons leave out
    assert "choose(self, contexts: ArrayLike, *, t: int | None = None) -> int" in told


@pytest.mark.parametrize("method", [Policy.choose_many, Policy.update, Agent.decide, Agent.explain, Agent.adecide])
def test_names_in_signatures_can_be_looked_up(method: typing.Any) -> None:
    assert typing.Any not in [typing.get_type_hints(method).get(name) for name in ("contexts", "context", "reward")]


@pytest.mark.long
def test_a_strict_checker_takes_arrays_lists_and_frames_and_refuses_what_is_none(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    config = ["--strict", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache")]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *config, str(script)],
        env=os.environ | {"MYPYPATH": str(ROOT / "src")},
        capture_output=True, text=True, timeout=600, check=False, cwd=tmp_path,
    )  # fmt: skip
    errors = [line for line in done.stdout.splitlines() if line.startswith("script.py:") and " error: " in line]
    found = {int(line.split(":")[1]) for line in errors}
    wanted = {number for number, line in enumerate(SCRIPT.splitlines(), 1) if line.endswith("# refused")}
    assert found == wanted, done.stdout + done.stderr
