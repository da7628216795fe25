"""Inverse gap weighting over the regularised estimate of a generalized linear model.

numbers   (B, P)       of the rule in every round, see kernels.gaps
places    (B,)         in [0, 1): which arm is served
X         (B, K, d)    contexts, or (1, K, d) where the arms stay
"""

from typing import Any

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.gaps import served, weigh
from rbmle.kernels.glm.link import fill_link
from rbmle.kernels.glm.named import History, Link, likelihood_of, padded
from rbmle.kernels.glm.newton import maximise
from rbmle.kernels.glm.online import Window, learn
from rbmle.kernels.glm.rows import add
from rbmle.types import FloatArray, IntArray


@compiled
def weigh_arms(
    link: Any, X: FloatArray, theta: FloatArray, numbers: FloatArray, work: FloatArray, chances: FloatArray
) -> bool:
    """The chance of every arm by predictions μ(x_aᵀθ); work (5, K or more, in whole vectors). False: no numbers."""
    K = len(X)
    for a in range(K):
        s = 0.0
        for j in range(len(theta)):
            s += X[a, j] * theta[j]
        work[0, a] = s
    fill_link(link, work.shape[1], work)
    for a in range(K):
        if not np.isfinite(work[1, a]):
            return False
    weigh(work[1, :K], numbers, chances)
    return True


@compiled
def chances_of(link: Any, X: FloatArray, theta: FloatArray, numbers: FloatArray, chances: FloatArray) -> bool:
    """`weigh_arms` for a plain tuple."""
    return weigh_arms(Link(*link), X, theta, numbers, np.zeros((5, padded(len(X)))), chances)


@compiled
def play(history: Any, link: Any, lam: float, X: FloatArray, rewards: FloatArray, rule: Any, arms: IntArray) -> int:
    """Choose and learn with exact memory for plain tuples, rule = (numbers, places); returns how many went well.

    θ̂ is solved from the start θ = 0: a function of the data alone, whatever was computed before.
    """
    history, link, (numbers, places), (K, d) = History(*history), Link(*link), rule, X.shape[1:]
    nothing, theta, chances = np.zeros(d), np.empty(d), np.empty(K)
    work, means = np.empty((5, len(history.counts))), np.zeros((5, padded(K)))
    for t in range(len(rewards)):
        now = X[t if len(X) > 1 else 0]
        theta[:] = 0.0
        good, _, _ = maximise(likelihood_of(history, lam, link), nothing, theta, work)
        if not good or not weigh_arms(link, now, theta, numbers[t], means, chances):
            return t
        arm = served(chances, places[t])
        if not add(history, now[arm], rewards[t, arm]):
            return t
        arms[t] = arm
    return len(rewards)


@compiled
def play_online(window: Any, link: Any, X: FloatArray, rewards: FloatArray, rule: Any, arms: IntArray) -> int:
    """Choose and learn with online memory for plain tuples; returns how many rounds went well."""
    window, link, (numbers, places), K = Window(*window), Link(*link), rule, X.shape[1]
    chances, means = np.empty(K), np.zeros((5, padded(K)))
    for t in range(len(rewards)):
        now = X[t if len(X) > 1 else 0]
        if not weigh_arms(link, now, window.theta, numbers[t], means, chances):
            return t
        arm = served(chances, places[t])
        if not learn(window, link, now[arm], rewards[t, arm]):
            return t
        arms[t] = arm
    return len(rewards)
