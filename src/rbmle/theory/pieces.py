"""What both theorems are made of, a function for each symbol of the paper (before Theorems 2 and 3)."""

import math

import numpy as np

from rbmle import schedules
from rbmle.errors import InvalidInputError
from rbmle.params import ScheduleLike
from rbmle.types import FloatArray

LARGEST_ROUND = 1e300
"""T₀ beyond this is reported as infinite: no run gets there, and powers of it would overflow."""


def G0(t: FloatArray, delta: float, *, d: int, lam: float, sigma: float) -> FloatArray:
    """σ √(d log((λ+t)/(λδ))) + √λ: radius of the confidence ellipsoid of the ridge estimate (before Theorem 2)."""
    width: FloatArray = np.sqrt(d * np.log((lam + t) / (lam * delta)))
    return sigma * width + math.sqrt(lam)


def G1(t: FloatArray, *, d: int, lam: float) -> FloatArray:
    """√(2d log((λ+t)/d)) as printed, meant to bound the root of the sum of all variances. Needs λ + t ≥ d."""
    if np.any(lam + t < d):
        raise InvalidInputError(
            f"horizon must be at least {math.ceil(d - lam)} here, because the printed G1(t) = √(2d log((λ+t)/d)) needs "
            f"λ + t ≥ d. Got {float(np.min(t)):g} with d = {d} and λ = {lam:g}. potential='determinant' has no limit."
        )
    root: FloatArray = np.sqrt(2 * d * np.log((lam + t) / d))
    return root


def G1_determinant(t: FloatArray, *, d: int, lam: float) -> FloatArray:
    """√(2d log(1 + t/(dλ))): what the lemma cited for G₁ gives (Abbasi-Yadkori et al. 2011, Lemma 11), for every t.

    The printed G₁ has (λ+t)/d where this has (dλ+t)/(dλ). At λ = 1 and d > 1 the printed one is the smaller of the two,
    visibly so while t is not much larger than d, and false there: one context per direction has a sum of d after d
    rounds, where the printed G₁² is 2d log(1 + 1/d), about 2.
    """
    root: FloatArray = np.sqrt(2 * d * np.log1p(t / (d * lam)))
    return root


def G2(t: FloatArray, delta: float, *, d: int, sigma: float, kappa_mu: float) -> FloatArray:
    """(σ/κ_μ) √(d/2 log(1+2t/d) + log(1/δ)) as printed before Theorem 3: radius of the GLM estimate's confidence set.

    Taken from an estimate without regularisation (Li, Lu & Zhou 2017); `G2_proved` says what holds for θ̂ with λ.
    """
    width: FloatArray = np.sqrt(d / 2 * np.log1p(2 * t / d) + math.log(1 / delta))
    return sigma / kappa_mu * width


def G2_proved(
    t: FloatArray, delta: float, *, d: int, lam: float, sigma: float, kappa_mu: float, theta_norm: float
) -> FloatArray:
    """(σ √(d log(1 + t/(dλ)) + 2 log(1/δ)) + √λ ‖θ*‖) / κ_μ: the radius that can be proved where κ_μ ≤ 1.

    θ̂ solves g(θ̂) = Σ r_s x_s with g(θ) = Σ μ(x_sᵀθ) x_s + λθ, so g(θ̂) − g(θ*) = Σ ε_s x_s − λθ*, while the slope of g
    is at least κ_μ V. Hence ‖θ̂ − θ*‖_V ≤ (‖Σ ε_s x_s‖_{V⁻¹} + √λ ‖θ*‖) / κ_μ, and the first norm is bounded for all t
    at once with probability 1 − δ (Abbasi-Yadkori et al. 2011, Theorem 1). The printed radius lacks the term of λ and
    the 2: with a single context and Gaussian rewards, θ* lies outside of it with a probability of about √δ.
    """
    noise: FloatArray = np.sqrt(d * np.log1p(t / (d * lam)) + 2 * math.log(1 / delta))
    return (sigma * noise + math.sqrt(lam) * theta_norm) / kappa_mu


def T0(boost: ScheduleLike, *, L_mu: float, kappa_mu: float) -> int | float:
    """min{t : L_μ³ / (2 κ_μ² η(t)) < ½}, the rounds in which Theorem 3 promises nothing; infinite beyond 1e300.

    Found by doubling and bisection, for η grows. With η(t) = 1 + log t it is about exp(L_μ³/κ_μ² − 1).
    """

    def reached(t: int) -> bool:
        eta = float(schedules.evaluate(boost, np.array([float(t)]), "boost")[0])
        if eta <= 0:
            raise InvalidInputError(f"boost must be positive in every round, but is {eta:g} at t = {t:g}.")
        return L_mu**3 / (2 * kappa_mu**2 * eta) < 0.5

    last_miss, first_hit = 0, 1
    while not reached(first_hit):
        last_miss, first_hit = first_hit, 2 * first_hit
        if first_hit > LARGEST_ROUND:
            return math.inf
    while first_hit - last_miss > 1:
        middle = (last_miss + first_hit) // 2
        if reached(middle):
            first_hit = middle
        else:
            last_miss = middle
    return first_hit


def C1(L_mu: float, kappa_mu: float) -> float:
    """2 L_μ⁴/κ_μ⁴ + 1/κ_μ²."""
    return 2 * L_mu**4 / kappa_mu**4 + 1 / kappa_mu**2


def C2(L_mu: float, kappa_mu: float) -> float:
    """2 L_μ³/κ_μ² + L_μ/κ_μ."""
    return 2 * L_mu**3 / kappa_mu**2 + L_mu / kappa_mu


def C3(L_mu: float) -> float:
    """L_μ²/2."""
    return L_mu**2 / 2
