"""The best of very many arms by an upper bound m + outer · v or m + outer · √(inner · v), nothing as large as X kept.

Blocks of arms are first looked at in single precision, which is twice as fast and reads little; with u = 2⁻²⁴

    |m̂ − m| ≤ (d + 8) u ‖θ̂‖ ‖x‖,    |v̂ − v| ≤ (2d + 16) u ‖ |V⁻¹| ‖ ‖x‖²

bound what that loses: of every term three roundings to single precision, two products and at most 2d sums. What could
reach the best score so far by those bounds is looked at again in double precision, as `predict` does, so that the arm
is the one that looking at all scores finds, the lowest number among equals. Where all arms tie, as in the first round,
every one is looked at twice, and that is the worst of it.

X may be of single precision itself: what is computed is what X in double precision gives.
"""

import math
from typing import NamedTuple

import numpy as np

from rbmle.inputs import LARGEST_CONTEXT
from rbmle.kernels.compile import compiled
from rbmle.kernels.linear.blocks import Quadratic, forms, means, quadratic, turn
from rbmle.kernels.linear.formula import NOT_FINITE
from rbmle.kernels.linear.index import upper
from rbmle.kernels.linear.ridge import ridge_in
from rbmle.types import FloatArray

# Squares of contexts up to this, and numbers down to TINY, are far from the ends of single precision.
LARGE, TINY = 1e30, 1e-24
UNIT = 2.0**-24
# Arms that are looked at together, and those of them that are looked at again together.
MANY, FEW = 128, 32


class Rough(NamedTuple):
    """A model's numbers in single precision, divided by their sizes, and what a look at an arm may lose.

    m = size_m · m̂ ± lost_m ‖x‖ and v = size_v · v̂ ± lost_v (‖x‖² + TINY)
    """

    numbers: Quadratic
    squares: FloatArray
    size_m: float
    size_v: float
    lost_m: float
    lost_v: float


@compiled
def rough(theta: FloatArray, V_inv: FloatArray) -> Rough:
    """Of θ̂ and V⁻¹. ‖ |V⁻¹| ‖ is at most the largest sum of a row, and ‖V⁻¹‖_F."""
    d = len(theta)
    size_m = size_v = rows = squares = length = 0.0
    for i in range(d):
        row = 0.0
        for j in range(d):
            row += abs(V_inv[i, j])
        rows, size_m, size_v = max(rows, row), max(size_m, abs(theta[i])), max(size_v, abs(V_inv[i, i]))
    size_m, size_v = max(size_m, 1e-290), max(size_v, 1e-290)
    for i in range(d):
        length += (theta[i] / size_m) ** 2
        for j in range(d):
            squares += (V_inv[i, j] / size_v) ** 2
    numbers = quadratic(theta / size_m, V_inv / size_v, MANY, np.empty(0, np.float32))
    lost_m = (d + 8.0) * UNIT * math.sqrt(length) * size_m
    lost_v = (2.0 * d + 16.0) * UNIT * min(rows, math.sqrt(squares) * size_v)
    return Rough(numbers, np.empty(MANY, np.float32), size_m, size_v, lost_m, lost_v)


@compiled
def add_squares(T: FloatArray, squares: FloatArray) -> None:
    """‖x‖² of every arm of a block, four features at a time."""
    squares[:] = 0.0
    for j in range(0, len(T), 4):
        x0, x1, x2, x3 = T[j], T[j + 1], T[j + 2], T[j + 3]
        for a in range(len(squares)):
            squares[a] = squares[a] + x0[a] * x0[a] + x1[a] * x1[a] + x2[a] * x2[a] + x3[a] * x3[a]


@compiled
def most(look: Rough, outer: float, inner: float, rooted: bool, scores: FloatArray) -> None:
    """What the scores of a block's arms are at most; not a number where single precision ends."""
    (_, _, _, m, v, _), squares, size_m, size_v, lost_m, lost_v = look
    for a in range(len(scores)):
        square = float(squares[a])
        v_most = size_v * float(v[a]) + lost_v * (square + TINY)
        m_most = size_m * float(m[a]) + lost_m * math.sqrt(square + TINY)
        scores[a] = upper(m_most, v_most, outer, inner, rooted) if square <= LARGE else math.nan


@compiled
def is_strange(squares: FloatArray) -> bool:
    """Whether single precision ends for one of some arms."""
    count = 0
    for a in range(len(squares)):
        count += 0 if squares[a] <= LARGE else 1
    return count > 0


@compiled
def is_below(scores: FloatArray, top: float) -> bool:
    """Whether all of some scores are."""
    count = 0
    for a in range(len(scores)):
        count += 0 if scores[a] <= top else 1
    return count == 0


@compiled
def are_within(X: FloatArray, first: int, last: int) -> bool:
    """Whether all contexts of a block are numbers within the limits."""
    for a in range(first, last):
        for j in range(X.shape[1]):
            if not abs(X[a, j]) <= LARGEST_CONTEXT:
                return False
    return True


@compiled
def search(X: FloatArray, outer: float, inner: float, rooted: bool, block: FloatArray) -> int:
    """The arm of the largest index, or NOT_FINITE; outer and inner ≥ 0, or the bounds are none."""
    K, d = X.shape
    ridge = ridge_in(block, d)
    look, exact = rough(ridge.theta, ridge.V_inv), quadratic(ridge.theta, ridge.V_inv, FEW, ridge.theta)
    C, theta, T, m, v, g = look.numbers
    scores, best, top = np.empty(MANY), -1, -math.inf
    for first in range(0, K, MANY):
        last = min(K, first + MANY)
        turn(X, first, last, T)
        add_squares(T, look.squares)
        means(T, theta, m)
        forms(T, C, g, v)
        most(look, outer, inner, rooted, scores)
        if is_strange(look.squares[: last - first]) and not are_within(X, first, last):
            return NOT_FINITE
        for start in range(first, last, FEW):
            stop = min(last, start + FEW)
            if is_below(scores[start - first : stop - first], top):
                continue
            turn(X, start, stop, exact.T)
            means(exact.T, exact.theta, exact.m)
            forms(exact.T, exact.C, exact.g, exact.v)
            for a in range(stop - start):
                score = upper(exact.m[a], exact.v[a], outer, inner, rooted)
                if best < 0 or score > top:
                    best, top = start + a, score
    return best
