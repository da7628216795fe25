"""What a ridge model says of arms: means and variances, by loops over arms, over blocks of them, or over stretches.

All of them round alike: sums run from left to right in plain double arithmetic. At t = 1 all arms tie up to the last
bit, and the paper's tables hang on which one that bit favours; and equal arms must tie wherever they stand.

X        (K, d)  contexts
theta    (d,)    θ̂
V_inv    (d, d)  V⁻¹
"""

from rbmle.kernels.compile import compiled, inlined
from rbmle.kernels.linear.blocks import predict_blocks
from rbmle.types import FloatArray

# Up to so many features models keep to plain loops.
SMALL = 12
# Blocks are for more arms than this, and more numbers (measured).
FEW_ARMS, FEW_NUMBERS = 8, 320
# Loops over the stretch of a context that is not 0 beat blocks where it is shorter by this factor (measured).
SHORT = 3


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
    """As `predict`, arm by arm: for few features or arms."""
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
    """m_a = x_aᵀθ̂ and v_a = x_aᵀV⁻¹x_a for every arm."""
    K, d = X.shape
    if d > SMALL and are_short(X):
        predict_spans(X, theta, V_inv, mean, variance)
    elif d <= SMALL or K <= FEW_ARMS or K * d <= FEW_NUMBERS:
        predict_few(X, theta, V_inv, mean, variance)
    else:
        predict_blocks(X, theta, V_inv, mean, variance)


@compiled
def first_identical(X: FloatArray, arm: int, scores: FloatArray) -> int:
    """The first arm with the very context of `arm`, given its score.

    The matrix product of a root may round equal rows differently; ties must still go to the lowest number.
    """
    for a in range(arm):
        i = 0
        while i < X.shape[1] and X[a, i] == X[arm, i]:
            i += 1
        if i == X.shape[1]:
            scores[a] = scores[arm]
            return a
    return arm
