"""The ridge model that learns scales: against dense algebra on the whole history, and in any units."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbmle.errors import InvalidInputError
from rbmle.models.ridge import RidgeModel
from rbmle.models.scaled_ridge import ScaledRidge
from rbmle.testing import check_model


def history(n, d, seed, sparse=0.3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-3, 4, d)
    X[rng.random((n, d)) < sparse] = 0.0
    return X, X @ (rng.standard_normal(d) / np.sqrt(np.maximum((X**2).sum(0), 1e-9))) + 0.1 * rng.standard_normal(n)


def by_definition(X, r, lam):
    """Scales, factor, V and θ̂ in units of x, at an n where everything is renewed."""
    n = len(X)
    counts = np.count_nonzero(X, axis=0)
    seen = counts > 0
    S = np.sqrt((X[:, seen] ** 2).sum(0) / counts[seen]) * np.sqrt(max(counts.sum(), 1) / n)
    Z = X[:, seen] / S
    V = lam * np.eye(seen.sum()) + Z.T @ Z
    theta = np.linalg.solve(V, Z.T @ r)
    d_eff = seen.sum() - lam * np.trace(np.linalg.inv(V))
    rest = ((r - Z @ theta) ** 2).sum() + lam * theta @ theta  # = Σ r² − bᵀθ̂
    return S, seen, V, theta, np.sqrt(rest / n / max(d_eff, 1.0))


@settings(max_examples=40, deadline=None)
@given(d=st.integers(1, 14), power=st.integers(0, 6), lam=st.sampled_from([0.01, 0.1, 2.0]), seed=st.integers(0, 10**6))
def test_at_a_renewal_everything_is_what_the_definition_gives(d, power, lam, seed):
    X, r = history(2**power, d, seed)
    model = ScaledRidge(n_features=d, regularization=lam)
    model.observe_many(X, r)
    S, seen, V, theta, factor = by_definition(X, r, lam)
    np.testing.assert_allclose(model.scales.scale[seen], S, rtol=1e-10)
    np.testing.assert_allclose(model.V[np.ix_(seen, seen)], V, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(model.theta_hat[seen], theta, rtol=1e-5, atol=1e-7)
    assert model.bias_factor == pytest.approx(factor, rel=1e-6)


def test_alpha_worked_by_hand():
    """x = 2 twice with rewards 1 and 3, λ = 1: S = 2, z = 1, V = 3, θ̂ = 4/3, Σr² − bθ̂ = 10 − 16/3, d_eff = 2/3 → 1."""
    model = ScaledRidge(n_features=1, regularization=1.0)
    assert model.bias_factor == 0.0
    model.observe([2.0], 1.0)  # z = 1, V = 2, θ̂ = ½: √(1 − ½)
    assert model.bias_factor == pytest.approx(np.sqrt(0.5), rel=1e-15)
    model.observe([2.0], 3.0)
    assert model.bias_factor == pytest.approx(np.sqrt((10.0 - 16.0 / 3.0) / 2.0), rel=1e-15)


def test_what_is_not_explained_is_the_sum_of_one_step_errors():
    X, r = history(32, 3, seed=5, sparse=0.0)
    S, *_ = by_definition(X, r, 0.1)
    model, total = RidgeModel(n_features=3, regularization=0.1), 0.0
    for z, y in zip(X / S, r, strict=True):
        mean, variance = model.predict(z[None])
        total += (y - mean[0]) ** 2 / (1.0 + variance[0])
        model.observe(z, y)
    scaled = ScaledRidge(n_features=3, regularization=0.1)
    scaled.observe_many(X, r)
    d_eff = 3 - 0.1 * np.trace(scaled.V_inv)
    assert scaled.bias_factor == pytest.approx(np.sqrt(total / 32 / d_eff), rel=1e-9)


@pytest.mark.parametrize("n", [1, 5, 64, 100])
def test_powers_of_two_change_not_a_bit(n):
    X, r = history(n, 5, seed=n)
    units, money = 2.0 ** np.array([10, -7, 0, 3, -20]), 2.0**13
    one, other = ScaledRidge(n_features=5), ScaledRidge(n_features=5)
    one.observe_many(X, r)
    other.observe_many(X * units, r * money)
    contexts = np.random.default_rng(0).standard_normal((6, 5))
    (mean, variance), (mean2, variance2) = one.predict(contexts), other.predict(contexts * units)
    assert (mean2 == money * mean).all()
    assert (variance2 == variance).all()
    assert other.bias_factor == money * one.bias_factor


def test_other_units_change_rounding_alone():
    X, r = history(100, 5, seed=1)
    units = np.array([3.0, 0.7, 1e5, 1e-5, np.pi])
    one, other = ScaledRidge(n_features=5), ScaledRidge(n_features=5)
    one.observe_many(X, r)
    other.observe_many(X * units, 0.37 * r)
    contexts = X[:7] + 1.0
    (mean, variance), (mean2, variance2) = one.predict(contexts), other.predict(contexts * units)
    np.testing.assert_allclose(mean2, 0.37 * mean, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(variance2, variance, rtol=1e-9)
    assert other.bias_factor == pytest.approx(0.37 * one.bias_factor, rel=1e-9)


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 70), cut=st.integers(0, 70), seed=st.integers(0, 10**6))
def test_blocks_and_single_observations_agree_to_the_bit(n, cut, seed):
    X, r = history(n, 4, seed, sparse=0.6)
    single, blocks = ScaledRidge(n_features=4), ScaledRidge(n_features=4)
    for x, y in zip(X, r, strict=True):
        single.observe(x, y)
    blocks.observe_many(X[:cut], r[:cut])
    blocks.observe_many(X[cut:], r[cut:])
    mine, theirs = single.state(), blocks.state()
    assert [name for name in mine if (mine[name] != theirs[name]).any()] == []


def test_merged_models_know_what_one_would_that_saw_everything():
    X, r = history(64, 5, seed=3)
    X[:32, 1] = 0.0  # seen by one of the two alone
    X[32:, 2] = 0.0
    left, right, whole = (ScaledRidge(n_features=5) for _ in range(3))
    left.observe_many(X[:32], r[:32])
    right.observe_many(X[32:], r[32:])
    whole.observe_many(X, r)
    before = right.state()
    left.merge(right)
    for name, array in whole.state().items():
        np.testing.assert_allclose(left.state()[name], array, rtol=1e-7, atol=1e-9, err_msg=name)
    assert all((before[name] == array).all() for name, array in right.state().items())


def test_merging_with_nothing_learnt():
    X, r = history(16, 3, seed=3)
    one, empty = ScaledRidge(n_features=3), ScaledRidge(n_features=3)
    empty.merge(ScaledRidge(n_features=3))
    assert (empty.n, empty.bias_factor) == (0, 0.0)
    one.observe_many(X, r)
    empty.merge(one)
    for name, array in one.state().items():
        np.testing.assert_allclose(empty.state()[name], array, rtol=1e-9, atol=1e-12, err_msg=name)
    with pytest.raises(InvalidInputError, match="same kind"):
        one.merge(RidgeModel(n_features=3, regularization=0.1))


def test_a_restored_model_goes_on_to_the_bit():
    X, r = history(50, 4, seed=8, sparse=0.8)
    one, other = ScaledRidge(n_features=4), ScaledRidge(n_features=4)
    one.observe_many(X[:23], r[:23])
    other.restore(one.state())
    one.observe_many(X[23:], r[23:])
    other.observe_many(X[23:], r[23:])
    assert all((array == other.state()[name]).all() for name, array in one.state().items())


def test_a_feature_never_seen_is_as_unknown_in_any_unit():
    model = ScaledRidge(n_features=3)
    model.observe_many([[5.0, 0.0, 0.0]] * 3, [1.0, 2.0, 3.0])
    for size in (1e-30, 0.3, 1e30):
        mean, variance = model.predict([[0.0, size, 0.0], [0.0, size, -size], [5.0, 0.0, 0.0]])
        np.testing.assert_allclose(variance[:2], [10.0, 20.0], rtol=1e-12)
        assert (mean[:2] == 0.0).all()
        assert variance[2] < 1.0


def test_rewards_that_say_nothing():
    zero, constant = ScaledRidge(n_features=2), ScaledRidge(n_features=2)
    X = np.random.default_rng(0).standard_normal((64, 2))
    zero.observe_many(X, np.zeros(64))
    assert zero.bias_factor == 1.0
    constant.observe_many(np.ones((64, 2)), np.full(64, 7.0))
    assert 0.0 < constant.bias_factor < 1.0
    constant.observe_many(np.zeros((64, 2)), np.full(64, 7.0))
    assert np.isfinite(constant.bias_factor)


def test_a_first_context_of_zeros():
    model = ScaledRidge(n_features=2)
    model.observe([0.0, 0.0], 1.0)
    model.observe([3.0, 0.0], 1.0)
    mean, variance = model.predict([[3.0, 0.0], [0.0, 0.0]])
    assert np.isfinite(mean).all()
    assert variance[1] == 0.0


def test_a_refused_batch_changes_nothing():
    model = ScaledRidge(n_features=2)
    model.observe_many([[1.0, 2.0], [0.0, 1.0]], [1.0, 0.0])
    before = model.state()
    for bad in ([[1.0, np.nan]], [[1.0, 1.0], [1e-80, 1e80]]):
        with pytest.raises(InvalidInputError):
            model.observe_many(bad, np.ones(len(bad)))
        assert all((array == before[name]).all() for name, array in model.state().items())
    for bad_context in ([np.inf, 0.0], [np.nan, 0.0]):
        with pytest.raises(InvalidInputError):
            ScaledRidge(n_features=2).predict([bad_context])


@pytest.mark.parametrize("seen", [0, 1, 9, 20])
def test_many_features_of_which_some_were_never_seen(seen):
    """Merging computes everything anew; the inverse is taken among the features seen."""
    rng = np.random.default_rng(seen)
    X, r = np.zeros((15, 20)), rng.standard_normal(15)
    X[:, rng.permutation(20)[:seen]] = rng.standard_normal((15, seen))
    for kind, lam in ((RidgeModel, 0.3), (ScaledRidge, 0.3)):
        model, other = kind(n_features=20, regularization=lam), kind(n_features=20, regularization=lam)
        model.observe_many(X[:7], r[:7])
        other.observe_many(X[7:], r[7:])
        model.merge(other)
        V = model.V
        np.testing.assert_allclose(model.V_inv, np.linalg.inv(V), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(model.theta_hat, np.linalg.solve(V, model.b), rtol=1e-9, atol=1e-12)
        assert model.log_det == pytest.approx(np.linalg.slogdet(V / lam)[1], rel=1e-10, abs=1e-12)
        if kind is RidgeModel:
            np.testing.assert_allclose(V, lam * np.eye(20) + X.T @ X, rtol=1e-12, atol=1e-12)


def test_shipped_checks():
    check_model(lambda: ScaledRidge(n_features=3))
