"""GLM-RBMLE with arms that stay: every arm keeps a point near its θ̄ and what is exactly known there.

A reward changes g, ∇g and H⁻¹ at each arm's point by terms of one row alone, and so does the growth of α(t): O(d²) an
arm, whatever the history; the Newton step and H⁻¹x_a follow in O(d). From these the index is bounded
(kernels.glm.prune.bounds), and only arms that can win move on by a Newton step. Arrays are those of
kernels.glm.choose with G = K, and

    clock  (2,)  the α that the arms' points know of; rewards learnt since all arms were looked at
"""

import math
from typing import Any

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.choose import contend, settle
from rbmle.kernels.glm.link import link
from rbmle.kernels.glm.prune.look import GROWTH, HIGH, LOOKS, RADIUS, REACH, RHO, SCALE, VALUE, bound, look
from rbmle.kernels.glm.rows import add, padded
from rbmle.kernels.glm.start import move_on, place, start_from
from rbmle.types import FloatArray, IntArray

# A row that shrinks the variance in its direction by more than this factor would cost the updated H⁻¹ too many digits.
LARGEST_GAIN = 100.0
# Rewards after which every arm is looked at again, so that rounding does not pile up.
FRESH = 2000


@compiled
def learn(
    code: int,
    limit: float,
    functions: IntArray,
    concordance: float,
    x: FloatArray,
    r: float,
    X: FloatArray,
    theta: FloatArray,
    step: FloatArray,
    known: FloatArray,
    gradient: FloatArray,
    inverse: FloatArray,
    clock: FloatArray,
    rows: FloatArray,
) -> None:
    """Tell every arm's point of one more reward r at x. `rows` (4, K) is scratch."""
    K, d = theta.shape
    u = np.empty(d)
    for a in range(K):
        z = 0.0
        for j in range(d):
            z += x[j] * theta[a, j]
        rows[0, a] = z
    link(code, limit, functions, K, rows[0], rows[1], rows[2], rows[3])
    for a in range(K):
        z, slope = rows[0, a], rows[2, a]
        rest = r - rows[1, a]
        v = pulled = tilted = 0.0
        for i in range(d):
            s = 0.0
            for j in range(d):
                s += inverse[a, i, j] * x[j]
            u[i] = s
            v += s * x[i]
            pulled += s * gradient[a, i]
            tilted += s * X[a, i]
        if slope * v > LARGEST_GAIN:
            clock[1] = math.inf
        gain = slope / (1.0 + slope * v)
        along = rest * (1.0 - gain * v) - gain * pulled
        for i in range(d):
            t = gain * u[i]
            gradient[a, i] += rest * x[i]
            step[a, i] += along * u[i]
            inverse[a, d, i] -= t * tilted
            for j in range(d):
                inverse[a, i, j] -= t * u[j]
        known[a, VALUE] += r * z - rows[3, a]
        known[a, SCALE] += math.fabs(r * z) + math.fabs(rows[3, a])
        length = math.sqrt(v * (1.0 - gain * v))  # the row may be new and longer than any that ρ knows of
        if code == 1:
            size = 0.5 * min(math.fabs(z) + length * known[a, RADIUS], limit)
            steep = min(1.0, size * (15.0 + size * size) / (15.0 + 6.0 * size * size))
            known[a, RHO] = max(known[a, RHO], length * steep)
        else:
            known[a, RHO] = max(known[a, RHO], concordance * length)
    clock[1] += 1.0


@compiled
def refresh(
    alpha: float,
    eta: float,
    X: FloatArray,
    theta: FloatArray,
    step: FloatArray,
    known: FloatArray,
    gradient: FloatArray,
    inverse: FloatArray,
    clock: FloatArray,
) -> bool:
    """Bring every arm's point to the bias α, and bound its index. False where a number is not finite any more."""
    K, d = X.shape
    more = alpha - clock[0]
    clock[0] = alpha
    for a in range(K):
        score = square = width = along = 0.0
        for j in range(d):
            score += X[a, j] * theta[a, j]
            gradient[a, j] += more * X[a, j]
            step[a, j] += more * inverse[a, d, j]
            square += step[a, j] * gradient[a, j]
            width += inverse[a, d, j] * X[a, j]
            along += step[a, j] * X[a, j]
        known[a, VALUE] += more * score
        known[a, SCALE] += math.fabs(more * score)
        if not (math.isfinite(known[a, VALUE]) and square >= 0.0 and width >= 0.0 and square < math.inf):
            return False
        known[a, LOOKS] = 0.0
        bound(eta, alpha, square, score + along, width, 0.0, known[a])
    return True


@compiled
def choose_fixed(
    problem: Any,
    concordance: float,
    alpha: float,
    eta: float,
    middle: FloatArray,
    X: FloatArray,
    theta: FloatArray,
    step: FloatArray,
    known: FloatArray,
    gradient: FloatArray,
    inverse: FloatArray,
    clock: FloatArray,
    work: FloatArray,
    small: FloatArray,
) -> tuple[int, int]:
    """The arm to play, -1 where an arm cannot be solved, and how many arms needed a closer look."""
    K, d = X.shape
    warm = clock[1] < FRESH and concordance >= 0.0
    if warm:
        warm = refresh(alpha, eta, X, theta, step, known, gradient, inverse, clock)
    if not warm:
        white = np.empty((d, K))
        bounded = concordance >= 0.0
        if bounded:
            bounded = start_from(problem, concordance, alpha, eta, middle, X, known, white, work, small)
        if not bounded:
            middle[:] = 0.0
            known[:, HIGH] = math.inf
            return settle(problem, alpha, eta, X, known, 0.0, work), K
        clock[0], clock[1] = alpha, 0.0
        for a in range(K):
            place(alpha, middle, white, small, a, theta, step)
        move_on(middle, small)
        for a in range(K):
            reach = known[a, REACH]
            length = 1.0 if reach < 1.0 else math.log1p(reach) / reach
            known[a, GROWTH] = math.inf
            for j in range(d):
                theta[a, j] += length * step[a, j]
            look(
                problem, concordance, alpha, eta, X[a], theta[a], step[a], known[a], gradient[a], inverse[a],
                work, small,
            )  # fmt: skip
            if not math.isfinite(known[a, VALUE]):  # overshot: begin at the middle instead
                for j in range(d):
                    theta[a, j] = middle[j]
                look(
                    problem, concordance, alpha, eta, X[a], theta[a], step[a], known[a], gradient[a], inverse[a],
                    work, small,
                )  # fmt: skip
    arm = contend(problem, concordance, alpha, eta, X, theta, step, known, gradient, inverse, work, small)
    looked = 0
    for a in range(K):
        if known[a, LOOKS] > 0.0:
            looked += 1
    return arm, looked


@compiled
def play_fixed(
    store: Any,
    rows: int,
    lam: float,
    link: Any,
    concordance: float,
    middle: FloatArray,
    X: FloatArray,
    theta: FloatArray,
    step: FloatArray,
    known: FloatArray,
    gradient: FloatArray,
    inverse: FloatArray,
    clock: FloatArray,
    rewards: FloatArray,
    alphas: FloatArray,
    etas: FloatArray,
    arms: IntArray,
    solved: IntArray,
) -> tuple[int, int]:
    """Choose and learn for rewards (B, K); there must be room for K more rows. Returns rounds done and rows then."""
    K, d = X.shape
    XT, counts, sums, table = store
    code, limit, functions = link
    work, small = np.empty((5, len(counts))), np.empty((2 * d + 2, d))
    scratch = np.empty((4, K))
    for t in range(len(rewards)):
        problem = (XT, padded(rows), counts, sums, lam, code, limit, functions)
        arm, looked = choose_fixed(
            problem, concordance, alphas[t], etas[t], middle, X, theta, step, known, gradient, inverse, clock, work,
            small,
        )  # fmt: skip
        if arm < 0:
            return t, rows
        arms[t], solved[t] = arm, looked
        r = rewards[t, arm]
        rows = max(rows, add(XT, counts, sums, table, rows, X[arm], 1.0, r) + 1)
        if concordance >= 0.0:
            learn(
                code, limit, functions, concordance, X[arm], r, X, theta, step, known, gradient, inverse, clock, scratch
            )
    return len(rewards), rows
