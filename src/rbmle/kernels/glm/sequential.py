"""Weighted losses against those of sequential estimators: the set Σ w_s (ℓ_s(θ) − ℓ_s(θ̂_s)) ≤ log(1/δ), ‖θ‖ ≤ S.

θ̂_s is made of the rewards before r_s and of the context x_s, and so is w_s in (0, 1]. At θ* every factor
(p(r_s | θ̂_s)/p(r_s | θ*))^{w_s} then has an expectation of at most 1 given what came before, and the set holds θ* in
all rounds together with probability 1 − δ (Ville's inequality), whatever θ̂_s and w_s are.

    θ̂_s = argmin Σ_{i<s} ℓ_i(θ) + λ‖θ‖² + ℓ(x_sᵀθ, ½) over ‖θ‖ ≤ S,   ℓ(z, ½) = log(e^{z/2} + e^{−z/2})
    w_s  = 1/(1 + ½ λ S² v_s),   v_s = x_sᵀ(λI + μ'(S) Σ_{i≤s} x_i x_iᵀ)⁻¹x_s

where ¼ bounds μ' and 2λS² v_s the squared bias. Losses of equal contexts are one row, weighted or not.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.ball import likeliest_within
from rbmle.kernels.glm.confidence import decide, score_arms
from rbmle.kernels.glm.ecolog import loss
from rbmle.kernels.glm.greedy import scores_of
from rbmle.kernels.glm.interior import Region, start_within
from rbmle.kernels.glm.named import History, Link, likelihood_of, padded
from rbmle.kernels.glm.newton import curvature_of
from rbmle.kernels.glm.root import apply_root, invert_root
from rbmle.kernels.glm.rows import REWARDS, ROWS, SQUARES, find, put
from rbmle.kernels.normal import first_max
from rbmle.types import FloatArray, IntArray

# A set whose slack is below this part of its losses is one point, but for rounding.
POINT = 1e-9
# The reward of a context whose reward is not known yet, as the estimator sees it.
EITHER = 0.5


class Memory(NamedTuple):
    """What is learnt: a `History`, the same rows weighted, and Σ w_s ℓ_s(θ̂_s)."""

    history: Any
    weights: FloatArray  # (C,) Σ w_s of each row
    sums: FloatArray  # (C,) Σ w_s r_s of each row
    losses: FloatArray  # (1,)


class Rule(NamedTuple):
    """How estimators and weights are made."""

    S: float
    lam: float  # λ
    slope: float  # μ'(S)
    predictable: bool  # False: θ̂_s has seen r_s too, and the set need not hold θ*


@compiled
def weighted_likelihood(memory: Any, link: Any) -> Any:
    """The likelihood of the weighted losses, λ = 0."""
    XT, _, _, table, totals = memory.history
    return likelihood_of(History(XT, memory.weights, memory.sums, table, totals), 0.0, link)


@compiled
def leverage(history: Any, rule: Any, x: FloatArray, work: FloatArray) -> float:
    """v of a context that is in the history; NaN where rounding leaves no inverse."""
    d, n = len(x), padded(int(history.totals[ROWS]))
    V, R, half = np.empty((d, d)), np.empty((d, d)), np.empty(d)
    for i in range(n):
        work[2, i] = rule.slope
    curvature_of(history.XT, n, history.counts, work, V)
    for j in range(d):
        V[j, j] += rule.lam
    return apply_root(R, x, half) if invert_root(V, R) else math.nan


@compiled
def drop_last(history: Any, x: FloatArray, row: int) -> None:
    """Undo `put` of a context that took the last row."""
    history.table[find(history, x)] = -1
    history.totals[ROWS] = row
    history.counts[row] = history.sums[row] = 0.0
    history.XT[:, row] = 0.0


@compiled
def learn(memory: Any, link: Any, rule: Any, x: FloatArray, r: float, work: FloatArray) -> bool:
    """Learn one reward, and count it. False, nothing changed, where its estimator was not reached or room is short."""
    history, theta, rows = memory.history, np.empty(len(x)), int(memory.history.totals[ROWS])
    if not put(history, x, 0.0, 0.0):
        return False
    row = history.table[find(history, x)]
    count, total, seen = history.counts[row], history.sums[row], 0.0 if rule.predictable else 1.0
    history.counts[row] = count + 1.0 + seen
    history.sums[row] = total + EITHER + seen * r
    good, _ = likeliest_within(likelihood_of(history, 0.0, link), 2.0 * rule.lam, rule.S, theta, work)
    history.counts[row] = count + 1.0
    w = 1.0 / (1.0 + 0.5 * rule.lam * rule.S * rule.S * leverage(history, rule, x, work))
    z = 0.0
    for j in range(len(x)):
        z += x[j] * theta[j]
    if not (good and w > 0.0 and math.isfinite(z)):
        history.counts[row], history.sums[row] = count, total
        if row == rows:
            drop_last(history, x, row)
        return False
    history.sums[row] = total + r
    memory.weights[row] += w
    memory.sums[row] += w * r
    memory.losses[0] += w * loss(z, r)
    history.totals[REWARDS] += 1.0
    history.totals[SQUARES] += r * r
    return True


@compiled
def region_of(memory: Any, link: Any, S: float, slack: float, work: FloatArray) -> tuple[bool, bool, Any]:
    """The set: whether it was found, whether it is a point (or empty, and then stands for its likeliest), and it.

    Data that no θ in the ball explains may empty it: with probability δ at most where a θ* is.
    """
    plain = weighted_likelihood(memory, link)
    theta, start = np.empty(len(plain.XT)), np.empty(len(plain.XT))
    good, least = likeliest_within(plain, 0.0, S, theta, work)
    level = memory.losses[0] + slack
    if level - least <= POINT * (1.0 + least):
        return good, True, Region(S, level, theta)
    start_within(plain, theta, S, level, start, work)
    return good, False, Region(S, level, start)


@compiled
def scores_within(
    memory: Any, link: Any, S: float, slack: float, X: FloatArray, scores: FloatArray, work: FloatArray
) -> bool:
    """max xᵀθ over the set, of every arm; whether all were solved."""
    good, point, region = region_of(memory, link, S, slack, work)
    if point:
        scores_of(X, region.start, scores)
        return good
    return good and score_arms(weighted_likelihood(memory, link), region, X, scores, work)


@compiled
def arm_within(memory: Any, link: Any, S: float, slack: float, X: FloatArray, work: FloatArray) -> int:
    """The first arm of the largest score, -1 where one was not solved."""
    good, point, region = region_of(memory, link, S, slack, work)
    if not good:
        return -1
    if point:
        scores = np.empty(len(X))
        scores_of(X, region.start, scores)
        return first_max(scores)
    return decide(weighted_likelihood(memory, link), region, X, work)[0]


@compiled
def named_memory(plain: Any) -> Any:
    """The `Memory` of a plain tuple."""
    history, weights, sums, losses = plain
    return Memory(History(*history), weights, sums, losses)


@compiled
def solve_all(plain: Any, link: Any, S: float, slack: float, X: FloatArray, scores: FloatArray) -> int:
    """`scores_within` for plain tuples."""
    memory = named_memory(plain)
    return 1 if scores_within(memory, Link(*link), S, slack, X, scores, np.empty((5, len(memory.weights)))) else 0


@compiled
def choose(plain: Any, link: Any, S: float, slack: float, X: FloatArray) -> int:
    """`arm_within` for plain tuples."""
    memory = named_memory(plain)
    return arm_within(memory, Link(*link), S, slack, X, np.empty((5, len(memory.weights))))


@compiled
def observe_many(plain: Any, link: Any, rule: Any, X: FloatArray, rewards: FloatArray) -> int:
    """Learn rewards one after the other, for plain tuples; how many were learnt before one was refused."""
    memory, link, rule = named_memory(plain), Link(*link), Rule(*rule)
    work = np.empty((5, len(memory.weights)))
    for s in range(len(rewards)):
        if not learn(memory, link, rule, X[s], rewards[s], work):
            return s
    return len(rewards)


@compiled
def play(plain: Any, link: Any, rule: Any, slack: float, X: FloatArray, rewards: FloatArray, arms: IntArray) -> int:
    """Choose and learn in every round, X (B, K, d), or (1, K, d) where the arms stay; how many rounds went well."""
    memory, link, rule = named_memory(plain), Link(*link), Rule(*rule)
    work = np.empty((5, len(memory.weights)))
    for t in range(len(rewards)):
        now = X[t if len(X) > 1 else 0]
        arm = arm_within(memory, link, rule.S, slack, now, work)
        if arm < 0 or not learn(memory, link, rule, now[arm], rewards[t, arm], work):
            return t
        arms[t] = arm
    return len(rewards)
