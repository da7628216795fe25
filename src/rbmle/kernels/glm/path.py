"""The path of a likelihood towards an arm: φ(s) = max_θ −L(θ) − ½λ‖θ‖² + s θᵀx, the one function behind biased indices.

GLM-RBMLE's index is φ(α) + (η−1) α φ'(α), and a likelihood-ratio bound is the least (φ(s) − φ(0) + β²)/s.

θ̄(s)       (d,)    the maximiser: φ'(s) = θ̄(s)ᵀx and φ''(s) = xᵀH(θ̄)⁻¹x
theta_hat  (d,)    θ̄(0)
R          (d, d)  RᵀR = H(θ̂)⁻¹
"""

from typing import Any

import numpy as np

from rbmle.kernels.assign import assign
from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.named import named
from rbmle.kernels.glm.newton import evaluate, maximise
from rbmle.kernels.glm.root import apply_root, apply_transposed, invert_root
from rbmle.types import FloatArray


@compiled
def centre(likelihood: Any, theta: FloatArray, R: FloatArray, work: FloatArray) -> bool:
    """θ̂ from the start θ = 0, and R with RᵀR = H(θ̂)⁻¹."""
    d = len(theta)
    bias, gradient, H = np.zeros(d), np.empty(d), np.empty((d, d))
    theta[:] = 0.0
    good, _, _ = maximise(likelihood, bias, theta, work)
    evaluate(likelihood, bias, theta, work, gradient, H)
    return invert_root(H, R) and good


@compiled
def follow(
    likelihood: Any,
    s: float,
    theta_hat: FloatArray,
    R: FloatArray,
    x: FloatArray,
    theta: FloatArray,
    work: FloatArray,
) -> tuple[bool, float]:
    """θ ← θ̄(s), from the Newton step θ̂ + s H⁻¹x (or from θ̂ where that overshoots); whether it worked, and φ(s)."""
    d = len(x)
    bias, half = np.empty(d), np.empty(d)
    for j in range(d):
        bias[j] = s * x[j]
    apply_root(R, bias, half)
    apply_transposed(R, half, theta)
    for j in range(d):
        theta[j] += theta_hat[j]
    good, value, _ = maximise(likelihood, bias, theta, work)
    if not good:
        assign(theta, theta_hat)
        good, value, _ = maximise(likelihood, bias, theta, work)
    return good, value


@compiled
def look_along(problem: Any, x: FloatArray, places: FloatArray, found: FloatArray, work: FloatArray) -> bool:
    """φ, φ' and φ'' of a plain tuple at every s of `places` (P,), into `found` (P, 3). False where one is unsolved."""
    likelihood, d = named(problem), len(x)
    theta_hat, theta, half = np.empty(d), np.empty(d), np.empty(d)
    R, here, H = np.empty((d, d)), np.empty((d, d)), np.empty((d, d))
    if not centre(likelihood, theta_hat, R, work):
        return False
    for p in range(len(places)):
        good, found[p, 0] = follow(likelihood, places[p], theta_hat, R, x, theta, work)
        evaluate(likelihood, x, theta, work, half, H)
        if not (good and invert_root(H, here)):
            return False
        found[p, 1] = 0.0
        for j in range(d):
            found[p, 1] += theta[j] * x[j]
        found[p, 2] = apply_root(here, x, half)
    return True
