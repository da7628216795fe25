"""The biased log-likelihood of a generalized linear model over compressed rows, and its maximiser by Newton's method.

likelihood         a `Likelihood` of kernels.glm.named: XT, n, counts, sums, λ and the link
bias       (d,)    α x_a, or zeros for the plain estimate

g(θ) = Σ_i sums_i z_i − counts_i b(z_i) − ½ λ‖θ‖² + biasᵀθ,   z = Xθ

gradient   (d,)    ∇g
H          (d, d)  −∇²g = Σ counts_i μ'(z_i) x_i x_iᵀ + λI, lower triangle
R          (d, d)  lower triangular with RᵀR = H⁻¹ (kernels.glm.root)
work       (5, C)  z, μ, μ', b, scratch
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numba import types

from rbmle.kernels.address import at_address
from rbmle.kernels.assign import assign
from rbmle.kernels.compile import compiled, reordered
from rbmle.kernels.glm.link import EVALUATE, MAXIMISE, fill_link, link_inline
from rbmle.kernels.glm.named import LIKELIHOOD, MATRIX, VECTOR, named, weighed
from rbmle.kernels.glm.root import apply_root, apply_transposed, invert_root
from rbmle.types import FloatArray

# A solution's gradient, component by component, relative to the sum of the absolute terms it is made of: what is aimed
# at, and what is accepted when rounding allows no more.
AIM = 1e-13
TOLERANCE = 1e-9
MOST_STEPS = 200
# Where Newton's method fails, λ falls by factors of 4 from 4^PATH times its value.
PATH = 25
# A full step must bring this part of the increase that the quadratic promises (Armijo), up to the value's rounding.
LEAST_GAIN = 1e-4
VALUE_ROUNDING = 1e-14
# A search along a ray ends where the slope has fallen to this part of what it was.
SLOPE_LEFT = 0.1
# The weight of a score's terms in those of the gradient: about 50 units of rounding in the score are acceptable.
SCORE_SHAKE = 1e-5

EVALUATE_SIGNATURE = types.void(LIKELIHOOD, VECTOR, VECTOR, MATRIX, VECTOR, MATRIX)
MAXIMISE_SIGNATURE = types.void(LIKELIHOOD, VECTOR, VECTOR, MATRIX, VECTOR)


@reordered
def scores_of_rows(XT: FloatArray, n: int, theta: FloatArray, z: FloatArray) -> None:
    """z = Xθ."""
    t = theta[0]
    for i in range(n):
        z[i] = t * XT[0, i]
    for j in range(1, len(theta)):
        t = theta[j]
        for i in range(n):
            z[i] += t * XT[j, i]


@reordered
def value_of(n: int, counts: FloatArray, sums: FloatArray, work: FloatArray) -> tuple[float, float]:
    """Σ sums z − counts b, and the sum of the absolute terms: rounding is relative to that."""
    z, b = work[0], work[3]
    value = scale = 0.0
    for i in range(n):
        gain, loss = sums[i] * z[i], counts[i] * b[i]
        value += gain - loss
        scale += math.fabs(gain) + math.fabs(loss)
    return value, scale


@reordered
def gradient_of(
    XT: FloatArray, n: int, counts: FloatArray, sums: FloatArray, work: FloatArray, gradient: FloatArray
) -> None:
    """Xᵀ(sums − counts μ)."""
    mu, rest = work[1], work[4]
    for i in range(n):
        rest[i] = sums[i] - counts[i] * mu[i]
    for j in range(len(gradient)):
        total = 0.0
        for i in range(n):
            total += rest[i] * XT[j, i]
        gradient[j] = total


@reordered
def curvature_of(XT: FloatArray, n: int, counts: FloatArray, work: FloatArray, H: FloatArray) -> None:
    """The lower triangle of Xᵀ diag(counts μ') X."""
    dmu, weighted = work[2], work[4]
    for j in range(len(H)):
        for i in range(n):
            weighted[i] = counts[i] * dmu[i] * XT[j, i]
        k = 0
        while k + 3 <= j:  # four products at a time read `weighted` once
            s0 = s1 = s2 = s3 = 0.0
            for i in range(n):
                w = weighted[i]
                s0 += w * XT[k, i]
                s1 += w * XT[k + 1, i]
                s2 += w * XT[k + 2, i]
                s3 += w * XT[k + 3, i]
            H[j, k], H[j, k + 1], H[j, k + 2], H[j, k + 3] = s0, s1, s2, s3
            k += 4
        while k <= j:
            s0 = 0.0
            for i in range(n):
                s0 += weighted[i] * XT[k, i]
            H[j, k] = s0
            k += 1


def evaluate_body(
    likelihood: Any, bias: FloatArray, theta: FloatArray, work: FloatArray, gradient: FloatArray, H: FloatArray
) -> None:
    """Value, gradient and curvature at θ; leaves the value and the sum of its absolute terms in work[4, :2]."""
    XT, n, counts, sums, lam, link = likelihood
    d = len(theta)
    scores_of_rows(XT, n, theta, work[0])
    link_inline(link, n, work)
    value, scale = value_of(n, counts, sums, work)
    gradient_of(XT, n, counts, sums, work, gradient)
    curvature_of(XT, n, counts, work, H)
    square = pull = 0.0
    for j in range(d):
        gradient[j] += bias[j] - lam * theta[j]
        H[j, j] += lam
        square += theta[j] * theta[j]
        pull += bias[j] * theta[j]
    work[4, 0] = value + pull - 0.5 * lam * square
    work[4, 1] = scale + math.fabs(pull) + 0.5 * lam * square


evaluate_at = at_address(EVALUATE_SIGNATURE)


@compiled
def evaluate(
    likelihood: Any, bias: FloatArray, theta: FloatArray, work: FloatArray, gradient: FloatArray, H: FloatArray
) -> tuple[float, float]:
    """`evaluate_body` called by address; returns the value and the sum of its absolute terms."""
    evaluate_at(likelihood.link.functions[EVALUATE])(likelihood, bias, theta, work, gradient, H)
    return work[4, 0], work[4, 1]


@reordered
def terms_of_gradient(
    likelihood: Any, bias: FloatArray, theta: FloatArray, work: FloatArray, terms: FloatArray
) -> None:
    """The sum of the absolute terms of each component of the gradient, (d,): its rounding is relative to that.

    Where a score x_iᵀθ is a small difference of large numbers its rounding shakes the gradient, and no θ does better:
    such terms are added with the weight SCORE_SHAKE.
    """
    XT, n, counts, sums, lam, _ = likelihood
    shake = work[4]
    for i in range(n):
        shake[i] = 0.0
    for j in range(len(theta)):
        size = math.fabs(theta[j])
        for i in range(n):
            shake[i] += size * math.fabs(XT[j, i])
    for i in range(n):
        shake[i] = math.fabs(sums[i]) + counts[i] * (math.fabs(work[1, i]) + SCORE_SHAKE * work[2, i] * shake[i])
    for j in range(len(theta)):
        total = math.fabs(bias[j]) + lam * math.fabs(theta[j])
        for i in range(n):
            total += math.fabs(XT[j, i]) * shake[i]
        terms[j] = total


@compiled
def worst_component(gradient: FloatArray, terms: FloatArray) -> float:
    """The largest component of the gradient relative to its terms."""
    worst = 0.0
    for j in range(len(gradient)):
        size = math.fabs(gradient[j])
        if not size <= worst * terms[j]:
            worst = size / terms[j] if terms[j] > 0.0 else math.inf
    return worst


class Ray(NamedTuple):
    """g on a ray: rows' scores start + τ·along, the other terms linear·τ − ½ quadratic·τ²."""

    start: FloatArray
    along: FloatArray
    linear: float
    quadratic: float


@compiled
def slope_along(likelihood: Any, ray: Any, tau: float, work: FloatArray) -> float:
    """dg/dτ."""
    n, counts, sums = likelihood.n, likelihood.counts, likelihood.sums
    for i in range(n):
        work[0, i] = ray.start[i] + tau * ray.along[i]
    fill_link(likelihood.link, n, work)
    slope = ray.linear - tau * ray.quadratic
    for i in range(n):
        if counts[i] > 0.0:
            slope += (sums[i] - counts[i] * work[1, i]) * ray.along[i]
    return slope


@compiled
def step_length(likelihood: Any, bias: FloatArray, theta: FloatArray, p: FloatArray, work: FloatArray) -> float:
    """Where g is about largest on the ray θ + τp, 0 < τ ≤ 1, by bisection until the slope has fallen to a tenth."""
    XT, n, counts, _, lam, _ = likelihood
    start, along = np.empty(len(counts)), np.empty(len(counts))
    scores_of_rows(XT, n, theta, start)
    scores_of_rows(XT, n, p, along)
    linear = quadratic = 0.0
    for j in range(len(theta)):
        linear += (bias[j] - lam * theta[j]) * p[j]
        quadratic += lam * p[j] * p[j]
    ray = Ray(start, along, linear, quadratic)
    first = slope_along(likelihood, ray, 0.0, work)
    low, high = 0.0, 1.0
    tau = 1.0
    for _ in range(100):
        slope = slope_along(likelihood, ray, tau, work)
        if math.fabs(slope) <= SLOPE_LEFT * first or (slope > 0.0 and tau == 1.0):
            return tau
        if slope > 0.0:
            low = tau
        else:
            high = tau
        tau = 0.5 * (low + high) if low > 0.0 else 0.25 * high
    return low


@compiled
def newton(likelihood: Any, bias: FloatArray, theta: FloatArray, work: FloatArray, result: FloatArray) -> None:
    """Move θ to the maximiser of g. result (2,): the value, and the relative gradient, good if ≤ TOLERANCE.

    Newton steps; where a full step does not increase g enough, the maximum on its ray. Near the solution rounding
    hides all increase: a step whose promise is below that is taken on trust, and the iteration ends when the gradient
    is at the aim, or below the tolerance and no longer falling.
    """
    d = len(theta)
    gradient, H, R = np.empty(d), np.empty((d, d)), np.empty((d, d))
    half, p, trial, best, terms = np.empty(d), np.empty(d), np.empty(d), theta.copy(), np.empty(d)
    value, scale = evaluate(likelihood, bias, theta, work, gradient, H)
    best_value, best_worst, idle = value, math.inf, 0
    result[0], result[1] = value, math.inf
    if not math.isfinite(value):
        return
    for _ in range(MOST_STEPS):
        terms_of_gradient(likelihood, bias, theta, work, terms)
        worst = worst_component(gradient, terms)
        if worst < 0.5 * best_worst or best_worst > TOLERANCE:
            idle = 0
        else:
            idle += 1
        if worst < best_worst or best_worst > TOLERANCE:
            assign(best, theta)
            best_value, best_worst = value, worst
        if best_worst <= AIM or idle >= 2:
            break
        if not invert_root(H, R):
            break
        promise = apply_root(R, gradient, half)
        apply_transposed(R, half, p)
        for j in range(d):
            trial[j] = theta[j] + p[j]
        slack = VALUE_ROUNDING * scale
        new, new_scale = evaluate(likelihood, bias, trial, work, gradient, H)
        if not (new >= value + LEAST_GAIN * promise - slack and new < math.inf):
            tau = step_length(likelihood, bias, theta, p, work)
            for j in range(d):
                trial[j] = theta[j] + tau * p[j]
            new, new_scale = evaluate(likelihood, bias, trial, work, gradient, H)
            if not (new >= value - slack and new < math.inf):
                break
        assign(theta, trial)
        value, scale = new, new_scale
    assign(theta, best)
    result[0], result[1] = best_value, best_worst


def maximise_body(likelihood: Any, bias: FloatArray, theta: FloatArray, work: FloatArray, result: FloatArray) -> None:
    """`newton` from θ; where that fails, along a path of falling regularisation.

    With extreme contexts g is nearly piecewise linear, and Newton's method creeps from kink to kink. The solution for
    a larger λ is smoother and, scaled, close to that for a smaller one.
    """
    for stage in range(-1, PATH + 1):
        factor = 1.0 if stage < 0 else 4.0 ** (PATH - stage)
        if stage == 0:
            theta[:] = 0.0
        newton(weighed(likelihood, likelihood.lam * factor), bias, theta, work, result)
        if factor == 1.0 and result[1] <= TOLERANCE:
            return


maximise_at = at_address(MAXIMISE_SIGNATURE)


@compiled
def maximise(likelihood: Any, bias: FloatArray, theta: FloatArray, work: FloatArray) -> tuple[bool, float, float]:
    """`maximise_body` called by address: whether it worked, the value, and the relative gradient."""
    result = np.empty(2)
    maximise_at(likelihood.link.functions[MAXIMISE])(likelihood, bias, theta, work, result)
    return result[1] <= TOLERANCE, result[0], result[1]


@compiled
def estimate(problem: Any, theta: FloatArray, work: FloatArray) -> tuple[bool, float]:
    """θ̂ of a plain tuple, from the start θ: whether it was reached, and the relative gradient."""
    good, _, worst = maximise(named(problem), np.zeros(len(theta)), theta, work)
    return good, worst


@compiled
def curvature(problem: Any, theta: FloatArray, work: FloatArray, H: FloatArray) -> None:
    """H of a plain tuple at θ, both triangles."""
    d = len(theta)
    evaluate(named(problem), np.zeros(d), theta, work, np.empty(d), H)
    for i in range(d):
        for j in range(i):
            H[j, i] = H[i, j]
