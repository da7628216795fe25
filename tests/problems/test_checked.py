"""Whatever a problem of somebody else returns, compiled code sees only what it can take."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rbmle.errors import InvalidInputError
from rbmle.problems import LinearProblem, Problem, Rounds
from rbmle.problems.checked import check_attributes, checked_rounds
from rbmle.testing import CheckFailed, check_problem

K, D = 4, 3


class Given(Problem):
    """Returns what `change` makes of good arrays."""

    n_arms, n_features = K, D

    def __init__(self, static: bool, change: Any = None) -> None:
        self.static = static
        self.inner = LinearProblem([0.3, -0.2, 0.1], K, static=static)
        self.change = change or (lambda arrays: arrays)

    @property
    def params(self) -> dict[str, Any]:
        return {"static": self.static}

    def rounds(self, seed: int, trial: int, start: int, stop: int) -> Any:
        block = self.inner.rounds(seed, trial, start, stop)
        arrays = {"contexts": block.contexts, "mean_rewards": block.mean_rewards, "rewards": block.rewards}
        changed = self.change({name: array.copy() for name, array in arrays.items()})
        return Rounds(**changed) if isinstance(changed, dict) else changed


def spoilt(name: str, how: Any) -> Any:
    return lambda arrays: {**arrays, name: how(arrays[name])}


def with_value(value: float) -> Any:
    def change(array: Any) -> Any:
        array[-1, -1] = value
        return array

    return change


WRONG = {
    "an arm too few": lambda a: a[:, :-1].copy(),
    "an arm too many": lambda a: np.concatenate([a, a], axis=1),
    "no arms": lambda a: a[:, :0],
    "a round too many": lambda a: np.concatenate([a, a]),
    "no rounds": lambda a: a[:0],
    "an axis too many": lambda a: a[None],
    "an axis too few": lambda a: a[0],
    "a number": lambda a: 1.0,
    "None": lambda a: None,
    "text": lambda a: a.astype(str),
    "complex numbers": lambda a: a.astype(complex),
    "objects": lambda a: [[None] * K] * len(a),
    "NaN": with_value(np.nan),
    "infinity": with_value(np.inf),
}
WRONG_FEATURES = {
    "a feature too few": lambda a: a[..., :-1].copy(),
    "a feature too many": lambda a: np.concatenate([a, a], axis=-1),
    "no features": lambda a: a[..., :0],
    "transposed": lambda a: np.ascontiguousarray(np.swapaxes(a, 1, 2)),
}


def faults() -> list[tuple[str, bool, Any, str]]:
    """(words, static, change, name of the array) of everything a problem can get wrong."""
    found = []
    for static in (True, False):
        for name in ("contexts", "mean_rewards", "rewards"):
            kinds = WRONG | (WRONG_FEATURES if name == "contexts" else {})
            for words, how in kinds.items():
                found.append((f"{name}: {words}, static={static}", static, spoilt(name, how), name))
    return found


@pytest.mark.parametrize(("words", "static", "change", "name"), faults())
def test_every_fault_is_named(words: str, static: bool, change: Any, name: str) -> None:
    with pytest.raises(InvalidInputError, match=rf"Given\.rounds\(0, 2, 5, 25\).*{name}.* Got ") as refused:
        checked_rounds(Given(static, change), 0, 2, 5, 25)
    assert len(str(refused.value)) < 300
    with pytest.raises(CheckFailed, match=name):
        check_problem(Given(static, change))


def test_a_block_that_is_none() -> None:
    with pytest.raises(InvalidInputError, match=r"must return Rounds\(contexts, mean_rewards, rewards\). Got None"):
        checked_rounds(Given(True, lambda arrays: None), 0, 0, 0, 5)


HARMLESS = {
    "float32": lambda a: a.astype(np.float32),
    "whole numbers": lambda a: np.rint(a).astype(np.int16),
    "big-endian": lambda a: a.astype(">f8"),
    "a list": lambda a: a.tolist(),
    "Fortran order": np.asfortranarray,
    "every other number of a larger array": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    "read-only": lambda a: np.broadcast_to(a, a.shape),
    "unaligned": lambda a: np.frombuffer(b"." + a.tobytes(), offset=1).reshape(a.shape),
}


@pytest.mark.parametrize("static", [True, False])
@pytest.mark.parametrize("words", HARMLESS)
def test_what_only_looks_different_is_converted(words: str, static: bool) -> None:
    problem = Given(static, lambda arrays: {name: HARMLESS[words](array) for name, array in arrays.items()})
    block, raw = checked_rounds(problem, 0, 0, 0, 20), problem.rounds(0, 0, 0, 20)
    for name in ("contexts", "mean_rewards", "rewards"):
        array = getattr(block, name)
        assert array.dtype == np.float64
        assert array.flags.carray
        assert np.array_equal(array, np.asarray(getattr(raw, name), dtype=np.float64))


def test_good_blocks_are_passed_on_uncopied() -> None:
    problem = LinearProblem([0.3, 0.1], 3, static=False)
    assert checked_rounds(problem, 0, 0, 0, 1000) is not None
    assert checked_rounds(problem, 0, 0, 0, 1000).contexts.base is problem.rounds(0, 0, 0, 1000).contexts.base


CHILD = """
import faulthandler, sys
faulthandler.enable()
sys.path.insert(0, sys.argv[1])
from test_checked import D, Given, HARMLESS, faults
from rbmle import GLMRBMLE, LinRBMLE, LinTS
from rbmle.errors import InvalidInputError
from rbmle.simulation import simulate

policies = [LinRBMLE(n_features=D), LinTS(n_features=D), GLMRBMLE(n_features=D, family="gaussian")]
for words, static, change, name in faults():
    for policy in policies:
        print(words, type(policy).__name__, flush=True)
        try:
            simulate([policy], Given(static, change), horizon=30, trials=1)
        except InvalidInputError as refused:
            if not str(refused).startswith("Given.rounds("):
                raise
        else:
            raise SystemExit("accepted")
for words, how in HARMLESS.items():
    for static in (True, False):
        print(words, flush=True)
        problem = Given(static, lambda arrays: {name: how(array) for name, array in arrays.items()})
        simulate(policies, problem, horizon=30, trials=1)
print("all seen")
"""


def test_no_fault_reaches_compiled_code() -> None:
    """In a process of its own: a fault that got through would be a corrupted heap, not an exception."""
    command = [sys.executable, "-c", CHILD, str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-300:] + done.stderr[-3000:]
    assert done.stdout.endswith("all seen\n")


class Bare(Problem):
    params = {}

    def rounds(self, seed: int, trial: int, start: int, stop: int) -> Any:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        (
            {},
            "must have the attributes n_arms, n_features, static.* Bare has no n_arms and no n_features and no st",
        ),
        ({"n_arms": 2, "n_features": 2}, "Bare has no static"),
        ({"n_arms": 0, "n_features": 2, "static": True}, r"Bare.n_arms must be an int in \[1, inf\). Got 0"),
        ({"n_arms": 2, "n_features": 2.0, "static": True}, "Bare.n_features must be an int"),
        ({"n_arms": 2, "n_features": 2, "static": None}, "Bare.static must be True or False. Got None"),
        ({"n_arms": 2, "n_features": 2, "static": True, "horizon": "9"}, "Bare.horizon must be None or an int"),
        ({"n_arms": 2, "n_features": 2, "static": True, "params": 3}, "Bare.params must be a dict"),
    ],
)
def test_attributes(attributes: dict[str, Any], words: str) -> None:
    problem = Bare()
    vars(problem).update(attributes)
    with pytest.raises(InvalidInputError, match=words):
        check_attributes(problem)
    with pytest.raises(CheckFailed, match=words):
        check_problem(problem)


def test_regret_by_hand_and_no_arm_that_is_not_there() -> None:
    means = np.array([[0.1, 0.9], [0.5, 0.2], [0.3, 0.3]])
    block = Rounds(np.ones((3, 2, 1)), means, means)
    np.testing.assert_allclose(block.cumulative_regret(np.array([0, 1, 0]), 2.0), [2.8, 3.1, 3.1])
    assert np.array_equal(block.cumulative_regret(np.array([0, 1, 1])), np.cumsum(block.regret(np.array([0, 1, 1]))))
    staying = Rounds(np.ones((1, 2, 1)), means[:1], means)
    np.testing.assert_allclose(staying.cumulative_regret(np.array([0, 1, 0])), [0.8, 0.8, 1.6])
    for arms in ([0, 2, 0], [0, -1, 0]):
        with pytest.raises(InvalidInputError, match=r"numbers from 0 to 1\. Got -?\d at arms\[1\]"):
            block.cumulative_regret(np.array(arms))
    with pytest.raises(InvalidInputError, match="those of 3 rounds"):
        block.cumulative_regret(np.array([0, 1]))
