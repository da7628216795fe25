"""Blocks of simulated rounds of GLM-RBMLE: X (B, K, d) contexts of every round, or (1, K, d) where the arms stay."""

from typing import Any

import numpy as np

from rbmle.kernels.compile import compiled, reordered
from rbmle.kernels.glm.choose import decide, empty_points
from rbmle.kernels.glm.named import Arms, History, Link, Rounds, Rule, Scratch, likelihood_of
from rbmle.kernels.glm.online import Window, learn
from rbmle.kernels.glm.rows import add
from rbmle.kernels.linear.predict import SMALL, first_identical, predict
from rbmle.kernels.normal import first_max
from rbmle.types import FloatArray, IntArray


@compiled
def play(history: Any, link: Any, lam: float, rule: Any, middle: FloatArray, X: FloatArray, rounds: Any) -> int:
    """Choose and learn with exact memory for plain tuples, the rule's α and η those of each round; contexts vary.

    Returns how many rounds went well.
    """
    history, link, rounds, (_, _, concordance, functions) = History(*history), Link(*link), Rounds(*rounds), rule
    B, K, d = X.shape
    scratch = Scratch(np.empty((5, len(history.counts))), np.empty((2 * d + 2, d)))
    points, white = empty_points(K, d), np.empty((d, K))
    for t in range(B):
        now = Rule(rounds.weights[0, t], rounds.weights[1, t], concordance, functions)
        arm, looked = decide(likelihood_of(history, lam, link), now, Arms(X[t], middle, white), points, scratch)
        if arm < 0 or not add(history, X[t, arm], rounds.rewards[t, arm]):
            return t
        rounds.arms[t], rounds.solved[t] = arm, looked
    return B


@reordered
def few_scores(
    theta: FloatArray, H_inv: FloatArray, alpha: float, eta: float, X: FloatArray, scores: FloatArray
) -> None:
    """`online_scores` for few features: one triangle of H⁻¹ is enough, and four arms at a time share it."""
    K, d = X.shape
    linear, square = eta * alpha, (2.0 * eta - 1.0) * alpha * alpha
    for first in range(0, K, 4):
        a, b, c, e = first, min(first + 1, K - 1), min(first + 2, K - 1), min(first + 3, K - 1)
        total_a = total_b = total_c = total_e = 0.0
        for i in range(d):
            h, m = 0.5 * square * H_inv[i, i], linear * theta[i]
            s_a, s_b, s_c, s_e = m + h * X[a, i], m + h * X[b, i], m + h * X[c, i], m + h * X[e, i]
            for j in range(i):
                h = square * H_inv[i, j]
                s_a += h * X[a, j]
                s_b += h * X[b, j]
                s_c += h * X[c, j]
                s_e += h * X[e, j]
            total_a += X[a, i] * s_a
            total_b += X[b, i] * s_b
            total_c += X[c, i] * s_c
            total_e += X[e, i] * s_e
        scores[a], scores[b], scores[c], scores[e] = total_a, total_b, total_c, total_e


@compiled
def online_scores(
    theta: FloatArray, H_inv: FloatArray, alpha: float, eta: float, X: FloatArray, scores: FloatArray
) -> None:
    """ηα m + (η−½)α² v: the index where the log-likelihood is the quadratic −½(θ−θ̂)ᵀH(θ−θ̂), so θ̄ = θ̂ + αH⁻¹x.

    Many features go through a matrix product; identical contexts then still get the same score, that of the best one.
    """
    if len(theta) <= SMALL:
        few_scores(theta, H_inv, alpha, eta, X, scores)
        return
    variance = np.empty(len(X))
    predict(X, theta, H_inv, scores, variance)
    for a in range(len(X)):
        scores[a] = eta * alpha * scores[a] + (eta - 0.5) * alpha * alpha * variance[a]
    first_identical(X, first_max(scores), scores)


@compiled
def play_online(window: Any, link: Any, X: FloatArray, rewards: FloatArray, weights: FloatArray, arms: IntArray) -> int:
    """Choose and learn with online memory for plain tuples; returns how many rounds went well."""
    window, link, scores = Window(*window), Link(*link), np.empty(X.shape[1])
    for t in range(len(rewards)):
        contexts = X[t] if len(X) > 1 else X[0]
        online_scores(window.theta, window.H_inv, weights[0, t], weights[1, t], contexts, scores)
        arms[t] = first_max(scores)
        if not learn(window, link, contexts[arms[t]], rewards[t, arms[t]]):
            return t
    return len(rewards)
