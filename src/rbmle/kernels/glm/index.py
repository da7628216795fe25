"""The index of GLM-RBMLE solved in full: a function of the data alone, whatever was computed before.

X          (K, d)  contexts
theta      (K, d)  output: θ̄ of every arm
"""

import math
from typing import Any, NamedTuple

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.named import named
from rbmle.kernels.glm.path import centre, follow
from rbmle.types import FloatArray


class Index(NamedTuple):
    """Which index."""

    alpha: float  # α(t)
    eta: float  # η(t)
    squares: float  # Σ r², used by the surrogate
    surrogate: bool  # whether ℓ in the index is −½ Σ (x_sᵀθ − r_s)², as in the published tables


@compiled
def solve_arm(
    likelihood: Any,
    index: Any,
    theta_hat: FloatArray,
    R: FloatArray,
    x: FloatArray,
    theta: FloatArray,
    work: FloatArray,
) -> tuple[bool, float]:
    """θ̄ of an arm on its path, and its index."""
    d, (alpha, eta, squares, surrogate) = len(x), index
    good, value = follow(likelihood, alpha, theta_hat, R, x, theta, work)
    score = square = 0.0
    for j in range(d):
        score += x[j] * theta[j]
        square += theta[j] * theta[j]
    if not surrogate:
        return good, value + (eta - 1.0) * alpha * score
    XT, n, counts, sums, lam, _ = likelihood
    loss = squares
    for i in range(n):
        z = 0.0
        for j in range(d):
            z += XT[j, i] * theta[j]
        loss += z * (counts[i] * z - 2.0 * sums[i])
    norm = math.sqrt(square)  # the published code squares a rounded norm, and a tie at t = 1 hangs on that
    return good, -0.5 * loss + eta * alpha * score - 0.5 * lam * norm * norm


@compiled
def solve_all(problem: Any, index: Any, X: FloatArray, scores: FloatArray, theta: FloatArray, work: FloatArray) -> bool:
    """The index of every arm, and its θ̄, for plain tuples. False where one could not be solved."""
    likelihood, d = named(problem), X.shape[1]
    theta_hat, R = np.empty(d), np.empty((d, d))
    if not centre(likelihood, theta_hat, R, work):
        return False
    for a in range(len(X)):
        good, scores[a] = solve_arm(likelihood, Index(*index), theta_hat, R, X[a], theta[a], work)
        if not good:
            return False
    return True
