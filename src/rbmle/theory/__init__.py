"""The regret bounds of the paper: Theorem 2 (LinRBMLE) and Theorem 3 (GLM-RBMLE), as pure functions of the horizon.

=========  ====================================================================================
symbol     meaning
=========  ====================================================================================
T, t       horizon, round; wherever a horizon is taken an array of horizons gives the curve
d, λ       dimension of the contexts, regularisation (the theorems assume λ ≥ 1, ‖x‖ ≤ 1, ‖θ*‖ ≤ 1)
δ, σ       the bound may fail with probability δ; the noise is σ-sub-Gaussian
α(t), η(t) bias and boost of the index
L_μ, κ_μ   largest and smallest slope of the link μ
=========  ====================================================================================

Two functions that the theorems are made of do not hold as they are printed:

- G₁ bounds √(Σ variances). The printed √(2d log((λ+t)/d)) is too small while t is not much larger than d (at λ + t = d
  it is 0). The lemma it is taken from gives √(2d log(1 + t/(dλ))).
- G₂ is the radius of the GLM's confidence set. The printed one comes from an estimate without regularisation: it lacks
  √λ ‖θ*‖ / κ_μ, and its square is half of what the self-normalised bound gives.

The bounds here use what can be proved; `potential="printed"` and `radius="printed"` give the paper's own numbers.

>>> round(linear_bound(30000, n_features=3, delta=0.1))
22813
>>> [round(value) for value in linear_bound([100, 10000], n_features=3)]
[649, 11926]
>>> round(linear_bound(50, n_features=51, noise_scale=0.01))
325
>>> round(linear_bound(50, n_features=51, noise_scale=0.01, potential="printed"), 2)  # some problems cost 14
8.85
"""

from rbmle.theory.bounds import GLMBound, LinearBound, glm_bound, linear_bound
from rbmle.theory.pieces import C1, C2, C3, G0, G1, G2, T0, G1_determinant, G2_proved
from rbmle.theory.sums import EXACT_ROUNDS

__all__ = [
    "C1",
    "C2",
    "C3",
    "EXACT_ROUNDS",
    "G0",
    "G1",
    "G2",
    "T0",
    "G1_determinant",
    "G2_proved",
    "GLMBound",
    "LinearBound",
    "glm_bound",
    "linear_bound",
]
