"""Optimism over the likelihood-ratio set {L(θ) ≤ L(θ̂) + slack, ‖θ‖ ≤ S}, θ̂ the likeliest in the ball."""

import math
from typing import Any

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.ball import length_of, likeliest_within
from rbmle.kernels.glm.interior import Region, highest, start_within
from rbmle.kernels.glm.named import History, Link, likelihood_of
from rbmle.kernels.glm.rows import add
from rbmle.types import FloatArray, IntArray

# Scores this close, relative to S‖x‖, are told apart by solving both.
MARGIN = 1e-8


@compiled
def region_of(plain: Any, S: float, slack: float, work: FloatArray) -> tuple[bool, Any]:
    """The set {L(θ) ≤ L(θ̂) + slack, ‖θ‖ ≤ S}, θ̂ the likeliest in the ball."""
    d = len(plain.XT)
    theta_hat, start = np.empty(d), np.empty(d)
    good, loss = likeliest_within(plain, 0.0, S, theta_hat, work)
    start_within(plain, theta_hat, S, loss + slack, start, work)
    return good, Region(S, loss + slack, start)


@compiled
def score_of(plain: Any, region: Any, x: FloatArray, unit: FloatArray, theta: FloatArray, work: FloatArray) -> float:
    """u(x), NaN where it was not solved; `unit` becomes x/‖x‖."""
    length = length_of(x)
    if length == 0.0:
        unit[:] = 0.0
        return 0.0
    for j in range(len(x)):
        unit[j] = x[j] / length
    good, value, _ = highest(plain, region, unit, theta, work)
    return length * value if good else math.nan


@compiled
def score_arms(plain: Any, region: Any, X: FloatArray, scores: FloatArray, work: FloatArray) -> bool:
    """u(x) of every arm; whether all were solved."""
    theta, unit, good = np.empty(X.shape[1]), np.empty(X.shape[1]), True
    for a in range(len(X)):
        scores[a] = score_of(plain, region, X[a], unit, theta, work)
        good = good and math.isfinite(scores[a])
    return good


@compiled
def solve_all(history: Any, link: Any, S: float, slack: float, X: FloatArray, scores: FloatArray) -> int:
    """u(x) of every arm for plain tuples; 0 where one was not solved."""
    history, link = History(*history), Link(*link)
    work = np.empty((5, len(history.counts)))
    plain = likelihood_of(history, 0.0, link)
    good, region = region_of(plain, S, slack, work)
    return 1 if good and score_arms(plain, region, X, scores, work) else 0


@compiled
def lower_bounds(X: FloatArray, unit: FloatArray, edge: float, S: float, bounds: FloatArray) -> None:
    """Bounds of all arms now that unitᵀθ ≤ edge is known of the set: the highest score in ball and half-space."""
    rest = math.sqrt(max(0.0, S * S - edge * edge))
    for a in range(len(X)):
        length, along = length_of(X[a]), 0.0
        for j in range(len(unit)):
            along += unit[j] * X[a, j]
        if S * along > edge * length:
            across = math.sqrt(max(0.0, length * length - along * along))
            bounds[a] = min(bounds[a], along * edge + across * rest)


@compiled
def decide(plain: Any, region: Any, X: FloatArray, work: FloatArray) -> tuple[int, int]:
    """The first arm of the largest u, -1 where one was not solved, and how many arms were solved.

    Arms go by their certified upper bounds: u ≤ S‖x‖, and every arm solved cuts a half-space off the set.
    """
    K, d = X.shape
    S, unit, theta = region.S, np.empty(d), np.empty(d)
    bounds, solved = np.empty(K), np.zeros(K)
    widest = 0.0
    for a in range(K):
        bounds[a] = S * length_of(X[a])
        widest = max(widest, bounds[a])
    best, arm, count = -math.inf, -1, 0
    for _ in range(K):
        now = -1
        for a in range(K):
            if solved[a] == 0.0 and (now < 0 or bounds[a] > bounds[now]):
                now = a
        if bounds[now] < best - MARGIN * widest:
            break
        score = score_of(plain, region, X[now], unit, theta, work)
        if not math.isfinite(score):
            return -1, count
        solved[now] = 1.0
        count += 1
        if score > best or (score == best and now < arm):
            best, arm = score, now
        length = length_of(X[now])
        if length > 0.0:
            lower_bounds(X, unit, score / length, S, bounds)
    return arm, count


@compiled
def choose(history: Any, link: Any, S: float, slack: float, X: FloatArray) -> int:
    """`decide` for plain tuples."""
    history, link = History(*history), Link(*link)
    work = np.empty((5, len(history.counts)))
    plain = likelihood_of(history, 0.0, link)
    good, region = region_of(plain, S, slack, work)
    return decide(plain, region, X, work)[0] if good else -1


@compiled
def play(
    history: Any, link: Any, S: float, slacks: FloatArray, X: FloatArray, rewards: FloatArray, arms: IntArray
) -> int:
    """Choose and learn in every round for plain tuples, `slacks` (B,) those of each; how many rounds went well."""
    history, link = History(*history), Link(*link)
    work = np.empty((5, len(history.counts)))
    for t in range(len(rewards)):
        now = X[t if len(X) > 1 else 0]
        plain = likelihood_of(history, 0.0, link)
        good, region = region_of(plain, S, slacks[t], work)
        if not good:
            return t
        arm, _ = decide(plain, region, now, work)
        if arm < 0 or not add(history, now[arm], rewards[t, arm]):
            return t
        arms[t] = arm
    return len(rewards)
