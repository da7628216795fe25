"""One decision of GLM-RBMLE: bound every arm's index, then look closer only at arms that can still win.

    problem              (XT, n, counts, sums, λ, code, limit, functions), see kernels.glm.newton
    concordance          the family's self-concordance, -1 where unknown
    alpha, eta           α(t) and η(t)
    theta, step  (K, d)  a point for every arm and the Newton step from it
    known        (K, 12)  what is certified there, by the names in kernels.glm.prune.look
    gradient     (G, d)  ∇g there, kept for every arm (G = K) or not (G = 1)
    inverse      (G, d + 1, d)  H⁻¹ there, and H⁻¹x in the last row; kept likewise
    work         (5, C), small (2d + 2, d)  scratch

The arm played is the arg max of the index solved in full (kernels.glm.index), the first one among equals: arms that
bounds cannot tell apart are solved and compared as plain numbers.
"""

import math
from typing import Any

import numpy as np
from numba import types

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.index import centre, solve_arm
from rbmle.kernels.glm.link import CONTEND, CUBE, MATRIX, at_address
from rbmle.kernels.glm.newton import PROBLEM
from rbmle.kernels.glm.prune.look import GUESS, HIGH, LOOKS, LOW, MARGIN, look_closer
from rbmle.kernels.glm.prune.narrow import narrow
from rbmle.kernels.glm.start import move_on, start_from
from rbmle.types import FloatArray

# After so many looks at one arm it is left to the safe solver.
MOST_LOOKS = 40

REAL = types.float64
CONTEND_SIGNATURE = types.int64(
    PROBLEM, REAL, REAL, REAL, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, CUBE, MATRIX, MATRIX
)  # fmt: skip


def contend_body(
    problem: Any,
    concordance: float,
    alpha: float,
    eta: float,
    X: FloatArray,
    theta: FloatArray,
    step: FloatArray,
    known: FloatArray,
    gradient: FloatArray,
    inverse: FloatArray,
    work: FloatArray,
    small: FloatArray,
) -> int:
    """Look closer at the arm of the highest upper bound until one arm stands out; -1 where an arm cannot be solved."""
    K, d = X.shape
    before, alive = np.empty((2, d)), np.arange(K)
    count, best, kept = K, -math.inf, len(gradient) > 1
    while True:
        for k in range(count):
            best = max(best, known[alive[k], LOW])
        contenders, pick, top, guess = 0, -1, -math.inf, -math.inf
        for k in range(count):
            a = alive[k]
            high = known[a, HIGH]
            if high >= best:
                alive[contenders] = a
                contenders += 1
                if known[a, LOOKS] < MOST_LOOKS and high - known[a, LOW] > 4.0 * known[a, MARGIN]:
                    # before there is a lower bound the best guess is looked at, later the highest upper bound
                    if best == -math.inf:
                        high = math.inf
                    if high > top or (high == top and known[a, GUESS] > guess):
                        pick, top, guess = a, high, known[a, GUESS]
        count = contenders
        if count == 1:
            return alive[0]
        if pick < 0:
            return settle(problem, alpha, eta, X, known, best, work)
        every = top == math.inf and best > -math.inf  # arms without an upper bound all need one: no order to keep
        for k in range(count if every else 1):
            a = alive[k] if every else pick
            if every and (known[a, HIGH] < math.inf or known[a, LOOKS] >= MOST_LOOKS):
                continue
            at = a if kept else 0
            look_closer(
                problem, concordance, alpha, eta, X[a], theta[a], step[a], known[a], gradient[at], inverse[at],
                work, small, before,
            )  # fmt: skip


@compiled
def settle(
    problem: Any, alpha: float, eta: float, X: FloatArray, known: FloatArray, best: float, work: FloatArray
) -> int:
    """Solve every arm that bounds cannot exclude and compare plain numbers; -1 where that fails."""
    K, d = X.shape
    theta_hat, R, theta = np.empty(d), np.empty((d, d)), np.empty(d)
    winner, top, centred = -1, -math.inf, False
    for a in range(K):
        if known[a, HIGH] < best:
            continue
        if winner >= 0:
            same = True  # as the best arm so far: the first of equals wins
            for j in range(d):
                same = same and X[a, j] == X[winner, j]
            if same:
                continue
        if not centred:
            centred = centre(problem, theta_hat, R, work)
            if not centred:
                return -1
        good, score = solve_arm(problem, alpha, eta, 0.0, False, theta_hat, R, X[a], theta, work)
        if not good:
            return -1
        if score > top:
            winner, top = a, score
    return winner


contend_at = at_address(CONTEND_SIGNATURE)


@compiled
def contend(
    problem: Any,
    concordance: float,
    alpha: float,
    eta: float,
    X: FloatArray,
    theta: FloatArray,
    step: FloatArray,
    known: FloatArray,
    gradient: FloatArray,
    inverse: FloatArray,
    work: FloatArray,
    small: FloatArray,
) -> int:
    """`contend_body` called by address."""
    return contend_at(problem[7][CONTEND])(
        problem, concordance, alpha, eta, X, theta, step, known, gradient, inverse, work, small
    )


@compiled
def choose(
    problem: Any,
    concordance: float,
    alpha: float,
    eta: float,
    middle: FloatArray,
    X: FloatArray,
    theta: FloatArray,
    step: FloatArray,
    known: FloatArray,
    work: FloatArray,
    small: FloatArray,
) -> tuple[int, int]:
    """The arm to play, -1 where an arm cannot be solved, and how many arms were looked at. `middle` is kept warm."""
    K, d = X.shape
    white = np.empty((d, K))
    bounded = concordance >= 0.0
    if bounded:
        bounded = start_from(problem, concordance, alpha, eta, middle, X, known, white, work, small)
    if not bounded:
        middle[:] = 0.0
        known[:, HIGH] = math.inf
        return settle(problem, alpha, eta, X, known, 0.0, work), K
    narrow(problem, alpha, eta, middle, X, theta, step, known, white, work, small)
    gradient, inverse = np.empty((1, d)), np.empty((1, d + 1, d))
    arm = contend(problem, concordance, alpha, eta, X, theta, step, known, gradient, inverse, work, small)
    move_on(middle, small)
    looked = 0
    for a in range(K):
        if known[a, LOOKS] > 0.0:
            looked += 1
    return arm, looked
