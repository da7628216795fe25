"""The largest score in a convex set: u(x) = max xᵀθ over L(θ) ≤ level, ‖θ‖ ≤ S, by a primal-dual interior-point method.

Lagrange's multipliers a and b of the two constraints make up the dual of the path kernel: s = 1/a and λ = b/a minimise
(ψ(s, λ) + level + ½λS²)/s, ψ(s, λ) = max_θ sθᵀx − L(θ) − ½λ‖θ‖² (kernels.glm.path). Solving for θ, a and b at once
takes a dozen evaluations of L, where the two scalars alone would take a maximisation for every trial.

room    slack of the constraints: level − L(θ) and ½(S² − ‖θ‖²), both kept positive
gap     a·room₁ + b·room₂: u(x) lies between xᵀθ and xᵀθ + gap
"""

import math
from typing import Any, NamedTuple

import numpy as np

from rbmle.kernels.assign import assign
from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.ball import length_of
from rbmle.kernels.glm.newton import evaluate
from rbmle.kernels.glm.root import apply_root, apply_transposed, invert_root
from rbmle.types import FloatArray

# The gap aimed at and the gap accepted where rounding allows no more, relative to S.
AIM, TOLERANCE = 1e-11, 1e-8
MOST_STEPS = 100
# Multipliers and slacks keep this part of their size in a step.
KEPT = 0.01
# a·room₁ and b·room₂ each have this part of their mean: with less, steps creep along a constraint.
CENTRAL = 0.01
# Part of the gap that a step aims at: after a full step, after a shortened one, and to get away from the constraints.
BOLD, CAREFUL, CENTRE = 0.03, 0.3, 1.0
# The slower way: from one point of the central path to the next, each found until steps promise less than a part of m.
DOWN, NEAR = 0.2, 1e-3
# A step down that fails is tried again with the root of its factor, up to this one.
GENTLEST = 0.9
# A start this far inside of the ball, if the likelihood allows.
INSIDE = 0.9


class Region(NamedTuple):
    """A confidence set, and a point strictly inside."""

    S: float
    level: float
    start: FloatArray


@compiled
def start_within(
    plain: Any, theta_hat: FloatArray, S: float, level: float, start: FloatArray, work: FloatArray
) -> None:
    """A point strictly inside: θ̂, pulled towards 0 where it is near the sphere, as far as half of L's slack allows.

    plain: the likelihood with λ = 0.
    """
    d, length = len(theta_hat), length_of(theta_hat)
    nothing, gradient, H = np.zeros(d), np.empty(d), np.empty((d, d))
    least, _ = evaluate(plain, nothing, theta_hat, work, gradient, H)
    part = INSIDE * S / length if length > INSIDE * S else 1.0
    for _ in range(60):
        for j in range(d):
            start[j] = part * theta_hat[j]
        value, _ = evaluate(plain, nothing, start, work, gradient, H)
        if part == 1.0 or 2.0 * (least - value) <= level + least:
            return
        part = 0.5 * (1.0 + part)


@compiled
def inward(
    H: FloatArray, R: FloatArray, gradient: FloatArray, theta: FloatArray, weights: Any, step: FloatArray
) -> bool:
    """Newton's step for θ with the multipliers eliminated; `step` holds the right-hand side before, the step after."""
    a, b, first, second = weights
    d, half = len(theta), np.empty(len(theta))
    for i in range(d):
        for j in range(i + 1):
            H[i, j] = a * H[i, j] + a / first * gradient[i] * gradient[j] + b / second * theta[i] * theta[j]
        H[i, i] += b
    if not invert_root(H, R):
        return False
    apply_root(R, step, half)
    apply_transposed(R, half, step)
    return True


@compiled
def distance(x: FloatArray, gradient: FloatArray, theta: FloatArray, weights: Any, S: float, aim: float) -> float:
    """How far θ, a and b are from the central path: the norm of what ought to be zero."""
    a, b, first, second = weights
    total = (a * first - aim) ** 2 + (b * second - aim) ** 2
    for j in range(len(x)):
        total += (S * (x[j] + a * gradient[j] - b * theta[j])) ** 2
    return math.sqrt(total)


@compiled
def balanced(weights: Any) -> bool:
    """Whether both constraints have their part of the gap."""
    a, b, first, second = weights
    return min(a * first, b * second) >= 0.5 * CENTRAL * (a * first + b * second)


@compiled
def centre(plain: Any, region: Any, x: FloatArray, m: float, theta: FloatArray, work: FloatArray) -> bool:
    """θ ← argmax xᵀθ + m log(level − L(θ)) + m log(½(S² − ‖θ‖²)), a concave function, from a θ strictly inside."""
    d, S = len(x), region.S
    nothing, gradient, H, R = np.zeros(d), np.empty(d), np.empty((d, d)), np.empty((d, d))
    slope, step, trial = np.empty(d), np.empty(d), np.empty(d)
    value, _ = evaluate(plain, nothing, theta, work, gradient, H)
    first, second = region.level + value, 0.5 * (S * S - length_of(theta) ** 2)
    for _ in range(MOST_STEPS):
        for j in range(d):
            slope[j] = step[j] = x[j] + m / first * gradient[j] - m / second * theta[j]
        if not inward(H, R, gradient, theta, (m / first, m / second, first, second), step):
            return False
        promise = along = 0.0
        for j in range(d):
            promise += slope[j] * step[j]
            along += x[j] * step[j]
        if promise <= NEAR * m:
            return True
        tau, moved = 1.0, False
        for _ in range(50):
            for j in range(d):
                trial[j] = theta[j] + tau * step[j]
            room = 0.5 * (S * S - length_of(trial) ** 2)
            if room > 0.0:
                value, _ = evaluate(plain, nothing, trial, work, gradient, H)
                left = region.level + value
                if left > 0.0:
                    gain = tau * along + m * (math.log(left / first) + math.log(room / second))
                    if gain >= 0.1 * tau * promise:
                        moved = True
                        break
            tau *= 0.5
        if not moved:
            return False
        assign(theta, trial)
        first, second = left, room
    return False


@compiled
def climb(plain: Any, region: Any, x: FloatArray, theta: FloatArray, work: FloatArray) -> tuple[bool, float, float]:
    """`highest` along the central path, each point of it found by `centre`: slower, but it ends where it should.

    The steps of `highest` follow the norm of a residual, and creep where that has a minimum of its own.
    """
    best, last, factor, score = region.start.copy(), math.inf, DOWN, 0.0
    m = 0.1 * region.S
    while m > AIM * region.S and factor < GENTLEST:
        assign(theta, best)
        if centre(plain, region, x, m, theta, work):
            best[:], last = theta, m
        else:  # too far for Newton's method so close to the edge of what rounding allows
            factor = math.sqrt(factor)
        m = last * factor if last < math.inf else m * DOWN
    assign(theta, best)
    d = len(x)
    value, _ = evaluate(plain, np.zeros(d), theta, work, np.empty(d), np.empty((d, d)))
    for j in range(d):
        score += x[j] * theta[j]
    return 2.0 * last <= TOLERANCE * region.S, score + 2.0 * last, (region.level + value) / last


@compiled
def highest(plain: Any, region: Any, x: FloatArray, theta: FloatArray, work: FloatArray) -> tuple[bool, float, float]:
    """u(x) of a unit vector x, θ where it is reached, and s = 1/a, infinite where only the ball binds.

    A primal-dual interior-point method from the start alone, so that equal arms have equal scores.
    """
    S, level, d = region.S, region.level, len(x)
    nothing, gradient, ahead = np.zeros(d), np.empty(d), np.empty(d)
    H, R, step, trial = np.empty((d, d)), np.empty((d, d)), np.empty(d), np.empty(d)
    for j in range(d):
        theta[j] = S * x[j]
    value, _ = evaluate(plain, nothing, theta, work, gradient, H)
    if value + level >= 0.0:
        return True, S, math.inf
    assign(theta, region.start)
    value, _ = evaluate(plain, nothing, theta, work, gradient, H)
    first, second = level + value, 0.5 * (S * S - length_of(theta) ** 2)
    if not (first > 0.0 and second > 0.0):
        return False, math.nan, 0.0
    a, b, part = 0.1 * S / first, 0.1 * S / second, CAREFUL
    for _ in range(MOST_STEPS):
        gap = a * first + b * second
        score = 0.0
        for j in range(d):
            score += x[j] * theta[j]
        off = distance(x, gradient, theta, (a, b, first, second), S, 0.0)
        if off <= AIM * S:
            break
        aim = 0.5 * part * gap
        for j in range(d):
            step[j] = x[j] + aim / first * gradient[j] - aim / second * theta[j]
        if not inward(H, R, gradient, theta, (a, b, first, second), step):
            break
        along = across = 0.0
        for j in range(d):
            along += gradient[j] * step[j]
            across += theta[j] * step[j]
        da, db = (aim - a * along) / first - a, (aim + b * across) / second - b
        tau = 1.0
        if da < 0.0:
            tau = min(tau, (KEPT - 1.0) * a / da)
        if db < 0.0:
            tau = min(tau, (KEPT - 1.0) * b / db)
        before, moved = distance(x, gradient, theta, (a, b, first, second), S, aim), False
        for _ in range(50):
            for j in range(d):
                trial[j] = theta[j] + tau * step[j]
            room = 0.5 * (S * S - length_of(trial) ** 2)
            if room >= KEPT * KEPT * second:
                value, _ = evaluate(plain, nothing, trial, work, ahead, H)
                left = level + value
                if left >= KEPT * KEPT * first:
                    weights = (a + tau * da, b + tau * db, left, room)
                    near = distance(x, ahead, trial, weights, S, aim) <= (1.0 - 0.01 * tau) * before
                    if near and balanced(weights):
                        moved = True
                        break
            tau *= 0.5
        if not moved:
            if part == CENTRE:
                break
            part = CENTRE
            evaluate(plain, nothing, theta, work, gradient, H)
            continue
        a, b, first, second = weights
        assign(theta, trial)
        assign(gradient, ahead)
        part = CENTRE if tau <= 0.1 else BOLD if tau > 0.9 and part < CENTRE else CAREFUL
    if off > TOLERANCE * S:
        return climb(plain, region, x, theta, work)
    return True, score + a * first + b * second, 1.0 / a
