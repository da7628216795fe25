"""Formulas of users that raise, return no arm or read beyond their arrays: an error; what was learnt before counts."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pytest

from rbmle import EpsilonGreedy, LinUCB, kernels
from rbmle.errors import FormulaError, InvalidInputError, InvalidParameterError, RbmleError
from rbmle.models.ridge import RidgeModel
from rbmle.params import Integer
from rbmle.policies.formulas import bound, deviations
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.random import state_of
from rbmle.testing.subprocesses import expect_survived
from rbmle.testing.tools import coin_rewards, expect, same_state, unit_contexts

K, D, GOOD = 4, 3, 5
MISDEEDS = (
    "raises",
    "returns -1",
    "returns K",
    "returns 10**9",
    "reads far coefficients",
    "reads far draws",
    "reads bank",
)


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """m_a + v_a, and from some round on a misdeed."""
    for a in range(len(mean)):
        scores[a] = mean[a] + variance[a]
    misdeed = coefficients[0]
    if misdeed == 0.0:
        raise ValueError("a formula may fail")
    if misdeed == 1.0:
        return -1
    if misdeed == 2.0:
        return len(mean)
    if misdeed == 3.0:
        return 10**9
    if misdeed == 4.0:
        scores[0] = coefficients[10**7]
    if misdeed == 5.0:
        scores[0] = draws[10**7]
    if misdeed == 6.0:
        scores[0] = bank[10**7, 10**7]
    return kernels.normal.first_max(scores)


@dataclass(kw_only=True, eq=False)
class Misbehaves(LinearPolicy):
    """Well for some rounds, then not."""

    formula = index
    random = True

    misdeed: Annotated[int, Integer(0)] = 0
    seed: int = 0

    def coefficients(self, rounds):
        return np.where(rounds <= GOOD, -1.0, float(self.misdeed))[:, None]

    def draws(self, rng, count):
        return rng.random((count, 1))


def dense(rows):
    """V by its definition."""
    return np.eye(D) + sum((np.outer(x, x) for x in rows), np.zeros((D, D)))


def misbehave(misdeed):
    """In a process of its own, for a misdeed that gets through may crash it."""
    X, r = unit_contexts(0, 20, K, D), coin_rewards(0, 20, K)
    for how, contexts in (("play", X), ("play with arms that stay", X[:1])):
        policy, twin = (Misbehaves(n_features=D, misdeed=misdeed) for _ in range(2))
        arms = twin.play(contexts if len(contexts) == 1 else contexts[:GOOD], r[:GOOD])
        rows = [contexts[min(t, len(contexts) - 1), arm] for t, arm in enumerate(arms)]
        with pytest.raises(FormulaError, match="formula of Misbehaves"):
            policy.play(contexts, r)
        expect(policy.n_observed == GOOD, f"{how} counted {policy.n_observed}")
        expect(np.allclose(policy.model.V, dense(rows), rtol=1e-12), f"{how}: V is not of the rounds that went well")
    policy = Misbehaves(n_features=D, misdeed=misdeed)
    policy.update_many(X[:GOOD, 0], r[:GOOD, 0])
    catalogue, before = policy.fix_arms(X[0]), policy.state()
    for call in (
        lambda: policy.choose(X[0]),
        lambda: policy.scores(X[0]),
        lambda: policy.probabilities(X[0]),
        lambda: policy.decide(X[0]),
        lambda: policy.choose_many(X),
        lambda: policy.decide_many(X),
        lambda: catalogue.choose(),
        lambda: catalogue.decide(),
        lambda: catalogue.play(r),
    ):
        with pytest.raises(FormulaError):
            call()
        expect(same_state(before, policy.state()), "a decision that failed changed the state")


@pytest.mark.parametrize("misdeed", range(len(MISDEEDS)), ids=MISDEEDS.__getitem__)
def test_misdeeds(misdeed):
    expect_survived(MISDEEDS[misdeed], misbehave, misdeed)


def test_a_formula_is_needed():
    @dataclass(kw_only=True, eq=False)
    class Bare(LinearPolicy):
        pass

    with pytest.raises(InvalidParameterError, match="Bare must have a formula"):
        Bare(n_features=2)


def test_a_model_of_other_features_is_refused():
    class Other(Misbehaves):
        def new_model(self):
            return RidgeModel(n_features=1)

    with pytest.raises(InvalidInputError, match=r"Other.new_model must give one of n_features=3. Got RidgeModel\(n_f"):
        Other(n_features=3)


@pytest.mark.parametrize("epsilon", [lambda t: 2.0, lambda t: float("nan"), lambda t: -1e-9])
def test_bad_schedules_draw_nothing(epsilon):
    policy, X, r = EpsilonGreedy(n_features=D, epsilon=epsilon), unit_contexts(1, 6, K, D), coin_rewards(1, 6, K)
    catalogue, before, drawn = policy.fix_arms(X[0]), policy.state(), state_of(policy.rng)
    for call in (
        lambda: policy.choose(X[0]),
        lambda: policy.scores(X[0]),
        lambda: policy.decide(X[0]),
        lambda: policy.probabilities(X[0]),
        lambda: policy.choose_many(X),
        lambda: policy.decide_many(X),
        lambda: policy.play(X, r),
        lambda: catalogue.choose(),
        lambda: catalogue.decide(floor=0.1),
        lambda: catalogue.play(r),
    ):
        with pytest.raises(RbmleError, match="epsilon"):
            call()
        assert state_of(policy.rng) == drawn
        assert same_state(before, policy.state())


class OneWeight(LinUCB):
    """Its formula says that it is a bound, and gives one weight where there are two."""

    title = ""
    formula = bound(rooted=True, weights=lambda c, n_arms: np.ones((len(c), 1)))(deviations.function)


def test_a_bound_without_two_weights_is_refused():
    X, policy = np.ones((7, 3, 2)), OneWeight(n_features=2)
    for call in (lambda: policy.choose(X[0]), lambda: policy.choose_many(X), lambda: policy.play(X, np.ones((7, 3)))):
        with pytest.raises(InvalidInputError, match="weights of a bound must be an array of floats"):
            call()
    assert policy.n_observed == 0
