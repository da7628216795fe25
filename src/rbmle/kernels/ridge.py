"""Ridge regression by rank-one updates.

    V        (d, d)  λI + Σ x xᵀ, exact
    V_inv    (d, d)  its inverse
    b        (d,)    Σ r x
    theta    (d,)    θ̂ = V⁻¹ b
    volume   (2,)    log(det V / det λI) = volume[0] + log(volume[1])
    X        (K, d)  contexts
"""

import math

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.types import FloatArray

# Below this many features plain loops beat the call of a matrix product (measured).
SMALL = 12


@compiled
def all_finite(values: FloatArray) -> bool:
    """Whether every number of an array is finite."""
    total = 0.0
    for value in values.flat:
        total += value * 0.0  # 0 for a finite value, NaN for the others
    return total == 0.0


@compiled
def predict(X: FloatArray, theta: FloatArray, V_inv: FloatArray, mean: FloatArray, variance: FloatArray) -> None:
    """m_a = x_aᵀθ̂ and v_a = x_aᵀV⁻¹x_a for every arm.

    Sums run from left to right in plain double arithmetic: at t = 1 all arms tie up to the last bit, and the paper's
    tables hang on which one that bit favours.
    """
    K, d = X.shape
    if d > SMALL:
        XV = np.dot(X, V_inv)
        for a in range(K):
            m = v = 0.0
            for i in range(d):
                m += X[a, i] * theta[i]
                v += XV[a, i] * X[a, i]
            mean[a], variance[a] = m, v
        return
    for a in range(K):
        m = v = 0.0
        for i in range(d):
            u = 0.0
            for j in range(d):
                u += V_inv[i, j] * X[a, j]
            m += X[a, i] * theta[i]
            v += X[a, i] * u
        mean[a], variance[a] = m, v


@compiled
def grow(volume: FloatArray, factor: float) -> None:
    """Multiply the determinant by a factor; the logarithm is taken only when the product gets large."""
    volume[1] *= factor
    if volume[1] > 1e150:
        volume[0] += math.log(volume[1])
        volume[1] = 1.0


@compiled
def observe(
    V: FloatArray, V_inv: FloatArray, b: FloatArray, theta: FloatArray, volume: FloatArray, x: FloatArray, r: float
) -> bool:
    """Learn one reward. False, and nothing changed, where a number is not finite or would not stay so."""
    d = len(x)
    u = np.empty(d)
    q = m = square = 0.0
    for i in range(d):
        s = 0.0
        for j in range(d):
            s += V_inv[i, j] * x[j]
        u[i] = s
        q += x[i] * s
        m += x[i] * theta[i]
        square += x[i] * x[i]
    gain = 1.0 / (1.0 + q)
    step = gain * (r - m)
    if not (square < 1e150 and abs(r) < 1e150 and math.isfinite(step) and q >= 0.0):
        return False
    grow(volume, 1.0 + q)
    root_gain = math.sqrt(gain)
    for i in range(d):
        theta[i] += step * u[i]
        b[i] += r * x[i]
        u[i] *= root_gain  # u uᵀ is then symmetric to the last bit
    for i in range(d):
        for j in range(d):
            V[i, j] += x[i] * x[j]
            V_inv[i, j] -= u[i] * u[j]
    return True


@compiled
def observe_many(
    V: FloatArray,
    V_inv: FloatArray,
    b: FloatArray,
    theta: FloatArray,
    volume: FloatArray,
    X: FloatArray,
    rewards: FloatArray,
) -> int:
    """Learn rewards one after the other; returns how many were learnt before one was refused."""
    for s in range(len(rewards)):
        if not observe(V, V_inv, b, theta, volume, X[s], rewards[s]):
            return s
    return len(rewards)


@compiled
def factor(V: FloatArray, C: FloatArray) -> None:
    """C (d, d) lower triangular with C Cᵀ = V."""
    d = len(V)
    if d > SMALL:
        C[:] = np.linalg.cholesky(V)
        return
    for j in range(d):
        s = V[j, j]
        for k in range(j):
            s -= C[j, k] * C[j, k]
        C[j, j] = math.sqrt(s)
        for i in range(j + 1, d):
            s = V[i, j]
            for k in range(j):
                s -= C[i, k] * C[j, k]
            C[i, j] = s / C[j, j]


@compiled
def root(X: FloatArray, V: FloatArray, W: FloatArray) -> None:
    """W (K, d) with rows w_a = C⁻¹x_a, V = C Cᵀ: then W Wᵀ = X V⁻¹ Xᵀ, and θ̂ + C⁻ᵀz has scores m_a + w_aᵀz."""
    K, d = X.shape
    C = np.zeros((d, d))
    factor(V, C)
    if d > SMALL:
        np.dot(X, np.linalg.inv(C).T, W)
        return
    for a in range(K):
        for i in range(d):
            s = X[a, i]
            for k in range(i):
                s -= C[i, k] * W[a, k]
            W[a, i] = s / C[i, i]
