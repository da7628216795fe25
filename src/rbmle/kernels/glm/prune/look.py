"""One closer look at an arm of GLM-RBMLE: evaluate at its point, bound its index, step on.

Tuples are described in kernels.glm.named.
"""

import math
from typing import Any

from numba import types

from rbmle.kernels.address import at_address
from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.link import LOOK
from rbmle.kernels.glm.named import LIKELIHOOD, POINT, RULE, SCRATCH, VECTOR
from rbmle.kernels.glm.newton import evaluate
from rbmle.kernels.glm.prune.bounds import ROUNDING, interval, steepest, widest_row
from rbmle.kernels.glm.root import apply_root, apply_transposed, invert_root
from rbmle.types import FloatArray

# Lower and upper bound of the index, g(θ), u = ρδ, how often the arm was looked at, the rounding allowed for, ρ and
# the distance up to which it holds, the absolute terms of g, a guess at the index, by how much ρ was
# enlarged since it was computed, and the error of a whitened gradient that rounding leaves in a solution.
LOW, HIGH, VALUE, REACH, LOOKS, MARGIN, RHO, RADIUS, SCALE, GUESS, GROWTH, NOISE = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
N_KNOWN = 12
# ρ is computed anew when carrying it from point to point has made it larger by this factor.
MOST_GROWTH = 1.4
# ρ holds up to this part of the distance at which some row's score moves by 1.
SCORE_MOVE = 1.0

# A Newton step is taken in full up to this u, where overshooting is rare; the test on g catches what goes wrong.
FULL_STEP = 6.0
# Bounds closer than this many times the rounding allowed for cannot come closer: the arm is left to the solver.
CLOSE = 4.0
# After so many looks at one arm it is left to the solver as well.
MOST_LOOKS = 40
# How often a step is shortened before its point is taken as it is.
MOST_CUTS = 30

LOOK_SIGNATURE = types.void(LIKELIHOOD, RULE, VECTOR, POINT, SCRATCH)


@compiled
def holds(u: float, rho: float, radius: float) -> bool:
    """Whether ρ, good up to a distance, certifies that θ̄ is not farther: −log(1−u) ≤ ρ·radius."""
    far = rho * radius
    if not (u < 1.0 and u <= far):  # the logarithm is at least u, and at most u(1−u/2)/(1−u)
        return False
    return u * (1.0 - 0.5 * u) <= (1.0 - u) * far or -math.log1p(-u) <= far


@compiled
def bound(pull: float, square: float, slope: float, width: float, blur: float, known: FloatArray) -> None:
    """Fill LOW and HIGH from δ² = square, xᵀ(θ+p) = slope, w² = width and what is known of ρ.

    pull: (η−1)α, as a number: a rule handed to every arm would cost more than the arm.
    blur: the error of the whitened curvature, which counts where the step is long.
    """
    error = (known[NOISE] + blur * math.sqrt(square)) * (math.sqrt(square) + math.fabs(pull) * math.sqrt(width))
    known[MARGIN] = ROUNDING * (known[SCALE] + math.fabs(pull * slope) + square) + error
    known[GUESS] = known[VALUE] + 0.5 * square + pull * slope
    rho = known[RHO]
    reach = rho * math.sqrt(square)
    known[REACH] = reach
    if not holds(reach, rho, known[RADIUS]):
        known[LOW], known[HIGH] = -math.inf, math.inf
    else:
        known[LOW], known[HIGH] = interval(known[VALUE], square, rho, slope, math.sqrt(width), pull, known[MARGIN])


def look_body(likelihood: Any, rule: Any, x: FloatArray, point: Any, scratch: Any) -> None:
    """Evaluate at an arm's θ: fills its step, gradient, H⁻¹, and what is known; ρ anew unless it was carried here."""
    d, (theta, step, known, gradient, inverse), (work, small) = len(x), point, scratch
    half, H, R = small[0], small[1 : 1 + d], small[1 + d : 1 + 2 * d]
    for j in range(d):
        half[j] = rule.alpha * x[j]
    g, known[SCALE] = evaluate(likelihood, half, theta, work, gradient, H)
    known[VALUE], known[LOW], known[HIGH] = g, -math.inf, math.inf
    if not (math.isfinite(g) and invert_root(H, R)):
        known[VALUE] = -math.inf
        return
    square = apply_root(R, gradient, half)
    apply_transposed(R, half, step)
    width = apply_root(R, x, half)
    apply_transposed(R, half, inverse[d])
    slope = 0.0
    for j in range(d):
        slope += x[j] * (theta[j] + step[j])
    for i in range(d):
        for j in range(i + 1):
            total = 0.0
            for k in range(i, d):
                total += R[k, i] * R[k, j]
            inverse[i, j] = total
            inverse[j, i] = total
    if not (known[GROWTH] < MOST_GROWTH and holds(known[RHO] * math.sqrt(square), known[RHO], known[RADIUS])):
        widest = widest_row(likelihood.XT, likelihood.n, R, work)
        known[RADIUS] = max(2.0 * math.sqrt(square), SCORE_MOVE / widest if widest > 0.0 else 1.0)
        known[RHO] = steepest(likelihood, rule.concordance, widest, known[RADIUS], work)
        known[GROWTH] = 1.0
    bound((rule.eta - 1.0) * rule.alpha, square, slope, width, 0.0, known)


look_at = at_address(LOOK_SIGNATURE)


@compiled
def look(likelihood: Any, rule: Any, x: FloatArray, point: Any, scratch: Any) -> None:
    """`look_body` called by address."""
    look_at(rule.functions[LOOK])(likelihood, rule, x, point, scratch)


@compiled
def carry(known: FloatArray) -> None:
    """Make ρ and its radius those of the point one Newton step ahead: up to there H shrinks by e^{−u} at most."""
    factor = math.exp(0.5 * known[REACH]) if known[REACH] < 1.0 else math.inf
    known[GROWTH] *= factor
    if known[GROWTH] < MOST_GROWTH:
        ahead = known[REACH] / known[RHO] if known[RHO] > 0.0 else 0.0
        known[RHO] *= factor
        known[RADIUS] = (known[RADIUS] - ahead) / factor


@compiled
def look_closer(likelihood: Any, rule: Any, x: FloatArray, point: Any, scratch: Any, before: FloatArray) -> None:
    """Take an arm's Newton step, shortened so far that g cannot fall where the full one overshoots, and look again."""
    d, theta, known = len(x), point.theta, point.known
    for j in range(d):
        before[0, j], before[1, j] = theta[j], point.step[j]
    low, high, value, reach, margin = known[LOW], known[HIGH], known[VALUE], known[REACH], known[MARGIN]
    known[LOOKS] += 1.0
    carry(known)
    rho, radius, growth = known[RHO], known[RADIUS], known[GROWTH]
    reach *= 2.0  # ρ may hold for short distances only; a factor of 2 covers the whole line in all but extreme cases
    safe = damped(reach)
    length = 1.0 if reach < FULL_STEP else safe
    for _ in range(MOST_CUTS):
        for j in range(d):
            theta[j] = before[0, j] + length * before[1, j]
        known[RHO], known[RADIUS], known[GROWTH] = rho, radius, growth
        look(likelihood, rule, x, point, scratch)
        if known[VALUE] >= value - margin:
            break
        length = min(safe, 0.5 * length)
    known[LOW], known[HIGH] = max(low, known[LOW]), min(high, known[HIGH])


@compiled
def damped(reach: float) -> float:
    """log(1+u)/u: the part of a Newton step after which a self-concordant g is sure to be larger."""
    return math.log1p(reach) / reach if reach > 0.0 else 1.0
