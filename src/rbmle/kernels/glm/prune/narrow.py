"""Closer bounds for many arms at once, from the log-likelihood's expansion around one point (prune.tensors).

In whitened coordinates let Δ be a guess at θ̄ − θ₀ of an arm with context y, r the arm's gradient at θ₀, T and Q the
tensors of third and fourth order, F the bound of fifth order and v the longest row. The gradient and the curvature at
θ₀ + Δ are those of the expansion,

    q = r − Δ − ½T[Δ,Δ] − ⅙Q[Δ,Δ,Δ],   I + A,  A = T[Δ] + ½Q[Δ,Δ],

up to e = v F[Δ,Δ,Δ,Δ]/24 and h = v‖Δ‖ ‖F[Δ,Δ]‖/6, and within a distance ρ of θ₀ + Δ the curvature changes by at most
c = (t + q's + ½v k s²) ρ, where s = ‖Δ‖ + ρ and (t, q', k) are the tensors' norms. With m = 1 − ‖A‖ − h − c, if
‖q‖ + e ≤ mρ then θ̄ lies within that distance. With p ≈ (I + A)⁻¹q

    ‖θ̄ − θ₀ − Δ − p‖ ≤ (‖q − (I+A)p‖ + e + (h + c)‖p‖)/m,   0 ≤ g(θ̄) − g(θ₀+Δ) ≤ ½(‖q‖ + e)²/m

where g(θ₀+Δ) follows from the expansion up to e‖Δ‖/5. Self-concordance has to assume that all rows move against us as
much as the one that moves most; the tensors know how they move, and leave few of the arms open that it cannot decide.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from rbmle.kernels.compile import compiled, reordered
from rbmle.kernels.glm.prune.closer import contenders
from rbmle.kernels.glm.prune.look import GROWTH, GUESS, HIGH, LOW, MARGIN, RADIUS, REACH, RHO, VALUE
from rbmle.kernels.glm.prune.tensors import combine, contract, contract_fifth, curve_times, expand, pairs_of
from rbmle.kernels.glm.start import place
from rbmle.types import FloatArray, IntArray

# Tensors of more features, or for fewer arms than this, or than this share of d², cost more than gradients of all arms;
# with still fewer arms left than that share, more than looks.
MOST_FEATURES, FEWEST, SHARE = 11, 12, 1.0 / 3.0
LEAST_SHARE = 1.0 / 8.0
# Arms whose products are taken together.
BLOCK = 64
# Rounding of a product with a tensor, relative to the tensor's norm.
PRODUCT_ROUNDING = 1e-14
# How often Δ takes a step. A third one would gain nothing: what is left is e.
TURNS = 2

# Where the curvature may fall below this share of its value at θ₀, the bounds would be of no use.
LEAST_FIRM = 0.05
# How far beyond the least distance ‖q‖ + e allows θ̄ is sought: room for what the curvature loses on the way.
ROOM = 1.3


def tensors_pay(n_arms: int, n_features: int) -> bool:
    """Whether the tensors cost less than gradients of all arms together."""
    return n_features <= MOST_FEATURES and n_arms >= max(FEWEST, SHARE * n_features * n_features)


class Block(NamedTuple):
    """Arms whose products are taken together, B of them."""

    arms: IntArray  # (B,)
    y: FloatArray  # (d, B) whitened contexts
    r: FloatArray  # (d, B) gradients at θ₀
    at: FloatArray  # (d, B) Δ
    score: FloatArray  # (B,) x_aᵀθ₀
    sums: FloatArray  # (7, B) see `step_on`
    form: FloatArray  # (B,) F[Δ,Δ,Δ,Δ]
    norm: FloatArray  # (B,) ‖F[Δ,Δ]‖²


@compiled
def lead(known: FloatArray, alive: IntArray) -> None:
    """Let the arm that promises most go first: its bound excludes others before they are looked at."""
    first = 0
    for k in range(len(alive)):
        if known[alive[k], GUESS] > known[alive[first], GUESS]:
            first = k
    alive[0], alive[first] = alive[first], alive[0]


@reordered
def guess(third: FloatArray, points: FloatArray, curve: FloatArray, bend: FloatArray, more: FloatArray) -> None:
    """From Newton steps r (d, B) to points near θ̄ − θ₀: r − ½T[r,r] + ½T[r,T[r,r]]. The others are scratch."""
    d, B = points.shape
    for p in range(len(third)):
        combine(third, p, points, curve[p])
    curve_times(curve, points, bend)
    curve_times(curve, bend, more)
    for i in range(d):
        for b in range(B):
            points[i, b] += 0.5 * (more[i, b] - bend[i, b])


@reordered
def step_on(
    points: FloatArray,
    y: FloatArray,
    r: FloatArray,
    curve: FloatArray,
    cubic: FloatArray,
    quartic: FloatArray,
    sums: FloatArray,
) -> None:
    """Move points Δ (d, B) by p = q − Aq + A²q; what that leaves of q is A³q.

    sums (7, B): ‖Δ‖², ‖q‖², ‖p‖², ‖y‖², yᵀ(Δ+p), g(θ₀+Δ) − g(θ₀) and ‖A‖², of the expansion.
    """
    d, B = points.shape
    q, first, second = np.empty((d, B)), np.empty((d, B)), np.empty((d, B))
    for i in range(d):
        for b in range(B):
            q[i, b] = r[i, b] - points[i, b] - 0.5 * cubic[i, b] - quartic[i, b] / 6.0
    curve_times(curve, q, first)
    curve_times(curve, first, second)
    sums[:] = 0.0
    for i in range(d):
        for b in range(B):
            at, p = points[i, b], q[i, b] - first[i, b] + second[i, b]
            sums[0, b] += at * at
            sums[1, b] += q[i, b] * q[i, b]
            sums[2, b] += p * p
            sums[3, b] += y[i, b] * y[i, b]
            sums[4, b] += y[i, b] * (at + p)
            sums[5, b] += at * (r[i, b] - 0.5 * at - cubic[i, b] / 6.0 - quartic[i, b] / 24.0)
            points[i, b] = at + p
    k = 0
    for i in range(d):
        for j in range(i, d):
            twice = 1.0 if i == j else 2.0
            for b in range(B):
                sums[6, b] += twice * curve[k, b] * curve[k, b]
            k += 1


@compiled
def bound_block(pull: float, expansion: Any, block: Any, filled: int, known: FloatArray, floors: FloatArray) -> None:
    """Bound the indices of the first `filled` arms of a block; m goes to floors (K,), -1 for none."""
    sums, sizes, longest = block.sums, expansion.sizes, expansion.longest
    for b in range(filled):
        a = block.arms[b]
        size, error, moved = math.sqrt(sums[0, b]), math.sqrt(sums[1, b]), math.sqrt(sums[2, b])
        # products round relative to the tensors' norms, which matters for long Δ across all rows
        bent, grain = math.sqrt(sums[6, b]), PRODUCT_ROUNDING * size
        unknown = longest * (block.form[b] + grain * sizes[2] * size * size * size) / 24.0
        unknown += grain * size * (0.5 * sizes[0] + size * sizes[1] / 6.0)
        blurred = longest * size * (math.sqrt(block.norm[b]) + grain * sizes[2] * size) / 6.0
        blurred += grain * (sizes[0] + 0.5 * size * sizes[1])
        firm, total = 1.0 - bent - blurred, error + unknown
        floors[a] = -1.0
        if not firm > LEAST_FIRM:
            continue
        room = ROOM * total / firm
        s = size + room
        change = room * (sizes[0] + s * (sizes[1] + 0.5 * longest * sizes[2] * s))
        m = firm - change
        if not (total <= m * room and s <= expansion.radius and moved <= room):
            continue
        index = known[a, VALUE] + sums[5, b] + pull * (block.score[b] + sums[4, b])
        slack = unknown * size / 3.0 + known[a, MARGIN]  # a fifth, but a third of what is rounding
        left = bent * bent * bent * error + unknown + (blurred + change) * moved
        slack += math.fabs(pull) * math.sqrt(sums[3, b]) * left / m
        known[a, LOW] = max(known[a, LOW], index - slack)
        known[a, HIGH] = min(known[a, HIGH], index + slack + 0.5 * total * total / m)
        floors[a] = m


def narrow_body(likelihood: Any, rule: Any, arms: Any, points: Any, scratch: Any) -> None:
    """Bound the arms that can be the best closer, and put those that still can at their points."""
    (K, d), known = arms.X.shape, points.known
    R, alive = scratch.small[1 + d : 1 + 2 * d], np.arange(K)
    count = contenders(known, alive, K)
    if count == 1:
        return
    many = count > LEAST_SHARE * d * d
    floors, deltas = np.empty(K if many else 0), np.empty((d, K if many else 0))
    if many:
        floors[:] = -1.0
        count = compare(likelihood, rule, arms, known, alive[:count], deltas, floors, scratch)
    for k in range(count if count > 1 else 0):
        a = alive[k]
        if many and floors[a] > 0.0:
            start_at_delta(arms.middle, R, deltas, a, floors[a], points)
        else:
            place(rule.alpha, arms, scratch.small, a, points)


@compiled
def compare(
    likelihood: Any,
    rule: Any,
    arms: Any,
    known: FloatArray,
    alive: IntArray,
    deltas: FloatArray,
    floors: FloatArray,
    scratch: Any,
) -> int:
    """Bound the arms in `alive` by expansion and keep there those that can be the best; returns how many."""
    (X, middle, white), (work, small) = arms, scratch
    d, count, alpha = len(middle), len(alive), rule.alpha
    P, farthest = d * (d + 1) // 2, 0.0
    for a in alive:
        delta = 0.0
        for i in range(d):
            deltas[i, a] = small[0, i] + alpha * white[i, a]
            delta += deltas[i, a] * deltas[i, a]
        farthest = max(farthest, math.sqrt(delta))
    expansion = expand(likelihood, small[1 + d : 1 + 2 * d], farthest, work)
    if not expansion.radius > 0.0:
        return count
    third, fourth, fifth = expansion.third, expansion.fourth, expansion.fifth
    B = min(BLOCK, (count + 7) // 8 * 8)
    y, r, at = np.zeros((d, B)), np.zeros((d, B)), np.zeros((d, B))
    pairs, curve, cubic, quartic = np.empty((P, B)), np.empty((P, B)), np.empty((d, B)), np.empty((d, B))
    sums, form, norm, score = np.empty((7, B)), np.empty(B), np.empty(B), np.zeros(B)
    block, best = Block(np.empty(B, dtype=np.int64), y, r, at, score, sums, form, norm), -math.inf
    lead(known, alive)
    for turn in range(TURNS):
        k = 0
        while k < count:
            filled = 0
            while k < count and filled < B:
                a, b = alive[k], filled
                k += 1
                if known[a, HIGH] < best:
                    continue
                block.arms[b], score[b] = a, 0.0
                for i in range(d):
                    y[i, b], at[i, b] = white[i, a], deltas[i, a]
                    r[i, b] = small[0, i] + alpha * white[i, a]
                    score[b] += X[a, i] * middle[i]
                filled += 1
            if turn == 0:
                guess(third, at, curve, cubic, quartic)
            pairs_of(at, pairs)
            contract(third, fourth, at, pairs, curve, cubic, quartic)
            contract_fifth(d, fifth, pairs, form, norm)
            step_on(at, y, r, curve, cubic, quartic, sums)
            bound_block((rule.eta - 1.0) * alpha, expansion, block, filled, known, floors)
            for b in range(filled):
                best = max(best, known[block.arms[b], LOW])
                for i in range(d):
                    deltas[i, block.arms[b]] = at[i, b]
        count = contenders(known, alive, count)
        if count == 1:
            break
    return count


@compiled
def start_at_delta(middle: FloatArray, R: FloatArray, deltas: FloatArray, a: int, m: float, points: Any) -> None:
    """Put arm a at θ₀ + RᵀΔ, where the next look begins; ρ there follows from H ≥ m H(θ₀)."""
    theta, step, known = points.theta, points.step, points.known
    size, root = 0.0, math.sqrt(m)
    for i in range(len(middle)):
        theta[a, i], step[a, i] = middle[i], 0.0
        size += deltas[i, a] * deltas[i, a]
    for i in range(len(middle)):
        for j in range(i + 1):
            theta[a, j] += R[i, j] * deltas[i, a]
    known[a, RHO] /= root
    known[a, RADIUS] = (known[a, RADIUS] - math.sqrt(size)) * root
    known[a, GROWTH] = 1.0 if known[a, RADIUS] > 0.0 else math.inf
    known[a, VALUE], known[a, REACH] = -math.inf, 0.0
