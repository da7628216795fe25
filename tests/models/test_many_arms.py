"""Many arms that stay, kept by columns: dense algebra, and the arms of the general path in every round."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbmle import LinRBMLE, LinUCB
from rbmle.models import RidgeModel
from rbmle.models.ridge_catalogue import COLUMNS, GRAM, ROOT, fastest

SIZES = [(1, 33), (3, 40), (7, 513), (13, 64), (20, 300), (33, 90)]


def arms_of(rng, K, d, kind):
    X = rng.standard_normal((K, d))
    if kind == "sphere":
        X /= np.linalg.norm(X, axis=1, keepdims=True)
    elif kind == "sizes":
        X *= np.exp(1.0 * rng.standard_normal((K, 1)))
    elif kind == "twins":
        X = X[rng.integers(0, max(1, K // 3), K)]
    elif kind == "near":
        X = X[rng.integers(0, 3, K)] * (1.0 + 1e-9 * rng.standard_normal((K, d)))
    else:
        X[rng.random((K, d)) < 0.7] = 0.0
    return np.ascontiguousarray(X)


@settings(max_examples=40, deadline=None)
@given(
    size=st.sampled_from(SIZES),
    lam=st.sampled_from([1e-9, 1e-3, 1.0, 1e3]),
    kind=st.sampled_from(["sphere", "sizes", "twins", "near", "zeros"]),
    seed=st.integers(0, 10**6),
)
def test_every_arm_as_by_dense_algebra(size, lam, kind, seed):
    d, K = size
    rng = np.random.default_rng(seed)
    X, r = arms_of(rng, K, d, kind), rng.standard_normal(60)
    pulled = rng.integers(0, K, 60)
    model = RidgeModel(n_features=d, regularization=lam)
    held = model.bind(X)
    assert held.kind == COLUMNS
    for arm, reward in zip(pulled, r, strict=True):
        model.pull(held, int(arm), float(reward))
    mean, variance = model.known(held).rows[:2].copy()
    plain = RidgeModel(n_features=d, regularization=lam)
    plain.observe_many(X[pulled], r)
    m, v = plain.predict(X)
    size = np.abs(X).max() ** 2 / lam
    np.testing.assert_allclose(variance, v, rtol=1e-6, atol=1e-10 * size)
    lost = 1e-15 * size  # V⁻¹ starts at 1/λ, and its rounding stays
    np.testing.assert_allclose(mean, m, rtol=1e-6, atol=(1e-9 + lost) * (1.0 + np.abs(m).max()))
    np.testing.assert_allclose(model.V, lam * np.eye(d) + X[pulled].T @ X[pulled], rtol=1e-12, atol=1e-9)
    assert model.log_det == pytest.approx(plain.log_det, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("policy", [LinRBMLE, LinUCB])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", ["sphere", "sizes", "twins"])
def test_arms_are_those_of_the_general_path(policy, size, kind):
    d, K = size
    rng = np.random.default_rng(d + K)
    X = arms_of(rng, K, d, kind)
    theta = rng.standard_normal(d)
    rewards = X @ theta + rng.standard_normal((300, K))
    one, other, third = (policy(n_features=d) for _ in range(3))
    arms = one.fix_arms(X).play(rewards)
    np.testing.assert_array_equal(arms, other.play(np.tile(X, (300, 1, 1)), rewards))
    catalogue, singly = third.fix_arms(X), []
    for row in rewards:
        singly.append(catalogue.choose())
        catalogue.update(singly[-1], row[singly[-1]])
    np.testing.assert_array_equal(arms, singly)
    chosen = X[arms]
    theta_hat = np.linalg.solve(np.eye(d) + chosen.T @ chosen, chosen.T @ rewards[np.arange(300), arms])
    np.testing.assert_allclose(one.model.theta_hat, theta_hat, rtol=1e-6, atol=1e-9)


def test_equal_arms_tie_to_the_last_bit_wherever_they_stand():
    rng = np.random.default_rng(0)
    few = rng.standard_normal((5, 9))
    X = np.ascontiguousarray(np.tile(few, (211, 1)))
    model = RidgeModel(n_features=9)
    held = model.bind(X)
    for arm, reward in zip(rng.integers(0, len(X), 200), rng.standard_normal(200), strict=True):
        model.pull(held, int(arm), float(reward))
    rows = model.known(held).rows[:2]
    np.testing.assert_array_equal(rows, np.tile(rows[:, :5], (1, 211)))


def test_what_is_learnt_otherwise_is_seen():
    rng = np.random.default_rng(1)
    X = arms_of(rng, 64, 4, "sphere")
    policy = LinRBMLE(n_features=4)
    one, other = policy.fix_arms(X), policy.fix_arms(X[::-1].copy())
    for _ in range(20):
        one.update(int(rng.integers(64)), 1.0)
        other.update(int(rng.integers(64)), 0.5)
        policy.update(X[int(rng.integers(64))], -1.0)
    np.testing.assert_allclose(one.scores(), policy.scores(X), rtol=1e-9)
    np.testing.assert_allclose(other.scores()[::-1], policy.scores(X), rtol=1e-9)


def test_a_steep_fall_of_a_variance_keeps_its_digits():
    X = np.ascontiguousarray(np.eye(5)[np.arange(60) % 5] + np.eye(5)[np.arange(60) // 12])
    model = RidgeModel(n_features=5, regularization=1e-12)
    held = model.bind(X)
    model.pull(held, 0, 1.0)
    exact = np.linalg.inv(1e-12 * np.eye(5) + np.outer(X[0], X[0]))
    assert model.known(held).rows[1, 0] == pytest.approx(X[0] @ exact @ X[0], rel=1e-6)


def test_the_form_follows_the_sizes():
    assert [fastest(K, 3, False) for K in (10, 32, 33, 1000)] == [GRAM, GRAM, COLUMNS, COLUMNS]
    assert [fastest(K, 100, False) for K in (100, 170, 171)] == [GRAM, GRAM, COLUMNS]
    assert fastest(1000, 3, True) == ROOT
