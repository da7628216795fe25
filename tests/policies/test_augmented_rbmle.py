"""AugmentedRBMLE: the biased likelihood inside of a confidence set, against a constrained optimiser."""

import numpy as np
import pytest
from scipy.optimize import minimize

from rbmle import OFUL, AugmentedRBMLE, LinRBMLE
from rbmle.schedules import Constant


def taught(make, seed, n):
    rng = np.random.default_rng(seed)
    X, arms = rng.standard_normal((n, 3)), rng.standard_normal((6, 3)) * np.array([[0.02], [0.1], [0.3], [1], [2], [5]])
    r = X @ np.array([0.5, -0.2, 0.1]) + 0.3 * rng.standard_normal(n)
    policy = make()
    policy.update_many(X, r)
    V = 0.5 * np.eye(3) + X.T @ X
    return policy, arms, V, np.linalg.solve(V, X.T @ r)


@pytest.mark.parametrize("alpha", [0.3, 4.0, 100.0])
@pytest.mark.parametrize("n", [1, 20])
def test_the_index_is_what_an_optimiser_finds(alpha, n):
    def make():
        return AugmentedRBMLE(
            n_features=3, regularization=0.5, bias=Constant(alpha), noise=0.3, norm_bound=0.8, delta=0.1
        )

    policy, arms, V, theta_hat = taught(make, n, n)
    square = 0.09 * (2 * np.log(10) + np.linalg.slogdet(V / 0.5)[1]) + 0.5 * 0.64
    C = np.linalg.cholesky(V)
    scores = policy.scores(arms)
    for x, score in zip(arms, scores, strict=True):
        w = np.linalg.solve(C, x)  # θ = θ̂ + C⁻ᵀy, so that ‖θ − θ̂‖_V = ‖y‖
        found = minimize(
            lambda y, w=w: -(w @ y - y @ y / (2 * alpha)), np.zeros(3), jac=lambda y, w=w: -(w - y / alpha),
            constraints=[{"type": "ineq", "fun": lambda y: square - y @ y, "jac": lambda y: -2 * y}],
            method="SLSQP", options={"ftol": 1e-15, "maxiter": 500},
        )  # fmt: skip
        assert score == pytest.approx(x @ theta_hat - found.fun, rel=1e-7, abs=1e-9)
    binds = alpha * np.sqrt(np.einsum("ki,ki->k", arms, np.linalg.solve(V, arms.T).T)) > np.sqrt(square)
    assert alpha != 4.0 or (binds.any() and not binds.all())


def test_it_is_lin_rbmle_where_the_set_does_not_bind_and_oful_for_large_biases():
    loose = {"n_features": 3, "regularization": 0.5}
    inside, arms, *_ = taught(lambda: AugmentedRBMLE(**loose, norm_bound=1e6), 4, 15)
    plain, *_ = taught(lambda: LinRBMLE(**loose), 4, 15)
    np.testing.assert_allclose(inside.scores(arms), plain.scores(arms), rtol=1e-13)
    bold, *_ = taught(lambda: AugmentedRBMLE(**loose, bias=Constant(1e9), noise=0.4), 4, 15)
    oful, *_ = taught(lambda: OFUL(**loose, noise=0.4), 4, 15)
    np.testing.assert_allclose(bold.scores(arms), oful.scores(arms), rtol=1e-7, atol=1e-8)
