"""RandLinUCB: its chances against their definition, written again in plain NumPy."""

import numpy as np
import pytest

from rbmle import RandLinUCB


def defined(policy, X, r, arms, beta):
    """The chance of every arm: Σ of the weights of those Z for which m + Z β √v is largest."""
    M, spread = policy.points, policy.spread
    z = np.arange(M) / (M - 1)
    weights = np.exp(-(z**2) / (2 * spread**2)) / np.sqrt(2 * np.pi * spread**2)
    weights[-1] = 1e-6
    weights /= weights.sum()
    V = policy.regularization * np.eye(X.shape[1]) + X.T @ X
    m = arms @ np.linalg.solve(V, X.T @ r)
    width = np.sqrt(np.einsum("ki,ki->k", arms, np.linalg.solve(V, arms.T).T))
    best = np.argmax(m + z[:, None] * beta * width, axis=1)
    return np.bincount(best, weights, len(arms))


@pytest.mark.parametrize("settings, beta", [
    ({}, lambda d, t: 1.0 + np.sqrt(d * np.log((1 + t / 1.0) * t))),
    ({"horizon": 500, "noise": 0.4, "norm_bound": 2.0, "context_bound": 3.0, "regularization": 0.7},
     lambda d, t: np.sqrt(0.7) * 2 + 0.4 * np.sqrt(d * np.log((1 + 500 * 9 / 0.7) * 500))),
    ({"width": 1.7, "points": 5, "spread": 0.6}, lambda d, t: 1.7),
])  # fmt: skip
def test_chances_are_those_of_the_definition(settings, beta):
    rng = np.random.default_rng(1)
    X, r = rng.standard_normal((9, 3)), rng.standard_normal(9)
    policy = RandLinUCB(n_features=3, **settings)
    policy.update_many(X, r)
    for _ in range(20):
        arms = rng.standard_normal((6, 3))
        expected = defined(policy, X, r, arms, beta(3, 10))
        np.testing.assert_allclose(policy.probabilities(arms), expected, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(policy.fix_arms(arms).probabilities(), expected, rtol=1e-12, atol=1e-15)
        decision = policy.decide(arms)
        assert decision.probability == decision.probabilities[decision.arm] > 0.0


def test_one_width_serves_all_arms_of_a_round():
    """With opposite arms and no data all means are 0: scores differ by one factor from round to round."""
    policy, arms = RandLinUCB(n_features=2, width=1.0), np.array([[1.0, 0.0], [0.0, 3.0]])
    seen = set()
    for _ in range(200):
        low, high = policy.scores(arms)
        policy.choose(arms)
        assert high == pytest.approx(3 * low, rel=1e-12)
        seen.add(round(low * 19, 9))
    assert seen <= set(range(20)) and len(seen) > 3
