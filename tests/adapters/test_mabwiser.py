"""MABWiser's policies in our simulator, and the arms of its LinUCB."""

import numpy as np
import pytest

from rbmle import LinUCB
from rbmle.adapters import FromMABWiser
from rbmle.errors import InvalidInputError
from rbmle.simulation import simulate

pytestmark = pytest.mark.long

ARMS = ["first", "second", "third"]


@pytest.fixture(autouse=True)
def installed():
    pytest.importorskip("mabwiser", reason="MABWiser is not installed: pip install rbmle[mabwiser]")


def bandit(policy, **settings):
    from mabwiser.mab import MAB, LearningPolicy

    return MAB(ARMS, getattr(LearningPolicy, policy)(**settings.pop("learning", {})), **settings)


def linucb(alpha=1.0, l2_lambda=1.0):
    return FromMABWiser(bandit("LinUCB", learning={"alpha": alpha, "l2_lambda": l2_lambda}))


@pytest.mark.parametrize("alpha", [0.1, 1.0, 3.0])
def test_linucb_is_ours_from_the_first_round_to_the_last(blocks, same_run, one_history, alpha):
    same_run(LinUCB(n_features=12, alpha=alpha), linucb(alpha), blocks)
    assert one_history(LinUCB(n_features=12, alpha=alpha), linucb(alpha), blocks, 300) > 290


def test_linucb_starts_from_another_inverse_unless_lambda_is_one(blocks):
    """The reason why λ = 1 above: once it was pulled, an arm's V⁻¹ is right; before, it is λ I instead of I/λ."""
    theirs = linucb(l2_lambda=0.01)
    X = blocks.rounds(0, 0, 0, 1).contexts_of(0)
    theirs.choose(X)
    theirs.update(X[0], 1.0)
    x = X[0, :4]
    told = theirs.mab.predict_expectations(x[None])
    assert told["second"] == pytest.approx(np.sqrt(0.01 * x @ x))
    assert LinUCB(n_features=12, regularization=0.01).scores(X)[1] == pytest.approx(np.sqrt(x @ x / 0.01))


def test_other_policies_play(blocks):
    def thompson(seed):
        return FromMABWiser(bandit("LinTS", learning={"alpha": 0.3}, seed=seed))

    def popular(seed):
        return FromMABWiser(bandit("EpsilonGreedy", learning={"epsilon": 0.1}, seed=seed))

    candidates = {"LinTS": thompson, "ε-greedy": popular, "ours": LinUCB(n_features=12)}
    results = simulate(candidates, blocks, horizon=300, trials=2, seed=1, progress=False, n_jobs=2)
    final = {name: row["mean"] for name, row in results.statistics().items()}
    assert final["LinTS"] < 120 < final["ε-greedy"] < 230
    again = simulate(candidates, blocks, horizon=300, trials=2, seed=1, progress=False)
    for name in candidates:
        np.testing.assert_array_equal(again.regret[name], results.regret[name])
    assert len(set(results.regret["LinTS"][:, -1])) > 1


def test_fitted_bandits_are_asked_at_once(blocks):
    ready = bandit("EpsilonGreedy", learning={"epsilon": 0.0})
    ready.fit(["first", "third"], [0.0, 1.0])
    X = blocks.rounds(0, 0, 0, 1).contexts_of(0)
    assert FromMABWiser(ready, fitted=True).choose(X) == 2
    assert "EpsilonGreedy" in FromMABWiser(ready).params["learning_policy"]
    with pytest.raises(InvalidInputError, match=r"mab must be a mabwiser.mab.MAB"):
        FromMABWiser("LinUCB")
    with pytest.raises(InvalidInputError, match="contexts must be those of 3 arms"):
        FromMABWiser(ready).choose(X[:2])
