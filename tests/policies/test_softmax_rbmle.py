"""SoftmaxRBMLE: its chances by definition, and the mixture of posteriors that it stands for."""

import numpy as np
import pytest

from rbmle import SoftmaxRBMLE
from rbmle.errors import InvalidInputError
from rbmle.schedules import Constant


def taught(**settings):
    rng = np.random.default_rng(2)
    X, r = rng.standard_normal((6, 2)), rng.standard_normal(6)
    policy = SoftmaxRBMLE(n_features=2, **settings)
    policy.update_many(X, r)
    V = np.eye(2) + X.T @ X
    return policy, np.linalg.solve(V, X.T @ r), np.linalg.inv(V)


@pytest.mark.parametrize("settings, alpha, tau", [
    ({}, np.sqrt(7), 1 / np.sqrt(7)),
    ({"bias": Constant(0.4), "temperature": Constant(0.2)}, 0.4, 0.2),
])  # fmt: skip
def test_chances_are_those_of_the_definition(settings, alpha, tau):
    policy, theta, V_inv = taught(**settings)
    arms = np.random.default_rng(3).standard_normal((5, 2))
    index = arms @ theta + 0.5 * alpha * np.einsum("ki,ij,kj->k", arms, V_inv, arms)
    expected = np.exp(index / tau) / np.exp(index / tau).sum()
    np.testing.assert_allclose(policy.scores(arms), index, rtol=1e-12)
    np.testing.assert_allclose(policy.probabilities(arms), expected, rtol=1e-12)


def test_the_weights_are_those_of_the_tilted_posterior():
    """N(θ̂, V⁻¹) exp(λ max_a θᵀx_a) has mass Σ_a exp(λ(m_a + ½λv_a)) P(a is best | θ ~ N(θ̂ + λV⁻¹x_a, V⁻¹)).

    Each term is the mass of {θ: a is best}; by Monte Carlo, an arm at a time, against direct weighing of draws.
    """
    lam = 0.8
    policy, theta, V_inv = taught(bias=Constant(lam), temperature=Constant(1 / lam))
    arms = np.random.default_rng(4).standard_normal((3, 2))
    weights = np.exp(lam * policy.scores(arms))  # of the formula
    root, rng, n = np.linalg.cholesky(V_inv), np.random.default_rng(5), 400_000
    z = rng.standard_normal((n, 2)) @ root.T
    values = (theta + z) @ arms.T
    best, mass = values.argmax(axis=1), np.exp(lam * values.max(axis=1))
    for a, x in enumerate(arms):
        shifted = (theta + lam * V_inv @ x + z) @ arms.T
        share = (shifted.argmax(axis=1) == a).mean()
        direct = np.where(best == a, mass, 0.0)
        assert weights[a] * share == pytest.approx(direct.mean(), abs=4 * direct.std() / np.sqrt(n) + 0.01 * weights[a])


@pytest.mark.parametrize("name", ["bias", "temperature"])
def test_a_schedule_that_is_not_positive_is_refused(name):
    policy = SoftmaxRBMLE(n_features=1, **{name: lambda t: 2.0 - t})
    policy.choose([[1.0]])
    policy.update([1.0], 0.0)
    with pytest.raises(InvalidInputError, match=f"{name} must be positive. Got 0.0 at t = 2"):
        policy.choose([[1.0]])
