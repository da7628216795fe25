"""LinTS draws from the posterior that its width says: against moments from dense algebra."""

import copy

import numpy as np
import pytest

from rbmle import LinTS
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.models.factored_ridge import FactoredRidge


def taught(**settings):
    rng = np.random.default_rng(3)
    X, r = rng.standard_normal((30, 3)), rng.standard_normal(30)
    policy = LinTS(n_features=3, regularization=0.5, **settings)
    policy.update_many(X, r)
    V = 0.5 * np.eye(3) + X.T @ X
    return policy, np.linalg.solve(V, X.T @ r), np.linalg.inv(V)


@pytest.mark.parametrize(
    "settings, width",
    [
        ({"scale": 0.7}, 0.7),
        ({"scale": 2}, 2.0),
        ({"scale": 0.1, "noise": 9.0, "delta": 0.01}, 0.1),  # the proof's numbers have no say
        ({}, 1.0),
        ({"scale": None}, np.sqrt(24 / 0.9 * 3 * np.log(2.0))),
        ({"scale": None, "noise": 0.2, "epsilon": 1.0, "delta": 0.1}, 0.2 * np.sqrt(24 * 3 * np.log(10.0))),
    ],
)
def test_samples_have_the_posterior_moments(settings, width):
    policy, theta, V_inv = taught(**settings)
    contexts, n = np.eye(3), 4000
    scores = np.empty((n, 3))
    for i in range(n):
        scores[i] = policy.scores(contexts)
        policy.choose(contexts)  # scores show the next draw, choosing takes it
    covariance = width**2 * V_inv
    error = np.sqrt(np.diag(covariance) / n)
    assert (np.abs(scores.mean(axis=0) - theta) < 4.5 * error).all()
    spread = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)) + covariance**2)
    assert (np.abs(np.cov(scores.T) - covariance) < 4.5 * spread / np.sqrt(n)).all()


@pytest.mark.parametrize("bad", [0.0, -1.0, np.inf, "1"])
def test_the_width_is_a_positive_number_or_none(bad):
    with pytest.raises(InvalidParameterError, match="'scale' parameter of LinTS must be None or a float in"):
        LinTS(n_features=2, scale=bad)
    assert LinTS(n_features=2, scale=None).scale is None


@pytest.mark.parametrize("d", [2, 3, 10, 30])
@pytest.mark.parametrize("lam", [1e-6, 1.0, 1e3])
def test_every_path_draws_what_the_dense_factor_gives(d, lam):
    """θ̂ + L⁻ᵀz with L the factor of V by LAPACK: the same arms online, among arms that stay, and in blocks."""
    rng = np.random.default_rng(d)
    T, K = 60, 7
    X, r = rng.standard_normal((K, d)), rng.standard_normal((T, K))
    z = LinTS(n_features=d, seed=4).rng.standard_normal((T, d))
    V, b, arms = lam * np.eye(d), np.zeros(d), []
    for t in range(T):
        scores = X @ (np.linalg.solve(V, b) + np.linalg.solve(np.linalg.cholesky(V).T, z[t]))
        arms.append(int(np.argmax(scores)))
        V += np.outer(X[arms[-1]], X[arms[-1]])
        b += r[t, arms[-1]] * X[arms[-1]]
    one, two, three, four, five = (LinTS(n_features=d, regularization=lam, seed=4) for _ in range(5))
    catalogue, online, among = two.fix_arms(X), [], []
    for t in range(T):
        online.append(one.choose(X))
        one.update(X[online[-1]], r[t, online[-1]])
        among.append(catalogue.choose())
        catalogue.update(among[-1], r[t, among[-1]])
    assert online == among == arms
    assert three.fix_arms(X).play(r).tolist() == four.play(X[None], r).tolist() == arms
    assert five.play(np.tile(X, (T, 1, 1)), r).tolist() == arms
    np.testing.assert_array_equal(three.model.V, five.model.V)
    many = one.copy().choose_many(np.tile(X, (5, 1, 1)))
    assert many.tolist() == [one.choose(X) for _ in range(5)]


def test_the_factor_is_that_of_what_was_learnt():
    rng = np.random.default_rng(0)
    X, r = rng.standard_normal((3000, 5)), rng.standard_normal(3000)
    X[::7, 2:] = 0.0
    model = FactoredRidge(n_features=5, regularization=1e-3)
    assert model.factor.tolist() == (np.sqrt(1e-3) * np.eye(5)).tolist()
    model.observe_many(X[:1500], r[:1500])
    for x, reward in zip(X[1500:], r[1500:], strict=True):
        model.observe(x, reward)

    def check(model, V):
        np.testing.assert_allclose(model.factor.T @ model.factor, V, rtol=1e-11, atol=1e-9)
        assert (np.diag(model.factor) > 0.0).all() and not np.tril(model.factor, -1).any()

    V = 1e-3 * np.eye(5) + X.T @ X
    check(model, V)
    twin = copy.deepcopy(model)
    twin.observe([1.0, 2.0, 3.0, 4.0, 5.0], 1.0)
    check(twin, V + np.outer(np.arange(1, 6), np.arange(1, 6)))
    check(model, V)
    other = FactoredRidge(n_features=5, regularization=1e-3)
    other.factor  # noqa: B018 - made, so that what comes must renew it
    other.restore(model.state())
    check(other, V)
    other.merge(model)
    check(other, 2.0 * V - 1e-3 * np.eye(5))


def test_rounding_that_leaves_no_factor_leaves_draws():
    policy = LinTS(n_features=2, regularization=1e-30)
    policy.update_many([[1e8, 1e8], [1e8, 1e8 * (1.0 + 1e-9)]], [1.0, 1.0])
    assert policy.choose(np.eye(2)) in (0, 1)
    assert np.isfinite(policy.scores(np.eye(2))).all()


def test_a_bad_number_is_found_while_a_block_is_played():
    policy = LinTS(n_features=3, seed=1)
    X = np.ones((5, 4, 3))
    X[3, 1, 2] = np.nan
    before = policy.state()
    with pytest.raises(InvalidInputError, match=r"must be finite. Got nan at contexts\[3, 1, 2\]"):
        policy.play(X, np.ones((5, 4)))
    assert all(np.array_equal(before[name], now) for name, now in policy.state().items())


@pytest.mark.long
@pytest.mark.parametrize(("d", "K"), [(4, 30), (40, 20)])
def test_ten_thousand_arms_of_the_dense_factor(d, K):
    rng = np.random.default_rng(d)
    T = 5000
    X, r = rng.standard_normal((T, K, d)), rng.standard_normal((T, K))
    X[:, 1] = X[:, 0] * (1.0 + 1e-9)  # so near that only rounding could err
    z = LinTS(n_features=d, seed=6).rng.standard_normal((T, d))
    V, b, ours = np.eye(d), np.zeros(d), LinTS(n_features=d, seed=6).play(X, r)
    for t in range(T):
        scores = X[t] @ (np.linalg.solve(V, b) + np.linalg.solve(np.linalg.cholesky(V).T, z[t]))
        arm = int(np.argmax(scores))
        assert arm == ours[t] or scores[arm] - scores[ours[t]] < 1e-11
        V += np.outer(X[t, ours[t]], X[t, ours[t]])
        b += r[t, ours[t]] * X[t, ours[t]]
