"""UCB-GLM: the maximum-likelihood estimate without regularisation, whether it exists, and the index.

store      (XT, counts, sums, table) as in kernels.glm.rows; `rows` of it in use
link       (code, limit, functions) as in kernels.glm.link
concordance  c of kernels.glm.prune.bounds, -1 where the family has none
lam        λ of V = λI + Σ x xᵀ
fallback   λ of the estimate while the one without does not exist
chi        the weight of the width
"""

import math
from typing import Any

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.newton import apply_root, apply_transposed, curvature_of, evaluate, invert_root, maximise
from rbmle.kernels.glm.prune.bounds import widest_row
from rbmle.kernels.glm.rows import add, padded
from rbmle.kernels.normal import first_max
from rbmle.types import FloatArray, IntArray

# λ of V while the maximum-likelihood estimate does not exist, where V has none of its own.
FALLBACK = 1.0
# A pivot of a factorisation below this share of its diagonal is rounding: the matrix is singular.
SINGULAR = 1e-12
# Rounding of the gradient, relative to the number of observations.
ROUNDING = 1e-15
MOST_STEPS = 100


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
def likeliest(problem: Any, concordance: float, total: float, theta: FloatArray, work: FloatArray) -> bool:
    """θ ← the maximum-likelihood estimate, from the start θ = 0. False where it does not exist.

    Damped Newton steps lead to it if it exists. A point with ρδ < 1 (prune.bounds) certifies that it does, and
    there is none where data are separable or do not span the space. `total` counts the observations.
    """
    d = len(theta)
    nothing, gradient, half, step = np.zeros(d), np.empty(d), np.empty(d), np.empty(d)
    H, R = np.empty((d, d)), np.empty((d, d))
    theta[:] = 0.0
    if concordance < 0.0:
        good, _, _ = maximise(problem, nothing, theta, work)
        evaluate(problem, nothing, theta, work, gradient, H)
        return good and regular(H, R)
    for _ in range(MOST_STEPS):
        value, _ = evaluate(problem, nothing, theta, work, gradient, H)
        if not (math.isfinite(value) and regular(H, R)):
            return False
        square = apply_root(R, gradient, half)
        apply_transposed(R, half, step)
        rho = concordance * widest_row(problem[0], problem[1], R, work)
        doubt = ROUNDING * total * rho * rho
        reach = rho * math.sqrt(square)
        if not doubt < 0.1:
            return False
        if reach + doubt < 0.5:
            good, _, _ = maximise(problem, nothing, theta, work)
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
def decide(
    store: Any,
    rows: int,
    link: Any,
    concordance: float,
    lam: float,
    fallback: float,
    chi: float,
    X: FloatArray,
    theta: FloatArray,
    warm: bool,
    scores: FloatArray,
    work: FloatArray,
) -> int:
    """Scores x_aᵀθ̂ + χ‖x_a‖_{V⁻¹}, and θ̂. Returns 1 with the estimate as defined, 0 with the fallback, -1 without.

    warm: θ is the estimate of a round before. Then one exists still, and is not far.
    """
    XT, counts, sums, _ = store
    code, limit, functions = link
    d, n = len(theta), padded(rows)
    V, R, half = np.empty((d, d)), np.empty((d, d)), np.empty(d)
    kind = 0
    if rows > 0:
        plain = (XT, n, counts, sums, 0.0, code, limit, functions)
        found = False
        if warm:
            found, _, _ = maximise(plain, np.zeros(d), theta, work)
        if not found:
            found = likeliest(plain, concordance, counts[:n].sum(), theta, work)
        if found and root_of_design(XT, n, counts, lam, V, R, work):
            kind = 1
    if kind == 0:
        theta[:] = 0.0
        problem = (XT, n, counts, sums, fallback, code, limit, functions)
        good, _, _ = maximise(problem, np.zeros(d), theta, work)
        if not (good and root_of_design(XT, n, counts, lam if lam > 0.0 else FALLBACK, V, R, work)):
            kind = -1
    for a in range(len(X)):
        score = 0.0
        for j in range(d):
            score += X[a, j] * theta[j]
        scores[a] = score + chi * math.sqrt(apply_root(R, X[a], half))
    return kind


@compiled
def play(
    store: Any,
    rows: int,
    link: Any,
    concordance: float,
    lam: float,
    fallback: float,
    chi: float,
    X: FloatArray,
    rewards: FloatArray,
    explore: IntArray,
    arms: IntArray,
) -> tuple[int, int]:
    """Choose and learn in every round; `explore` (B,) holds arms to play at random, -1 where the index decides.

    Contexts X (B, K, d), or (1, K, d) where the arms stay. Returns how many rounds went well and the rows then.
    """
    XT, counts, sums, table = store
    theta, scores, work = np.empty(X.shape[2]), np.empty(X.shape[1]), np.empty((5, len(counts)))
    kind = 0
    for t in range(len(rewards)):
        now = X[t if len(X) > 1 else 0]
        arm = explore[t]
        if arm < 0:
            kind = decide(store, rows, link, concordance, lam, fallback, chi, now, theta, kind == 1, scores, work)
            if kind < 0:
                return t, rows
            arm = first_max(scores)
        rows = max(rows, add(XT, counts, sums, table, rows, now[arm], 1.0, rewards[t, arm]) + 1)
        arms[t] = arm
    return len(rewards), rows
