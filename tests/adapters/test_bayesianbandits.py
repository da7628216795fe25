"""Agents of bayesianbandits in our simulator, and the estimates of its regressor."""

import numpy as np
import pytest

from rbmle import LinRBMLE
from rbmle.adapters import FromBayesianBandits
from rbmle.errors import InvalidInputError
from rbmle.simulation import simulate

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture(autouse=True)
def installed():
    reason = "bayesianbandits is not installed: pip install rbmle[bayesianbandits]"
    pytest.importorskip("bayesianbandits", reason=reason)


def arms(alpha=1.0):
    from bayesianbandits import Arm, NormalRegressor

    return [Arm(name, learner=NormalRegressor(alpha=alpha, beta=1.0)) for name in "abc"]


def contextual(seed, alpha=1.0):
    from bayesianbandits import ContextualAgent, ThompsonSampling

    return FromBayesianBandits(ContextualAgent(arms(alpha), ThompsonSampling(), random_seed=seed))


def plain(seed):
    from bayesianbandits import Agent, ThompsonSampling

    return FromBayesianBandits(Agent(arms(), ThompsonSampling(), random_seed=seed))


@pytest.mark.parametrize("regularization", [1.0, 0.2])
def test_estimates_are_those_of_our_ridge_model(blocks, regularization):
    """On one history, that of its own choices, which are random draws."""
    player, ours = contextual(3, regularization), LinRBMLE(n_features=12, regularization=regularization)
    block = blocks.rounds(0, 0, 0, 200)
    for number in range(200):
        X = block.contexts_of(number)
        arm = player.choose(X)
        for each in (player, ours):
            each.update(X[arm], block.rewards[number, arm])
    X = block.contexts_of(0)
    told = [arm.learner.predict(X[:1, :4])[0] for arm in player.agent.arms]
    np.testing.assert_allclose(told, ours.model.predict(X)[0], atol=1e-9)


def test_agents_play_and_follow_their_seed(blocks):
    candidates = {"contextual": contextual, "plain": plain}
    results = simulate(candidates, blocks, horizon=200, trials=2, seed=1, progress=False)
    final = {name: row["mean"] for name, row in results.statistics().items()}
    assert final["contextual"] < 90 < final["plain"] < 160
    assert len(set(results.regret["contextual"][:, -1])) > 1
    again = simulate(candidates, blocks, horizon=200, trials=2, seed=1, progress=False, n_jobs=2)
    for name in candidates:
        np.testing.assert_array_equal(again.regret[name], results.regret[name])
    assert "ThompsonSampling" in contextual(1).params["policy"]
    with pytest.raises(InvalidInputError, match="agent must be an agent of bayesianbandits"):
        FromBayesianBandits("agent")
