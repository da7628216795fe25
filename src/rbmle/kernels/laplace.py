"""Logistic Thompson sampling with independent Gaussians over the weights: N(m_i, 1/q_i), i = 1 … d.

m       (d,)    means
q       (d,)    precisions
z       (d,)    standard normal numbers of one decision
X       (K, d)  contexts of one round; (B, K, d) of a block, or (1, K, d) where the arms stay
"""

import math

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm_online import solve_scalar
from rbmle.kernels.normal import first_max
from rbmle.types import FloatArray, IntArray

LOGISTIC = 1


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
def observe(m: FloatArray, q: FloatArray, functions: IntArray, x: FloatArray, r: float) -> None:
    """m ← argmin ½Σ q_i(w_i−m_i)² + log(1+e^{−y wᵀx}) with y = 2r−1, then q_i ← q_i + x_i² p(1−p), p = μ(mᵀx).

    The minimiser lies on the ray m + s·x/q with s = r − μ(mᵀx + s Σ x_i²/q_i): one decreasing equation in one number.
    """
    score = width = 0.0
    for i in range(len(m)):
        score += x[i] * m[i]
        width += x[i] * x[i] / q[i]
    s, slope = solve_scalar(score, width, r, LOGISTIC, math.inf, functions)
    for i in range(len(m)):
        m[i] += s * x[i] / q[i]
        q[i] += slope * x[i] * x[i]


@compiled
def observe_many(m: FloatArray, q: FloatArray, functions: IntArray, X: FloatArray, rewards: FloatArray) -> None:
    """Learn rewards one after the other."""
    for s in range(len(rewards)):
        observe(m, q, functions, X[s], rewards[s])


@compiled
def play(
    X: FloatArray,
    rewards: FloatArray,
    draws: FloatArray,
    m: FloatArray,
    q: FloatArray,
    functions: IntArray,
    arms: IntArray,
) -> None:
    """Choose and learn in every round: rewards (B, K) of all arms, draws (B, d)."""
    scores = np.empty(X.shape[1])
    for t in range(len(rewards)):
        now = X[t if len(X) > 1 else 0]
        sample_scores(now, m, q, draws[t], scores)
        arm = first_max(scores)
        observe(m, q, functions, now[arm], rewards[t, arm])
        arms[t] = arm


@compiled
def shares(X: FloatArray, m: FloatArray, q: FloatArray, draws: FloatArray, shares: FloatArray) -> None:
    """How often each arm is chosen when the same decision is taken once for every row of draws."""
    scores = np.empty(len(X))
    for s in range(len(draws)):
        sample_scores(X, m, q, draws[s], scores)
        shares[first_max(scores)] += 1.0 / len(draws)
