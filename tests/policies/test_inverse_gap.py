"""SquareCB and FastCB against their rules in NumPy, on predictions of dense algebra and of a general optimiser."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from rbmle import FastCB, FastCBGLM, SquareCB, SquareCBGLM
from rbmle.errors import InvalidParameterError
from rbmle.families import get
from rbmle.testing import check_policy


def square_rule(y, gamma):
    best = int(np.argmax(y))
    p = 1.0 / (len(y) + gamma * (y[best] - y))
    p[best] = 0.0
    p[best] = 1.0 - p.sum()
    return p


def fast_rule(y, gamma, low=0.0, high=1.0):
    y = np.clip(y, low, high)
    best = int(np.argmax(y))
    if y[best] <= low:
        return np.full(len(y), 1.0 / len(y))
    p = (y[best] - low) / (len(y) * (y[best] - low) + gamma * (y[best] - y))
    p[best] = 0.0
    p[best] = 1.0 - p.sum()
    return p


RULES = {
    "SquareCB": (SquareCB, {}, lambda y, n: square_rule(y, 10 * n**0.5)),
    "SquareCB, other γ": (SquareCB, {"gamma_scale": 3.0, "gamma_exponent": 1}, lambda y, n: square_rule(y, 3.0 * n)),
    "FastCB": (FastCB, {}, lambda y, n: fast_rule(y, 10 * n**0.5)),
    "FastCB, other bounds": (
        FastCB,
        {"reward_low": -3, "reward_high": 2.5, "gamma_exponent": 0},
        lambda y, n: fast_rule(y, 10.0, -3.0, 2.5),
    ),
}


@pytest.mark.parametrize("case", RULES)
@settings(max_examples=15, deadline=None)
@given(d=st.integers(1, 15), K=st.integers(1, 40), n=st.integers(0, 60), seed=st.integers(0, 10**6))
def test_chances_by_definition(case, d, K, n, seed):
    cls, options, rule = RULES[case]
    rng = np.random.default_rng(seed)
    X, r, contexts = rng.standard_normal((n, d)), rng.standard_normal(n), rng.standard_normal((K, d))
    policy = cls(n_features=d, regularization=0.5, **options)
    policy.update_many(X, r)
    mean = contexts @ np.linalg.solve(0.5 * np.eye(d) + X.T @ X, X.T @ r)
    expected = rule(mean, n)
    np.testing.assert_allclose(policy.probabilities(contexts), expected, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(policy.fix_arms(contexts).probabilities(), expected, rtol=1e-7, atol=1e-12)
    many = policy.decide_many([contexts, contexts[:1], contexts])
    np.testing.assert_allclose(many[0].probabilities, expected, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(many[2].probabilities, expected, rtol=1e-7, atol=1e-12)
    assert many[1].probability == 1.0


@pytest.mark.parametrize("family", ["logistic", "poisson", "gaussian"])
@pytest.mark.parametrize(("cls", "rule"), [(SquareCBGLM, square_rule), (FastCBGLM, fast_rule)])
def test_chances_over_generalized_linear_models(cls, rule, family):
    rng, known = np.random.default_rng(3), get(family)
    X, theta = rng.standard_normal((80, 3)) / 2, np.array([0.6, -0.9, 0.3])
    r = known.sample(rng, X @ theta)
    policy = cls(n_features=3, family=family, regularization=0.5)
    policy.update_many(X, r)
    found = minimize(
        lambda theta: 0.25 * theta @ theta - known.log_likelihood(X @ theta, r).sum(),
        np.zeros(3),
        jac=lambda theta: 0.5 * theta + X.T @ (known.mean(X @ theta) - r),
        options={"gtol": 1e-10},
    )
    for _ in range(10):
        arms = rng.standard_normal((7, 3)) / 2
        expected = rule(known.mean(arms @ found.x), 10 * 80**0.5)
        np.testing.assert_allclose(policy.probabilities(arms), expected, atol=1e-6)
        np.testing.assert_allclose(policy.fix_arms(arms).probabilities(), expected, atol=1e-6)


@pytest.mark.parametrize("cls", [SquareCBGLM, FastCBGLM])
@pytest.mark.parametrize("options", [{"memory": "online"}, {"family": "poisson"}, {"family": "gaussian"}])
def test_other_memories_and_families_pass_the_shipped_checks(cls, options):
    check_policy(cls(n_features=3, **options))


@pytest.mark.parametrize("cls", [SquareCB, FastCB, SquareCBGLM, FastCBGLM])
def test_the_first_round_is_uniform_and_greed_without_end_is_greedy(cls):
    arms = np.eye(3)
    np.testing.assert_allclose(cls(n_features=3).probabilities(arms), 1 / 3, rtol=1e-15)
    greedy = cls(n_features=3, gamma_scale=1e300)
    greedy.update_many(arms, [0.0, 1.0, 0.0])
    np.testing.assert_allclose(greedy.probabilities(arms), [0.0, 1.0, 0.0], atol=1e-250)
    assert [greedy.choose(arms) for _ in range(50)] == [1] * 50


def test_equal_predictions_are_served_alike_and_the_draw_decides():
    policy = SquareCB(n_features=2, seed=3)
    policy.update([1.0, 0.0], 1.0)
    X = np.tile([1.0, 0.5], (4, 1))
    np.testing.assert_allclose(policy.probabilities(X), 0.25, rtol=1e-12)
    assert set(policy.choose_many(np.tile(X, (200, 1, 1)))) == {0, 1, 2, 3}


def test_a_hand_worked_case():
    """Means 0.6, 0.3 and 0 after ten rewards of each of three arms.

    With γ = 10: SquareCB 1/(3 + 3) and 1/(3 + 6); FastCB, y = 0.6: 0.6/(1.8 + 3) and 0.6/(1.8 + 6).
    """
    X, r = np.repeat(np.eye(3), 10, axis=0), np.repeat([0.66, 0.33, 0.0], 10)  # λ = 1: means are 10/11 of these
    for cls, expected in ((SquareCB, [1 / 6, 1 / 9]), (FastCB, [0.125, 0.6 / 7.8])):
        policy = cls(n_features=3, gamma_scale=10.0, gamma_exponent=0.0)
        policy.update_many(X, r)
        np.testing.assert_allclose(policy.probabilities(np.eye(3))[1:], expected, rtol=1e-12)


@pytest.mark.parametrize("cls", [FastCB, FastCBGLM])
def test_bounds_in_the_wrong_order_are_refused(cls):
    with pytest.raises(InvalidParameterError, match=f"'reward_low' parameter of {cls.__name__} must be below"):
        cls(n_features=2, reward_low=1.0)


@pytest.mark.parametrize("cls", [SquareCB, FastCB, SquareCBGLM, FastCBGLM])
@pytest.mark.parametrize("exponent", [400.0, 1e8])
def test_greed_beyond_all_floats_is_greed(cls, exponent):
    arms = np.eye(3)[[0, 1, 1, 2]]
    policy = cls(n_features=3, gamma_exponent=exponent)
    policy.update_many(arms, [0.0, 1.0, 1.0, 0.0])
    chances = policy.decide(arms).probabilities
    np.testing.assert_allclose(chances, [0.0, 0.75, 0.25, 0.0], atol=1e-15)  # a tie: 1/K to all but the first
    assert cls(n_features=3, gamma_scale=0.0, gamma_exponent=exponent).probabilities(arms, t=9) == pytest.approx(0.25)


class DrawsAnother(SquareCB):
    """Always serves the last arm."""

    title = ""

    def draws(self, rng, count):
        return np.full((count, 1), 1.0 - 1e-16)


def test_a_subclass_that_draws_otherwise_is_heard_on_every_path():
    policy, X = DrawsAnother(n_features=2), np.ones((3, 2))
    assert [policy.choose(X), policy.fix_arms(X).choose(), *policy.choose_many([X])] == [2, 2, 2]
