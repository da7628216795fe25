"""What all policies of other libraries have in common, with one that needs no library."""

import importlib

import numpy as np
import pytest

import rbmle.adapters
from rbmle.adapters.libraries import library, version_of
from rbmle.adapters.participant import Participant, row_in_blocks
from rbmle.errors import InvalidInputError, InvalidParameterError, RbmleError
from rbmle.simulation import simulate


class Last(Participant):
    """Plays the last arm, or what it is told to; keeps what it was shown."""

    distribution = "numpy"
    ways = ("arms", "blocks", "all")

    def __init__(self, sees="all", n_arms=None, answer=None):
        super().__init__(sees, n_arms)
        self.answer, self.told = answer, []

    def _ask(self, X, seen):
        return len(X) - 1 if self.answer is None else self.answer

    def _tell(self, X, seen, arm, reward):
        self.told.append((seen, arm, reward))


X = np.array([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    ("sees", "contexts", "shown"),
    [
        ("all", X, [1.0, 2.0, 3.0, 4.0]),
        ("arms", X, [[1.0, 2.0], [3.0, 4.0]]),
        ("blocks", [[5.0, 6.0, 0.0, 0.0], [0.0, 0.0, 5.0, 6.0]], [5.0, 6.0]),
        (lambda contexts: contexts.sum(axis=0), X, [4.0, 6.0]),
    ],
)
def test_what_is_shown(sees, contexts, shown):
    player = Last(sees)
    assert player.choose(contexts) == 1
    player.update(np.asarray(contexts)[1], 2)
    ((seen, arm, reward),) = player.told
    np.testing.assert_array_equal(seen, shown)
    assert (arm, reward) == (1, 2.0)


@pytest.mark.parametrize("contexts", [X, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[1.0, 0.0], [0.0, 2.0]]])
def test_contexts_that_are_no_blocks(contexts):
    with pytest.raises(InvalidInputError, match="contexts must hold one row in block a of arm a"):
        row_in_blocks(np.asarray(contexts))


def test_rewards_belong_to_the_arm_chosen_last():
    player = Last()
    with pytest.raises(InvalidInputError, match="update of Last must follow a choose"):
        player.update(X[1], 1.0)
    player.choose(X)
    with pytest.raises(InvalidInputError, match="context must be that of the arm chosen last, 1"):
        player.update(X[0], 1.0)
    with pytest.raises(InvalidInputError, match="reward must be a finite number"):
        player.update(X[1], float("nan"))
    player.update(X[1], 1.0)
    with pytest.raises(InvalidInputError, match="must follow a choose"):
        player.update(X[1], 1.0)
    assert len(player.told) == 1


def test_bad_contexts_and_answers():
    for contexts in ([[np.nan, 1.0]], [], 3.0):
        with pytest.raises(InvalidInputError, match="contexts must"):
            Last().choose(contexts)
    with pytest.raises(InvalidInputError, match="contexts must be those of 3 arms, as the policy has. Got 2."):
        Last(n_arms=3).choose(X)
    with pytest.raises(InvalidInputError, match="arm must be an int from 0 to 1"):
        Last(answer=7).choose(X)
    with pytest.raises(InvalidInputError, match=r"what sees\(contexts\) returns must be finite"):
        Last(lambda contexts: contexts * np.nan).choose(X)
    with pytest.raises(
        InvalidParameterError, match="The 'sees' parameter of Last must be one of 'arms', 'blocks', 'all'"
    ):
        Last("everything")


def test_participants_play_and_show_in_results(free):
    results = simulate([Last(), Last("arms")], free, horizon=20, trials=1, progress=False)
    assert (results.regret["Last"] == results.regret["Last 2"]).all()
    frame = results.to_frame()
    assert set(frame["library"]) == {f"numpy {np.__version__}"}
    assert set(frame["sees"]) == {"all", "arms"}


def test_missing_libraries_are_named(monkeypatch):
    adapters = rbmle.adapters.CobaLearner, rbmle.adapters.BanditClassifier

    def lost(name):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name.split(".")[0])

    with monkeypatch.context() as patch:
        patch.setattr("rbmle.adapters.libraries.importlib.import_module", lost)
        with pytest.raises(RbmleError, match=r"This adapter needs coba: pip install 'rbmle\[coba\]'."):
            adapters[0](None)
        with pytest.raises(RbmleError, match=r"This adapter needs sklearn: pip install 'rbmle\[sklearn\]'."):
            adapters[1]().fit([[1.0]], [1])
    assert library("math", "none").pi > 3
    assert version_of("there is no such thing") == "there is no such thing"


def test_every_adapter_is_there_without_its_library():
    """Only making one, or learning with it, needs the library: help and documentation do not."""
    for name in rbmle.adapters.__all__:
        adapter = getattr(importlib.import_module("rbmle.adapters"), name)
        assert adapter.__name__ == name
        assert len(adapter.__doc__) > 300
    assert set(rbmle.adapters.__all__) <= set(dir(rbmle.adapters))
    with pytest.raises(AttributeError, match="no attribute 'FromNowhere'"):
        _ = rbmle.adapters.FromNowhere
