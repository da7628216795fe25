"""The linear problems of Kveton's and Vaswani's experiments, against an implementation that shares nothing with ours.

Mean pseudo-regret at T and its standard error over 50 problems. Rewards are coin flips, σ = ½; their code divides by σ,
so that V = Σxxᵀ/σ² + 1e-4 I: λ = 1e-4 σ² here.
"""

import numpy as np
import pytest

from rbmle import LinPHE, LinRBMLE, LinTS, LinUCB, RandLinUCB

pytestmark = pytest.mark.long

T, K, PROBLEMS, SIGMA = 20_000, 100, 50, 0.5
SMALL = 1e-4 * SIGMA**2


def loose(d):
    """√λ S + √(d log((1 + T L²/λ) T)) in units of σ, with λ = 1, S = √d and L = 1."""
    return SIGMA * (np.sqrt(d) + SIGMA * np.sqrt(d * np.log((1 + T) * T)))


METHODS = {
    "RandLinUCB": lambda d, seed: RandLinUCB(n_features=d, regularization=SMALL, width=loose(d), seed=seed),
    "LinTS": lambda d, seed: LinTS(n_features=d, regularization=SMALL, scale=SIGMA, seed=seed),
    "LinPHE": lambda d, seed: LinPHE(n_features=d, seed=seed),
    "LinUCB, loose": lambda d, seed: LinUCB(n_features=d, regularization=SMALL, alpha=loose(d)),
    "LinUCB": lambda d, seed: LinUCB(n_features=d),
    "LinRBMLE": lambda d, seed: LinRBMLE(n_features=d),
}
REFERENCE = {
    5: ((72, 3), (115, 5), (85, 4), (308, 7), (61, 3), (266, 4)),
    10: ((189, 10), (215, 8), (159, 14), (828, 15), (185, 42), (609, 8)),
}
CASES = [(d, *case) for d in REFERENCE for case in zip(METHODS, REFERENCE[d], strict=True)]


def problem(number, d):
    """Arms (K, d): normals of unit norm and a 1, the first d of them a basis with a 1; θ: normals of norm ½, and ½."""
    rng = np.random.RandomState(number)
    X = rng.randn(K, d - 1)
    X = np.hstack([X / np.linalg.norm(X, axis=1, keepdims=True), np.ones((K, 1))])
    X[:d] = np.eye(d)
    X[:d, -1] = 1.0
    theta = rng.randn(d - 1)
    return X, np.append(0.5 * theta / np.linalg.norm(theta), 0.5)


@pytest.mark.parametrize("d, name, expected", CASES, ids=lambda value: str(value))
def test_regret_is_that_of_another_implementation(d, name, expected):
    regrets = []
    for number in range(PROBLEMS):
        X, theta = problem(number, d)
        means = X @ theta
        rewards = (np.random.default_rng(number).random((T, K)) < means).astype(np.float64)
        arms = METHODS[name](d, number).fix_arms(X).play(rewards)
        regrets.append(float((means.max() - means[arms]).sum()))
    mean, error = float(np.mean(regrets)), float(np.std(regrets, ddof=1) / np.sqrt(PROBLEMS))
    assert abs(mean - expected[0]) < 2.5 * np.hypot(error, expected[1]), f"{mean:.1f} ± {error:.1f}"
