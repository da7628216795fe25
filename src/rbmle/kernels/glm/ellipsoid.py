"""Optimism over an ellipsoid around the likeliest θ in a ball: xᵀθ̂ + w ‖x‖_{H⁻¹}, H at θ̂ with a ridge of its own.

ball    (S, λ)     the ball's radius and the ridge of H
X       (B, K, d)  contexts, or (1, K, d) where the arms stay
"""

import math
from typing import Any

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.ball import likeliest_within
from rbmle.kernels.glm.named import History, Link, likelihood_of
from rbmle.kernels.glm.newton import evaluate
from rbmle.kernels.glm.root import apply_root, invert_root
from rbmle.kernels.glm.rows import add
from rbmle.kernels.normal import first_max
from rbmle.types import FloatArray, IntArray


@compiled
def scores_within(
    likelihood: Any, S: float, weight: float, X: FloatArray, scores: FloatArray, work: FloatArray
) -> bool:
    """The index of every arm; the likelihood's λ is that of H."""
    d = X.shape[1]
    theta, gradient, half, H, R = np.empty(d), np.empty(d), np.empty(d), np.empty((d, d)), np.empty((d, d))
    good, _ = likeliest_within(likelihood, 0.0, S, theta, work)
    evaluate(likelihood, np.zeros(d), theta, work, gradient, H)
    if not (good and invert_root(H, R)):
        return False
    for a in range(len(X)):
        score = 0.0
        for j in range(d):
            score += X[a, j] * theta[j]
        scores[a] = score + weight * math.sqrt(apply_root(R, X[a], half))
    return True


@compiled
def score_all(history: Any, link: Any, ball: Any, weight: float, X: FloatArray, scores: FloatArray) -> int:
    """`scores_within` for plain tuples: a single decision."""
    history, (S, lam) = History(*history), ball
    work = np.empty((5, len(history.counts)))
    return 1 if scores_within(likelihood_of(history, lam, Link(*link)), S, weight, X, scores, work) else 0


@compiled
def play(
    history: Any, link: Any, ball: Any, weights: FloatArray, X: FloatArray, rewards: FloatArray, arms: IntArray
) -> int:
    """Choose and learn in every round for plain tuples; returns how many rounds went well."""
    history, link, (S, lam) = History(*history), Link(*link), ball
    scores, work = np.empty(X.shape[1]), np.empty((5, len(history.counts)))
    for t in range(len(rewards)):
        now = X[t if len(X) > 1 else 0]
        if not scores_within(likelihood_of(history, lam, link), S, weights[t], now, scores, work):
            return t
        arms[t] = first_max(scores)
        if not add(history, now[arms[t]], rewards[t, arms[t]]):
            return t
    return len(rewards)
