"""Greedy choices by the regularised estimate of a generalized linear model, solved anew in every round.

problem, store, link   as in kernels.glm.newton, kernels.glm.rows and kernels.glm.link
explore    (B,)        arms to play at random, -1 where the estimate decides
X          (B, K, d)   contexts, or (1, K, d) where the arms stay
"""

from typing import Any

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.newton import maximise
from rbmle.kernels.glm.online import observe
from rbmle.kernels.glm.rows import add, padded
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
def estimate(problem: Any, theta: FloatArray, work: FloatArray) -> bool:
    """θ̂ from the start θ = 0: a function of the data alone, whatever was computed before."""
    theta[:] = 0.0
    good, _, _ = maximise(problem, np.zeros(len(theta)), theta, work)
    return good


@compiled
def play(
    store: Any,
    rows: int,
    lam: float,
    link: Any,
    X: FloatArray,
    rewards: FloatArray,
    explore: IntArray,
    arms: IntArray,
) -> tuple[int, int]:
    """Choose and learn with exact memory. Returns how many rounds went well and the rows there are then."""
    XT, counts, sums, table = store
    code, limit, functions = link
    theta, scores, work = np.empty(X.shape[2]), np.empty(X.shape[1]), np.empty((5, len(counts)))
    for t in range(len(rewards)):
        now = X[t if len(X) > 1 else 0]
        arm = explore[t]
        if arm < 0:
            if not estimate((XT, padded(rows), counts, sums, lam, code, limit, functions), theta, work):
                return t, rows
            scores_of(now, theta, scores)
            arm = first_max(scores)
        rows = max(rows, add(XT, counts, sums, table, rows, now[arm], 1.0, rewards[t, arm]) + 1)
        arms[t] = arm
    return len(rewards), rows


@compiled
def play_online(
    theta: FloatArray,
    H: FloatArray,
    H_inv: FloatArray,
    link: Any,
    X: FloatArray,
    rewards: FloatArray,
    explore: IntArray,
    arms: IntArray,
) -> int:
    """Choose and learn with online memory. Returns how many rounds went well."""
    code, limit, functions = link
    scores = np.empty(X.shape[1])
    for t in range(len(rewards)):
        now = X[t if len(X) > 1 else 0]
        arm = explore[t]
        if arm < 0:
            scores_of(now, theta, scores)
            arm = first_max(scores)
        if not observe(theta, H, H_inv, code, limit, functions, now[arm], rewards[t, arm]):
            return t
        arms[t] = arm
    return len(rewards)
