"""Blocks of simulated rounds of GLM-RBMLE.

X          (B, K, d)  contexts of every round, or (K, d) where the arms stay
rewards    (B, K)     rewards of all arms
alphas, etas  (B,)    α(t) and η(t)
arms       (B,)       output: the arms played
solved     (B,)       output: how many arms needed a closer look
"""

from typing import Any

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.choose import choose
from rbmle.kernels.glm.online import observe
from rbmle.kernels.glm.prune.look import N_KNOWN
from rbmle.kernels.glm.rows import add, padded
from rbmle.kernels.normal import first_max
from rbmle.types import FloatArray, IntArray


@compiled
def play(
    store: Any,
    rows: int,
    lam: float,
    link: Any,
    concordance: float,
    middle: FloatArray,
    X: FloatArray,
    rewards: FloatArray,
    alphas: FloatArray,
    etas: FloatArray,
    arms: IntArray,
    solved: IntArray,
) -> tuple[int, int]:
    """Choose and learn with exact memory; there must be room for B more rows. Returns rounds done and rows then."""
    B, K, d = X.shape
    XT, counts, sums, table = store
    code, limit, functions = link
    work, small = np.empty((5, len(counts))), np.empty((2 * d + 2, d))
    theta, step, known = np.empty((K, d)), np.empty((K, d)), np.empty((K, N_KNOWN))
    for t in range(B):
        problem = (XT, padded(rows), counts, sums, lam, code, limit, functions)
        arm, looked = choose(problem, concordance, alphas[t], etas[t], middle, X[t], theta, step, known, work, small)
        if arm < 0:
            return t, rows
        arms[t], solved[t] = arm, looked
        r = rewards[t, arm]
        rows = max(rows, add(XT, counts, sums, table, rows, X[t, arm], 1.0, r) + 1)
    return B, rows


@compiled
def online_scores(
    theta: FloatArray, H_inv: FloatArray, alpha: float, eta: float, X: FloatArray, scores: FloatArray
) -> None:
    """ηα m + (η−½)α² v: the index where the log-likelihood is the quadratic −½(θ−θ̂)ᵀH(θ−θ̂), so θ̄ = θ̂ + αH⁻¹x."""
    K, d = X.shape
    for a in range(K):
        m = v = 0.0
        for i in range(d):
            s = 0.0
            for j in range(d):
                s += H_inv[i, j] * X[a, j]
            m += X[a, i] * theta[i]
            v += X[a, i] * s
        scores[a] = eta * alpha * m + (eta - 0.5) * alpha * alpha * v


@compiled
def play_online(
    theta: FloatArray,
    H: FloatArray,
    H_inv: FloatArray,
    link: Any,
    X: FloatArray,
    rewards: FloatArray,
    alphas: FloatArray,
    etas: FloatArray,
    arms: IntArray,
) -> int:
    """Choose and learn with online memory, X (B, K, d) or (1, K, d); returns how many rounds went well."""
    code, limit, functions = link
    scores = np.empty(X.shape[1])
    for t in range(len(rewards)):
        contexts = X[t] if len(X) > 1 else X[0]
        online_scores(theta, H_inv, alphas[t], etas[t], contexts, scores)
        arms[t] = first_max(scores)
        if not observe(theta, H, H_inv, code, limit, functions, contexts[arms[t]], rewards[t, arms[t]]):
            return t
    return len(rewards)
