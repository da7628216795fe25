"""Vowpal Wabbit's explorers in our simulator."""

import copy

import numpy as np
import pytest

from rbmle import Uniform
from rbmle.adapters import FromVW
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.simulation import simulate

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def installed():
    pytest.importorskip("vowpalwabbit", reason="Vowpal Wabbit cannot be imported here: pip install rbmle[vw]")


SQUARECB = "--cb_explore_adf --squarecb"


def test_rounds_are_what_vowpal_wabbit_is_told_by_hand(free):
    """A second workspace, told the same lines: the same chances, round after round."""
    player = FromVW(SQUARECB + " --random_seed 5", seed=2)
    import vowpalwabbit

    workspace = vowpalwabbit.Workspace(f"{SQUARECB} --quiet --random_seed 5")
    block, arms = free.rounds(1, 0, 0, 200), []
    for number in range(200):
        X = block.contexts_of(number)
        decision = player.decide(X)
        lines = ["|a " + " ".join(f"{i}:{value:.9g}" for i, value in enumerate(x)) for x in X]
        chances = np.array(workspace.predict(lines))
        np.testing.assert_allclose(decision.probabilities, chances / chances.sum(), rtol=1e-12)
        assert decision.probability == decision.probabilities[decision.arm]
        reward = float(block.rewards[number, decision.arm])
        player.update(X[decision.arm], reward)
        lines[decision.arm] = f"0:{-reward!r}:{decision.probability!r} {lines[decision.arm]}"
        workspace.learn(lines)
        arms.append(decision.arm)
    workspace.finish()
    assert decision.t == 200
    assert len(set(arms)) == 5


def test_explorers_learn_and_follow_their_seed(blocks):
    candidates = {
        "arms": FromVW(SQUARECB),
        "shared": FromVW("--cb_explore_adf --epsilon 0.1 -q sa", "blocks"),
        "bags": FromVW("--cb_explore_adf --bag 3"),
        "Uniform": Uniform(n_features=12),
    }
    results = simulate(candidates, blocks, horizon=400, trials=3, seed=1, progress=False, log=True)
    final = {name: row["mean"] for name, row in results.statistics().items()}
    assert max(final["arms"], final["shared"], final["bags"]) < 0.7 * final["Uniform"]
    assert np.isfinite(results.log("arms")["probability"]).all()
    assert len(set(results.regret["arms"][:, -1])) > 1
    again = simulate(candidates, blocks, horizon=400, trials=3, seed=1, progress=False, log=True, n_jobs=2)
    for name in candidates:
        np.testing.assert_array_equal(again.regret[name], results.regret[name])


def test_what_was_learnt_cannot_be_copied(free):
    player = FromVW(SQUARECB)
    copy.deepcopy(player)
    X = free.rounds(0, 0, 0, 1).contexts_of(0)
    player.choose(X)
    with pytest.raises(InvalidInputError, match="What Vowpal Wabbit has learnt cannot be copied"):
        copy.deepcopy(player)
    with pytest.raises(InvalidParameterError, match="must have --cb_explore_adf"):
        FromVW("--cb_explore 3")
