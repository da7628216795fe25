"""Where a decision of GLM-RBMLE starts: all arms bounded from one point near θ̂, which is kept warm between decisions.

Tuples are described in kernels.glm.named; `small` of the scratch keeps what was found at the middle: R ∇ of the plain
log-likelihood, H, R, and the middle's own Newton step.
"""

import math
from typing import Any

import numpy as np
from numba import types

from rbmle.kernels.address import at_address
from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.link import START
from rbmle.kernels.glm.named import ARMS, LIKELIHOOD, MATRIX, RULE, SCRATCH
from rbmle.kernels.glm.newton import AIM, evaluate, terms_of_gradient
from rbmle.kernels.glm.prune.bounds import steepest, widest_row
from rbmle.kernels.glm.prune.look import GROWTH, LOOKS, NOISE, RADIUS, RHO, SCALE, VALUE, bound, damped, holds
from rbmle.kernels.glm.root import apply_root, apply_transposed, invert_root
from rbmle.types import FloatArray

# Newton steps after which the middle is given up.
MOST_STEPS = 40
# The middle need not be θ̂, only so near that u = ρδ is below this: the arms' bounds then differ little.
NEAR = 0.2
# Distances, relative to the largest Newton step, for which ρ is computed when all arms are bounded from one point.
DISTANCES = (0.6, 0.8, 1.0, 1.25, 1.6, 2.2)
# Rounding of an entry of H, relative to the diagonal.
CURVATURE_ROUNDING = 4e-14

START_SIGNATURE = types.boolean(LIKELIHOOD, RULE, ARMS, MATRIX, SCRATCH)


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


def start_body(likelihood: Any, rule: Any, arms: Any, known: FloatArray, scratch: Any) -> bool:
    """Bound all arms from the middle, moved towards θ̂ first where it is far. False: solve all."""
    (X, middle, white), (work, small), (K, d) = arms, scratch, arms.X.shape
    alpha, concordance = rule.alpha, rule.concordance
    half, H, R, towards = small[0], small[1 : 1 + d], small[1 + d : 1 + 2 * d], small[2 * d + 1]
    gradient, terms, bias = np.empty(d), np.empty(d), np.zeros(d)
    for _ in range(MOST_STEPS):
        f, scale = evaluate(likelihood, bias, middle, work, gradient, H)
        if not (math.isfinite(f) and invert_root(H, R)):
            return False
        square = apply_root(R, gradient, half)
        apply_transposed(R, half, towards)
        terms_of_gradient(likelihood, bias, middle, work, terms)
        widest = widest_row(likelihood.XT, likelihood.n, R, work)
        reach = concordance * widest * math.sqrt(square)
        if reach < NEAR:
            break
        length = 1.0 if reach < 1.0 else damped(reach)
        for j in range(d):
            middle[j] += length * towards[j]
    else:
        return False
    noise, blur = rounding_of(R, H, terms)
    widths, slopes, deltas = np.empty(K), np.empty(K), np.empty(K)  # w², xᵀ(θ+p) and δ² of every arm
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
        widths[a], slopes[a], deltas[a] = width, score + along + alpha * width, delta
        known[a, VALUE], known[a, SCALE], known[a, LOOKS] = f + alpha * score, scale + math.fabs(alpha * score), 0.0
        known[a, GROWTH], known[a, NOISE] = 1.0, noise
    farthest, pull = math.sqrt(farthest), (rule.eta - 1.0) * rule.alpha
    rhos, radii = np.empty(len(DISTANCES)), np.empty(len(DISTANCES))
    for k in range(len(DISTANCES)):
        radii[k] = DISTANCES[k] * farthest
        rhos[k] = steepest(likelihood, concordance, widest, radii[k], work)
    for a in range(K):
        k, delta = 0, math.sqrt(deltas[a])
        while k + 1 < len(DISTANCES) and not holds(rhos[k] * delta, rhos[k], radii[k]):
            k += 1
        known[a, RHO], known[a, RADIUS] = rhos[k], radii[k]
        bound(pull, deltas[a], slopes[a], widths[a], blur, known[a])
    return True


start_at = at_address(START_SIGNATURE)


@compiled
def start_from(likelihood: Any, rule: Any, arms: Any, known: FloatArray, scratch: Any) -> bool:
    """`start_body` called by address."""
    return start_at(rule.functions[START])(likelihood, rule, arms, known, scratch)


@compiled
def place(alpha: float, arms: Any, small: FloatArray, a: int, points: Any) -> None:
    """Put arm a at the middle, with its Newton step from there."""
    d = len(arms.middle)
    for j in range(d):
        points.theta[a, j] = arms.middle[j]
        points.step[a, j] = 0.0
    for i in range(d):
        move = small[0, i] + alpha * arms.white[i, a]
        for j in range(i + 1):
            points.step[a, j] += small[1 + d + i, j] * move


@compiled
def move_on(middle: FloatArray, small: FloatArray) -> None:
    """Let the middle take its own Newton step, for the next decision."""
    for j in range(len(middle)):
        middle[j] += small[2 * len(middle) + 1, j]
