"""OFUL's confidence sets: the analytic radius in its general form, the cut set by an optimiser, how often they hold."""

import numpy as np
import pytest
from scipy.optimize import minimize

from rbmle import OFUL

SIGMA, S, DELTA = 0.7, 1.5, 0.1


def history(seed, n, d, size=1.0, norm=1.2):
    rng = np.random.default_rng(seed)
    theta = rng.standard_normal(d)
    theta *= norm / np.linalg.norm(theta)
    X = size * rng.standard_normal((n, d))
    return X, X @ theta + SIGMA * rng.standard_normal(n), rng.standard_normal((5, d))


def policy_of(radius, lam, X, r):
    policy = OFUL(n_features=X.shape[1], regularization=lam, noise=SIGMA, norm_bound=S, delta=DELTA, radius=radius)
    if len(r):
        policy.update_many(X, r)
    return policy


def squared_radius(X, r, lam):
    """R² of the adaptive mixture N(0, σ²/λ I), in the kernel matrix of the history (Flynn et al. 2023, Theorem 5.1)."""
    K = np.eye(len(r)) + X @ X.T / lam
    return r @ np.linalg.solve(K, r) + SIGMA**2 * (np.linalg.slogdet(K)[1] + 2 * np.log(1 / DELTA))


@pytest.mark.parametrize("lam", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("n, d", [(1, 2), (7, 3), (200, 4)])
def test_amm_is_the_analytic_bound_in_its_general_form(n, d, lam):
    """max over ‖Φθ − r‖² + a‖θ‖² ≤ R² + aS² with a = λ: an ellipsoid around θ̂."""
    X, r, arms = history(n, n, d)
    theta = np.linalg.solve(lam * np.eye(d) + X.T @ X, X.T @ r)
    least = np.sum((X @ theta - r) ** 2) + lam * theta @ theta
    room = squared_radius(X, r, lam) + lam * S**2 - least
    widths = np.sqrt(np.einsum("ki,ki->k", arms, np.linalg.solve(lam * np.eye(d) + X.T @ X, arms.T).T))
    np.testing.assert_allclose(
        policy_of("amm", lam, X, r).scores(arms), arms @ theta + np.sqrt(room) * widths, rtol=1e-12, atol=1e-12
    )


def by_optimiser(X, r, lam, x):
    """max xᵀθ over ‖Φθ − r‖² ≤ R² and ‖θ‖ ≤ S, by SLSQP from several starts inside."""
    R2, best = squared_radius(X, r, lam), -np.inf
    constraints = [
        {
            "type": "ineq",
            "fun": lambda th: 1 - np.sum((X @ th - r) ** 2) / R2,
            "jac": lambda th: 2 * X.T @ (r - X @ th) / R2,
        },
        {"type": "ineq", "fun": lambda th: 1 - th @ th / S**2, "jac": lambda th: -2 * th / S**2},
    ]
    ridge = np.linalg.solve(1e-9 * np.eye(len(x)) + X.T @ X, X.T @ r) if len(r) else np.zeros(len(x))
    for start in (0.0 * x, 0.5 * S * x / np.linalg.norm(x), ridge, 0.5 * ridge):
        found = minimize(
            lambda th: -(x @ th), start, jac=lambda th: -x, constraints=constraints, method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 1000},
        )  # fmt: skip
        if min(c["fun"](found.x) for c in constraints) > -1e-10:
            best = max(best, -found.fun)
    return best


@pytest.mark.parametrize("lam", [0.1, 1.0])
@pytest.mark.parametrize(
    "n, d, norm", [(0, 2, 1.2), (1, 3, 1.2), (6, 3, 1.2), (40, 3, 0.2), (40, 3, 1.49), (300, 5, 1.2), (12, 1, 1.2)]
)
def test_cmm_is_what_an_optimiser_finds(n, d, norm, lam):
    X, r, arms = history(10 * n + d, n, d, norm=norm)
    expected = [by_optimiser(X, r, lam, x) for x in arms]
    scores = policy_of("cmm", lam, X, r).scores(arms)
    np.testing.assert_allclose(scores, expected, rtol=1e-8, atol=1e-8)
    assert (scores <= policy_of("amm", lam, X, r).scores(arms) * (1 + 1e-12) + 1e-12).all()
    assert (scores <= S * np.linalg.norm(arms, axis=1) * (1 + 1e-9)).all()


def test_radii_are_ordered_as_promised():
    X, r, arms = history(3, 30, 4, size=0.4)
    cmm, amm, det, trace = (policy_of(radius, 1.0, X, r).scores(arms) for radius in ("cmm", "amm", "det", "trace"))
    assert (cmm <= amm + 1e-12).all() and (amm < det).all() and (det < trace).all()


@pytest.mark.parametrize("radius", ["amm", "det", "trace", "cmm"])
def test_confidence_sets_hold_in_all_rounds_together(radius):
    """Along the policy's own choices, noise as large as allowed: in at least 1 − δ of 300 runs (99 % one-sided)."""
    d, rounds, runs, misses = 3, 60, 300, 0
    for run in range(runs):
        rng = np.random.default_rng(run)
        theta = rng.standard_normal(d)
        theta *= S / np.linalg.norm(theta)
        policy = OFUL(n_features=d, noise=SIGMA, norm_bound=S, delta=DELTA, radius=radius)
        arms = rng.standard_normal((4, d))
        arms /= np.linalg.norm(arms, axis=1, keepdims=True)
        held = True
        for _ in range(rounds):
            policy.update(x := arms[policy.choose(arms)], x @ theta + SIGMA * rng.standard_normal())
            # In the set in every direction: also away from the arms that were played.
            held &= bool((policy.scores(np.vstack([arms, -arms])) >= np.r_[arms @ theta, -arms @ theta] - 1e-9).all())
        misses += not held
    assert misses <= DELTA * runs + 2.33 * np.sqrt(DELTA * (1 - DELTA) * runs)
