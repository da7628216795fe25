"""The ridge model against dense algebra."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.models import RidgeModel
from rbmle.testing import check_model


def dense(X, r, lam):
    V = lam * np.eye(X.shape[1]) + X.T @ X
    return V, np.linalg.inv(V), X.T @ r, np.linalg.solve(V, X.T @ r)


@settings(max_examples=40, deadline=None)
@given(
    d=st.integers(1, 16),
    n=st.integers(0, 40),
    lam=st.sampled_from([1e-3, 0.1, 1.0, 7.0, 1e3]),
    seed=st.integers(0, 10**6),
)
def test_equals_dense_algebra(d, n, lam, seed):
    rng = np.random.default_rng(seed)
    X, r = rng.standard_normal((n, d)), rng.standard_normal(n)
    model = RidgeModel(n_features=d, regularization=lam)
    model.observe_many(X[: n // 2], r[: n // 2])
    for x, y in zip(X[n // 2 :], r[n // 2 :], strict=True):
        model.observe(x, y)
    V, V_inv, b, theta = dense(X, r, lam)
    np.testing.assert_allclose(model.V, V, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(model.V_inv, V_inv, rtol=1e-6, atol=1e-9 / lam)
    np.testing.assert_allclose(model.b, b, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(model.theta_hat, theta, rtol=1e-6, atol=1e-9 / lam)
    np.testing.assert_allclose(model.V @ model.V_inv, np.eye(d), atol=1e-7)
    assert model.log_det == pytest.approx(np.linalg.slogdet(V / lam)[1], rel=1e-8, abs=1e-8)
    contexts = rng.standard_normal((4, d))
    mean, variance = model.predict(contexts)
    np.testing.assert_allclose(mean, contexts @ theta, rtol=1e-6, atol=1e-8 / lam)
    np.testing.assert_allclose(variance, np.diag(contexts @ V_inv @ contexts.T), rtol=1e-6, atol=1e-8 / lam)


def test_a_batch_is_the_same_to_the_last_bit():
    rng = np.random.default_rng(0)
    X, r = rng.standard_normal((300, 4)), rng.standard_normal(300)
    one, batch = RidgeModel(n_features=4), RidgeModel(n_features=4)
    for x, y in zip(X, r, strict=True):
        one.observe(x, y)
    batch.observe_many(X, r)
    assert all(np.array_equal(one.state()[name], batch.state()[name]) for name in one.state())


@pytest.mark.parametrize("regularization", [1e-3, 1.0, 1e3])
def test_the_inverse_stays_true_over_a_million_updates(regularization):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((1_000_000, 4))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    model = RidgeModel(n_features=4, regularization=regularization)
    model.observe_many(X, rng.standard_normal(len(X)))
    assert np.abs(model.V @ model.V_inv - np.eye(4)).sum(axis=1).max() <= 1e-8


def test_merging_is_exact():
    rng = np.random.default_rng(2)
    X, r = rng.standard_normal((50, 3)), rng.standard_normal(50)
    left, right, whole = (RidgeModel(n_features=3, regularization=0.5) for _ in range(3))
    left.observe_many(X[:20], r[:20])
    right.observe_many(X[20:], r[20:])
    whole.observe_many(X, r)
    left.merge(right)
    assert left.n == whole.n == 50
    np.testing.assert_allclose(left.V, whole.V, rtol=1e-13)
    np.testing.assert_allclose(left.theta_hat, whole.theta_hat, rtol=1e-11)
    with pytest.raises(InvalidInputError, match="same kind, n_features and regularization"):
        left.merge(RidgeModel(n_features=3, regularization=1.0))


def test_bad_parameters_and_states_are_refused():
    with pytest.raises(InvalidParameterError, match="'regularization' parameter of RidgeModel must be a float in"):
        RidgeModel(n_features=2, regularization=0.0)
    with pytest.raises(InvalidParameterError, match="'n_features'"):
        RidgeModel(n_features=0)
    model = RidgeModel(n_features=2)
    with pytest.raises(InvalidInputError, match=r"state\['V'\] must have shape \(2, 2\)"):
        model.restore({**model.state(), "V": np.eye(3)})
    with pytest.raises(InvalidInputError, match="1e70"):
        model.observe_many(np.full((1, 2), 1e100), [1.0])
    with pytest.raises(InvalidInputError, match=r"contexts must be finite. Got nan at contexts\[0, 1\]"):
        model.predict([[0.0, np.nan]])


def test_shipped_checks():
    check_model(lambda: RidgeModel(n_features=3))
    assert repr(RidgeModel(n_features=3)) == "RidgeModel(n_features=3, regularization=1.0, n=0)"
