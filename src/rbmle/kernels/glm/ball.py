"""The likeliest θ in a ball: θ̂ = argmin L(θ) + ½λ‖θ‖² over ‖θ‖ ≤ S, λ ≥ 0.

On the sphere θ̂ is the ridge estimate θ(λ̄) of the one λ̄ > λ with ‖θ(λ̄)‖ = S. That exists whatever the data, separable
ones and those that do not span the space included; inside of the ball it is θ(λ), where λ = 0 is 0 up to FAINT, which
picks the shortest of many.
"""

import math
from typing import Any

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.named import weighed
from rbmle.kernels.glm.newton import evaluate, maximise
from rbmle.kernels.glm.root import apply_root, invert_root
from rbmle.types import FloatArray

# λ that stands for none, relative to the largest curvature that rows can have.
FAINT = 1e-12
# How close ‖θ‖ comes to S on the sphere.
ROUNDNESS = 1e-12
MOST_STEPS = 100


@compiled
def length_of(theta: FloatArray) -> float:
    """‖θ‖."""
    square = 0.0
    for j in range(len(theta)):
        square += theta[j] * theta[j]
    return math.sqrt(square)


@compiled
def likeliest_within(plain: Any, ridge: float, S: float, theta: FloatArray, work: FloatArray) -> tuple[bool, float]:
    """θ ← θ̂ over the ball for λ = ridge, from the start θ = 0, and L(θ̂). plain: the likelihood, its own λ unused.

    1/‖θ(λ)‖ is nearly linear in λ (Moré & Sorensen 1983): Newton's method for it, inside of an interval that shrinks.
    On the sphere λ S² = −θᵀ∇L(θ) ≤ −θᵀ∇L(0), so that ‖∇L(0)‖/S is an upper end.
    """
    d = len(theta)
    nothing, gradient, half = np.zeros(d), np.empty(d), np.empty(d)
    H, R = np.empty((d, d)), np.empty((d, d))
    theta[:] = 0.0
    value, _ = evaluate(weighed(plain, 0.0), nothing, theta, work, gradient, H)
    trace = 0.0
    for j in range(d):
        trace += H[j, j]
    low = max(ridge, FAINT * (1.0 + trace))
    lam, high = low, length_of(gradient) / S
    good, _, _ = maximise(weighed(plain, lam), nothing, theta, work)
    if not (good and length_of(theta) <= S):
        for _ in range(MOST_STEPS):
            if good:
                length = length_of(theta)
                if math.fabs(length - S) <= ROUNDNESS * S or high - low <= ROUNDNESS * high:
                    break
                if length > S:
                    low = lam
                else:
                    high = lam
                evaluate(weighed(plain, lam), nothing, theta, work, gradient, H)
                if not invert_root(H, R):
                    return False, value
                lam += length * length * (length / S - 1.0) / apply_root(R, theta, half)
            else:  # too little λ for Newton's method
                low = lam
                theta[:] = 0.0
            if not low < lam < high:
                lam = math.sqrt(low * high)
            good, _, _ = maximise(weighed(plain, lam), nothing, theta, work)
        length = length_of(theta)
        if length > S:
            for j in range(d):
                theta[j] *= S / length
    value, _ = evaluate(weighed(plain, 0.0), nothing, theta, work, gradient, H)
    return good and math.isfinite(value), -value
