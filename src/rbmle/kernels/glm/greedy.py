"""Greedy choices by the regularised estimate of a generalized linear model, solved anew in every round.

explore    (B,)        arms to play at random, -1 where the estimate decides
X          (B, K, d)   contexts, or (1, K, d) where the arms stay
"""

from typing import Any

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.named import History, Link, likelihood_of
from rbmle.kernels.glm.newton import maximise
from rbmle.kernels.glm.online import Window, learn
from rbmle.kernels.glm.rows import add
from rbmle.kernels.normal import first_max
from rbmle.types import FloatArray, IntArray


@compiled
def scores_of(X: FloatArray, theta: FloatArray, scores: FloatArray) -> None:
    """x_aᵀθ."""
    for a in range(len(X)):
        s = 0.0
        for j in range(len(theta)):
            s += X[a, j] * theta[j]
        scores[a] = s


@compiled
def play(
    history: Any, link: Any, lam: float, X: FloatArray, rewards: FloatArray, explore: IntArray, arms: IntArray
) -> int:
    """Choose and learn with exact memory for plain tuples; returns how many rounds went well.

    θ̂ is solved from the start θ = 0: a function of the data alone, whatever was computed before.
    """
    history, link, nothing = History(*history), Link(*link), np.zeros(X.shape[2])
    theta, scores, work = np.empty(X.shape[2]), np.empty(X.shape[1]), np.empty((5, len(history.counts)))
    for t in range(len(rewards)):
        now = X[t if len(X) > 1 else 0]
        arm = explore[t]
        if arm < 0:
            theta[:] = 0.0
            good, _, _ = maximise(likelihood_of(history, lam, link), nothing, theta, work)
            if not good:
                return t
            scores_of(now, theta, scores)
            arm = first_max(scores)
        if not add(history, now[arm], rewards[t, arm]):
            return t
        arms[t] = arm
    return len(rewards)


@compiled
def play_online(window: Any, link: Any, X: FloatArray, rewards: FloatArray, explore: IntArray, arms: IntArray) -> int:
    """Choose and learn with online memory for plain tuples; returns how many rounds went well."""
    window, link, scores = Window(*window), Link(*link), np.empty(X.shape[1])
    for t in range(len(rewards)):
        now = X[t if len(X) > 1 else 0]
        arm = explore[t]
        if arm < 0:
            scores_of(now, window.theta, scores)
            arm = first_max(scores)
        if not learn(window, link, now[arm], rewards[t, arm]):
            return t
        arms[t] = arm
    return len(rewards)
