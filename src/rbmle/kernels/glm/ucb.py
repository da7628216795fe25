"""UCB-GLM: the maximum-likelihood estimate without regularisation, whether it exists, and the index."""

import math
from typing import Any, NamedTuple

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.named import History, Link, likelihood_of
from rbmle.kernels.glm.newton import curvature_of, evaluate, maximise
from rbmle.kernels.glm.prune.bounds import widest_row
from rbmle.kernels.glm.root import apply_root, apply_transposed, invert_root
from rbmle.kernels.glm.rows import ROWS, add
from rbmle.kernels.normal import first_max
from rbmle.types import FloatArray, IntArray

# λ of V while the maximum-likelihood estimate does not exist, where V has none of its own.
FALLBACK = 1.0
# A pivot of a factorisation below this share of its diagonal is rounding: the matrix is singular.
SINGULAR = 1e-12
# Rounding of the gradient, relative to the number of observations.
ROUNDING = 1e-15
MOST_STEPS = 100
# A point certifies that the estimate exists where u = ρδ < 1. Half of that leaves Newton's method little to do; with
# more doubt than MOST_DOUBT, by rounding, it would be no certificate.
CERTAIN, MOST_DOUBT = 0.5, 0.1


class Optimism(NamedTuple):
    """The numbers of the index."""

    concordance: float  # c of kernels.glm.prune.bounds, -1 where the family has none
    lam: float  # λ of V = λI + Σ x xᵀ
    fallback: float  # λ of the estimate while the one without does not exist
    chi: float  # the weight of the width


@compiled
def regular(H: FloatArray, R: FloatArray) -> bool:
    """R with RᵀR = H⁻¹ as `invert_root`; False where H is singular up to rounding."""
    if not invert_root(H, R):
        return False
    worst = 0.0
    for j in range(len(H)):
        worst = max(worst, H[j, j] * R[j, j] * R[j, j])
    return worst < 1.0 / SINGULAR


@compiled
def likeliest(likelihood: Any, concordance: float, total: float, theta: FloatArray, work: FloatArray) -> bool:
    """θ ← the maximum-likelihood estimate, from the start θ = 0. False where it does not exist.

    Damped Newton steps lead to it if it exists. A point with ρδ < 1 (prune.bounds) certifies that it does, and
    there is none where data are separable or do not span the space. `total` counts the observations.
    """
    d = len(theta)
    nothing, gradient, half, step = np.zeros(d), np.empty(d), np.empty(d), np.empty(d)
    H, R = np.empty((d, d)), np.empty((d, d))
    theta[:] = 0.0
    if concordance < 0.0:
        good, _, _ = maximise(likelihood, nothing, theta, work)
        evaluate(likelihood, nothing, theta, work, gradient, H)
        return good and regular(H, R)
    for _ in range(MOST_STEPS):
        value, _ = evaluate(likelihood, nothing, theta, work, gradient, H)
        if not (math.isfinite(value) and regular(H, R)):
            return False
        square = apply_root(R, gradient, half)
        apply_transposed(R, half, step)
        rho = concordance * widest_row(likelihood.XT, likelihood.n, R, work)
        doubt = ROUNDING * total * rho * rho
        reach = rho * math.sqrt(square)
        if not doubt < MOST_DOUBT:
            return False
        if reach + doubt < CERTAIN:
            good, _, _ = maximise(likelihood, nothing, theta, work)
            return good
        length = math.log1p(reach) / reach
        for j in range(d):
            theta[j] += length * step[j]
    return False


@compiled
def root_of_design(
    XT: FloatArray, n: int, counts: FloatArray, lam: float, V: FloatArray, R: FloatArray, work: FloatArray
) -> bool:
    """R with RᵀR = V⁻¹, V = λI + Σ x xᵀ; False where V is singular."""
    for i in range(n):
        work[2, i] = 1.0
    curvature_of(XT, n, counts, work, V)
    for j in range(len(V)):
        V[j, j] += lam
    return regular(V, R)


@compiled
def decide(history: Any, link: Any, rule: Any, X: FloatArray, theta: FloatArray, warm: bool, scores: FloatArray) -> int:
    """Scores x_aᵀθ̂ + χ‖x_a‖_{V⁻¹}, and θ̂. Returns 1 with the estimate as defined, 0 with the fallback, -1 without.

    warm: θ is the estimate of a round before. Then one exists still, and is not far.
    """
    d, lam, work = len(theta), rule.lam, np.empty((5, len(history.counts)))
    V, R, half = np.empty((d, d)), np.empty((d, d)), np.empty(d)
    plain = likelihood_of(history, 0.0, link)
    XT, n, counts = plain.XT, plain.n, plain.counts
    kind = 0
    if history.totals[ROWS] > 0.0:
        found = False
        if warm:
            found, _, _ = maximise(plain, np.zeros(d), theta, work)
        if not found:
            found = likeliest(plain, rule.concordance, counts[:n].sum(), theta, work)
        if found and root_of_design(XT, n, counts, lam, V, R, work):
            kind = 1
    if kind == 0:
        theta[:] = 0.0
        good, _, _ = maximise(likelihood_of(history, rule.fallback, link), np.zeros(d), theta, work)
        if not (good and root_of_design(XT, n, counts, lam if lam > 0.0 else FALLBACK, V, R, work)):
            kind = -1
    for a in range(len(X)):
        score = 0.0
        for j in range(d):
            score += X[a, j] * theta[j]
        scores[a] = score + rule.chi * math.sqrt(apply_root(R, X[a], half))
    return kind


@compiled
def score_all(history: Any, link: Any, rule: Any, X: FloatArray, scores: FloatArray) -> int:
    """`decide` for plain tuples: a single decision."""
    return decide(History(*history), Link(*link), Optimism(*rule), X, np.empty(X.shape[1]), False, scores)


@compiled
def play(
    history: Any, link: Any, rule: Any, X: FloatArray, rewards: FloatArray, explore: IntArray, arms: IntArray
) -> int:
    """Choose and learn in every round; `explore` (B,) holds arms to play at random, -1 where the index decides.

    Plain tuples; contexts X (B, K, d), or (1, K, d) where the arms stay. Returns how many rounds went well.
    """
    history, link, rule = History(*history), Link(*link), Optimism(*rule)
    theta, scores = np.empty(X.shape[2]), np.empty(X.shape[1])
    kind = 0
    for t in range(len(rewards)):
        now = X[t if len(X) > 1 else 0]
        arm = explore[t]
        if arm < 0:
            kind = decide(history, link, rule, now, theta, kind == 1, scores)
            if kind < 0:
                return t
            arm = first_max(scores)
        if not add(history, now[arm], rewards[t, arm]):
            return t
        arms[t] = arm
    return len(rewards)
