"""Where a decision of GLM-RBMLE starts: all arms bounded from one point near θ̂, which is kept warm between decisions.

Arrays are those of kernels.glm.choose, and

    white  (d, K)  the arms' whitened contexts R x, with RᵀR = H⁻¹ at the point
    small  (2d + 2, d)  left behind: R ∇ of the plain log-likelihood, H, R, and the point's own Newton step
"""

import math
from typing import Any

import numpy as np
from numba import types

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.link import MATRIX, START, VECTOR, at_address
from rbmle.kernels.glm.newton import (
    AIM,
    PROBLEM,
    apply_root,
    apply_transposed,
    evaluate,
    invert_root,
    terms_of_gradient,
)
from rbmle.kernels.glm.prune.bounds import steepest, widest_row
from rbmle.kernels.glm.prune.look import (
    GROWTH,
    HIGH,
    LOOKS,
    LOW,
    NOISE,
    RADIUS,
    REACH,
    RHO,
    SCALE,
    VALUE,
    bound,
    holds,
)
from rbmle.types import FloatArray

# Newton steps after which the point is given up.
MOST_STEPS = 40
# Distances, relative to the largest Newton step, for which ρ is computed when all arms are bounded from one point.
DISTANCES = (0.6, 0.8, 1.0, 1.25, 1.6, 2.2)
# Rounding of an entry of H, relative to the diagonal.
CURVATURE_ROUNDING = 4e-14

REAL = types.float64
START_SIGNATURE = types.boolean(PROBLEM, REAL, REAL, REAL, VECTOR, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX)


@compiled
def rounding_of(R: FloatArray, H: FloatArray, terms: FloatArray) -> tuple[float, float]:
    """How exact whitened numbers are: the gradient's error, and how far R H Rᵀ may be from the identity.

    An entry H_jk is rounded relative to √(H_jj H_kk), and R magnifies that where directions are hardly known.
    """
    noise = blur = 0.0
    for i in range(len(R)):
        error = magnified = 0.0
        for j in range(i + 1):
            error += math.fabs(R[i, j]) * terms[j]
            magnified += math.fabs(R[i, j]) * math.sqrt(H[j, j])
        noise += error * error
        blur += magnified * magnified
    return AIM * math.sqrt(noise), CURVATURE_ROUNDING * blur


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
    XT, n, counts, sums, lam, code, limit, _ = problem
    half, H, R, towards = small[0], small[1 : 1 + d], small[1 + d : 1 + 2 * d], small[2 * d + 1]
    gradient, terms, bias = np.empty(d), np.empty(d), np.zeros(d)
    for _ in range(MOST_STEPS):
        f, scale = evaluate(problem, bias, middle, work, gradient, H)
        if not (math.isfinite(f) and invert_root(H, R)):
            return False
        square = apply_root(R, gradient, half)
        apply_transposed(R, half, towards)
        terms_of_gradient(XT, n, counts, sums, lam, bias, middle, work, terms)
        widest = widest_row(XT, n, R, work)
        reach = concordance * widest * math.sqrt(square)
        if reach < 0.2:
            break
        length = 1.0 if reach < 1.0 else math.log1p(reach) / reach
        for j in range(d):
            middle[j] += length * towards[j]
    else:
        return False
    noise, blur = rounding_of(R, H, terms)
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
        known[a, GROWTH], known[a, NOISE] = 1.0, noise
    farthest = math.sqrt(farthest)
    rhos, radii = np.empty(len(DISTANCES)), np.empty(len(DISTANCES))
    for k in range(len(DISTANCES)):
        radii[k] = DISTANCES[k] * farthest
        rhos[k] = steepest(n, code, limit, concordance, widest, radii[k], work)
    for a in range(K):
        width, slope, delta = known[a, LOW], known[a, HIGH], known[a, REACH]
        for k in range(len(DISTANCES)):
            known[a, RHO], known[a, RADIUS] = rhos[k], radii[k]
            if holds(rhos[k] * math.sqrt(delta), rhos[k], radii[k]):
                break
        bound(eta, alpha, delta, slope, width, blur, known[a])
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
