"""The empirical Bernstein bound (Maurer & Pontil 2009, Theorem 4)."""

from math import log, sqrt


def empirical_bernstein(mean: float, variance: float, n: float, largest: float, alpha: float) -> float:
    """A lower bound, at 1 − alpha, of the mean of independent rows in [0, largest]; `variance` has n − 1 below.

    x̄ − √(2 V ln(2/α)/n) − 7 M ln(2/α)/(3 (n − 1))

    >>> round(empirical_bernstein(0.5, 0.01, 1000, 1.0, 0.05), 4)
    0.4828
    """
    if n < 2:
        return 0.0
    scale = log(2.0 / alpha)
    return max(0.0, mean - sqrt(2.0 * variance * scale / n) - 7.0 * largest * scale / (3.0 * (n - 1.0)))
