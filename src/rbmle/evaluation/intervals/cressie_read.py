"""Empirical likelihood by the Cressie–Read divergence of power −2 (Karampatziakis, Langford & Mineiro 2019).

All ways to weigh the rows are looked at whose mean weight w is 1, as it must be, and which are not farther from equal
shares than chance explains; the interval holds the least and the largest mean of w r among them. That is IPS with w as
a control variate. One more row, of any weight within the bounds and the least (largest) reward, stands for what the log
has not seen.
"""

from math import inf, nan, sqrt
from typing import NamedTuple

from scipy.stats import f


class WeightSums(NamedTuple):
    """n, Σ w, Σ w², Σ w r, Σ w² r, Σ w² r²."""

    n: float
    w: float
    ww: float
    y: float
    wy: float
    yy: float


def cressie_read(
    sums: WeightSums, level: float, reward_range: tuple[float, float], weights: tuple[float, float] = (0.0, inf)
) -> tuple[float, float]:
    """The interval for V.

    reward_range: bounds of rewards known beforehand, and of the interval.
    weights: bounds of weights known beforehand.
    """
    room, (low, high) = float(f.ppf(level, 1, sums.n)), reward_range
    flipped = sums._replace(y=-sums.y, wy=-sums.wy)
    lower, upper = least(sums, room, low, weights), -least(flipped, room, -high, weights)
    return float(max(low, lower) if lower == lower else low), float(min(high, upper) if upper == upper else high)


def least(sums: WeightSums, room: float, reward: float, weights: tuple[float, float]) -> float:
    """The least mean of w r among the weighings allowed; NaN where there is none.

    With the row (w_f, reward) added, N = n + 1, Y = w r and moments over N rows this is
    Ȳ + (1 − w̄) c/s² − √((Var Y − c²/s²)((g + δ)/N − (1 − w̄)²/s²)), least over both ends w_f; s² = Var w, c = Cov(w, Y),
    and g = N (1 − w̄)²/s² the least divergence for any row that could be added.
    """
    smallest, largest = weights
    helps = largest if sums.w < sums.n else smallest
    needed = distance(sums, helps)
    found = [bound(sums, reward, end, needed + room) for end in weights]
    return min((value for value in found if value == value), default=nan)


def distance(sums: WeightSums, extra: float) -> float:
    """N (1 − w̄)²/s² with a row of weight `extra`; its limit where that is infinite."""
    N = sums.n + 1.0
    if extra == inf:
        return N / sums.n
    mean = (sums.w + extra) / N
    spread = (sums.ww + extra * extra) / N - mean * mean
    return N * (1.0 - mean) ** 2 / spread if spread > 0.0 else (0.0 if mean == 1.0 else inf)


def bound(sums: WeightSums, reward: float, extra: float, room: float) -> float:
    """The bound with one row (extra, reward) added; NaN where no weighing is near enough."""
    N, n = sums.n + 1.0, sums.n
    if extra == inf:
        # The row takes no share, but the regression of Y on w passes through it: its slope is the row's reward.
        rest = sums.y - reward * sums.w
        squares = sums.yy - 2.0 * reward * sums.wy + reward * reward * sums.ww
        spread, gap = (squares - rest * rest / n) / N, room / N - 1.0 / n
        return nan if gap < 0.0 else reward + rest / n - sqrt(max(spread, 0.0) * gap)
    w, y = (sums.w + extra) / N, (sums.y + extra * reward) / N
    s2 = (sums.ww + extra * extra) / N - w * w
    c = (sums.wy + extra * extra * reward) / N - w * y
    spread = (sums.yy + (extra * reward) ** 2) / N - y * y
    if s2 <= 0.0:
        return y - sqrt(max(spread, 0.0) * room / N) if w == 1.0 else nan
    gap = room / N - (1.0 - w) ** 2 / s2
    return nan if gap < 0.0 else y + (1.0 - w) * c / s2 - sqrt(max(spread - c * c / s2, 0.0) * gap)
