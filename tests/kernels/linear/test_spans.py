"""Contexts that are 0 but for a stretch take a path of their own: the same numbers as dense algebra gives."""

import numpy as np
import pytest

from rbmle import LinRBMLE, kernels
from rbmle.errors import InvalidInputError
from rbmle.models import RidgeModel


def stretches(rng: np.random.Generator, n: int, d: int, longest: int) -> np.ndarray:
    """Contexts with a stretch somewhere, of every length from 0 on, a 0 within it now and then."""
    X = np.zeros((n, d))
    for row in X:
        length = int(rng.integers(0, longest + 1))
        first = int(rng.integers(0, d - length + 1))
        row[first : first + length] = rng.standard_normal(length) * (rng.random(length) < 0.8)
    return X


@pytest.mark.parametrize(("d", "longest"), [(13, 4), (30, 10), (90, 30), (640, 64)])
def test_predictions_are_those_of_dense_algebra(d: int, longest: int) -> None:
    rng = np.random.default_rng(d)
    X, theta, A = stretches(rng, 12, d, longest), rng.standard_normal(d), rng.standard_normal((d, d))
    assert kernels.linear.predict.are_short(X)
    V_inv = np.eye(d) + A @ A.T / d
    V_inv = 0.5 * (V_inv + V_inv.T)
    mean, variance = np.full(12, np.nan), np.full(12, np.nan)
    kernels.linear.predict.predict(X, theta, V_inv, mean, variance)
    np.testing.assert_allclose(mean, X @ theta, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(variance, ((X @ V_inv) * X).sum(axis=1), rtol=1e-11, atol=1e-13)


def test_what_is_short() -> None:
    row = np.zeros(30)
    assert kernels.linear.predict.is_short(row)
    row[[5, 14]] = 1.0
    assert kernels.linear.predict.is_short(row)
    assert kernels.linear.predict.span(row) == (5, 15)
    row[15] = np.nan  # no number, and not 0 either
    assert kernels.linear.predict.span(row) == (5, 16)
    assert not kernels.linear.predict.is_short(row)
    assert not kernels.linear.predict.are_short(np.stack([np.zeros(30), row]))


@pytest.mark.parametrize(("d", "longest"), [(13, 4), (90, 30)])
def test_a_model_learns_what_dense_algebra_says(d: int, longest: int) -> None:
    rng = np.random.default_rng(7)
    X, rewards = stretches(rng, 300, d, longest), rng.standard_normal(300)
    X[::50] = rng.standard_normal((6, d))  # and once in a while one without zeros
    model = RidgeModel(n_features=d, regularization=0.5)
    for x, r in zip(X, rewards, strict=True):
        model.observe(x, r)
    V = 0.5 * np.eye(d) + X.T @ X
    mean, variance = model.predict(np.vstack([np.eye(d), X[:5]]))
    inverse = np.linalg.inv(V)
    np.testing.assert_allclose(mean[:d], inverse @ X.T @ rewards, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(variance[:d], np.diag(inverse), rtol=1e-9)
    np.testing.assert_allclose(variance[d:], ((X[:5] @ inverse) * X[:5]).sum(axis=1), rtol=1e-9, atol=1e-12)


def test_where_features_stand_changes_no_decision() -> None:
    """Blocks, and the same features dealt out over the whole length: one path is for stretches, the other is not."""
    rng = np.random.default_rng(3)
    B, K, p = 200, 5, 8
    rows = rng.standard_normal((B, p))
    contexts = np.zeros((B, K, K, p))
    for arm in range(K):
        contexts[:, arm, arm] = rows
    blocks = contexts.reshape(B, K, K * p)
    dealt = np.ascontiguousarray(contexts.transpose(0, 1, 3, 2)).reshape(B, K, K * p)
    assert kernels.linear.predict.are_short(blocks[0])
    assert not kernels.linear.predict.are_short(dealt[0])
    rewards = rng.standard_normal((B, K))
    played = [LinRBMLE(n_features=K * p).play(each, rewards) for each in (blocks, dealt)]
    assert np.array_equal(*played)


def test_a_bad_number_is_refused_and_changes_nothing() -> None:
    policy = LinRBMLE(n_features=20)
    policy.update(np.eye(20)[3], 1.0)
    before = policy.state()
    bad = np.eye(20)[4]
    bad[5] = np.nan
    with pytest.raises(InvalidInputError, match="must be finite"):
        policy.update(bad, 1.0)
    with pytest.raises(InvalidInputError, match="must be finite"):
        policy.choose(np.stack([np.eye(20)[0], bad]))
    after = policy.state()
    assert all(np.array_equal(before[name], after[name]) for name in before)
