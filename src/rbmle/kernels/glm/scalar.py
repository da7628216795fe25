"""One reward against a quadratic: the equation τ = r − μ(z + vτ) in one number, for any link.

    z      the score of the context before the reward
    v ≥ 0  its variance
    r      the reward
    link   (code, limit, functions), a `Link` or a plain tuple

The left side rises with τ and the right side falls, so there is exactly one solution, between 0 and r − μ(z).
"""

import math
from typing import Any

from rbmle.kernels.compile import compiled, melted
from rbmle.kernels.glm.link import DMU, LARGEST_EXPONENT, MU, exp, scalar_at
from rbmle.kernels.glm.named import GAUSSIAN, LOGISTIC, POISSON
from rbmle.types import IntArray

# Rounding of r, μ and τ in the equation, and of the score: what no τ does better than.
ROUNDING = 4e-16
# Every third step the bracket must have halved; from 1e150 down to the smallest number that takes less than this.
MOST_STEPS = 3 * 1200
# Where the bracket has no finite end, it is sought by doubling up to here.
FARTHEST = 1e150


@melted
def plain_mean(code: int, functions: IntArray, z: float) -> tuple[float, float]:
    """μ(z) and μ'(z) of a link without extension."""
    if code == LOGISTIC:
        size = math.fabs(z)
        u = exp(-(size if size < 708.0 else 708.0))
        p = 1.0 / (1.0 + u)
        return (p if z >= 0.0 else u * p), u * p * p
    if code == POISSON:
        e = exp(min(max(z, -708.0), LARGEST_EXPONENT)) if z <= LARGEST_EXPONENT else math.inf
        return e, e
    if code == GAUSSIAN:
        return z, 1.0
    return scalar_at(functions[MU])(z), scalar_at(functions[DMU])(z)


@melted
def mean(code: int, limit: float, functions: IntArray, z: float) -> tuple[float, float]:
    """μ(z) and μ'(z): kernels.glm.link for a single score."""
    inside = min(max(z, -limit), limit)
    mu, slope = plain_mean(code, functions, inside)
    return (mu + slope * (z - inside) if inside != z else mu), slope


@compiled
def bracket(z: float, v: float, r: float, rest: float, link: Any) -> tuple[float, float]:
    """Two numbers with the solution between them where rest = r − μ(z) is infinite: the far one by doubling."""
    code, limit, functions = link
    side = 1.0 if rest > 0.0 else -1.0
    near, far = 0.0, side
    while math.fabs(far) < FARTHEST:
        mu, _ = mean(code, limit, functions, z + v * far)
        if side * (r - mu - far) <= 0.0:
            break
        near, far = far, 2.0 * far
    return min(near, far), max(near, far)


@compiled
def solve(z: float, v: float, r: float, link: Any) -> tuple[float, float, bool]:
    """τ, μ'(z + vτ), and whether τ is the solution: to rounding, or next to it where numbers lie too far apart.

    Newton's method inside a bracket that must halve every third step. On the far side of a convex μ such as eᶻ
    Newton's steps all lie in the bracket and stay −1 long, so that being inside is no sign of progress.
    """
    code, limit, functions = link
    mu, slope = mean(code, limit, functions, z)
    low, high = min(r - mu, 0.0), max(r - mu, 0.0)
    tau = 0.0
    if not math.isfinite(r - mu):
        low, high = bracket(z, v, r, r - mu, link)
        tau = min(max(0.0, low), high)
        mu, slope = mean(code, limit, functions, z + v * tau)
    width, steps = high - low, 0
    for _ in range(MOST_STEPS):
        rest = r - mu - tau
        terms = math.fabs(r) + math.fabs(mu) + math.fabs(tau) + slope * (math.fabs(z) + v * math.fabs(tau))
        if math.fabs(rest) <= ROUNDING * terms and terms < math.inf:
            return tau, slope, True
        if rest > 0.0:
            low = tau
        elif rest < 0.0:
            high = tau
        else:
            return tau, slope, False
        new = tau + rest / (1.0 + v * slope)
        steps += 1
        if steps == 3:
            if not high - low <= 0.5 * width:
                new = math.nan
            steps, width = 0, high - low
        if not low < new < high:
            new = 0.5 * low + 0.5 * high
            if not low < new < high:  # neighbouring numbers
                mu, slope = mean(code, limit, functions, z + v * low)
                return low, slope, math.isfinite(mu) and math.isfinite(slope)
        tau = new
        mu, slope = mean(code, limit, functions, z + v * tau)
    return tau, slope, False
