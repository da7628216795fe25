"""The knowledge gradients and IDS: by Monte Carlo, by hand, and in other units of reward."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from rbmle import IDS, CorrelatedKnowledgeGradient, KGStar
from rbmle.kernels import normal

T = 400


def f(z):
    return z * norm.cdf(z) + norm.pdf(z)


def value(policy, contexts):
    """What the policies add to the mean, per remaining round."""
    m = policy.model.predict(contexts)[0] if hasattr(policy.model, "predict") else contexts @ policy.model.theta_hat
    top = m.max() if isinstance(policy, KGStar) else 0.0
    return (policy.scores(contexts) - m + top) / (policy.horizon - policy.t)


@pytest.mark.parametrize(("K", "noise"), [(2, 1.0), (6, 0.4), (25, 2.0)])
def test_correlated_beliefs_by_monte_carlo(K, noise):
    """Draw θ, an observation of the arm, learn it by dense algebra, and look how far the best mean has risen."""
    rng, d, lam = np.random.default_rng(K), 3, 0.7
    X, contexts = rng.standard_normal((8, d)), rng.standard_normal((K, d))
    r = X @ rng.standard_normal(d) + noise * rng.standard_normal(8)
    policy = CorrelatedKnowledgeGradient(n_features=d, regularization=lam, horizon=T, noise=noise)
    policy.update_many(X, r)
    found = value(policy, contexts)
    V, b = lam * np.eye(d) + X.T @ X, X.T @ r
    theta_hat, root = np.linalg.solve(V, b), noise * np.linalg.inv(np.linalg.cholesky(V)).T
    for a in range(min(K, 4)):
        x, n = contexts[a], 200_000
        theta = theta_hat + rng.standard_normal((n, d)) @ root.T
        seen = theta @ x + noise * rng.standard_normal(n)
        after = np.linalg.solve(V + np.outer(x, x), (b[:, None] + x[:, None] * seen)).T @ contexts.T
        gains = after.max(axis=1) - (contexts @ theta_hat).max()
        assert found[a] == pytest.approx(gains.mean(), abs=5 * gains.std() / np.sqrt(n))


def test_orthogonal_arms_are_independent():
    """Then an observation teaches of its own arm alone, and both knowledge gradients agree."""
    X, r = np.eye(3)[[0, 0, 1]], [0.4, 0.1, 0.3]
    policy = CorrelatedKnowledgeGradient(n_features=3, horizon=T)
    policy.update_many(X, r)
    m, v = np.array([0.5 / 3, 0.15, 0.0]), np.array([1 / 3, 1 / 2, 1.0])
    others = np.array([0.15, 0.5 / 3, 0.5 / 3])
    sigma = v / np.sqrt(1 + v)
    np.testing.assert_allclose(value(policy, np.eye(3)), sigma * f(-np.abs(m - others) / sigma), rtol=1e-9)


@settings(max_examples=60, deadline=None)
@given(K=st.integers(1, 12), seed=st.integers(0, 10**6), ties=st.booleans())
def test_expected_gain_by_quadrature(K, seed, ties):
    rng = np.random.default_rng(seed)
    heights, slopes = rng.standard_normal(K), rng.standard_normal(K)
    if ties:
        heights, slopes = np.round(heights), np.round(slopes)
    z = np.linspace(-9, 9, 20_001)
    most = (heights[:, None] + slopes[:, None] * z).max(axis=0)
    expected = np.trapezoid(most * norm.pdf(z), z) - heights.max()
    assert normal.expected_gain(heights, slopes) == pytest.approx(expected, abs=1e-6)


def test_kg_star_by_hand():
    """Two arms of variance ½ and 1 at distance 1, noise of variance 4: ν(k)/k by the precisions before and after.

    In units where the noise is 1 the means are ½ apart. One observation of the first arm would have to be an outlier.
    """
    noise, lam = 2.0, 1.0
    policy = KGStar(n_features=2, horizon=100, noise=noise, regularization=lam)
    policy.update_many([[1.0, 0.0]], [2.0])  # mean 1, v = ½; the other 0, v = 1
    values = []
    for v in (0.5, 1.0):
        k = np.arange(1, 99)
        before = noise**2 * v
        s = np.sqrt(before - 1 / (1 / before + k / noise**2))
        values.append((s * f(-1.0 / s) / k).max())
    np.testing.assert_allclose(value(policy, np.eye(2)), values, rtol=1e-9)


def test_what_many_observations_teach_by_monte_carlo():
    """Variance ½, noise variance 4: the mean moves by a variance of 0.136 with 3 observations, 0.167 with 4."""
    rng, n = np.random.default_rng(0), 400_000
    theta = np.sqrt(0.5) * rng.standard_normal(n)
    for k, expected in ((3, 1.5 / 11), (4, 2.0 / 12)):
        mean = (theta[:, None] + 2.0 * rng.standard_normal((n, k))).sum(axis=1) / 4.0 / (1 / 0.5 + k / 4.0)
        assert mean.var() == pytest.approx(expected, rel=0.01)
        assert 0.5 * k / (4.0 / 0.5 + k) == pytest.approx(expected)  # s² as in the index of KG*


@settings(max_examples=200, deadline=None)
@given(st.floats(1e-8, 1e4))
def test_best_count_is_where_the_value_per_observation_peaks(r):
    def per_observation(x):
        s = np.sqrt(x / (1 + x))
        return s * f(-np.sqrt(r) / s) / x

    x = normal.best_count(r)
    if np.sqrt(r * (1 + 1 / x)) < 8:  # beyond, SciPy's f has no digits left
        near = np.array([0.999, 1.001]) * x
        assert (per_observation(near) <= per_observation(x) * (1 + 1e-9)).all()


@pytest.mark.parametrize(
    ("cls", "scaled"), [(IDS, ("noise", "bound")), (KGStar, ("noise",)), (CorrelatedKnowledgeGradient, ("noise",))]
)
@pytest.mark.parametrize("unit", [0.125, 8.0, 100.0])
def test_other_units_of_reward_change_no_choice(cls, scaled, unit):
    rng = np.random.default_rng(4)
    arguments = {"n_features": 3} if cls is IDS else {"n_features": 3, "horizon": T}
    one = cls(**arguments, noise=0.5)
    other = cls(**arguments, **{name: unit * getattr(one, name) for name in scaled})
    for _ in range(200):
        X, r = rng.standard_normal((6, 3)), rng.standard_normal()
        arm = other.choose(X)
        assert one.choose(X) == arm
        one.update(X[arm], r)
        other.update(X[arm], unit * r)
