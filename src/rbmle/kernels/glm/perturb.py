"""Randomised decisions of generalized linear models: θ̃ near θ̂, drawn or the maximiser of a perturbed likelihood.

    θ̂ maximises ℓ(θ) − ½λ‖θ‖², H its curvature there, RᵀR = H⁻¹ (kernels.glm.root), z (d,) standard normal

    POSTERIOR   θ̃ = θ̂ + a Rᵀz,                               so that θ̃ ~ N(θ̂, a² H⁻¹)
    RESPONSES   θ̃ maximises ℓ(θ) − ½λ‖θ‖² + wᵀθ,  w = C z,    C Cᵀ = a² Σ x xᵀ + b² I
    LOSS        the same,                                      C Cᵀ = a² H

With a normal number for every observation, w = a Σ z_s x_s is normal with covariance a² Σ x_s x_sᵀ: so is C z, with d
numbers however many observations there are. Likewise a (√λ z₀ + Σ √μ'(x_sᵀθ̂) z_s x_s) has the covariance a² H.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from rbmle.kernels.assign import assign
from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.greedy import scores_of
from rbmle.kernels.glm.named import History, Link, likelihood_of, named
from rbmle.kernels.glm.newton import curvature_of, evaluate, maximise
from rbmle.kernels.glm.online import Window, learn
from rbmle.kernels.glm.root import apply_root, apply_transposed, invert_root
from rbmle.kernels.glm.rows import add
from rbmle.kernels.normal import first_max
from rbmle.types import FloatArray, IntArray

POSTERIOR, RESPONSES, LOSS = 0, 1, 2
# A pivot below this share of its diagonal is rounding: what was observed says nothing in that direction.
NOTHING = 1e-13


class Law(NamedTuple):
    """What is drawn."""

    kind: int  # POSTERIOR, RESPONSES or LOSS
    lam: float  # λ
    scale: float  # a
    prior: float  # b


class Centre(NamedTuple):
    """What all draws of a decision have in common."""

    theta: FloatArray  # (d,) θ̂
    root: FloatArray  # (d, d) R
    spread: FloatArray  # (d, d) C, lower triangular; with exact memory not used by POSTERIOR


@compiled
def semidefinite_root(S: FloatArray, C: FloatArray) -> None:
    """C lower triangular with C Cᵀ = S, for S ≥ 0 in its lower triangle that may be singular."""
    d = len(S)
    C[:] = 0.0
    for j in range(d):
        s = S[j, j]
        for k in range(j):
            s -= C[j, k] * C[j, k]
        if not s > NOTHING * S[j, j]:
            continue
        C[j, j] = math.sqrt(s)
        for i in range(j + 1, d):
            s = S[i, j]
            for k in range(j):
                s -= C[i, k] * C[j, k]
            C[i, j] = s / C[j, j]


@compiled
def prepare(likelihood: Any, law: Any, centre: Any, work: FloatArray) -> bool:
    """Fill the centre, θ̂ solved from the start θ = 0: a function of the data alone. False where it was not reached."""
    theta, spread, d = centre.theta, centre.spread, len(centre.theta)
    nothing, H = np.zeros(d), np.empty((d, d))
    theta[:] = 0.0
    good, _, _ = maximise(likelihood, nothing, theta, work)
    if not good:
        return False
    evaluate(likelihood, nothing, theta, work, np.empty(d), H)
    if law.kind == RESPONSES:
        S = np.empty((d, d))
        work[2, : likelihood.n] = law.scale * law.scale
        curvature_of(likelihood.XT, likelihood.n, likelihood.counts, work, S)
        for j in range(d):
            S[j, j] += law.prior * law.prior
        semidefinite_root(S, spread)
    elif law.kind == LOSS:
        semidefinite_root(H, spread)
        for i in range(d):
            for j in range(i + 1):
                spread[i, j] *= law.scale
    return invert_root(H, centre.root)


@compiled
def draw(likelihood: Any, law: Any, centre: Any, z: FloatArray, theta: FloatArray, work: FloatArray) -> bool:
    """θ ← θ̃ of the normal numbers z. False where the maximiser was not reached.

    The search begins at θ̂ + H⁻¹w, which is the maximiser but for the change of curvature on the way.
    """
    d = len(z)
    if law.kind == POSTERIOR:
        apply_transposed(centre.root, z, theta)
        for j in range(d):
            theta[j] = centre.theta[j] + law.scale * theta[j]
        return True
    w, half = np.empty(d), np.empty(d)
    apply_root(centre.spread, z, w)
    apply_root(centre.root, w, half)
    apply_transposed(centre.root, half, theta)
    for j in range(d):
        theta[j] += centre.theta[j]
    good, _, _ = maximise(likelihood, w, theta, work)
    return good


@compiled
def prepare_plain(problem: Any, law: Any, centre: Any, work: FloatArray) -> bool:
    """`prepare` for plain tuples."""
    return prepare(named(problem), Law(*law), Centre(*centre), work)


@compiled
def prepare_online(theta_hat: FloatArray, H_inv: FloatArray, centre: Any) -> None:
    """θ̂, and in `spread` C with C Cᵀ = H⁻¹: what online memory keeps, and all that POSTERIOR needs."""
    theta, _, spread = Centre(*centre)
    assign(theta, theta_hat)
    semidefinite_root(H_inv, spread)


@compiled
def draw_online(law: Any, centre: Any, z: FloatArray, theta: FloatArray) -> None:
    """θ ← θ̂ + a C z, as `prepare_online` leaves them."""
    apply_root(centre.spread, z, theta)
    for j in range(len(z)):
        theta[j] = centre.theta[j] + law.scale * theta[j]


@compiled
def score(problem: Any, law: Any, centre: Any, X: FloatArray, z: FloatArray, scores: FloatArray) -> bool:
    """x_aᵀθ̃ of every arm for plain tuples: a single decision."""
    likelihood, theta = named(problem), np.empty(len(z))
    good = draw(likelihood, Law(*law), Centre(*centre), z, theta, np.empty((5, len(likelihood.counts))))
    scores_of(X, theta, scores)
    return good


@compiled
def score_online(law: Any, centre: Any, X: FloatArray, z: FloatArray, scores: FloatArray) -> None:
    """`score` with online memory."""
    theta = np.empty(len(z))
    draw_online(Law(*law), Centre(*centre), z, theta)
    scores_of(X, theta, scores)


@compiled
def count(problem: Any, law: Any, centre: Any, X: FloatArray, draws: FloatArray, counts: FloatArray) -> bool:
    """Add to counts (K,) how often each arm is chosen when the decision is taken once for every row of draws."""
    likelihood, law, centre = named(problem), Law(*law), Centre(*centre)
    theta, scores, work = np.empty(X.shape[1]), np.empty(len(X)), np.empty((5, len(likelihood.counts)))
    for s in range(len(draws)):
        if not draw(likelihood, law, centre, draws[s], theta, work):
            return False
        scores_of(X, theta, scores)
        counts[first_max(scores)] += 1.0
    return True


@compiled
def count_online(law: Any, centre: Any, X: FloatArray, draws: FloatArray, counts: FloatArray) -> None:
    """`count` with online memory."""
    scores = np.empty(len(X))
    for s in range(len(draws)):
        score_online(law, centre, X, draws[s], scores)
        counts[first_max(scores)] += 1.0


@compiled
def play(history: Any, link: Any, law: Any, X: FloatArray, rewards: FloatArray, explore: Any, arms: IntArray) -> int:
    """Choose and learn with exact memory for plain tuples; returns how many rounds went well.

    X (B, K, d), or (1, K, d) where the arms stay. explore: arms played at random in the first rounds, and the normal
    numbers of the others, one row for each.
    """
    history, link, law, (at_random, draws) = History(*history), Link(*link), Law(*law), explore
    d, first = X.shape[2], len(at_random)
    centre = Centre(np.empty(d), np.empty((d, d)), np.empty((d, d)))
    theta, scores, work = np.empty(d), np.empty(X.shape[1]), np.empty((5, len(history.counts)))
    for t in range(len(rewards)):
        now = X[t if len(X) > 1 else 0]
        if t < first:
            arm = at_random[t]
        else:
            likelihood = likelihood_of(history, law.lam, link)
            if not (
                prepare(likelihood, law, centre, work) and draw(likelihood, law, centre, draws[t - first], theta, work)
            ):
                return t
            scores_of(now, theta, scores)
            arm = first_max(scores)
        if not add(history, now[arm], rewards[t, arm]):
            return t
        arms[t] = arm
    return len(rewards)


@compiled
def play_online(
    window: Any, link: Any, law: Any, X: FloatArray, rewards: FloatArray, explore: Any, arms: IntArray
) -> int:
    """`play` with online memory."""
    window, link, (at_random, draws) = Window(*window), Link(*link), explore
    d, first = X.shape[2], len(at_random)
    centre, scores = (np.empty(d), np.empty((d, d)), np.empty((d, d))), np.empty(X.shape[1])
    for t in range(len(rewards)):
        now = X[t if len(X) > 1 else 0]
        if t < first:
            arm = at_random[t]
        else:
            prepare_online(window.theta, window.H_inv, centre)
            score_online(law, centre, now, draws[t - first], scores)
            arm = first_max(scores)
        if not learn(window, link, now[arm], rewards[t, arm]):
            return t
        arms[t] = arm
    return len(rewards)
