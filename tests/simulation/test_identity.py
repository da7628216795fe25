"""Identity: equal for what behaves alike, different for what does not, none where that cannot be told."""

import importlib.util
import sys
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from rbmle import LinRBMLE, LinUCB
from rbmle.problems import Gaussian, GLMProblem, LinearProblem, PreparedProblem
from rbmle.schedules import Sqrt
from rbmle.simulation.identity import Unstorable, identity

SOURCE = """
import numpy as np
from dataclasses import dataclass
from rbmle.problems import Problem, Rounds

SCALE = 1.0

def helper(x):
    return x + 1

class Base:
    def update(self, context, reward):
        pass

class Mine(Base):
    best = 3
    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)
        self.names = {"a": [1, 2.0]}
    def choose(self, contexts):
        return int(helper(SCALE)) - int(SCALE) - 1

class Game(Problem):
    n_arms, n_features, static = 2, 1, True
    params = {}
    def rounds(self, seed, trial, start, stop):
        return Rounds(np.ones((1, 2, 1)), np.ones((1, 2)), np.ones((stop - start, 2)))

def make(seed):
    return Mine(seed)

def bias(t):
    return 0.0 * t
"""


def loaded(folder: Path, source: str = SOURCE) -> ModuleType:
    """A module of somebody else, from a file."""
    path = folder / f"theirs_{abs(hash(source))}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location("theirs", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["theirs"] = module
    spec.loader.exec_module(module)
    return module


def things(module: ModuleType) -> dict[str, Any]:
    return {
        "object": module.Mine(),
        "class": module.Mine,
        "factory": module.make,
        "problem": module.Game(),
        "schedule": LinRBMLE(n_features=2, bias=module.bias),
    }


def test_the_same_twice(tmp_path: Path) -> None:
    one = {name: identity(thing) for name, thing in things(loaded(tmp_path)).items()}
    two = {name: identity(thing) for name, thing in things(loaded(tmp_path)).items()}
    assert one == two


@pytest.mark.parametrize(
    ("old", "new", "touched"),
    [
        ("SCALE = 1.0", "SCALE = 2.0", {"object", "class", "factory"}),
        ("return x + 1", "return x + 2", {"object", "class", "factory"}),
        ("best = 3", "best = 4", {"object", "class", "factory"}),
        ("        pass", "        return 1", {"object", "class", "factory"}),
        ("[1, 2.0]", "[1, 2]", {"object", "class", "factory"}),
        ("np.ones((1, 2))", "np.zeros((1, 2))", {"problem"}),
        ("0.0 * t", "1.0 * t", {"schedule"}),
        ("return Mine(seed)", "return Mine(seed + 1)", {"factory"}),
    ],
)
def test_every_edit_is_seen_by_whom_it_concerns(tmp_path: Path, old: str, new: str, touched: set[str]) -> None:
    assert old in SOURCE
    before = {name: identity(thing) for name, thing in things(loaded(tmp_path)).items()}
    after = {name: identity(thing) for name, thing in things(loaded(tmp_path, SOURCE.replace(old, new))).items()}
    assert {name for name in before if before[name] != after[name]} == touched


USER = """
import theirs_helper
import theirs_circle
import numpy as np

class Mine:
    def choose(self, contexts):
        return theirs_helper.where(contexts) + theirs_circle.BEST
    def update(self, context, reward):
        theirs_helper.note(reward)
"""


def test_modules_of_ones_own_count_for_what_is_named_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def seen(where: str = "0", note: str = "None", best: str = "1", other: str = "2") -> Any:
        helper, circle = ModuleType("theirs_helper"), ModuleType("theirs_circle")
        for module, text in (
            (helper, f"def where(X): return {where}\ndef note(r): return {note}\ndef unused(): return {other}\n"),
            (circle, f"BEST = {best}\n"),
        ):
            path = tmp_path / f"{module.__name__}_{abs(hash(text))}.py"
            path.write_text(text)
            spec = importlib.util.spec_from_file_location(module.__name__, path)
            assert spec is not None
            assert spec.loader is not None
            made = importlib.util.module_from_spec(spec)
            monkeypatch.setitem(sys.modules, module.__name__, made)
            spec.loader.exec_module(made)
        circle = sys.modules["theirs_circle"]
        circle.theirs_helper = sys.modules["theirs_helper"]  # type: ignore[attr-defined]
        circle.theirs_helper.theirs_circle = circle
        return identity(loaded(tmp_path, USER).Mine())

    plain = seen()
    assert seen() == plain
    assert seen(other="3") == plain
    for change in ({"where": "1"}, {"note": "0"}, {"best": "0"}):
        assert seen(**change) != plain


def different() -> list[Any]:
    taught = LinUCB(n_features=2)
    taught.update([1.0, 0.0], 1.0)
    arrays = np.ones((1, 2, 2)), np.ones((1, 2)), np.ones((1, 5, 2))
    return [
        LinUCB(n_features=2),
        LinUCB(n_features=3),
        LinUCB(n_features=2, alpha=2.0),
        taught,
        LinRBMLE(n_features=2),
        LinRBMLE(n_features=2, bias=Sqrt(2.0)),
        LinearProblem([1.0, 0.0], 3),
        LinearProblem([1.0, 0.0], 3, static=False),
        LinearProblem([1.0, 0.0], 3, noise=Gaussian(0.5)),
        LinearProblem([1.0, 0.5], 3),
        GLMProblem([1.0, 0.5], 3),
        PreparedProblem(*arrays),
        PreparedProblem(arrays[0], arrays[1], 2 * arrays[2]),
    ]


def test_ours_by_class_parameters_and_what_is_learnt() -> None:
    texts = [repr(identity(thing)) for thing in different()]
    assert texts == [repr(identity(thing)) for thing in different()]
    assert len(set(texts)) == len(texts)


def test_use_does_not_change_it() -> None:
    problem = LinearProblem([1.0, 0.0], 3, static=False)
    before = identity(problem)
    problem.rounds(0, 0, 0, 10)
    assert identity(problem) == before


@pytest.mark.parametrize("value", [True, 1, 1.0, "1", (1,), [1], {1: 1}, {1}, b"1", np.array(1), np.array([1]), None])
def test_kinds_are_told_apart(value: Any) -> None:
    others = [True, 1, 1.0, "1", (1,), [1], {1: 1}, {1}, b"1", np.array(1), np.array([1]), None]
    assert sum(identity(value) == identity(other) for other in others) == 1


def test_without_a_source_there_is_no_identity() -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    exec("def typed(t): return 1.0\nclass Typed: pass", space)
    slots = type("Slots", (), {"__slots__": ("x",)})()
    for thing in (lambda t: 1.0, space["typed"], space["Typed"](), slots):
        with pytest.raises(Unstorable):
            identity(thing)
        with pytest.raises(Unstorable):
            identity(LinRBMLE(n_features=2, bias=thing if callable(thing) else partial(max, thing)))


class Cached(LinUCB):
    """A policy of somebody, on one of ours; it is played as a copy of its parameters and of what it has learnt."""


def test_what_a_policy_keeps_beside_its_state_does_not_count() -> None:
    one, other = Cached(n_features=2), Cached(n_features=2)
    other._seen = object()  # type: ignore[attr-defined]
    assert identity(one) == identity(other)
    other.update([1.0, 0.0], 1.0)
    assert identity(one) != identity(other)
