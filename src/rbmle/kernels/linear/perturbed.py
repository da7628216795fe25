"""Least squares on a history perturbed by coin flips, for LinPHE.

history          a `History` of kernels.glm.named: distinct contexts with their counts n_k and sums of rewards
rule             (a, λ): ⌈a n_k⌉ coin flips, 0 or 1, join the n_k rewards of a context; θ̃ has the ridge λ
rng              the policy's generator
"""

import math
from typing import Any

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.greedy import scores_of
from rbmle.kernels.glm.named import History
from rbmle.kernels.glm.rows import add
from rbmle.kernels.linear.ridge import factor
from rbmle.kernels.normal import first_max
from rbmle.types import FloatArray, IntArray

# Random bits in a double from the generator.
BITS = 53


@compiled
def coin_flips(rng: Any, count: int) -> float:
    """How many of `count` coins show 1, by as many random bits: exactly binomial."""
    ones = 0
    while count > 0:
        bits = min(count, BITS)
        word = np.uint64(rng.random() * 2.0**BITS) >> np.uint64(BITS - bits)
        while word:
            word &= word - np.uint64(1)
            ones += 1
        count -= bits
    return float(ones)


@compiled
def pseudo_count(a: float, count: float) -> float:
    """⌈a n⌉."""
    return math.ceil(a * count)


@compiled
def root_of(history: Any, rule: Any) -> tuple[bool, FloatArray]:
    """Lower triangular C with C Cᵀ = λI + Σ (n_k + ⌈a n_k⌉) x_k x_kᵀ, and whether it exists in double precision."""
    a, lam = rule
    d, rows = len(history.XT), int(history.totals[0])
    V, C = lam * np.eye(d), np.zeros((d, d))
    for k in range(rows):
        weight = history.counts[k] + pseudo_count(a, history.counts[k])
        for i in range(d):
            w = weight * history.XT[i, k]
            for j in range(i + 1):
                V[i, j] += w * history.XT[j, k]
    for i in range(d):
        for j in range(i):
            V[j, i] = V[i, j]
    return factor(V, C), C


@compiled
def perturb(history: Any, a: float, C: FloatArray, rng: Any, theta: FloatArray) -> None:
    """A draw of θ̃ = (C Cᵀ)⁻¹ Σ x_k (sum_k + flips_k)."""
    d = len(theta)
    theta[:] = 0.0
    for k in range(int(history.totals[0])):
        pull = history.sums[k] + coin_flips(rng, int(pseudo_count(a, history.counts[k])))
        for i in range(d):
            theta[i] += pull * history.XT[i, k]
    for i in range(d):
        for j in range(i):
            theta[i] -= C[i, j] * theta[j]
        theta[i] /= C[i, i]
    for i in range(d - 1, -1, -1):
        for j in range(i + 1, d):
            theta[i] -= C[j, i] * theta[j]
        theta[i] /= C[i, i]


@compiled
def scores(plain: Any, link: Any, rule: Any, X: FloatArray, rng: Any, index: FloatArray) -> int:
    """x_aᵀθ̃ of every arm for one draw; 1, or 0 where θ̃ cannot be computed, and then nothing is drawn."""
    history, theta = History(*plain), np.empty(X.shape[1])
    good, C = root_of(history, rule)
    if good:
        perturb(history, rule[0], C, rng, theta)
        scores_of(X, theta, index)
    return int(good)


@compiled
def count(plain: Any, link: Any, rule: Any, X: FloatArray, rng: Any, counts: FloatArray, samples: int) -> int:
    """How often each arm is the best one in `samples` draws; 1, or 0 as in `scores`."""
    history, theta, index = History(*plain), np.empty(X.shape[1]), np.empty(len(X))
    good, C = root_of(history, rule)
    if good:
        for _ in range(samples):
            perturb(history, rule[0], C, rng, theta)
            scores_of(X, theta, index)
            counts[first_max(index)] += 1.0
    return int(good)


@compiled
def play(plain: Any, link: Any, rule: Any, X: FloatArray, rewards: FloatArray, rng: Any, arms: IntArray) -> int:
    """Choose and learn, X (B, K, d) or (1, K, d) where arms stay; returns how many rounds went well.

    arms: -1 where the method is to decide, else the arm to play.
    """
    history, theta, index = History(*plain), np.empty(X.shape[2]), np.empty(X.shape[1])
    for t in range(len(rewards)):
        now = X[t if len(X) > 1 else 0]
        if arms[t] < 0:
            good, C = root_of(history, rule)
            if not good:
                return t
            perturb(history, rule[0], C, rng, theta)
            scores_of(now, theta, index)
            arms[t] = first_max(index)
        if not add(history, now[arms[t]], rewards[t, arms[t]]):
            return t
    return len(rewards)
