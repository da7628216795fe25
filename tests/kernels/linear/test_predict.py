"""Means and variances of arms against dense algebra, at sizes on both sides of every cut."""

import numpy as np
import pytest

from rbmle import kernels


@pytest.mark.parametrize(
    "n_arms, d",
    [
        *((1, 3), (5, 3), (6, 12), (9, 13)),
        *((72, 60), (73, 60), (200, 60), (17, 128), (100, 100)),  # cut by arms
        *((10, 200), (33, 131), (50, 200), (1, 700), (3, 300), (10, 640)),  # and by columns
        (60, 300),  # left to BLAS
    ],
)
def test_products_in_pieces_are_the_product(n_arms, d):
    rng = np.random.default_rng(n_arms * d)
    X, theta, A = rng.standard_normal((n_arms, d)), rng.standard_normal(d), rng.standard_normal((d, d))
    V_inv = np.eye(d) + A @ A.T / d
    V_inv = 0.5 * (V_inv + V_inv.T)
    mean, variance = np.full(n_arms, np.nan), np.full(n_arms, np.nan)
    kernels.linear.predict.predict(X, theta, V_inv, mean, variance)
    np.testing.assert_allclose(mean, X @ theta, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(variance, ((X @ V_inv) * X).sum(axis=1), rtol=1e-12)
