"""GLM-RBMLE with arms that stay: every arm keeps a point near its θ̄ and what is exactly known there.

A reward changes g, ∇g and H⁻¹ at each arm's point by terms of one row alone, and so does the growth of α(t): O(d²) an
arm, whatever the history; the Newton step and H⁻¹x_a follow in O(d). From these the index is bounded
(kernels.glm.prune.bounds), and only arms that can win move on by a Newton step. Tuples are those of kernels.glm.named,
`Points` with G = K.
"""

import math
from typing import Any

import numpy as np

from rbmle.kernels.assign import assign
from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.choose import contend, point_of, solve_each
from rbmle.kernels.glm.link import fill_link
from rbmle.kernels.glm.named import (
    LOGISTIC,
    Arms,
    History,
    Link,
    Points,
    Rounds,
    Rule,
    Scratch,
    likelihood_of,
    named,
)  # fmt: skip
from rbmle.kernels.glm.prune.bounds import tanh_above
from rbmle.kernels.glm.prune.look import GROWTH, LOOKS, RADIUS, REACH, RHO, SCALE, VALUE, bound, damped, look
from rbmle.kernels.glm.rows import add
from rbmle.kernels.glm.start import move_on, place, start_from
from rbmle.types import FloatArray

# A row that shrinks the variance in its direction by more than this factor would cost the updated H⁻¹ too many digits.
LARGEST_GAIN = 100.0
# Rewards after which every arm is looked at again, so that rounding does not pile up.
FRESH = 2000


@compiled
def learn(link: Any, concordance: float, x: FloatArray, r: float, X: FloatArray, points: Any, rows: FloatArray) -> None:
    """Tell every arm's point of one more reward r at x. `rows` (4, K) is scratch: z, μ, μ' and b at the points."""
    theta, step, known, gradient, inverse, clock = points
    K, d = theta.shape
    u = np.empty(d)
    for a in range(K):
        z = 0.0
        for j in range(d):
            z += x[j] * theta[a, j]
        rows[0, a] = z
    fill_link(link, K, rows)
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
        if link.code == LOGISTIC:
            size = 0.5 * min(math.fabs(z) + length * known[a, RADIUS], link.limit)
            known[a, RHO] = max(known[a, RHO], length * tanh_above(size))
        else:
            known[a, RHO] = max(known[a, RHO], concordance * length)
    clock[1] += 1.0


@compiled
def learn_plain(
    link: Any, concordance: float, x: FloatArray, r: float, X: FloatArray, points: Any, rows: FloatArray
) -> None:
    """`learn` for plain tuples."""
    learn(Link(*link), concordance, x, r, X, Points(*points), rows)


@compiled
def refresh(rule: Any, X: FloatArray, points: Any) -> bool:
    """Bring every arm's point to the bias α, and bound its index. False where a number is not finite any more."""
    theta, step, known, gradient, inverse, clock = points
    K, d = X.shape
    more, pull = rule.alpha - clock[0], (rule.eta - 1.0) * rule.alpha
    clock[0] = rule.alpha
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
        bound(pull, square, score + along, width, 0.0, known[a])
    return True


@compiled
def begin(likelihood: Any, rule: Any, arms: Any, points: Any, scratch: Any) -> None:
    """Move every arm from the middle, where `start_from` has bounded it, to a point near its θ̄, and look there."""
    K, d = arms.X.shape
    points.clock[0], points.clock[1] = rule.alpha, 0.0
    for a in range(K):
        place(rule.alpha, arms, scratch.small, a, points)
    move_on(arms.middle, scratch.small)
    for a in range(K):
        point, reach = point_of(points, a), points.known[a, REACH]
        length = 1.0 if reach < 1.0 else damped(reach)
        point.known[GROWTH] = math.inf
        for j in range(d):
            point.theta[j] += length * point.step[j]
        look(likelihood, rule, arms.X[a], point, scratch)
        if not math.isfinite(point.known[VALUE]):  # overshot: begin at the middle instead
            assign(point.theta, arms.middle)
            look(likelihood, rule, arms.X[a], point, scratch)


@compiled
def decide_fixed(likelihood: Any, rule: Any, arms: Any, points: Any, scratch: Any) -> tuple[int, int]:
    """The arm to play, -1 where an arm cannot be solved, and how many arms needed a closer look."""
    warm = points.clock[1] < FRESH and rule.concordance >= 0.0
    if warm:
        warm = refresh(rule, arms.X, points)
    if not warm:
        bounded = rule.concordance >= 0.0
        if bounded:
            bounded = start_from(likelihood, rule, arms, points.known, scratch)
        if not bounded:
            return solve_each(likelihood, rule, arms, points.known, scratch.work), len(arms.X)
        begin(likelihood, rule, arms, points, scratch)
    return contend(likelihood, rule, arms.X, points, scratch)


@compiled
def choose_fixed(problem: Any, rule: Any, arms: Any, points: Any, scratch: Any) -> tuple[int, int]:
    """`decide_fixed` for plain tuples: a single decision."""
    return decide_fixed(named(problem), Rule(*rule), Arms(*arms), Points(*points), Scratch(*scratch))


@compiled
def play_fixed(history: Any, link: Any, lam: float, rule: Any, arms: Any, points: Any, rounds: Any) -> int:
    """Choose and learn for plain tuples, the rule's α and η those of each round. Returns how many rounds went well."""
    history, link, arms, points, rounds = History(*history), Link(*link), Arms(*arms), Points(*points), Rounds(*rounds)
    (K, d), (_, _, concordance, functions) = arms.X.shape, rule
    scratch = Scratch(np.empty((5, len(history.counts))), np.empty((2 * d + 2, d)))
    rows = np.empty((4, K))
    for t in range(len(rounds.rewards)):
        now = Rule(rounds.weights[0, t], rounds.weights[1, t], concordance, functions)
        arm, looked = decide_fixed(likelihood_of(history, lam, link), now, arms, points, scratch)
        if arm < 0 or not add(history, arms.X[arm], rounds.rewards[t, arm]):
            return t
        rounds.arms[t], rounds.solved[t] = arm, looked
        if concordance >= 0.0:
            learn(link, concordance, arms.X[arm], rounds.rewards[t, arm], arms.X, points, rows)
    return len(rounds.rewards)
