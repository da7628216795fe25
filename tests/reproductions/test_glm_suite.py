"""The logistic problems of Kveton's and Vaswani's experiments, against an implementation that shares nothing with ours.

Arms as in the linear suite; θ has norm 1.5 and a 0 for the feature that is always 1. T = 20 000, K = 100. The reference
is mean pseudo-regret at T and its standard error over 50 problems.
"""

import numpy as np
import pytest
from scipy.special import expit

from rbmle import GLMTSL, UCBGLM

pytestmark = pytest.mark.long

T, K, PROBLEMS, SMALL = 20_000, 100, 50, 1e-4
METHODS = {
    "GLM-TSL": lambda d, seed: GLMTSL(n_features=d, regularization=SMALL, seed=seed),
    "UCB-GLM": lambda d, seed: UCBGLM(
        n_features=d, horizon=T, tau=0, sigma=0.5, kappa=0.25, delta=1.0 / T, regularization=SMALL, fallback=SMALL,
        seed=seed,
    ),
}  # fmt: skip
REFERENCE = {
    ("GLM-TSL", 5): (180, 9),
    ("UCB-GLM", 5): (294, 41),
    ("GLM-TSL", 10): (338, 18),
    ("UCB-GLM", 10): (512, 15),
}


def problem(number, d):
    """Arms (K, d): normals of unit norm and a 1, the first d of them a basis with a 1; chances of a reward."""
    rng = np.random.RandomState(number)
    X = rng.randn(K, d - 1)
    X = np.hstack([X / np.linalg.norm(X, axis=1, keepdims=True), np.ones((K, 1))])
    X[:d] = np.eye(d)
    X[:d, -1] = 1.0
    theta = rng.randn(d - 1)
    return X, expit(X @ np.append(1.5 * theta / np.linalg.norm(theta), 0.0))


@pytest.mark.parametrize("name, d", REFERENCE, ids=str)
def test_regret_is_that_of_another_implementation(name, d):
    regrets = []
    for number in range(PROBLEMS):
        X, chances = problem(number, d)
        rewards = (np.random.default_rng(number).random((T, K)) < chances).astype(np.float64)
        arms = METHODS[name](d, number).fix_arms(X).play(rewards)
        regrets.append(float((chances.max() - chances[arms]).sum()))
    mean, error = float(np.mean(regrets)), float(np.std(regrets, ddof=1) / np.sqrt(PROBLEMS))
    print(f"{name}, d = {d}: {mean:.1f} ± {error:.1f}")
    expected, other = REFERENCE[name, d]
    assert abs(mean - expected) < 2.0 * np.hypot(error, other), f"{mean:.1f} ± {error:.1f}"
