"""The standard normal distribution, and arg max, for formulas of linear policies: compiled, and public.

>>> import numpy as np
>>> from rbmle import kernels
>>> kernels.normal.first_max(np.array([0.2, 0.7, 0.7]))
1
"""

import math

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.types import FloatArray

__all__ = ["best_and_second", "cumulative", "density", "expected_excess", "first_max"]


@compiled
def density(z: float) -> float:
    """φ(z)."""
    return math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)


@compiled
def cumulative(z: float) -> float:
    """Φ(z)."""
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


@compiled
def expected_excess(z: float) -> float:
    """f(z) = zΦ(z) + φ(z) = E[(z + N(0, 1))⁺], the function of the knowledge gradient."""
    return z * cumulative(z) + density(z)


@compiled
def best_and_second(mean: FloatArray) -> tuple[int, float, float]:
    """The arm of the largest mean, that mean, and the largest mean among the other arms (-inf for a single arm)."""
    best, top, second = 0, mean[0], -math.inf
    for a in range(1, len(mean)):
        if mean[a] > top:
            best, top, second = a, mean[a], top
        elif mean[a] > second:
            second = mean[a]
    return best, top, second


@compiled
def first_max(scores: FloatArray) -> int:
    """Arm of the largest score, the lowest number among equals."""
    best, top = 0, scores[0]
    for a in range(1, len(scores)):
        if scores[a] > top:
            best, top = a, scores[a]
    return best


def solved_count(r: float) -> float:
    """x > 0 that maximises s f(−√r/s) / x with s² = x/(1 + x): r = Δ²/v, and x/v observations are best by KG*.

    With z² = r(1 + 1/x) and Mills' ratio R(z) the slope vanishes where 1 − zR(z) = 1/(2(1 + x)). Bounds of R put x
    between two roots of quadratics (Frazier & Powell 2010), their geometric middle is where Newton's method starts.
    """
    edge = math.sqrt(1.0 + 6.0 * r + r * r)
    low = 0.25 * (r - 1.0 + edge) if r > 1.0 else 2.0 * r / (1.0 - r + edge)  # the same, without cancellation
    high = 0.25 * (1.0 + r + math.sqrt(1.0 + 10.0 * r + r * r))
    x = math.sqrt(low * high)
    for _ in range(60):
        z = math.sqrt(r * (1.0 + 1.0 / x))
        mills = 0.5 * math.erfc(z / math.sqrt(2.0)) / (math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi))
        excess = 1.0 - z * mills - 0.5 / (1.0 + x)
        if excess > 0.0:
            high = x
        else:
            low = x
        slope = -(z - (1.0 + z * z) * mills) * z / (2.0 * x * (1.0 + x)) + 0.5 / ((1.0 + x) * (1.0 + x))
        new = x - excess / slope
        if not low < new < high:
            new = math.sqrt(low * high)
        if abs(new - x) <= 1e-10 * x:
            return new
        x = new
    return x


# log x at equidistant log r: its cubic interpolation is exact to 1e-7, and takes no Newton step in every decision.
FIRST, STEP, COUNT = math.log(1e-10), 0.0625, 456
LOG_COUNTS = np.array([math.log(solved_count(math.exp(FIRST + STEP * i))) for i in range(COUNT)])


@compiled
def best_count(r: float) -> float:
    """`solved_count` by interpolation, for 1e-9 ≤ r ≤ 150; at the ends of that outside of it."""
    place = (math.log(min(max(r, 1e-9), 150.0)) - FIRST) / STEP
    i = int(place)
    u = place - i
    a, b, c, d = LOG_COUNTS[i - 1], LOG_COUNTS[i], LOG_COUNTS[i + 1], LOG_COUNTS[i + 2]
    lower = u * (u - 1.0) * ((u + 1.0) * d - (u - 2.0) * a) / 6.0
    return math.exp(lower + (u + 1.0) * (u - 2.0) * ((u - 1.0) * b - u * c) / 2.0)


@compiled
def expected_gain(heights: FloatArray, slopes: FloatArray) -> float:
    """E max_b(heights_b + slopes_b Z) − max_b heights_b for Z standard normal, from the upper envelope of the lines.

    With the lines of the envelope in order of their slopes and c_i where line i meets the next one, this is
    Σ (slope_{i+1} − slope_i) f(−|c_i|) (Frazier, Powell & Dayanik 2009, Algorithm 1).
    """
    K = len(heights)
    order, kept, meets = np.argsort(slopes), np.empty(K, dtype=np.int64), np.empty(K)
    top = 0
    kept[0] = order[0]
    for place in range(1, K):
        new = order[place]
        at = -math.inf
        while top >= 0:
            old = kept[top]
            rise = slopes[new] - slopes[old]
            if rise > 0.0:
                at = (heights[old] - heights[new]) / rise
                if top == 0 or at > meets[top - 1]:
                    break
            elif heights[new] <= heights[old]:
                at = math.inf  # parallel to a line above it
                break
            top -= 1
        if at == math.inf:
            continue
        if top >= 0:
            meets[top] = at
        top += 1
        kept[top] = new
    total = 0.0
    for i in range(top):
        total += (slopes[kept[i + 1]] - slopes[kept[i]]) * expected_excess(-abs(meets[i]))
    return total
