"""Arms in blocks: a feature of n arms lies side by side, so that one vector instruction serves many of them.

T        (4⌈d/4⌉, n)  a block of contexts, a feature in each row, rows of zeros at the end
C        (4⌈d/4⌉, 4⌈d/4⌉)  V⁻¹ below its diagonal twice and on it once: xᵀV⁻¹x = Σ_i x_i Σ_{j≤i} C_ij x_j
theta    (4⌈d/4⌉,)         θ̂
m, v     (n,)          of the arms of a block
g        (4, n)        scratch

Every arm is rounded alike, wherever it stands and whatever stands beside it, and as the loops over single arms round
it (kernels.linear.predict): sums run from left to right, nothing is fused. Half of a matrix product's multiplications
are left out, V⁻¹ being symmetric, so that blocks are faster than the product too. The precision is that of T and C.
"""

from typing import NamedTuple

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.types import FloatArray

# Arms of a block: a multiple of what a vector holds; many share a coefficient's load, few stay in the nearest cache.
STEP, MOST = 16, 64


class Quadratic(NamedTuple):
    """A model's numbers as blocks need them, with scratch, all in one precision."""

    C: FloatArray
    theta: FloatArray
    T: FloatArray
    m: FloatArray
    v: FloatArray
    g: FloatArray


@compiled
def quadratic(theta: FloatArray, V_inv: FloatArray, n: int, like: FloatArray) -> Quadratic:
    """Of θ̂ and V⁻¹, for blocks of n arms, in the precision of `like`."""
    d = len(theta)
    size = -(-d // 4) * 4
    C, padded = np.zeros((size, size), like.dtype), np.zeros(size, like.dtype)
    for i in range(d):
        padded[i], C[i, i] = theta[i], V_inv[i, i]
        for j in range(i):
            C[i, j] = 2.0 * V_inv[i, j]
    T, g = np.zeros((size, n), like.dtype), np.empty((4, n), like.dtype)
    return Quadratic(C, padded, T, np.empty(n, like.dtype), np.empty(n, like.dtype), g)


@compiled
def turn(X: FloatArray, first: int, last: int, T: FloatArray) -> None:
    """The contexts X[first:last] into the first places of a block; what is in the others stays."""
    for a in range(last - first):
        for j in range(X.shape[1]):
            T[j, a] = X[first + a, j]


@compiled
def means(T: FloatArray, theta: FloatArray, m: FloatArray) -> None:
    """m = xᵀθ̂, four features at a time, or every sum would be stored for each."""
    m[:] = 0.0
    for j in range(0, len(theta), 4):
        t0, t1, t2, t3 = theta[j], theta[j + 1], theta[j + 2], theta[j + 3]
        x0, x1, x2, x3 = T[j], T[j + 1], T[j + 2], T[j + 3]
        for a in range(len(m)):
            m[a] = m[a] + x0[a] * t0 + x1[a] * t1 + x2[a] * t2 + x3[a] * t3


@compiled
def forms(T: FloatArray, C: FloatArray, g: FloatArray, v: FloatArray) -> None:
    """v = xᵀV⁻¹x, four features by four at a time: sixteen coefficients stay in registers while the arms pass by."""
    v[:] = 0.0
    g0, g1, g2, g3 = g[0], g[1], g[2], g[3]
    for i in range(0, len(C), 4):
        g[:] = 0.0
        for j in range(0, i, 4):
            a0, a1, a2, a3 = C[i, j], C[i, j + 1], C[i, j + 2], C[i, j + 3]
            b0, b1, b2, b3 = C[i + 1, j], C[i + 1, j + 1], C[i + 1, j + 2], C[i + 1, j + 3]
            c0, c1, c2, c3 = C[i + 2, j], C[i + 2, j + 1], C[i + 2, j + 2], C[i + 2, j + 3]
            e0, e1, e2, e3 = C[i + 3, j], C[i + 3, j + 1], C[i + 3, j + 2], C[i + 3, j + 3]
            x0, x1, x2, x3 = T[j], T[j + 1], T[j + 2], T[j + 3]
            for a in range(len(v)):
                y0, y1, y2, y3 = x0[a], x1[a], x2[a], x3[a]
                g0[a] = g0[a] + a0 * y0 + a1 * y1 + a2 * y2 + a3 * y3
                g1[a] = g1[a] + b0 * y0 + b1 * y1 + b2 * y2 + b3 * y3
                g2[a] = g2[a] + c0 * y0 + c1 * y1 + c2 * y2 + c3 * y3
                g3[a] = g3[a] + e0 * y0 + e1 * y1 + e2 * y2 + e3 * y3
        a0, b0, b1, c0, c1, c2 = C[i, i], C[i + 1, i], C[i + 1, i + 1], C[i + 2, i], C[i + 2, i + 1], C[i + 2, i + 2]
        e0, e1, e2, e3 = C[i + 3, i], C[i + 3, i + 1], C[i + 3, i + 2], C[i + 3, i + 3]
        x0, x1, x2, x3 = T[i], T[i + 1], T[i + 2], T[i + 3]
        for a in range(len(v)):
            y0, y1, y2, y3 = x0[a], x1[a], x2[a], x3[a]
            s0 = y0 * (g0[a] + a0 * y0)
            s1 = y1 * (g1[a] + b0 * y0 + b1 * y1)
            s2 = y2 * (g2[a] + c0 * y0 + c1 * y1 + c2 * y2)
            s3 = y3 * (g3[a] + e0 * y0 + e1 * y1 + e2 * y2 + e3 * y3)
            v[a] = v[a] + s0 + s1 + s2 + s3


@compiled
def predict_blocks(X: FloatArray, theta: FloatArray, V_inv: FloatArray, mean: FloatArray, variance: FloatArray) -> None:
    """Mean and variance of every arm."""
    n = min(MOST, -(-len(X) // STEP) * STEP)
    C, padded, T, m, v, g = quadratic(theta, V_inv, n, theta)
    for first in range(0, len(X), n):
        last = min(len(X), first + n)
        turn(X, first, last, T)
        means(T, padded, m)
        forms(T, C, g, v)
        for a in range(last - first):
            mean[first + a], variance[first + a] = m[a], v[a]
