"""ECOLog: logistic rewards learnt one at a time, each by one equation in one number; no history.

W       (d, d)  λI + Σ μ'(x_sᵀθ_{s+1}) x_s x_sᵀ
W_inv   (d, d)  its inverse
theta   (d,)    θ, with ‖θ‖ ≤ S
totals  (4,)    rewards learnt, and sums over them: ℓ(θ̄) − ℓ(θ), ‖θ − θ̄‖_W, and how often curvatures were too different
link            the logistic one, (code, limit, functions)
"""

import math
from typing import Any, NamedTuple

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.link import log1p_unit
from rbmle.kernels.glm.root import invert_root
from rbmle.kernels.glm.scalar import plain_mean, solve
from rbmle.kernels.normal import first_max
from rbmle.types import FloatArray, IntArray

REWARDS, LOSSES, DISTANCES, FAILED = 0, 1, 2, 3
# After so many rewards W⁻¹ is computed anew from W, so that rounding does not pile up.
RENEW = 1024
# The multiplier of the ball: steps at most, and how exactly ‖ϑ‖ = S, relative to S.
MOST_STEPS, ON_THE_BALL = 200, 1e-13


class Eco(NamedTuple):
    """The arrays of a model, and S."""

    W: FloatArray
    W_inv: FloatArray
    theta: FloatArray
    totals: FloatArray
    S: float
    link: Any


@compiled
def loss(z: float, r: float) -> float:
    """−r log μ(z) − (1−r) log(1−μ(z)) = log(1 + eᶻ) − rz."""
    return (z if z > 0.0 else 0.0) + log1p_unit(math.exp(-math.fabs(z))) - r * z


@compiled
def inverse_from(W: FloatArray, nu: float, inverse: FloatArray) -> bool:
    """inverse ← (W + νI)⁻¹, symmetric to the bit; False where rounding leaves no factor."""
    d = len(W)
    H, R = W.copy(), np.empty((d, d))
    for j in range(d):
        H[j, j] += nu
    if not invert_root(H, R):
        return False
    for i in range(d):
        for j in range(i + 1):
            total = 0.0
            for k in range(i, d):
                total += R[k, i] * R[k, j]
            inverse[i, j] = inverse[j, i] = total
    return True


@compiled
def along(
    inverse: FloatArray, x: FloatArray, start: FloatArray, r: float, weight: float, link: Any, out: FloatArray
) -> bool:
    """out ← start + τ u with u = (W + νI)⁻¹x and τ = weight · (r − μ(xᵀout)): the minimiser for a multiplier ν."""
    d = len(x)
    u = np.empty(d)
    score = width = 0.0
    for i in range(d):
        u[i] = 0.0
        for j in range(d):
            u[i] += inverse[i, j] * x[j]
        width += x[i] * u[i]
        score += x[i] * start[i]
    tau, _, good = solve(score, weight * width, r, link)
    for i in range(d):
        out[i] = start[i] + weight * tau * u[i]
    return good


@compiled
def norm(v: FloatArray) -> float:
    """‖v‖."""
    total = 0.0
    for i in range(len(v)):
        total += v[i] * v[i]
    return math.sqrt(total)


@compiled
def nearest(eco: Any, theta: FloatArray, x: FloatArray, r: float, weight: float, out: FloatArray) -> bool:
    """out ← argmin ½‖ϑ−θ‖²_W + weight · ℓ(xᵀϑ, r) over ‖ϑ‖ ≤ S.

    Inside the ball it lies on the ray θ + τ W⁻¹x. Otherwise a multiplier ν > 0 of ½(‖ϑ‖² − S²) has W + νI in the place
    of W and (W + νI)⁻¹Wθ in that of θ, and is sought where 1/‖ϑ(ν)‖, which grows almost in a line, is 1/S.
    """
    if not along(eco.W_inv, x, theta, r, weight, eco.link, out):
        return False
    length = norm(out)
    if length <= eco.S:
        return True
    d = len(x)
    inverse, start, pulled = np.empty((d, d)), np.empty(d), np.empty(d)
    for i in range(d):
        pulled[i] = 0.0
        for j in range(d):
            pulled[i] += eco.W[i, j] * theta[j]
    low, high, below = 0.0, math.inf, 1.0 / length
    nu = eco.W[0, 0] * (length / eco.S - 1.0)
    for _ in range(MOST_STEPS):
        if not inverse_from(eco.W, nu, inverse):
            return False
        for i in range(d):
            start[i] = 0.0
            for j in range(d):
                start[i] += inverse[i, j] * pulled[j]
        if not along(inverse, x, start, r, weight, eco.link, out):
            return False
        length = norm(out)
        if math.fabs(length - eco.S) <= ON_THE_BALL * eco.S:
            return True
        if length > eco.S:
            slope = (1.0 / length - below) / (nu - low)
            low, below = nu, 1.0 / length
        else:
            slope = (1.0 / length - below) / (nu - low) if length > 0.0 else math.inf
            high = nu
        new = low + (1.0 / eco.S - below) / slope
        if not low < new < high:
            new = 0.5 * (low + high) if high < math.inf else 4.0 * nu
            if not low < new < high:  # neighbouring numbers
                return True
        nu = new
    return False


@compiled
def learn(eco: Any, x: FloatArray, r: float) -> bool:
    """θ ← argmin ½‖ϑ−θ‖²_W + ℓ(xᵀϑ, r), W ← W + μ'(xᵀθ) x xᵀ, and the sums; False, nothing changed, where it fails.

    θ̄ is the same from the new θ with both labels at once, ℓ(·, 0) + ℓ(·, 1) = 2ℓ(·, ½): how much r could have moved it.
    """
    d, totals = len(x), eco.totals
    new, bar, u = np.empty(d), np.empty(d), np.empty(d)
    if not (nearest(eco, eco.theta, x, r, 1.0, new) and nearest(eco, new, x, 0.5, 2.0, bar)):
        return False
    z = z_bar = width = distance = 0.0
    for i in range(d):
        z += x[i] * new[i]
        z_bar += x[i] * bar[i]
        u[i] = step = 0.0
        for j in range(d):
            u[i] += eco.W_inv[i, j] * x[j]
            step += eco.W[i, j] * (new[j] - bar[j])
        width += x[i] * u[i]
        distance += step * (new[i] - bar[i])
    code, _, functions = eco.link
    _, slope = plain_mean(code, functions, z)
    _, slope_bar = plain_mean(code, functions, z_bar)
    lost, gain = loss(z_bar, r) - loss(z, r), slope / (1.0 + slope * width)
    if not (math.isfinite(lost) and math.isfinite(gain) and distance < math.inf and width >= 0.0):
        return False
    for i in range(d):
        eco.theta[i] = new[i]
        for j in range(d):
            eco.W[i, j] += slope * x[i] * x[j]
            eco.W_inv[i, j] -= gain * (u[i] * u[j])
    totals[REWARDS] += 1.0
    totals[LOSSES] += lost
    totals[DISTANCES] += math.sqrt(max(distance, 0.0))
    totals[FAILED] += 1.0 if slope_bar > 2.0 * slope else 0.0
    if int(totals[REWARDS]) % RENEW == 0:
        inverse_from(eco.W, 0.0, eco.W_inv)  # where rounding leaves no factor the followed inverse stays
    return True


@compiled
def observe_many(plain: Any, X: FloatArray, rewards: FloatArray) -> int:
    """Learn rewards one after the other, for a plain tuple; how many were learnt before one was refused."""
    eco = Eco(*plain)
    for s in range(len(rewards)):
        if not learn(eco, X[s], rewards[s]):
            return s
    return len(rewards)


@compiled
def score(eco: Any, terms: FloatArray, X: FloatArray, scores: FloatArray) -> None:
    """μ(x_aᵀθ) + ρ‖x_a‖_{W⁻¹}, ρ² = terms[0] + terms[1] Σ(ℓ(θ̄) − ℓ(θ)) + terms[2] Σ‖θ − θ̄‖_W."""
    code, _, functions = eco.link
    square = terms[0] + terms[1] * eco.totals[LOSSES] + terms[2] * eco.totals[DISTANCES]
    rho = math.sqrt(max(square, 0.0))
    for a in range(len(X)):
        z = width = 0.0
        for i in range(X.shape[1]):
            u = 0.0
            for j in range(X.shape[1]):
                u += eco.W_inv[i, j] * X[a, j]
            z += X[a, i] * eco.theta[i]
            width += X[a, i] * u
        mu, _ = plain_mean(code, functions, z)
        scores[a] = mu + rho * math.sqrt(max(width, 0.0))


@compiled
def score_all(plain: Any, terms: FloatArray, X: FloatArray, scores: FloatArray) -> None:
    """`score` for a plain tuple: a single decision."""
    score(Eco(*plain), terms, X, scores)


@compiled
def play(plain: Any, terms: FloatArray, X: FloatArray, rewards: FloatArray, arms: IntArray) -> int:
    """Choose and learn in every round: contexts (B, K, d), or (1, K, d) where arms stay, rewards (B, K), terms (B, 3).

    Returns how many rounds went well.
    """
    eco, scores = Eco(*plain), np.empty(X.shape[1])
    for t in range(len(rewards)):
        now = X[t if len(X) > 1 else 0]
        score(eco, terms[t], now, scores)
        arm = first_max(scores)
        if not learn(eco, now[arm], rewards[t, arm]):
            return t
        arms[t] = arm
    return len(rewards)
