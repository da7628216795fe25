"""Ridge regression by rank-one updates, on a model's numbers in one block.

V        (d, d)  λI + Σ x xᵀ, exact
V_inv    (d, d)  its inverse
b        (d,)    Σ r x
theta    (d,)    θ̂ = V⁻¹ b
volume   (3,)    log(det V / det λI) = volume[0] + log(volume[1]); volume[2] = log det λI
X        (K, d)  contexts

Python hands over the block, one array: handing over five takes longer than many a decision.
"""

import math
from typing import NamedTuple

import numpy as np

from rbmle.inputs import LARGEST_CONTEXT, LARGEST_REWARD
from rbmle.kernels.compile import compiled, inlined
from rbmle.kernels.lapack import cholesky, eigenvectors
from rbmle.kernels.lapack import inverse as inverse_of
from rbmle.kernels.linear.predict import SMALL, is_short, span
from rbmle.types import FloatArray

# What `learn` says: done; a number that is not finite or would not stay so; V⁻¹ has lost its definiteness to rounding;
# done, but V⁻¹ has lost digits and is to be computed anew. And what a loop says of arms before it asks: that their
# variances are such as contexts within the limits hardly have.
LEARNT, REFUSED, LOST, ROUGH, STRANGE = 0, 1, 2, 3, 4
# A direction whose variance falls by this factor at once keeps only half of its digits.
STEEP = 1e8
# Contexts of a square up to this are within the limit without a look at their entries.
LARGEST_SQUARE = LARGEST_CONTEXT * LARGEST_CONTEXT


class Ridge(NamedTuple):
    """The arrays of a ridge model."""

    V: FloatArray
    V_inv: FloatArray
    b: FloatArray
    theta: FloatArray
    volume: FloatArray


@compiled
def ridge_in(block: FloatArray, d: int) -> Ridge:
    """The arrays that a block holds."""
    D = d * d
    return Ridge(
        block[:D].reshape((d, d)),
        block[D : 2 * D].reshape((d, d)),
        block[2 * D : 2 * D + d],
        block[2 * D + d : 2 * D + 2 * d],
        block[2 * D + 2 * d :],
    )


@inlined
def grow(volume: FloatArray, factor: float) -> None:
    """Multiply the determinant by a factor; the logarithm is taken only when the product gets large."""
    volume[1] *= factor
    if volume[1] > 1e150:
        volume[0] += math.log(volume[1])
        volume[1] = 1.0


@compiled
def is_within(x: FloatArray) -> bool:
    """Whether no entry of a context is beyond the limit."""
    largest = 0.0
    for i in range(len(x)):
        largest = max(largest, abs(x[i]))
    return largest <= LARGEST_CONTEXT


@inlined
def is_bearable(r: float, q: float, step: float) -> bool:
    """Whether a reward is within the limit, and what is learnt of it finite."""
    return abs(r) <= LARGEST_REWARD and q < math.inf and math.isfinite(step)


@compiled
def observe(block: FloatArray, x: FloatArray, r: float) -> int:
    """Learn one reward: LEARNT or ROUGH, or why not, and then nothing has changed."""
    return learn(ridge_in(block, len(x)), x, r, np.empty(len(x)))


@compiled
def multiply_span(V_inv: FloatArray, x: FloatArray, u: FloatArray) -> None:
    """u = V⁻¹ x for a context that is 0 but for a stretch, to the same bits: what is multiplied by 0 is left out."""
    first, last = span(x)
    for i in range(len(x)):
        s = 0.0
        for j in range(first, last):
            s += V_inv[i, j] * x[j]
        u[i] = s


@compiled
def add_span(V: FloatArray, V_inv: FloatArray, x: FloatArray, u: FloatArray) -> None:
    """V += x xᵀ and V⁻¹ −= u uᵀ for such a context; V⁻¹ of contexts in blocks is block diagonal, and most of u is 0."""
    first, last = span(x)
    for i in range(first, last):
        for j in range(first, last):
            V[i, j] += x[i] * x[j]
    for i in range(len(x)):
        if u[i] != 0.0:
            for j in range(len(x)):
                V_inv[i, j] -= u[i] * u[j]


@inlined
def learn(ridge: Ridge, x: FloatArray, r: float, u: FloatArray) -> int:
    """`observe` with scratch `u` (d,) given, for loops."""
    V, V_inv, b, theta, volume = ridge
    d = len(x)
    short = d > SMALL and is_short(x)
    if short:
        multiply_span(V_inv, x, u)
    q = m = square = 0.0
    for i in range(d):
        if not short:
            s = 0.0
            for j in range(d):
                s += V_inv[i, j] * x[j]
            u[i] = s
        q += x[i] * u[i]
        m += x[i] * theta[i]
        square += x[i] * x[i]
    gain = 1.0 / (1.0 + q)
    step = gain * (r - m)
    outcome = LEARNT
    if q < 0.0:
        outcome = LOST
    elif not (is_bearable(r, q, step) and (square <= LARGEST_SQUARE or is_within(x))):
        outcome = REFUSED
    else:
        grow(volume, 1.0 + q)
        root_gain = math.sqrt(gain)
        for i in range(d):
            theta[i] += step * u[i]
            b[i] += r * x[i]
            u[i] *= root_gain  # u uᵀ is then symmetric to the last bit
        if short:
            add_span(V, V_inv, x, u)
        else:
            for i in range(d):
                for j in range(d):
                    V[i, j] += x[i] * x[j]
                    V_inv[i, j] -= u[i] * u[j]
        if q > STEEP:
            outcome = ROUGH
    return outcome


@inlined
def learn_three(ridge: Ridge, X: FloatArray, t: int, arm: int, r: float) -> int:
    """`learn` from X[t, arm] for d = 3, in registers."""
    V, V_inv, b, theta, volume = ridge
    x0, x1, x2 = X[t, arm, 0], X[t, arm, 1], X[t, arm, 2]
    u0 = V_inv[0, 0] * x0 + V_inv[0, 1] * x1 + V_inv[0, 2] * x2
    u1 = V_inv[1, 0] * x0 + V_inv[1, 1] * x1 + V_inv[1, 2] * x2
    u2 = V_inv[2, 0] * x0 + V_inv[2, 1] * x1 + V_inv[2, 2] * x2
    q = x0 * u0 + x1 * u1 + x2 * u2
    gain = 1.0 / (1.0 + q)
    step = gain * (r - (x0 * theta[0] + x1 * theta[1] + x2 * theta[2]))
    square = x0 * x0 + x1 * x1 + x2 * x2
    outcome = LEARNT
    if q < 0.0:
        outcome = LOST
    elif not (is_bearable(r, q, step) and (square <= LARGEST_SQUARE or is_within(X[t, arm]))):
        outcome = REFUSED
    else:
        grow(volume, 1.0 + q)
        theta[0] += step * u0
        theta[1] += step * u1
        theta[2] += step * u2
        b[0] += r * x0
        b[1] += r * x1
        b[2] += r * x2
        g0, g1, g2 = gain * u0, gain * u1, gain * u2
        V[0, 0] += x0 * x0
        V[1, 0] += x1 * x0
        V[1, 1] += x1 * x1
        V[2, 0] += x2 * x0
        V[2, 1] += x2 * x1
        V[2, 2] += x2 * x2
        V_inv[0, 0] -= g0 * u0
        V_inv[1, 0] -= g1 * u0
        V_inv[1, 1] -= g1 * u1
        V_inv[2, 0] -= g2 * u0
        V_inv[2, 1] -= g2 * u1
        V_inv[2, 2] -= g2 * u2
        V[0, 1], V[0, 2], V[1, 2] = V[1, 0], V[2, 0], V[2, 1]
        V_inv[0, 1], V_inv[0, 2], V_inv[1, 2] = V_inv[1, 0], V_inv[2, 0], V_inv[2, 1]
        if q > STEEP:
            outcome = ROUGH
    return outcome


@compiled
def observe_many(block: FloatArray, X: FloatArray, rewards: FloatArray) -> tuple[int, int]:
    """Learn rewards one after the other: how many were learnt, and how the last one tried went."""
    d = X.shape[1]
    ridge, u = ridge_in(block, d), np.empty(d)
    for s in range(len(rewards)):
        outcome = learn(ridge, X[s], rewards[s], u)
        if outcome != LEARNT:
            return s + int(outcome == ROUGH), outcome
    return len(rewards), LEARNT


@compiled
def factor(V: FloatArray, C: FloatArray) -> bool:
    """C (d, d) lower triangular with C Cᵀ = V; False where rounding leaves V not positive definite."""
    d = len(V)
    if d > SMALL:
        return cholesky(V, C)
    for j in range(d):
        s = V[j, j]
        for k in range(j):
            s -= C[j, k] * C[j, k]
        if not s > 0.0:
            return False
        C[j, j] = math.sqrt(s)
        for i in range(j + 1, d):
            s = V[i, j]
            for k in range(j):
                s -= C[i, k] * C[j, k]
            C[i, j] = s / C[j, j]
    return True


@compiled
def invert_factor(C: FloatArray) -> FloatArray:
    """C⁻¹ of a lower triangular C (d, d)."""
    d = len(C)
    if d > SMALL:
        return inverse_of(C)
    inverse = np.zeros((d, d))
    for j in range(d):
        inverse[j, j] = 1.0 / C[j, j]
        for i in range(j + 1, d):
            s = 0.0
            for k in range(j, i):
                s -= C[i, k] * inverse[k, j]
            inverse[i, j] = s / C[i, i]
    return inverse


@compiled
def refresh(block: FloatArray, d: int) -> bool:
    """V⁻¹, θ̂ and log(det V / det λI) anew from V and b; False, and nothing changed, where V has no factor."""
    V, V_inv, b, theta, volume = ridge_in(block, d)
    C = np.zeros((d, d))
    if not factor(V, C):
        return False
    C_inv = invert_factor(C)
    V_inv[:] = np.dot(np.ascontiguousarray(C_inv.T), C_inv)
    volume[0], volume[1] = -volume[2], 1.0
    for i in range(d):
        volume[0] += 2.0 * math.log(C[i, i])
        for j in range(i):  # symmetric to the last bit
            V_inv[j, i] = V_inv[i, j]
    theta[:] = np.dot(V_inv, b)
    theta += np.dot(V_inv, b - np.dot(V, theta))  # one step of refinement
    return True


@compiled
def root(X: FloatArray, ridge: Ridge, W: FloatArray) -> None:
    """W (K, d) with rows w_a = C⁻¹x_a, V = C Cᵀ: then W Wᵀ = X V⁻¹ Xᵀ, and θ̂ + C⁻ᵀz has scores m_a + w_aᵀz."""
    K, d = X.shape
    C = np.zeros((d, d))
    if not factor(ridge.V, C):
        values = np.empty(d)
        rows = eigenvectors(ridge.V_inv, values)
        for i in range(d):
            for j in range(d):
                rows[i, j] *= math.sqrt(max(values[i], 0.0))
        np.dot(X, rows.T, W)
        return
    if d > SMALL:
        np.dot(X, np.ascontiguousarray(invert_factor(C).T), W)
        return
    for a in range(K):
        for i in range(d):
            s = X[a, i]
            for k in range(i):
                s -= C[i, k] * W[a, k]
            W[a, i] = s / C[i, i]


@compiled
def root_of_arms(X: FloatArray, block: FloatArray, W: FloatArray) -> None:
    """`root` for Python."""
    root(X, ridge_in(block, X.shape[1]), W)
