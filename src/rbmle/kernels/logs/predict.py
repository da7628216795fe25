"""Predictions of linear models, one for every fold (and every arm, where arms share a context)."""

from rbmle.kernels.compile import compiled
from rbmle.types import FloatArray, IntArray


@compiled
def of_arms(X: FloatArray, offsets: IntArray, folds: IntArray, theta: FloatArray, predictions: FloatArray) -> None:
    """predictions (N,) of contexts X (N, d) by θ (F, d + 1) of the row's fold; the last number is the intercept."""
    d = X.shape[1]
    for i in range(len(folds)):
        own = theta[folds[i]]
        for k in range(offsets[i], offsets[i + 1]):
            total = own[d]
            for a in range(d):
                total += X[k, a] * own[a]
            predictions[k] = total


@compiled
def of_shared(
    x: FloatArray,
    offsets: IntArray,
    numbers: IntArray,
    folds: IntArray,
    theta: FloatArray,
    predictions: FloatArray,
) -> None:
    """predictions (N,) of one context a row, x (n, d), by θ (F, A, d + 1) of the fold and the arm."""
    d = x.shape[1]
    for i in range(len(folds)):
        for k in range(offsets[i], offsets[i + 1]):
            own = theta[folds[i], numbers[k]]
            total = own[d]
            for a in range(d):
                total += x[i, a] * own[a]
            predictions[k] = total
