"""Policies of contextualbandits in our simulator, and the arms of its LinUCB."""

import numpy as np
import pytest

from rbmle import LinUCB
from rbmle.adapters import FromContextualBandits
from rbmle.errors import InvalidInputError
from rbmle.simulation import simulate

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(autouse=True)
def installed():
    reason = "contextualbandits is not installed (it needs a C++ compiler): pip install rbmle[contextualbandits]"
    pytest.importorskip("contextualbandits", reason=reason)


def linucb(alpha=1.0, lambda_=1.0, names=3, seed=1):
    from contextualbandits import online

    return FromContextualBandits(
        online.LinUCB(names, alpha=alpha, lambda_=lambda_, fit_intercept=False, use_float=False, random_state=seed)
    )


@pytest.mark.parametrize(("alpha", "regularization"), [(1.0, 1.0), (0.3, 5.0), (2.0, 0.05)])
def test_linucb_is_ours(blocks, one_history, alpha, regularization):
    ours = LinUCB(n_features=12, alpha=alpha, regularization=regularization)
    assert one_history(ours, linucb(alpha, regularization), blocks, 400) > 390


def test_names_of_choices_and_seeds(blocks):
    X = blocks.rounds(0, 0, 0, 1).contexts_of(0)
    named, numbered = linucb(names=["a", "b", "c"], seed=4), linucb(seed=4)
    for _ in range(20):
        arm = named.choose(X)
        assert arm == numbered.choose(X)
        for each in (named, numbered):
            each.update(X[arm], 1.0)
    assert named.params["policy"] == "LinUCB"
    with pytest.raises(InvalidInputError, match="policy must be one of contextualbandits.online"):
        FromContextualBandits("LinUCB")


def test_other_policies_play(blocks):
    from contextualbandits import online
    from sklearn.linear_model import SGDClassifier

    def greedy(seed):
        base = SGDClassifier(random_state=1, loss="log_loss")
        made = online.EpsilonGreedy(base, nchoices=3, batch_train=True, random_state=seed)
        return FromContextualBandits(made)

    results = simulate({"ε-greedy": greedy}, blocks, horizon=150, trials=2, seed=1, progress=False)
    assert np.all(results.regret["ε-greedy"][:, -1] < 95)
    assert len(set(results.regret["ε-greedy"][:, -1])) > 1
