"""A generalized linear model in O(d²) memory: the history is replaced by a quadratic around the estimate.

theta   (d,)    the estimate
H       (d, d)  the curvature that stands for the history
H_inv   (d, d)  its inverse
"""

import math

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.scalar import solve
from rbmle.types import FloatArray, IntArray


@compiled
def observe(
    theta: FloatArray,
    H: FloatArray,
    H_inv: FloatArray,
    code: int,
    limit: float,
    functions: IntArray,
    x: FloatArray,
    r: float,
) -> bool:
    """θ ← argmax −½(θ'−θ)ᵀH(θ'−θ) + r z' − b(z'), then H ← H + μ'(z') x xᵀ. False, nothing changed, where
    that was not reached.

    The maximiser lies on the ray θ + τ H⁻¹x with τ = r − μ(z + vτ), a decreasing equation in one number.
    """
    d = len(x)
    u = np.empty(d)
    z = v = square = 0.0
    for i in range(d):
        s = 0.0
        for j in range(d):
            s += H_inv[i, j] * x[j]
        u[i] = s
        z += x[i] * theta[i]
        v += x[i] * s
        square += x[i] * x[i]
    if not (square < 1e150 and math.fabs(r) < 1e150 and math.isfinite(z) and v >= 0.0):
        return False
    tau, slope, good = solve(z, v, r, (code, limit, functions))
    gain = slope / (1.0 + slope * v)
    if not (good and math.isfinite(tau) and math.isfinite(gain)):
        return False
    for i in range(d):
        theta[i] += tau * u[i]
    for i in range(d):
        for j in range(d):
            H[i, j] += slope * (x[i] * x[j])
            H_inv[i, j] -= gain * (u[i] * u[j])
    return True


@compiled
def observe_many(
    theta: FloatArray,
    H: FloatArray,
    H_inv: FloatArray,
    code: int,
    limit: float,
    functions: IntArray,
    X: FloatArray,
    rewards: FloatArray,
) -> int:
    """Learn rewards one after the other; returns how many were learnt before one was refused."""
    for s in range(len(rewards)):
        if not observe(theta, H, H_inv, code, limit, functions, X[s], rewards[s]):
            return s
    return len(rewards)
