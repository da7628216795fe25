"""The biased likelihood inside of a likelihood-ratio set: max f(θ) + αθᵀx over f(θ) ≥ floor, f(θ) = −L(θ) − ½λ‖θ‖².

On the path θ̄(s) of kernels.glm.path f(θ̄(s)) = φ(s) − sφ'(s) falls as s grows, and a multiplier of the constraint makes
α smaller: the maximiser is θ̄(min(α, s₁)) with s₁ where the path leaves the set, and the index φ(s) + (α − s)φ'(s).

floor   −L(θ̂_S) − β² − ½λS² where the set holds θ* for which L(θ*) ≤ L(θ̂_S) + β² and ‖θ*‖ ≤ S, θ̂_S the likeliest in
        the ball; with the Gaussian family f(θ̂) − β² − ½λS² − ½ log det(H/λ), the set of AMM-UCB
"""

import math
from typing import Any, NamedTuple

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.ball import likeliest_within
from rbmle.kernels.glm.named import GAUSSIAN, History, Link, likelihood_of
from rbmle.kernels.glm.newton import evaluate
from rbmle.kernels.glm.path import centre, follow
from rbmle.kernels.glm.root import apply_root, invert_root
from rbmle.kernels.glm.rows import add
from rbmle.kernels.normal import first_max
from rbmle.types import FloatArray, IntArray

MOST_STEPS = 100
# A step of s below this part of it is none.
ENOUGH = 1e-12


class Cap(NamedTuple):
    """What is known besides the likelihood."""

    S: float
    lam: float  # λ
    slack: float  # β²


class Start(NamedTuple):
    """Where the paths of all arms begin."""

    theta: FloatArray  # (d,) θ̂
    R: FloatArray  # (d, d) RᵀR = H(θ̂)⁻¹
    top: float  # f(θ̂)
    floor: float


@compiled
def start_of(likelihood: Any, cap: Any, work: FloatArray) -> tuple[bool, Any]:
    """θ̂ and the floor of the set."""
    d = len(likelihood.XT)
    theta, R, gradient, H = np.empty(d), np.empty((d, d)), np.empty(d), np.empty((d, d))
    good = centre(likelihood, theta, R, work)
    top, _ = evaluate(likelihood, np.zeros(d), theta, work, gradient, H)
    ball = cap.slack + 0.5 * cap.lam * cap.S * cap.S
    if likelihood.link.code == GAUSSIAN:
        volume = -d * math.log(cap.lam)
        for j in range(d):
            volume -= 2.0 * math.log(R[j, j])
        return good, Start(theta, R, top, top - ball - 0.5 * max(volume, 0.0))
    within, loss = likeliest_within(likelihood, 0.0, cap.S, np.empty(d), work)
    return good and within, Start(theta, R, top, -loss - ball)


@compiled
def place_on(
    likelihood: Any, start: Any, x: FloatArray, s: float, theta: FloatArray, work: FloatArray
) -> tuple[bool, float, float, float]:
    """θ ← θ̄(s), and φ, φ' and φ'' there."""
    d = len(x)
    gradient, H, R = np.empty(d), np.empty((d, d)), np.empty((d, d))
    good, value = follow(likelihood, s, start.theta, start.R, x, theta, work)
    evaluate(likelihood, x, theta, work, gradient, H)
    slope = 0.0
    for j in range(d):
        slope += theta[j] * x[j]
    good = good and invert_root(H, R)
    return good, value, slope, apply_root(R, x, gradient)


@compiled
def capped(
    likelihood: Any, start: Any, alpha: float, x: FloatArray, theta: FloatArray, work: FloatArray
) -> tuple[bool, float, float]:
    """θ ← the maximiser, its s, and the index.

    √(2(f(θ̂) − f(θ̄(s)))) has the slope sφ''/√…: Newton's method from what the curvature at θ̂ foretells, inside of an
    interval that shrinks. α itself is tried only where the path comes near it: far out it may be hard to follow.
    """
    room = math.sqrt(2.0 * (start.top - start.floor))
    width = apply_root(start.R, x, theta)
    low, high, s, tried = 0.0, alpha, alpha, False
    if alpha * math.sqrt(width) > room:
        s = room / math.sqrt(width)
    value = slope = 0.0
    for _ in range(MOST_STEPS):
        good, value, slope, bend = place_on(likelihood, start, x, s, theta, work)
        if not good:
            return False, s, math.nan
        tried = tried or s == alpha
        gone = math.sqrt(2.0 * max(start.top - (value - s * slope), 0.0))
        if s == alpha and (gone <= room or alpha <= 0.0):
            break
        if gone < room:
            low = s
        else:
            high = s
        new = s + (room - gone) * gone / (s * bend) if bend > 0.0 else math.inf
        if math.fabs(new - s) <= ENOUGH * s:
            break
        if new >= alpha and not tried:
            new = alpha
        elif not low < new < high:
            new = 0.5 * (low + high)
            if not low < new < high:  # neighbouring numbers
                break
        s = new
    return True, s, value + (alpha - s) * slope


@compiled
def scores_within(likelihood: Any, cap: Any, alpha: float, X: FloatArray, scores: FloatArray, work: FloatArray) -> bool:
    """The index of every arm; whether all were solved."""
    theta = np.empty(X.shape[1])
    good, start = start_of(likelihood, cap, work)
    for a in range(len(X)):
        if not good:
            return False
        good, _, scores[a] = capped(likelihood, start, alpha, X[a], theta, work)
    return good


@compiled
def score_all(history: Any, link: Any, cap: Any, alpha: float, X: FloatArray, scores: FloatArray) -> int:
    """`scores_within` for plain tuples."""
    history, cap = History(*history), Cap(*cap)
    work = np.empty((5, len(history.counts)))
    return 1 if scores_within(likelihood_of(history, cap.lam, Link(*link)), cap, alpha, X, scores, work) else 0


@compiled
def play(
    history: Any, link: Any, ball: Any, numbers: FloatArray, X: FloatArray, rewards: FloatArray, arms: IntArray
) -> int:
    """Choose and learn in every round for plain tuples: ball (S, λ), numbers (B, 2) β² and α of each.

    X (B, K, d), or (1, K, d) where the arms stay. Returns how many rounds went well.
    """
    history, link, (S, lam) = History(*history), Link(*link), ball
    scores, work = np.empty(X.shape[1]), np.empty((5, len(history.counts)))
    for t in range(len(rewards)):
        now, cap = X[t if len(X) > 1 else 0], Cap(S, lam, numbers[t, 0])
        if not scores_within(likelihood_of(history, lam, link), cap, numbers[t, 1], now, scores, work):
            return t
        arm = first_max(scores)
        if not add(history, now[arm], rewards[t, arm]):
            return t
        arms[t] = arm
    return len(rewards)
