"""One decision of GLM-RBMLE: bound every arm's index, then look closer only at arms that can still win.

Tuples are described in kernels.glm.named. The arm played is the arg max of the index solved in full
(kernels.glm.index), the first one among equals: arms that bounds cannot tell apart are solved and compared as plain
numbers.
"""

import math
from typing import Any

import numpy as np
from numba import types

from rbmle.kernels.address import at_address
from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.index import Index, solve_arm
from rbmle.kernels.glm.link import CONTEND
from rbmle.kernels.glm.named import LIKELIHOOD, MATRIX, POINTS, RULE, SCRATCH, Arms, Point, Points, Rule, Scratch, named
from rbmle.kernels.glm.path import centre
from rbmle.kernels.glm.prune.closer import come_closer, contenders
from rbmle.kernels.glm.prune.look import CLOSE, GUESS, HIGH, LOOKS, LOW, MARGIN, MOST_LOOKS, N_KNOWN, look_closer
from rbmle.kernels.glm.start import move_on, start_from
from rbmle.types import FloatArray

# With so few arms a look at all bounds costs less than a call that hands everything on.
FEW = 64

CONTEND_SIGNATURE = types.int64(LIKELIHOOD, RULE, MATRIX, POINTS, SCRATCH)


def contend_body(likelihood: Any, rule: Any, X: FloatArray, points: Any, scratch: Any) -> int:
    """Look closer at the arm of the highest upper bound until one arm stands out.

    Returns that arm plus K times how many arms were looked at; -1 where an arm cannot be solved.
    """
    (K, d), known = X.shape, points.known
    before, alive = np.empty((2, d)), np.arange(K)
    count, best, looked = contenders(known, alive, K), -math.inf, 0
    for k in range(count):
        looked += known[alive[k], LOOKS] > 0.0
    while True:
        for k in range(count):
            best = max(best, known[alive[k], LOW])
        kept, pick, top, guess = 0, -1, -math.inf, -math.inf
        for k in range(count):
            a = alive[k]
            high = known[a, HIGH]
            if high >= best:
                alive[kept] = a
                kept += 1
                if known[a, LOOKS] < MOST_LOOKS and high - known[a, LOW] > CLOSE * known[a, MARGIN]:
                    # before there is a lower bound the best guess is looked at, later the highest upper bound
                    if best == -math.inf:
                        high = math.inf
                    if high > top or (high == top and known[a, GUESS] > guess):
                        pick, top, guess = a, high, known[a, GUESS]
        count = kept
        if count == 1:
            return alive[0] + K * looked
        if pick < 0:
            arm = solve_open(likelihood, rule, X, known, best, scratch.work)
            return arm + K * looked if arm >= 0 else -1
        every = top == math.inf and best > -math.inf  # arms without an upper bound all need one: no order to keep
        for k in range(count if every else 1):
            a = alive[k] if every else pick
            if every and (known[a, HIGH] < math.inf or known[a, LOOKS] >= MOST_LOOKS):
                continue
            looked += known[a, LOOKS] == 0.0
            look_closer(likelihood, rule, X[a], point_of(points, a), scratch, before)


@compiled
def point_of(points: Any, a: int) -> Any:
    """The point of arm a."""
    at = a if len(points.gradient) > 1 else 0
    return Point(points.theta[a], points.step[a], points.known[a], points.gradient[at], points.inverse[at])


@compiled
def solve_open(likelihood: Any, rule: Any, X: FloatArray, known: FloatArray, best: float, work: FloatArray) -> int:
    """Solve every arm that bounds cannot exclude and compare plain numbers; -1 where that fails."""
    K, d = X.shape
    theta_hat, R, theta = np.empty(d), np.empty((d, d)), np.empty(d)
    winner, top, centred = -1, -math.inf, False
    for a in range(K):
        if known[a, HIGH] < max(best, top):
            continue
        if winner >= 0:
            same = True  # as the best arm so far: the first of equals wins
            for j in range(d):
                same = same and X[a, j] == X[winner, j]
            if same:
                continue
        if not centred:
            centred = centre(likelihood, theta_hat, R, work)
            if not centred:
                return -1
        index = Index(rule.alpha, rule.eta, 0.0, False)
        good, score = solve_arm(likelihood, index, theta_hat, R, X[a], theta, work)
        if not good:
            return -1
        if score > top:
            winner, top = a, score
    return winner


@compiled
def solve_each(likelihood: Any, rule: Any, arms: Any, known: FloatArray, work: FloatArray) -> int:
    """Solve every arm, where no bounds are to be had; the middle starts anew."""
    arms.middle[:] = 0.0
    known[:, HIGH] = math.inf
    return solve_open(likelihood, rule, arms.X, known, 0.0, work)


contend_at = at_address(CONTEND_SIGNATURE)


@compiled
def contend(likelihood: Any, rule: Any, X: FloatArray, points: Any, scratch: Any) -> tuple[int, int]:
    """`contend_body` called by address, unless one arm stands out already, and how many arms were looked at."""
    K = len(X)
    if K <= FEW:
        arm, looked = standing_out(points.known)
        if arm >= 0:
            return arm, looked
    code = contend_at(rule.functions[CONTEND])(likelihood, rule, X, points, scratch)
    return (code % K, code // K) if code >= 0 else (-1, 0)


@compiled
def standing_out(known: FloatArray) -> tuple[int, int]:
    """The arm whose lower bound no other arm's upper bound reaches, -1 where there is none; how many were looked at."""
    best, arm, looked = -math.inf, -1, 0
    for a in range(len(known)):
        looked += known[a, LOOKS] > 0.0
        if known[a, LOW] > best:
            best, arm = known[a, LOW], a
    for a in range(len(known)):
        if known[a, HIGH] >= best and a != arm:
            return -1, 0
    return arm, looked


@compiled
def empty_points(K: int, d: int) -> Any:
    """Points without gradients and inverses of their own, for one decision after another."""
    kept = np.empty((1, d)), np.empty((1, d + 1, d))
    return Points(np.empty((K, d)), np.empty((K, d)), np.empty((K, N_KNOWN)), kept[0], kept[1], np.empty(2))


@compiled
def decide(likelihood: Any, rule: Any, arms: Any, points: Any, scratch: Any) -> tuple[int, int]:
    """The arm to play, -1 where an arm cannot be solved, and how many arms were looked at. The middle is kept warm."""
    bounded = rule.concordance >= 0.0
    if bounded:
        bounded = start_from(likelihood, rule, arms, points.known, scratch)
    if not bounded:
        return solve_each(likelihood, rule, arms, points.known, scratch.work), len(arms.X)
    come_closer(likelihood, rule, arms, points, scratch)
    arm, looked = contend(likelihood, rule, arms.X, points, scratch)
    move_on(arms.middle, scratch.small)
    return arm, looked


@compiled
def choose(problem: Any, rule: Any, middle: FloatArray, X: FloatArray) -> tuple[int, int]:
    """`decide` for plain tuples: a single decision."""
    likelihood, (K, d) = named(problem), X.shape
    scratch = Scratch(np.empty((5, len(likelihood.counts))), np.empty((2 * d + 2, d)))
    return decide(likelihood, Rule(*rule), Arms(X, middle, np.empty((d, K))), empty_points(K, d), scratch)
