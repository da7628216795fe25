"""Laplace-TS as the published tables were made; see laplace_model.py for what differs.

m, variance  (d,)    means and variances of the weights
history              a `History` of kernels.glm.named
z            (K·d,)  standard normal numbers of one decision, d for every arm
"""

import math
from typing import Any

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.named import History, Likelihood, Link, padded
from rbmle.kernels.glm.newton import maximise
from rbmle.kernels.glm.rows import ROWS, add
from rbmle.kernels.normal import first_max
from rbmle.types import FloatArray, IntArray


@compiled
def order_of(variance: FloatArray) -> IntArray:
    """Places by descending variance, equal ones as they stand: the order in which a singular value decomposition hands
    out its normals.
    """
    d = len(variance)
    order = np.arange(d)
    for i in range(1, d):
        place = order[i]
        j = i
        while j > 0 and variance[order[j - 1]] < variance[place]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = place
    return order


@compiled
def sample_scores(X: FloatArray, m: FloatArray, variance: FloatArray, z: FloatArray, scores: FloatArray) -> None:
    """x_aᵀw_a with a draw w_a ~ N(m, variance) of its own for every arm."""
    d = len(m)
    order, spread = order_of(variance), np.sqrt(variance)
    for a in range(len(X)):
        s = 0.0
        for place in range(d):
            i = order[place]
            s += X[a, i] * (m[i] + spread[i] * z[a * d + place])
        scores[a] = s


@compiled
def refit(history: Any, link: Any, m: FloatArray, variance: FloatArray, work: FloatArray) -> bool:
    """m ← argmin ½Σ q_i²(w_i−m_i)² + Σ_s log(1+e^{−r_s wᵀx_s}), q_i ← q_i + Σ_s x_si² p_s(1−p_s) over the history,
    with q = 1/variance and p_s = 1/(1+μ(−mᵀx_s)). False, nothing changed, where the minimiser is not reached.

    Scaled by q the first is a plain penalised likelihood: φ = qw, contexts x/q, λ = 1 and the bias qm.
    """
    XT, counts, sums, _, totals = history
    n_rows = int(totals[ROWS])
    d, n = len(m), padded(n_rows)
    if n_rows == 0:
        return True
    scaled, bias = np.empty((d, n)), np.empty(d)
    for j in range(d):
        bias[j] = m[j] / variance[j]
        for i in range(n):
            scaled[j, i] = XT[j, i] * variance[j]
    phi = bias.copy()
    # A reward of 0 contributes log 2 whatever w: only the successes count.
    good, _, _ = maximise(Likelihood(scaled, n, sums, sums, 1.0, link), bias, phi, work)
    if not good:
        return False
    gain = np.zeros(d)
    for j in range(d):
        m[j] = phi[j] * variance[j]
    for i in range(n_rows):
        score = 0.0
        for j in range(d):
            score += m[j] * XT[j, i]
        p = 1.0 / (1.0 + 1.0 / (1.0 + math.exp(min(score, 709.0))))
        for j in range(d):
            gain[j] += counts[i] * (XT[j, i] * XT[j, i] * p * (1.0 - p))
    for j in range(d):
        variance[j] = 1.0 / (1.0 / variance[j] + gain[j])
    return True


@compiled
def learn(
    history: Any, link: Any, m: FloatArray, variance: FloatArray, x: FloatArray, r: float, work: FloatArray
) -> bool:
    """Fit the history so far again, then append (x, r). False, nothing changed, where that failed."""
    return refit(history, link, m, variance, work) and add(history, x, r)


@compiled
def observe_many(
    history: Any, link: Any, m: FloatArray, variance: FloatArray, X: FloatArray, rewards: FloatArray
) -> int:
    """Learn rewards one after the other, for plain tuples. Returns how many were learnt before a fit failed."""
    history, link = History(*history), Link(*link)
    work = np.empty((5, len(history.counts)))
    for s in range(len(rewards)):
        if not learn(history, link, m, variance, X[s], rewards[s], work):
            return s
    return len(rewards)


@compiled
def play(
    history: Any,
    link: Any,
    m: FloatArray,
    variance: FloatArray,
    X: FloatArray,
    rewards: FloatArray,
    draws: FloatArray,
    arms: IntArray,
) -> int:
    """Choose and learn in every round of rewards (B, K), for plain tuples. Returns how many rounds went well."""
    history, link = History(*history), Link(*link)
    scores, work = np.empty(X.shape[1]), np.empty((5, len(history.counts)))
    for t in range(len(rewards)):
        now = X[t if len(X) > 1 else 0]
        sample_scores(now, m, variance, draws[t], scores)
        arm = first_max(scores)
        if not learn(history, link, m, variance, now[arm], rewards[t, arm], work):
            return t
        arms[t] = arm
    return len(rewards)


@compiled
def shares(X: FloatArray, m: FloatArray, variance: FloatArray, draws: FloatArray, shares: FloatArray) -> None:
    """How often each arm is chosen when the same decision is taken once for every row of draws."""
    scores = np.empty(len(X))
    for s in range(len(draws)):
        sample_scores(X, m, variance, draws[s], scores)
        shares[first_max(scores)] += 1.0 / len(draws)
