"""Online memory: a window of exact rows and a quadratic for what has left it."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq, minimize

from rbmle.families import Gaussian, Logistic, Poisson
from rbmle.models import GLMModel
from rbmle.models.glm import WINDOW


def estimate(family, X, r, lam=1.0):
    """θ̂ by a general optimiser."""

    def loss(theta):
        return 0.5 * lam * theta @ theta - family.log_likelihood(X @ theta, r).sum()

    def slope(theta):
        return lam * theta - X.T @ (r - family.mean(X @ theta))

    return minimize(loss, np.zeros(X.shape[1]), jac=slope, method="BFGS", options={"gtol": 1e-9}).x


@pytest.mark.parametrize("N", [100, 1000, 10_000])
def test_ones_first_and_zeros_then(N):
    """One quadratic for all that was learnt gave 0.297, 0.150 and 0.077 where half of the rewards were ones."""
    model = GLMModel(n_features=1, memory="online")
    model.observe_many(np.ones((2 * N, 1)), np.repeat([1.0, 0.0], N))
    expected = brentq(lambda z: N - 2 * N / (1.0 + math.exp(-z)) - z, -1.0, 1.0)
    assert model.theta_hat[0] == pytest.approx(expected, abs=1e-3)
    assert model.predict([[1.0]])[0][0] == pytest.approx(0.5, abs=3e-4)


@pytest.mark.parametrize("family", [Gaussian(), Logistic(), Poisson(), Logistic().extended(1.0)], ids=repr)
def test_the_order_does_not_matter_within_the_window(family):
    rng = np.random.default_rng(3)
    X = np.repeat(rng.normal(size=(60, 3)) * 0.5, 8, axis=0)
    r = family.sample(rng, X @ [0.5, -1.0, 1.0])
    expected, far = estimate(family, X, r), 0.0
    for order in (np.arange(len(r)), np.argsort(r), np.argsort(-r)):
        model = GLMModel(n_features=3, family=family, memory="online")
        model.observe_many(X[order], r[order])
        far = max(far, np.abs(model.theta_hat - expected).max())
        assert model.n_rows == 60
    assert far < 0.01  # the last rewards, up to half as many as there are rows, are learnt one by one


def test_what_leaves_the_window_is_kept_as_its_expansion():
    """After all rows but the last half are folded the gradient of everything is small: second order in what θ̂ moved."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(5 * WINDOW, 3))
    r = Logistic().sample(rng, X @ [1.0, -0.5, 0.0])
    model = GLMModel(n_features=3, memory="online")
    model.observe_many(X, r)
    assert WINDOW // 2 <= model.n_rows < WINDOW
    exact = estimate(Logistic(), X, r)
    deviation = np.sqrt(np.diagonal(np.linalg.inv(model.H)))
    assert (np.abs(model.theta_hat - exact) < 0.1 * deviation).all()
    w = Logistic().derivative(X @ exact)
    assert np.allclose(model.H, (X * w[:, None]).T @ X + np.eye(3), rtol=0.02, atol=0.02 * w.sum())


def test_gaussian_rewards_are_exact_however_long():
    rng = np.random.default_rng(5)
    X, r = rng.normal(size=(3 * WINDOW, 2)), rng.normal(size=3 * WINDOW)
    model = GLMModel(n_features=2, family="gaussian", memory="online")
    model.observe_many(X, r)
    H = X.T @ X + np.eye(2)
    assert np.allclose(model.theta_hat, np.linalg.solve(H, X.T @ r), atol=1e-9)
    assert np.allclose(model.H, H, rtol=1e-9)


def test_repeated_contexts_stay_in_the_window():
    rng = np.random.default_rng(6)
    model, often = GLMModel(n_features=2, memory="online"), [0.25, -0.5]
    for _ in range(3 * WINDOW // 100):
        model.observe_many([often] * 5, np.ones(5))
        model.observe_many(rng.normal(size=(100, 2)), np.ones(100))
    contexts, counts, sums = model.rows
    assert counts.max() == sums.max() == 5 * (3 * WINDOW // 100)
    assert contexts[counts.argmax()].tolist() == often


def test_windows_merge():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(1800, 3))
    r = Logistic().sample(rng, X @ [1.0, -0.5, 0.0])
    left, right = GLMModel(n_features=3, memory="online"), GLMModel(n_features=3, memory="online")
    left.observe_many(X[:900], r[:900])
    right.observe_many(X[900:], r[900:])
    left.merge(right)
    assert (left.n, left.squares) == (1800, r.sum())
    deviation = np.sqrt(np.diagonal(np.linalg.inv(left.H)))
    assert (np.abs(left.theta_hat - estimate(Logistic(), X, r)) < 0.1 * deviation).all()


def test_a_file_of_version_0_1_is_a_window_without_rows():
    """It held θ̂, H and H⁻¹ alone; the next reward does then what it did."""
    rng = np.random.default_rng(8)
    B = rng.normal(size=(2, 2))
    H, theta = B @ B.T + np.eye(2), np.array([0.3, -0.2])
    model = GLMModel(n_features=2, memory="online")
    old = {"n": np.array(9.0), "squares": np.array(4.0), "theta_hat": theta, "H": H, "H_inv": np.linalg.inv(H)}
    model.restore(old)
    assert (model.n, model.n_rows) == (9, 0)
    assert np.allclose(model.H, H)
    x = np.array([1.0, 0.5])
    model.observe(x, 1.0)

    def loss(at):
        return 0.5 * (at - theta) @ H @ (at - theta) - Logistic().log_likelihood(x @ at, 1.0)

    assert np.allclose(model.theta_hat, minimize(loss, theta, options={"gtol": 1e-9}).x, atol=1e-6)
