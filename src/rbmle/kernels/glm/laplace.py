"""Logistic Thompson sampling with independent Gaussians over the weights: N(m_i, 1/q_i), i = 1 … d.

m       (d,)    means
q       (d,)    precisions
z       (d,)    standard normal numbers of one decision
link            the logistic one, (code, limit, functions)
X       (K, d)  contexts of one round; (B, K, d) of a block, or (1, K, d) where the arms stay
"""

import math
from typing import Any

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.scalar import solve
from rbmle.kernels.normal import first_max
from rbmle.types import FloatArray, IntArray


@compiled
def sample_scores(X: FloatArray, m: FloatArray, q: FloatArray, z: FloatArray, scores: FloatArray) -> None:
    """x_aᵀw for one draw w = m + z/√q."""
    d = len(m)
    w = np.empty(d)
    for i in range(d):
        w[i] = m[i] + z[i] / math.sqrt(q[i])
    for a in range(len(X)):
        s = 0.0
        for i in range(d):
            s += X[a, i] * w[i]
        scores[a] = s


@compiled
def observe(m: FloatArray, q: FloatArray, link: Any, x: FloatArray, r: float) -> bool:
    """m ← argmin ½Σ q_i(w_i−m_i)² + log(1+e^{−y wᵀx}) with y = 2r−1, then q_i ← q_i + x_i² p(1−p), p = μ(mᵀx).

    The minimiser lies on the ray m + s·x/q with s = r − μ(mᵀx + s Σ x_i²/q_i): one decreasing equation in one number.
    False, nothing changed, where it was not solved.
    """
    score = width = 0.0
    for i in range(len(m)):
        score += x[i] * m[i]
        width += x[i] * x[i] / q[i]
    s, slope, good = solve(score, width, r, link)
    if not good:
        return False
    for i in range(len(m)):
        m[i] += s * x[i] / q[i]
        q[i] += slope * x[i] * x[i]
    return True


@compiled
def observe_many(m: FloatArray, q: FloatArray, link: Any, X: FloatArray, rewards: FloatArray) -> int:
    """Learn rewards one after the other; returns how many were learnt before one was refused."""
    for s in range(len(rewards)):
        if not observe(m, q, link, X[s], rewards[s]):
            return s
    return len(rewards)


@compiled
def play(
    X: FloatArray,
    rewards: FloatArray,
    draws: FloatArray,
    m: FloatArray,
    q: FloatArray,
    link: Any,
    arms: IntArray,
) -> int:
    """Choose and learn in every round: rewards (B, K) of all arms, draws (B, d). Returns how many rounds went well."""
    scores = np.empty(X.shape[1])
    for t in range(len(rewards)):
        now = X[t if len(X) > 1 else 0]
        sample_scores(now, m, q, draws[t], scores)
        arm = first_max(scores)
        if not observe(m, q, link, now[arm], rewards[t, arm]):
            return t
        arms[t] = arm
    return len(rewards)


@compiled
def shares(X: FloatArray, m: FloatArray, q: FloatArray, draws: FloatArray, shares: FloatArray) -> None:
    """How often each arm is chosen when the same decision is taken once for every row of draws."""
    scores = np.empty(len(X))
    for s in range(len(draws)):
        sample_scores(X, m, q, draws[s], scores)
        shares[first_max(scores)] += 1.0 / len(draws)
