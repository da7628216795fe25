"""The best arm of each of many sets by an upper bound, for many users at once: blocks run over the ends of sets."""

from rbmle.kernels.compile import compiled
from rbmle.kernels.linear.blocks import MOST, forms, means, quadratic, turn
from rbmle.kernels.linear.index import upper
from rbmle.kernels.linear.predict import predict_few
from rbmle.kernels.linear.ridge import ridge_in
from rbmle.types import FloatArray, IntArray

# Fewer features than this are looked at arm by arm (measured): to the same bits.
FEW_FEATURES = 6


@compiled
def best_of_sets(
    X: FloatArray, offsets: IntArray, weights: FloatArray, rooted: bool, block: FloatArray, arms: IntArray
) -> None:
    """The arms of the sets X[offsets[s]:offsets[s+1]], none empty; weights (n, 2): outer and inner of each."""
    d = X.shape[1]
    ridge = ridge_in(block, d)
    C, theta, T, m, v, g = quadratic(ridge.theta, ridge.V_inv, MOST, ridge.theta)
    s, start, stop, top = 0, offsets[0], offsets[1], 0.0
    for first in range(offsets[0], offsets[-1], MOST):
        last = min(offsets[-1], first + MOST)
        if d < FEW_FEATURES:
            predict_few(X[first:last], ridge.theta, ridge.V_inv, m, v)
        else:
            turn(X, first, last, T)
            means(T, theta, m)
            forms(T, C, g, v)
        for a in range(first, last):
            if a == stop:
                s += 1
                start, stop = stop, offsets[s + 1]
            score = upper(m[a - first], v[a - first], weights[s, 0], weights[s, 1], rooted)
            if a == start or score > top:
                arms[s], top = a - start, score
