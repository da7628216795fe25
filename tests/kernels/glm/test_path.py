"""The path φ(s) = max −L(θ) − ½λ‖θ‖² + s θᵀx: its derivatives, and the indices that are made of it."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from rbmle import GLMRBMLE, OFUGLB, AugmentedGLMRBMLE
from rbmle.kernels.glm.path import look_along
from rbmle.models.glm import GLMModel


def learnt(lam, n=60, d=3, seed=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) / np.sqrt(d)
    r = (rng.random(n) < expit(X @ np.linspace(2.0, -1.0, d))).astype(float)
    model = GLMModel(n_features=d, regularization=lam)
    model.observe_many(X, r)
    return model, X, r, rng


def along(model, x, places):
    """φ, φ' and φ'' at every place."""
    found = np.empty((len(places), 3))
    assert look_along(model.problem(), x, np.array(places, dtype=float), found, model.scratch())
    return found


def test_the_path_is_the_maximum_and_its_derivatives():
    model, X, r, rng = learnt(0.5)
    x = rng.normal(size=3)
    for s in (0.0, 0.7, 5.0, 40.0):

        def value(theta, s=s):
            z = X @ theta
            slope = X.T @ (r - expit(z)) - 0.5 * theta + s * x
            return np.logaddexp(0.0, z).sum() - r @ z + 0.25 * theta @ theta - s * x @ theta, -slope

        best = -minimize(value, np.zeros(3), jac=True, method="BFGS", options={"gtol": 1e-9}).fun
        step = 1e-3 * (1.0 + s)
        before, here, after = along(model, x, [s - step, s, s + step])
        assert here[0] == pytest.approx(best, rel=1e-10)
        assert here[1] == pytest.approx((after[0] - before[0]) / (2.0 * step), rel=1e-5)
        assert here[2] == pytest.approx((after[1] - before[1]) / (2.0 * step), rel=1e-4)


def test_glm_rbmle_is_read_off_the_path():
    model, X, r, rng = learnt(1.0)
    policy = GLMRBMLE(n_features=3)
    policy.update_many(X, r)
    alpha, eta, arms = np.sqrt(61.0), 1.0 + np.log(61.0), rng.normal(size=(4, 3))
    places = [along(model, x, [alpha])[0] for x in arms]
    assert policy.scores(arms) == pytest.approx([v + (eta - 1.0) * alpha * slope for v, slope, _ in places], rel=1e-12)


def test_the_augmented_index_is_read_off_the_path_where_it_leaves_the_set():
    """φ(s) + (α − s)φ'(s) is greatest over the set where φ(s) − sφ'(s) has fallen to its floor."""
    model, X, r, rng = learnt(1.0)
    alpha, S = 1000.0, 1.5
    policy = AugmentedGLMRBMLE(n_features=3, norm_bound=S, bias=lambda t: alpha)
    policy.update_many(X, r)
    inner = OFUGLB(n_features=3, norm_bound=S)
    slack = inner.coefficients(np.array([61.0]))[0, 0]
    ridges = [GLMModel(n_features=3, regularization=lam) for lam in np.geomspace(1e-6, 100.0, 400)]
    for each in ridges:
        each.observe_many(X, r)
    losses = [np.logaddexp(0.0, X @ m.theta_hat).sum() - r @ X @ m.theta_hat for m in ridges]
    least = min(v for v, m in zip(losses, ridges, strict=True) if m.theta_hat @ m.theta_hat <= S**2)
    x = rng.normal(size=3)
    places = np.linspace(0.0, 200.0, 20_001)
    value, slope, _ = along(model, x, places).T
    inside = value - places * slope >= -least - slack - 0.5 * S**2
    at = np.flatnonzero(inside)[-1]
    assert 0 < at < 20_000
    low, high = (value[i] + (alpha - places[i]) * slope[i] for i in (at, at + 1))
    assert low - 0.05 <= policy.scores(x[None])[0] <= high + 0.05


def test_a_likelihood_ratio_bound_is_the_dual_of_the_path():
    """u(x) = min over s and λ of (ψ(s, λ) + L(θ̂) + β² + ½λS²)/s, ψ the path with the ridge λ."""
    _, X, r, rng = learnt(1.0, n=40, d=2)
    S = 2.0
    policy = OFUGLB(n_features=2, norm_bound=S)
    policy.update_many(X, r)
    slack = policy.coefficients(np.array([41.0]))[0, 0]
    thetas = [
        np.array([a, b]) for a in np.linspace(-S, S, 401) for b in np.linspace(-S, S, 401) if a * a + b * b <= S * S
    ]
    Z = np.array(thetas) @ X.T
    least = (np.logaddexp(0.0, Z) - r * Z).sum(axis=1).min()
    for x in rng.normal(size=(3, 2)):

        def dual(logs, x=x):
            s, lam = np.exp(logs)
            model = GLMModel(n_features=2, regularization=float(lam))
            model.observe_many(X, r)
            return (along(model, x, [s])[0, 0] + least + slack + 0.5 * lam * S**2) / s

        best = minimize(
            dual, [1.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-12, "maxiter": 2000}
        )
        assert policy.scores(x[None])[0] == pytest.approx(best.fun, abs=2e-4)
