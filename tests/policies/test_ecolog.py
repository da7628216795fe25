"""ECOLog against a general constrained optimiser and dense algebra."""

import numpy as np
import pytest
from scipy.optimize import minimize

from rbmle import ECOLog
from rbmle.errors import NotMergeableError
from rbmle.models.ecolog import ECOLogModel


def loss(z, r):
    return np.logaddexp(0.0, z) - r * z


def constrained(W, theta, x, r, weight, S):
    """argmin ½‖ϑ−θ‖²_W + weight · ℓ(xᵀϑ, r) over ‖ϑ‖ ≤ S, by a general optimiser."""

    def value(v):
        return 0.5 * (v - theta) @ W @ (v - theta) + weight * loss(x @ v, r)

    def slope(v):
        return W @ (v - theta) + weight * (1.0 / (1.0 + np.exp(-x @ v)) - r) * x

    ball = {"type": "ineq", "fun": lambda v: 0.5 * (S**2 - v @ v), "jac": lambda v: -v}
    found = minimize(
        value, theta, jac=slope, constraints=[ball], method="SLSQP", options={"ftol": 1e-15, "maxiter": 500}
    )
    return found.x


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("S", [0.3, 1.0, 6.0])
def test_every_step_is_the_constrained_minimiser(d, S):
    rng = np.random.default_rng(d)
    model, lam = ECOLogModel(n_features=d, norm_bound=S, regularization=0.5), 0.5
    theta, W, sums = np.zeros(d), lam * np.eye(d), np.zeros(3)
    reached = 0
    for _ in range(40):
        x = rng.standard_normal(d)
        x *= 2.0 * rng.random() / np.linalg.norm(x)
        r = float(rng.random() < 0.8)
        model.observe(x, r)
        theta = constrained(W, theta, x, r, 1.0, S)
        bar = constrained(W, theta, x, 0.5, 2.0, S)
        mu, mu_bar = 1.0 / (1.0 + np.exp(-x @ theta)), 1.0 / (1.0 + np.exp(-x @ bar))
        sums += [loss(x @ bar, r) - loss(x @ theta, r), np.sqrt((theta - bar) @ W @ (theta - bar)),
                 mu_bar * (1 - mu_bar) > 2 * mu * (1 - mu)]  # fmt: skip
        W = W + mu * (1 - mu) * np.outer(x, x)
        np.testing.assert_allclose(model.theta_hat, theta, atol=3e-6)
        reached += np.linalg.norm(theta) > S * (1 - 1e-6)
        theta = model.theta_hat  # the optimiser's own error must not pile up
    np.testing.assert_allclose(model.W, W, atol=1e-5)
    np.testing.assert_allclose(model.state()["sums"], sums, atol=1e-4)
    np.testing.assert_allclose(model.state()["W_inv"] @ model.W, np.eye(d), atol=1e-12)
    assert reached == 0 if S == 6.0 else reached > 0 or S == 1.0
    assert np.linalg.norm(model.theta_hat) <= S * (1 + 1e-12)


def test_index_is_its_formula():
    policy = ECOLog(n_features=3, norm_bound=2.0, delta=0.1, regularization=2.0)
    rng = np.random.default_rng(4)
    X = rng.standard_normal((30, 3)) / 2
    policy.update_many(X, (rng.random(30) < 0.5).astype(float))
    state, t = policy.state(), 31
    gamma = np.sqrt(2.0) / 2 + 2 * np.log(2 * np.sqrt(1 + t / 8.0) / 0.1) / np.sqrt(2.0)
    rho2 = 2 * 2.0 * 4 + 9 * gamma + 2 * 3 * state["sums"][0] - 0.5 * state["sums"][1]
    width = np.sqrt(np.einsum("ki,ij,kj->k", X, np.linalg.inv(state["W"]), X))
    expected = 1 / (1 + np.exp(-X @ state["theta_hat"])) + np.sqrt(rho2) * width
    np.testing.assert_allclose(policy.scores(X), expected, rtol=1e-12)


def test_a_long_run_keeps_its_inverse_and_one_million_updates_fit_in_the_same_memory():
    policy = ECOLog(n_features=4, norm_bound=3.0)
    rng = np.random.default_rng(5)
    X = rng.standard_normal((20_000, 5, 4))
    X /= np.linalg.norm(X, axis=-1, keepdims=True)
    chances = 1 / (1 + np.exp(-X @ np.array([1.0, -1.0, 0.5, 0.0])))
    arms = policy.play(X, (rng.random(chances.shape) < chances).astype(float))
    state = policy.state()
    np.testing.assert_allclose(state["W"] @ state["W_inv"], np.eye(4), atol=1e-12)
    best = chances.max(axis=1) - chances[np.arange(20_000), arms]
    assert best[-5000:].mean() < 0.5 * best[:500].mean()


def test_coverage():
    """θ* lies in {‖θ − θ*‖_W ≤ ρ} in all rounds together, but for a share δ of the trials."""
    rng = np.random.default_rng(6)
    star, missed, trials = np.array([1.2, -0.9]), 0, 60
    for _ in range(trials):
        policy = ECOLog(n_features=2, norm_bound=2.0, delta=0.1)
        for t in range(1, 200):
            x = rng.standard_normal(2)
            x /= np.linalg.norm(x)
            policy.update(x, float(rng.random() < 1 / (1 + np.exp(-x @ star))))
            if t % 10 == 0:
                state, terms = policy.state(), policy.radius_terms(np.array([t + 1.0]))[0]
                off = state["theta_hat"] - star
                if off @ state["W"] @ off > terms[0] + terms[1] * state["sums"][0] + terms[2] * state["sums"][1]:
                    missed += 1
                    break
        assert policy.model.condition_failures == 0
    assert missed <= 0.1 * trials + 3 * np.sqrt(0.09 * trials)


def test_merging_is_refused_with_a_reason():
    with pytest.raises(NotMergeableError, match="keeps no rewards"):
        ECOLog(n_features=2).merge(ECOLog(n_features=2))
