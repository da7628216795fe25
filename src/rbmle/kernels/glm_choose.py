"""One decision of GLM-RBMLE: bound every arm's index, then look closer only at arms that can still win.

    problem              (XT, n, counts, sums, λ, code, limit, functions), see kernels.glm_newton
    concordance          the family's self-concordance, -1 where unknown
    alpha, eta           α(t) and η(t)
    theta, step  (K, d)  a point for every arm and the Newton step from it
    known        (K, 12)  what is certified there, by the names in kernels.glm_look
    gradient     (G, d)  ∇g there, kept for every arm (G = K) or not (G = 1)
    inverse      (G, d + 1, d)  H⁻¹ there, and H⁻¹x in the last row; kept likewise
    work         (5, C), small (2d + 1, d)  scratch

The arm played is the arg max of the index solved in full (kernels.glm_index), the first one among equals: arms that
bounds cannot tell apart are solved and compared as plain numbers.
"""

import math
from typing import Any

import numpy as np
from numba import types

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm_bounds import steepest, widest_row
from rbmle.kernels.glm_index import centre, solve_arm
from rbmle.kernels.glm_link import CONTEND, CUBE, MATRIX, START, VECTOR, at_address
from rbmle.kernels.glm_look import (
    GROWTH,
    GUESS,
    HIGH,
    LOOKS,
    LOW,
    MARGIN,
    N_KNOWN,
    RADIUS,
    REACH,
    RHO,
    SCALE,
    SHARED,
    VALUE,
    bound,
    holds,
    look_closer,
)
from rbmle.kernels.glm_newton import PROBLEM, apply_root, apply_transposed, evaluate, invert_root
from rbmle.types import FloatArray, IntArray

# Bounds are shared between contexts whose squared distance is below this part of their squared length.
NEAR = 0.7
# After so many looks at one arm it is left to the safe solver.
MOST_LOOKS = 40
# Distances, relative to the largest Newton step, for which ρ is computed when all arms are bounded from one point.
DISTANCES = (0.6, 0.8, 1.0, 1.25, 1.6, 2.2)


REAL = types.float64
CONTEND_SIGNATURE = types.int64(
    PROBLEM, REAL, REAL, REAL, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, CUBE, MATRIX, MATRIX
)  # fmt: skip
START_SIGNATURE = types.boolean(
    PROBLEM, REAL, REAL, REAL, VECTOR, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX
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
    before, trial, alive = np.empty((2, d)), np.empty(N_KNOWN), np.arange(K)
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
        k = pick if kept else 0
        look_closer(
            problem, concordance, alpha, eta, X[pick], theta[pick], step[pick], known[pick], gradient[k], inverse[k],
            work, small, before,
        )  # fmt: skip
        if not kept and count > 4 and known[pick, SHARED] == 0.0 and known[pick, REACH] < 0.3:
            known[pick, SHARED] = 1.0
            best = max(best, known[pick, LOW])
            share(
                alpha, eta, X, alive[:count], pick, theta, step, known, gradient[0], inverse[0], best, trial, before[0]
            )


@compiled
def share(
    alpha: float,
    eta: float,
    X: FloatArray,
    alive: IntArray,
    b: int,
    theta: FloatArray,
    step: FloatArray,
    known: FloatArray,
    gradient: FloatArray,
    inverse: FloatArray,
    best: float,
    trial: FloatArray,
    p: FloatArray,
) -> None:
    """Bound the other contenders from where arm b was looked at: their gradient there is r_b + α(x_a − x_b)."""
    d = X.shape[1]
    origin = theta[b]
    trial[RHO], trial[RADIUS], trial[GROWTH] = known[b, RHO], known[b, RADIUS], known[b, GROWTH]
    for a in alive:
        if a == b or known[a, HIGH] < best:
            continue
        apart = size = 0.0
        for j in range(d):
            apart += (X[a, j] - X[b, j]) * (X[a, j] - X[b, j])
            size += X[a, j] * X[a, j]
        if apart > NEAR * size:  # no better than what all arms start from
            continue
        move = slope = square = width = 0.0
        for i in range(d):
            s = q = 0.0
            for j in range(d):
                s += inverse[i, j] * (gradient[j] + alpha * (X[a, j] - X[b, j]))
                q += inverse[i, j] * X[a, j]
            p[i] = s
            square += s * (gradient[i] + alpha * (X[a, i] - X[b, i]))
            width += q * X[a, i]
            slope += X[a, i] * (origin[i] + s)
            move += (X[a, i] - X[b, i]) * origin[i]
        trial[VALUE] = known[b, VALUE] + alpha * move
        trial[SCALE] = known[b, SCALE] + math.fabs(alpha * move)
        bound(eta, alpha, max(square, 0.0), slope, max(width, 0.0), trial)
        if trial[HIGH] - trial[LOW] < known[a, HIGH] - known[a, LOW]:
            trial[LOOKS], trial[SHARED] = known[a, LOOKS], known[a, SHARED]
            trial[LOW], trial[HIGH] = max(trial[LOW], known[a, LOW]), min(trial[HIGH], known[a, HIGH])
            known[a] = trial
            theta[a] = origin
            step[a] = p


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


def start_body(
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
) -> bool:
    """Bounds of all arms from one point near θ̂, which takes its own Newton step for the next time. False: solve all."""
    K, d = X.shape
    half, H, R = small[0], small[1 : 1 + d], small[1 + d : 1 + 2 * d]
    gradient, towards, tilt, bias = np.empty(d), np.empty(d), np.empty(d), np.zeros(d)
    for _ in range(MOST_LOOKS):
        f, scale = evaluate(problem, bias, middle, work, gradient, H)
        if not (math.isfinite(f) and invert_root(H, R)):
            return False
        square = apply_root(R, gradient, half)
        apply_transposed(R, half, towards)
        widest = widest_row(problem[0], problem[1], R, work)
        reach = concordance * widest * math.sqrt(square)
        if reach < 0.2:
            break
        length = 1.0 if reach < 1.0 else math.log1p(reach) / reach
        for j in range(d):
            middle[j] += length * towards[j]
    else:
        return False
    farthest = 0.0
    for a in range(K):
        x = X[a]
        width = apply_root(R, x, half)
        apply_transposed(R, half, tilt)
        score = along = 0.0
        for j in range(d):
            score += x[j] * middle[j]
            along += x[j] * towards[j]
            theta[a, j] = middle[j]
            step[a, j] = towards[j] + alpha * tilt[j]
        delta = max(0.0, square + 2.0 * alpha * along + alpha * alpha * width)
        farthest = max(farthest, delta)
        # LOW, HIGH and REACH wait for ρ, which depends on the farthest step
        known[a, VALUE], known[a, SCALE], known[a, LOOKS] = f + alpha * score, scale + math.fabs(alpha * score), 0.0
        known[a, GROWTH], known[a, SHARED] = 1.0, 0.0
        known[a, LOW], known[a, HIGH], known[a, REACH] = width, score + along + alpha * width, delta
    farthest = math.sqrt(farthest)
    rhos, radii = np.empty(len(DISTANCES)), np.empty(len(DISTANCES))
    for k in range(len(DISTANCES)):
        radii[k] = DISTANCES[k] * farthest
        rhos[k] = steepest(problem[1], problem[5], problem[6], concordance, widest, radii[k], work)
    for a in range(K):
        width, slope, delta = known[a, LOW], known[a, HIGH], known[a, REACH]
        for k in range(len(DISTANCES)):
            known[a, RHO], known[a, RADIUS] = rhos[k], radii[k]
            if holds(rhos[k] * math.sqrt(delta), rhos[k], radii[k]):
                break
        bound(eta, alpha, delta, slope, width, known[a])
    for j in range(d):
        middle[j] += towards[j]
    return True


start_at = at_address(START_SIGNATURE)


@compiled
def start_from(
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
) -> bool:
    """`start_body` called by address."""
    return start_at(problem[7][START])(problem, concordance, alpha, eta, middle, X, theta, step, known, work, small)


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
    bounded = concordance >= 0.0
    if bounded:
        bounded = start_from(problem, concordance, alpha, eta, middle, X, theta, step, known, work, small)
    if not bounded:
        middle[:] = 0.0
        known[:, HIGH] = math.inf
        return settle(problem, alpha, eta, X, known, 0.0, work), K
    gradient, inverse = np.empty((1, d)), np.empty((1, d + 1, d))
    arm = contend(problem, concordance, alpha, eta, X, theta, step, known, gradient, inverse, work, small)
    looked = 0
    for a in range(K):
        if known[a, LOOKS] > 0.0:
            looked += 1
    return arm, looked
