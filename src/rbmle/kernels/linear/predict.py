"""What a ridge model says of arms: means and variances, by loops or by matrix products as the sizes suggest.

X        (K, d)  contexts
theta    (d,)    θ̂
V_inv    (d, d)  V⁻¹
"""

import numpy as np

from rbmle.kernels.compile import compiled, inlined
from rbmle.types import FloatArray

# Below this many features plain loops beat the call of a matrix product (measured).
SMALL = 12
# A product of at most so many multiplications is left to one thread by every BLAS we know; up to so many times of that,
# products are cut into such pieces: handing one to threads takes 20 µs, or, on a busy machine, 30 ms.
ONE_THREAD, PIECES = 2**18, 16
# Loops over the stretch of a context that is not 0 beat matrix products where it is shorter by this factor (measured).
SHORT = 3
# Pieces of fewer rows than this are cut by columns too.
FEWEST_ROWS = 16


@compiled
def predict_four(
    X: FloatArray, theta: FloatArray, V_inv: FloatArray, mean: FloatArray, variance: FloatArray, a: int
) -> None:
    """Mean and variance of arms a … a+3: four at once share the cost of short loops, most of it for small d."""
    m0 = m1 = m2 = m3 = v0 = v1 = v2 = v3 = 0.0
    for i in range(X.shape[1]):
        u0 = u1 = u2 = u3 = 0.0
        for j in range(i):
            c = V_inv[i, j]
            u0 += c * X[a, j]
            u1 += c * X[a + 1, j]
            u2 += c * X[a + 2, j]
            u3 += c * X[a + 3, j]
        x0, x1, x2, x3 = X[a, i], X[a + 1, i], X[a + 2, i], X[a + 3, i]
        t, c = theta[i], V_inv[i, i]
        m0, m1, m2, m3 = m0 + x0 * t, m1 + x1 * t, m2 + x2 * t, m3 + x3 * t
        v0 += x0 * (c * x0 + 2.0 * u0)
        v1 += x1 * (c * x1 + 2.0 * u1)
        v2 += x2 * (c * x2 + 2.0 * u2)
        v3 += x3 * (c * x3 + 2.0 * u3)
    mean[a], mean[a + 1], mean[a + 2], mean[a + 3] = m0, m1, m2, m3
    variance[a], variance[a + 1], variance[a + 2], variance[a + 3] = v0, v1, v2, v3


@inlined
def predict_three(
    X: FloatArray, t: int, theta: FloatArray, V_inv: FloatArray, mean: FloatArray, variance: FloatArray
) -> None:
    """Mean and variance of the arms X[t] for d = 3, the paper's dimension: V⁻¹ in registers, three times as fast."""
    t0, t1, t2 = theta[0], theta[1], theta[2]
    v00, v10, v11 = V_inv[0, 0], 2.0 * V_inv[1, 0], V_inv[1, 1]
    v20, v21, v22 = 2.0 * V_inv[2, 0], 2.0 * V_inv[2, 1], V_inv[2, 2]
    for a in range(X.shape[1]):
        x, y, z = X[t, a, 0], X[t, a, 1], X[t, a, 2]
        mean[a] = x * t0 + y * t1 + z * t2
        variance[a] = x * (v00 * x) + y * (v11 * y + v10 * x) + z * (v22 * z + (v20 * x + v21 * y))


@inlined
def predict_rows(
    X: FloatArray, theta: FloatArray, XV: FloatArray, mean: FloatArray, variance: FloatArray, first: int
) -> None:
    """Mean and variance of arms first, first + 1, … with contexts X and their product X V⁻¹."""
    for a in range(X.shape[0]):
        m = v = 0.0
        for i in range(X.shape[1]):
            m += X[a, i] * theta[i]
            v += XV[a, i] * X[a, i]
        mean[first + a], variance[first + a] = m, v


@compiled
def predict_in_pieces(
    X: FloatArray, theta: FloatArray, V_inv: FloatArray, mean: FloatArray, variance: FloatArray
) -> None:
    """As `predict` for many features, a few arms and columns of V⁻¹ at a time, so that one thread takes each product.

    V⁻¹ is symmetric, so that its columns are its rows, which lie side by side.
    """
    K, d = X.shape
    rows = min(K, FEWEST_ROWS)
    pieces = -(-rows * d * d // ONE_THREAD)
    columns = max(8, d // pieces // 8 * 8)
    for a in range(0, K, rows):
        few = X[a : a + rows]
        for k in range(len(few)):
            mean[a + k] = variance[a + k] = 0.0
        for i in range(0, d, columns):
            XV = np.dot(few, V_inv[i : i + columns].T)
            for k in range(len(few)):
                m, v = mean[a + k], variance[a + k]
                for j in range(XV.shape[1]):
                    m += few[k, i + j] * theta[i + j]
                    v += XV[k, j] * few[k, i + j]
                mean[a + k], variance[a + k] = m, v


@compiled
def span(x: FloatArray) -> tuple[int, int]:
    """Where the entries of x that are not 0 begin and end; NaN is not 0."""
    first, last = 0, len(x)
    while first < last and x[first] == 0.0:
        first += 1
    while last > first and x[last - 1] == 0.0:
        last -= 1
    return first, last


@compiled
def is_short(x: FloatArray) -> bool:
    """Whether x is 0 but for a stretch of at most a third of its length: features in the block of a class, say."""
    first, last = span(x)
    return SHORT * (last - first) <= len(x)


@compiled
def are_short(X: FloatArray) -> bool:
    """Whether every context is."""
    a = 0
    while a < len(X) and is_short(X[a]):
        a += 1
    return a == len(X)


@compiled
def predict_spans(X: FloatArray, theta: FloatArray, V_inv: FloatArray, mean: FloatArray, variance: FloatArray) -> None:
    """As `predict`, in as many operations as the stretches of contexts that are not 0 have squares."""
    for a in range(X.shape[0]):
        first, last = span(X[a])
        m = v = 0.0
        for i in range(first, last):
            u = 0.0
            for j in range(first, i):
                u += V_inv[i, j] * X[a, j]
            m += X[a, i] * theta[i]
            v += X[a, i] * (V_inv[i, i] * X[a, i] + 2.0 * u)
        mean[a], variance[a] = m, v


@compiled
def predict_few(X: FloatArray, theta: FloatArray, V_inv: FloatArray, mean: FloatArray, variance: FloatArray) -> None:
    """As `predict`, for few features, by loops alone."""
    K, d = X.shape
    if d == 3:
        predict_three(X.reshape((1, K, d)), 0, theta, V_inv, mean, variance)
        return
    whole = K - K % 4
    for a in range(0, whole, 4):
        predict_four(X, theta, V_inv, mean, variance, a)
    for a in range(whole, K):
        m = v = 0.0
        for i in range(d):
            u = 0.0
            for j in range(i):
                u += V_inv[i, j] * X[a, j]
            m += X[a, i] * theta[i]
            v += X[a, i] * (V_inv[i, i] * X[a, i] + 2.0 * u)
        mean[a], variance[a] = m, v


@compiled
def predict(X: FloatArray, theta: FloatArray, V_inv: FloatArray, mean: FloatArray, variance: FloatArray) -> None:
    """m_a = x_aᵀθ̂ and v_a = x_aᵀV⁻¹x_a for every arm.

    Sums run from left to right in plain double arithmetic: at t = 1 all arms tie up to the last bit, and the paper's
    tables hang on which one that bit favours.
    """
    K, d = X.shape
    if d > SMALL:
        rows = ONE_THREAD // (d * d) // 8 * 8
        if are_short(X):
            predict_spans(X, theta, V_inv, mean, variance)
        elif not ONE_THREAD < K * d * d <= PIECES * ONE_THREAD:
            predict_rows(X, theta, np.dot(X, V_inv), mean, variance, 0)
        elif rows >= FEWEST_ROWS:
            for a in range(0, K, rows):
                predict_rows(X[a : a + rows], theta, np.dot(X[a : a + rows], V_inv), mean, variance, a)
        else:
            predict_in_pieces(X, theta, V_inv, mean, variance)
        return
    predict_few(X, theta, V_inv, mean, variance)


@compiled
def first_identical(X: FloatArray, arm: int, scores: FloatArray) -> int:
    """The first arm with the very context of `arm`, given its score.

    A matrix product may round equal rows differently in the last bit; ties must still go to the lowest number.
    """
    for a in range(arm):
        i = 0
        while i < X.shape[1] and X[a, i] == X[arm, i]:
            i += 1
        if i == X.shape[1]:
            scores[a] = scores[arm]
            return a
    return arm
