"""The largest score in a confidence set of ridge regression: max xᵀθ over ‖Φθ − r‖² ≤ level and ‖θ‖ ≤ S.

Its dual is one scalar: with θ_a = (ΦᵀΦ + aI)⁻¹b and v_a = xᵀ(ΦᵀΦ + aI)⁻¹x

    u(x) = min_{a > 0} xᵀθ_a + √((slack + bᵀθ_a − bᵀθ_λ + aS²) v_a),   slack = level − Σ r² + bᵀθ_λ,

each a giving the bound of a single ellipsoid that contains the set. In log a that has one minimum, and in the
eigenvectors of ΦᵀΦ a trial costs O(d).

values (d,)    eigenvalues of ΦᵀΦ, none negative
pull   (d,)    b in the basis of eigenvectors
Z      (K, d)  contexts in that basis
"""

import math
from typing import NamedTuple

from rbmle.kernels.compile import compiled
from rbmle.types import FloatArray

# a is looked for this far, in powers of e, around the size of ΦᵀΦ: beyond, one of the constraints has no say.
REACH = 32.0
# Each step keeps this part of the interval, the golden section; after so many steps the bound has all its digits.
PART = 0.5 * (math.sqrt(5.0) - 1.0)
STEPS = 48


class Set(NamedTuple):
    """A confidence set."""

    values: FloatArray
    pull: FloatArray
    lam: float
    slack: float
    S: float


@compiled
def bound(log_a: float, known: Set, z: FloatArray) -> float:
    """What the ellipsoid of a allows; where rounding or bad luck leave nothing of the set, its centre."""
    values, pull, lam, slack, S = known
    a = math.exp(log_a)
    mean = variance = 0.0
    square = slack + a * S * S
    for i in range(len(values)):
        weight = 1.0 / (values[i] + a)
        mean += z[i] * pull[i] * weight
        variance += z[i] * z[i] * weight
        square += pull[i] * pull[i] * weight * (lam - a) / (values[i] + lam)
    return mean + math.sqrt(max(square, 0.0) * variance)


@compiled
def scores_within(
    values: FloatArray, pull: FloatArray, Z: FloatArray, lam: float, slack: float, S: float, scores: FloatArray
) -> None:
    """u(x) of every arm, by golden section from the same interval for all, so that equal arms have equal scores."""
    size, known = lam, Set(values, pull, lam, slack, S)
    for i in range(len(values)):
        size += values[i] / len(values)
    middle = math.log(size)
    for k in range(len(Z)):
        z, low, high = Z[k], middle - REACH, middle + REACH
        left, right = high - PART * (high - low), low + PART * (high - low)
        at_left, at_right = bound(left, known, z), bound(right, known, z)
        for _ in range(STEPS):
            if at_left <= at_right:
                high, right, at_right = right, left, at_left
                left = high - PART * (high - low)
                at_left = bound(left, known, z)
            else:
                low, left, at_left = left, right, at_right
                right = low + PART * (high - low)
                at_right = bound(right, known, z)
        scores[k] = min(at_left, at_right)
