"""The standard normal distribution, and arg max, for formulas."""

import math

from rbmle.kernels.compile import compiled
from rbmle.types import FloatArray


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
    best = 0
    for a in range(1, len(scores)):
        if scores[a] > scores[best]:
            best = a
    return best
