"""Bounds of the mean of independent rows Y in [0, 1] that hold for any number of rows.

Applied to Y = min(w, M) r / M with a cap M chosen beforehand: clipping only lowers E[min(w, M) r] ≤ V, so a lower bound
of it is one of V, and the upper bound of V is 1 minus the lower one of the target's losses 1 − r.
"""

from math import inf, log

from scipy.optimize import brentq
from scipy.stats import beta


def clopper_pearson(count: float, n: float, alpha: float) -> float:
    """The lower bound at 1 − alpha from k successes in n: the exact one for coins (Clopper & Pearson 1934).

    Rows in [0, 1] become coins by a draw each, B ~ Bernoulli(Y), which has the same mean.

    >>> round(clopper_pearson(8, 10, 0.025), 4)
    0.4439
    """
    return float(beta.ppf(alpha, count, n - count + 1.0)) if count > 0 else 0.0


def chernoff(mean: float, n: float, alpha: float) -> float:
    """The lower bound at 1 − alpha from the mean: the least q with n kl(mean, q) ≤ ln(1/α) (Chernoff; no draws).

    >>> round(chernoff(0.8, 10, 0.025), 4)
    0.3802
    """
    if mean <= 0.0 or n <= 0:
        return 0.0
    room, top = log(1.0 / alpha) / n, min(mean, 1.0)

    def excess(q: float) -> float:
        return divergence(top, q) - room

    least = 1e-300
    return float(brentq(excess, least, top, xtol=1e-15)) if excess(least) > 0.0 else 0.0


def divergence(p: float, q: float) -> float:
    """kl(p, q) of two coins."""
    if q <= 0.0 or q >= 1.0:
        return 0.0 if p == q else inf
    first = p * log(p / q) if p > 0.0 else 0.0
    second = (1.0 - p) * log((1.0 - p) / (1.0 - q)) if p < 1.0 else 0.0
    return first + second
