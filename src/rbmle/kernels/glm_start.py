"""Where a decision of GLM-RBMLE starts: all arms bounded from one point near θ̂, which is kept warm between decisions.

Arrays are those of kernels.glm_choose, and

    white  (d, K)  the arms' whitened contexts R x, with RᵀR = H⁻¹ at the point
    small  (2d + 2, d)  left behind: R ∇ of the plain log-likelihood, H, R, and the point's own Newton step
"""

import math
from typing import Any

import numpy as np
from numba import types

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm_bounds import steepest, widest_row
from rbmle.kernels.glm_link import MATRIX, START, VECTOR, at_address
from rbmle.kernels.glm_look import (
    GROWTH,
    HIGH,
    LOOKS,
    LOW,
    RADIUS,
    REACH,
    RHO,
    SCALE,
    VALUE,
    bound,
    holds,
)
from rbmle.kernels.glm_newton import PROBLEM, apply_root, apply_transposed, evaluate, invert_root
from rbmle.types import FloatArray

# Newton steps after which the point is given up.
MOST_STEPS = 40
# Distances, relative to the largest Newton step, for which ρ is computed when all arms are bounded from one point.
DISTANCES = (0.6, 0.8, 1.0, 1.25, 1.6, 2.2)

REAL = types.float64
START_SIGNATURE = types.boolean(PROBLEM, REAL, REAL, REAL, VECTOR, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX)


def start_body(
    problem: Any,
    concordance: float,
    alpha: float,
    eta: float,
    middle: FloatArray,
    X: FloatArray,
    known: FloatArray,
    white: FloatArray,
    work: FloatArray,
    small: FloatArray,
) -> bool:
    """Bound all arms from the point `middle`, moved towards θ̂ first where it is far. False: solve all."""
    K, d = X.shape
    half, H, R, towards = small[0], small[1 : 1 + d], small[1 + d : 1 + 2 * d], small[2 * d + 1]
    gradient, bias = np.empty(d), np.zeros(d)
    for _ in range(MOST_STEPS):
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
        score = width = along = delta = 0.0
        for i in range(d):
            s = 0.0
            for k in range(i + 1):
                s += R[i, k] * X[a, k]
            white[i, a] = s
            move = half[i] + alpha * s
            width += s * s
            along += s * half[i]
            delta += move * move
            score += X[a, i] * middle[i]
        farthest = max(farthest, delta)
        # LOW, HIGH and REACH wait for ρ, which depends on the farthest step
        known[a, VALUE], known[a, SCALE], known[a, LOOKS] = f + alpha * score, scale + math.fabs(alpha * score), 0.0
        known[a, LOW], known[a, HIGH], known[a, REACH] = width, score + along + alpha * width, delta
        known[a, GROWTH] = 1.0
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
    known: FloatArray,
    white: FloatArray,
    work: FloatArray,
    small: FloatArray,
) -> bool:
    """`start_body` called by address."""
    return start_at(problem[7][START])(problem, concordance, alpha, eta, middle, X, known, white, work, small)


@compiled
def place(
    alpha: float,
    middle: FloatArray,
    white: FloatArray,
    small: FloatArray,
    a: int,
    theta: FloatArray,
    step: FloatArray,
) -> None:
    """Put arm a at the middle, with its Newton step from there."""
    d = len(middle)
    for j in range(d):
        theta[a, j] = middle[j]
        step[a, j] = 0.0
    for i in range(d):
        move = small[0, i] + alpha * white[i, a]
        for j in range(i + 1):
            step[a, j] += small[1 + d + i, j] * move


@compiled
def move_on(middle: FloatArray, small: FloatArray) -> None:
    """Let the middle take its own Newton step, for the next decision."""
    for j in range(len(middle)):
        middle[j] += small[2 * len(middle) + 1, j]
