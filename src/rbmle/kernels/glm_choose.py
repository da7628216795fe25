"""One decision of GLM-RBMLE: bound every arm's index, then look closer only at arms that can still win.

    theta, step  (K, d)  a point for every arm and the Newton step from it
    known        (K, 6)  what is certified there: lower and upper bound of the index (LOW, HIGH), the biased
                         log-likelihood (VALUE), u = ρδ (REACH), how often the arm was looked at (LOOKS), and the
                         rounding allowed for (MARGIN); see kernels.glm_bounds

The arm played is the arg max of the index solved in full (kernels.glm_index), the first one among equals: arms that
bounds cannot tell apart are solved and compared as plain numbers.
"""

import math
from typing import Any

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm_bounds import ROUNDING, interval, widest_row
from rbmle.kernels.glm_index import centre, solve_arm
from rbmle.kernels.glm_newton import apply_root, apply_transposed, evaluate, invert_root
from rbmle.types import FloatArray

LOW, HIGH, VALUE, REACH, LOOKS, MARGIN = 0, 1, 2, 3, 4, 5
N_KNOWN = 6
# After so many looks at one arm it is left to the safe solver.
MOST_LOOKS = 40


@compiled
def look(
    problem: Any,
    concordance: float,
    alpha: float,
    eta: float,
    x: FloatArray,
    theta: FloatArray,
    step: FloatArray,
    known: FloatArray,
    work: FloatArray,
    small: FloatArray,
) -> None:
    """Evaluate at an arm's θ: fills its step and what is known. `small` (2d + 3, d) is scratch."""
    d = len(x)
    bias, gradient, half = small[0], small[1], small[2]
    H, R = small[3 : 3 + d], small[3 + d : 3 + 2 * d]
    for j in range(d):
        bias[j] = alpha * x[j]
    g, scale = evaluate(problem, bias, theta, work, gradient, H)
    known[VALUE] = g
    known[LOW], known[HIGH] = -math.inf, math.inf
    if not (math.isfinite(g) and invert_root(H, R)):
        known[VALUE] = -math.inf
        return
    square = apply_root(R, gradient, half)
    apply_transposed(R, half, step)
    width = math.sqrt(apply_root(R, x, half))
    rho = concordance * widest_row(problem[0], problem[1], R, work)
    slope = 0.0
    for j in range(d):
        slope += x[j] * (theta[j] + step[j])
    pull = (eta - 1.0) * alpha
    known[MARGIN] = ROUNDING * (scale + math.fabs(pull * slope))
    known[LOW], known[HIGH] = interval(g, square, rho, slope, width, pull, known[MARGIN])
    known[REACH] = rho * math.sqrt(square)


@compiled
def look_closer(
    problem: Any,
    concordance: float,
    alpha: float,
    eta: float,
    x: FloatArray,
    theta: FloatArray,
    step: FloatArray,
    known: FloatArray,
    work: FloatArray,
    small: FloatArray,
    before: FloatArray,
) -> None:
    """Take an arm's Newton step, shortened so far that g cannot fall where the full one overshoots, and look again."""
    d = len(x)
    before[0], before[1] = theta, step
    low, high, value, reach, margin = known[LOW], known[HIGH], known[VALUE], known[REACH], known[MARGIN]
    known[LOOKS] += 1.0
    safe = math.log1p(reach) / reach if reach > 0.0 else 1.0
    length = 1.0 if reach < 2.0 else safe
    for _ in range(2):
        for j in range(d):
            theta[j] = before[0, j] + length * before[1, j]
        look(problem, concordance, alpha, eta, x, theta, step, known, work, small)
        if known[VALUE] >= value - margin or length == safe:
            break
        length = safe
    known[LOW], known[HIGH] = max(low, known[LOW]), min(high, known[HIGH])


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
    work: FloatArray,
    small: FloatArray,
) -> int:
    """Look closer at the arm of the highest upper bound until one arm stands out; -1 where an arm cannot be solved."""
    before = np.empty((2, X.shape[1]))
    while True:
        best = -math.inf
        for a in range(len(X)):
            best = max(best, known[a, LOW])
        contenders, pick, top = 0, -1, -math.inf
        last = 0
        for a in range(len(X)):
            if known[a, HIGH] >= best:
                contenders += 1
                last = a
                open_ = known[a, HIGH] - known[a, LOW] > 4.0 * known[a, MARGIN] and known[a, LOOKS] < MOST_LOOKS
                if open_ and known[a, HIGH] > top:
                    pick, top = a, known[a, HIGH]
        if contenders == 1:
            return last
        if pick < 0:
            return settle(problem, alpha, eta, X, known, best, work)
        look_closer(
            problem, concordance, alpha, eta, X[pick], theta[pick], step[pick], known[pick], work, small, before
        )


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
            same = True  # as an arm that was solved already: the first of equals wins
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
    """Bounds of all arms from one point near θ̂, which takes its own Newton step for the next time. False: solve all."""
    K, d = X.shape
    gradient, half, towards, tilt = small[1], small[2], np.empty(d), np.empty(d)
    H, R = small[3 : 3 + d], small[3 + d : 3 + 2 * d]
    bias = np.zeros(d)
    for _ in range(MOST_LOOKS):
        f, scale = evaluate(problem, bias, middle, work, gradient, H)
        if not (math.isfinite(f) and invert_root(H, R)):
            return False
        square = apply_root(R, gradient, half)
        apply_transposed(R, half, towards)
        rho = concordance * widest_row(problem[0], problem[1], R, work)
        reach = rho * math.sqrt(square)
        if reach < 0.2:
            break
        length = 1.0 if reach < 1.0 else math.log1p(reach) / reach
        for j in range(d):
            middle[j] += length * towards[j]
    else:
        return False
    pull = (eta - 1.0) * alpha
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
        g = f + alpha * score
        delta = max(0.0, square + 2.0 * alpha * along + alpha * alpha * width)
        slope = score + along + alpha * width
        margin = ROUNDING * (scale + math.fabs(alpha * score) + math.fabs(pull * slope) + delta)
        known[a, LOW], known[a, HIGH] = interval(g, delta, rho, slope, math.sqrt(width), pull, margin)
        known[a, VALUE], known[a, MARGIN], known[a, LOOKS] = g, margin, 0.0
        known[a, REACH] = rho * math.sqrt(delta)
    for j in range(d):
        middle[j] += towards[j]
    return True


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
    K = len(X)
    bounded = concordance >= 0.0
    if bounded:
        bounded = start_from(problem, concordance, alpha, eta, middle, X, theta, step, known, work, small)
    if not bounded:
        known[:, HIGH] = math.inf
        return settle(problem, alpha, eta, X, known, 0.0, work), K
    arm = contend(problem, concordance, alpha, eta, X, theta, step, known, work, small)
    looked = 0
    for a in range(K):
        if known[a, LOOKS] > 0.0:
            looked += 1
    return arm, looked
