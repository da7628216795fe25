"""Closer bounds for arms of many features: all of them climb together by gradients, O(nd) an arm and step.

Let H₀ be the curvature at the middle, RᵀR = H₀⁻¹, and ‖·‖ the length in whitened coordinates, where H₀ is the identity.
At an arm's point θ let r = R∇g, and m a number such that H ≥ m H₀ within the distance ‖r‖/m of θ. There g is strongly
concave, so that θ̄ lies within that distance and

    0 ≤ g(θ̄) − g(θ) ≤ ‖r‖²/2m,   |xᵀθ̄ − xᵀθ| ≤ w ‖r‖/m,   w = ‖R x‖.

Every row's μ' at θ is known when its gradient is, and further on log μ' changes by at most c v times the distance, v
the longest whitened row: within s, m = min(1, min_i μ'_i(θ)/μ'_i(θ₀)) e^{−cvs}. One curvature thus serves all arms and
steps; a curvature of each arm's own, as a look takes it, costs d/2 gradients. Steps are r times the length of
Barzilai & Borwein (1988), ‖Δθ‖²/⟨Δθ, −Δr⟩, halved where g falls. Tuples are those of kernels.glm.named.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from rbmle.kernels.compile import compiled, reordered
from rbmle.kernels.glm.link import fill_link
from rbmle.kernels.glm.prune.bounds import ROUNDING, largest
from rbmle.kernels.glm.prune.closer import contenders
from rbmle.kernels.glm.prune.look import (
    CLOSE,
    FULL_STEP,
    GROWTH,
    HIGH,
    LOOKS,
    LOW,
    MARGIN,
    MOST_LOOKS,
    NOISE,
    REACH,
    SCALE,
    VALUE,
    damped,
)
from rbmle.kernels.glm.root import apply_root, apply_transposed
from rbmle.types import FloatArray, IntArray

# Rows that are taken together, so that they stay in the processor's second cache for all arms.
PART = 256
# Gradients after which arms that are still open are left to looks.
MOST_STEPS = 12
# s e^{−s} = t has its smaller solution below 1.1 times what a few turns of s ← t eˢ give; beyond this t there is none.
LARGEST_T = 0.36
TURNS, ROOM = 6, 1.1


class Climb(NamedTuple):
    """Where the arms are, one row each, B of them: points of whitened coordinates but for θ and ∇."""

    theta: FloatArray  # (B, d) θ
    base: FloatArray  # (B, d) the point before
    gradient: FloatArray  # (B, d) ∇g of the plain log-likelihood at θ
    r: FloatArray  # (B, d) R∇g at the point before
    move: FloatArray  # (B, d) the way between them
    found: FloatArray  # (B, 3) of the plain log-likelihood: value, absolute terms, and max_i μ'_i(θ₀)/μ'_i(θ)
    value: FloatArray  # (B,) g at the point before


@reordered
def part_of_scores(XT: FloatArray, start: int, size: int, theta: FloatArray, z: FloatArray) -> None:
    """z = x_iᵀθ of the rows from `start` on."""
    d, j, here = len(theta), 0, np.uint64(start)  # an index without a sign: else every access asks for it
    for i in range(size):
        z[i] = 0.0
    while j + 3 < d:  # four terms at a time pass over z once
        t0, t1, t2, t3 = theta[j], theta[j + 1], theta[j + 2], theta[j + 3]
        for i in range(size):
            k = here + np.uint64(i)
            z[i] += t0 * XT[j, k] + t1 * XT[j + 1, k] + t2 * XT[j + 2, k] + t3 * XT[j + 3, k]
        j += 4
    while j < d:
        t0 = theta[j]
        for i in range(size):
            z[i] += t0 * XT[j, here + np.uint64(i)]
        j += 1


@reordered
def add_gradient(XT: FloatArray, start: int, size: int, rest: FloatArray, gradient: FloatArray) -> None:
    """∇ += Σ rest_i x_i over the rows from `start` on."""
    d, j, here = len(gradient), 0, np.uint64(start)
    while j + 3 < d:
        s0 = s1 = s2 = s3 = 0.0
        for i in range(size):
            k, t = here + np.uint64(i), rest[i]
            s0 += t * XT[j, k]
            s1 += t * XT[j + 1, k]
            s2 += t * XT[j + 2, k]
            s3 += t * XT[j + 3, k]
        gradient[j] += s0
        gradient[j + 1] += s1
        gradient[j + 2] += s2
        gradient[j + 3] += s3
        j += 4
    while j < d:
        s0 = 0.0
        for i in range(size):
            s0 += rest[i] * XT[j, here + np.uint64(i)]
        gradient[j] += s0
        j += 1


@reordered
def add_terms(likelihood: Any, start: int, size: int, first: FloatArray, part: FloatArray, found: FloatArray) -> None:
    """Add a part of the rows to `found`; leaves sums − counts μ in part[4]. first: μ' at the middle."""
    counts, sums, value, scale = likelihood.counts, likelihood.sums, 0.0, 0.0
    here = np.uint64(start)
    for i in range(size):
        k = here + np.uint64(i)
        gain, loss = sums[k] * part[0, i], counts[k] * part[3, i]
        value += gain - loss
        scale += math.fabs(gain) + math.fabs(loss)
        part[4, i] = sums[k] - counts[k] * part[1, i]
        part[2, i] = first[k] / part[2, i]
    found[0] += value
    found[1] += scale
    found[2] = max(found[2], largest(part[2], size))


@compiled
def evaluate_together(likelihood: Any, first: FloatArray, climb: Any, alive: IntArray, count: int) -> None:
    """Gradients and what is found with them, at θ of the first `count` arms in `alive`."""
    part, XT, n = np.empty((5, PART)), likelihood.XT, likelihood.n
    for k in alive[:count]:
        climb.gradient[k] = 0.0
        climb.found[k] = 0.0
    for start in range(0, n, PART):
        size = min(PART, n - start)
        for k in alive[:count]:
            part_of_scores(XT, start, size, climb.theta[k], part[0])
            fill_link(likelihood.link, size, part)
            add_terms(likelihood, start, size, first, part, climb.found[k])
            add_gradient(XT, start, size, part[4], climb.gradient[k])


@compiled
def firmness(ratio: float, total: float, rate: float) -> float:
    """m with m s ≥ total for s = total/m, m = ratio e^{−rate·s}; 0 where there is none."""
    t = rate * total
    if not (ratio > 0.0 and t <= LARGEST_T * ratio):
        return 0.0
    t /= ratio
    s = t
    for _ in range(TURNS):
        s = t * math.exp(s)
    s *= ROOM
    m = ratio * math.exp(-s)
    return m if s * math.exp(-s) >= t else 0.0


@compiled
def bound_gradient(pull: float, rate: float, score: float, width: float, climb: Any, k: int, known: FloatArray) -> None:
    """Bound an arm's index at the point that it reached: score = xᵀθ, width = w²."""
    size, growth = 0.0, climb.found[k, 1] / known[SCALE] if climb.found[k, 1] > known[SCALE] else 1.0
    for j in range(climb.r.shape[1]):
        size += climb.r[k, j] * climb.r[k, j]
    size, noise = math.sqrt(size), known[NOISE] * growth
    m = firmness(1.0 / max(1.0, climb.found[k, 2]), size + noise, rate)
    if not m > 0.0:
        return
    sway, index = math.fabs(pull) * math.sqrt(width), climb.value[k] + pull * score
    known[MARGIN] = ROUNDING * (climb.found[k, 1] + math.fabs(pull * score)) + noise * (sway + size + noise) / m
    known[LOW] = max(known[LOW], index - sway * size / m - known[MARGIN])
    known[HIGH] = min(known[HIGH], index + sway * size / m + 0.5 * size * size / m + known[MARGIN])


@compiled
def take_step(alpha: float, lam: float, x: FloatArray, R: FloatArray, climb: Any, k: int) -> float:
    """Let arm k go on from θ, or half as far where g fell on the way there; xᵀθ, NaN where it fell."""
    d, (theta, base, gradient, r, move, found, value) = len(x), climb
    score = square = 0.0
    for j in range(d):
        score += x[j] * theta[k, j]
        square += theta[k, j] * theta[k, j]
        gradient[k, j] += alpha * x[j] - lam * theta[k, j]
    g = found[k, 0] + alpha * score - 0.5 * lam * square
    found[k, 1] += math.fabs(alpha * score) + 0.5 * lam * square
    if not g >= value[k] - ROUNDING * found[k, 1]:
        for j in range(d):
            move[k, j] *= 0.5
        return math.nan
    moved = turned = 0.0
    rest = np.empty(d)
    apply_root(R, gradient[k], rest)
    for j in range(d):
        moved += move[k, j] * move[k, j]
        turned += move[k, j] * (r[k, j] - rest[j])
    length = moved / turned if turned > 0.0 else 1.0
    for j in range(d):
        base[k, j], r[k, j], move[k, j] = theta[k, j], rest[j], length * rest[j]
    value[k] = g
    return score


@compiled
def begin_climb(rule: Any, arms: Any, half: FloatArray, known: FloatArray) -> Any:
    """All arms at the middle, about to take their Newton step from there. half: R∇ of the plain log-likelihood."""
    K, d = arms.X.shape
    climb = Climb(
        np.empty((K, d)),
        np.empty((K, d)),
        np.empty((K, d)),
        np.empty((K, d)),
        np.empty((K, d)),
        np.empty((K, 3)),
        np.empty(K),
    )
    for a in range(K):
        length = 1.0 if known[a, REACH] < FULL_STEP else damped(known[a, REACH])
        climb.value[a] = known[a, VALUE]
        for j in range(d):
            climb.base[a, j] = arms.middle[j]
            climb.r[a, j] = half[j] + rule.alpha * arms.white[j, a]
            climb.move[a, j] = length * climb.r[a, j]
    return climb


def together_body(likelihood: Any, rule: Any, arms: Any, points: Any, scratch: Any) -> None:
    """Bound the arms that can be the best until one of them stands out; the others are put where they are then."""
    (K, d), known, (work, small) = arms.X.shape, points.known, scratch
    R, alive, lam = small[1 + d : 1 + 2 * d], np.arange(K), likelihood.lam
    count = contenders(known, alive, K)
    if count == 1:
        return
    climb = begin_climb(rule, arms, small[0], known)
    first, rate, pull = (
        work[2],
        rule.concordance * math.sqrt(largest(work[4], likelihood.n)),
        (rule.eta - 1.0) * rule.alpha,
    )
    for _ in range(MOST_STEPS):
        for a in alive[:count]:
            apply_transposed(R, climb.move[a], climb.theta[a])
            for j in range(d):
                climb.theta[a, j] += climb.base[a, j]
        evaluate_together(likelihood, first, climb, alive, count)
        wide = False
        for a in alive[:count]:
            score = take_step(rule.alpha, lam, arms.X[a], R, climb, a)
            if score == score:
                width = 0.0
                for j in range(d):
                    width += arms.white[j, a] * arms.white[j, a]
                bound_gradient(pull, rate, score, width, climb, a, known[a])
            wide = wide or known[a, HIGH] - known[a, LOW] > CLOSE * known[a, MARGIN]
        count = contenders(known, alive, count)
        if count == 1:
            return
        if not wide:
            break
    for a in alive[:count]:
        for j in range(d):
            points.theta[a, j], points.step[a, j] = climb.base[a, j], 0.0
        known[a, VALUE], known[a, REACH], known[a, GROWTH] = -math.inf, 0.0, math.inf
        if known[a, HIGH] == math.inf:  # far from certain, several looks would be needed: solving costs less
            known[a, LOOKS] = MOST_LOOKS
