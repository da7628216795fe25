"""Blocks of rounds for models that forget: X (B, K, d) contexts of every round, or (1, K, d) where the arms stay."""

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.linear.forgetting import learn, memory_in
from rbmle.kernels.linear.formula import Rule, arm_or_why, call
from rbmle.kernels.linear.index import Bound, first_best
from rbmle.kernels.linear.predict import SMALL, first_identical, predict, predict_few
from rbmle.kernels.linear.ridge import LEARNT, ROUGH, STRANGE, ridge_in, root
from rbmle.kernels.linear.rounds import copy_row
from rbmle.types import FloatArray, IntArray


@compiled
def play_bound(
    bound: Bound, X: FloatArray, rewards: FloatArray, block: FloatArray, extra: FloatArray, arms: IntArray, most: float
) -> tuple[int, int]:
    """As `index.play`."""
    _, K, d = X.shape
    weights, rooted = bound
    ridge, memory = ridge_in(block, d), memory_in(extra, d)
    seen = ridge_in(memory.read, d) if len(memory.squares) else ridge
    mean, variance, now = np.empty(K), np.empty(K), np.empty((K, d))
    x, u, w, y = np.empty(d), np.empty(d), np.empty(d), np.zeros(d)
    for t in range(len(rewards)):
        if t < len(X):
            for a in range(K):
                for i in range(d):
                    now[a, i] = X[t, a, i]
        predict_few(now, seen.theta, seen.V_inv, mean, variance)
        arm, total = first_best(mean, variance, weights[t, 0], weights[t, 1], rooted)
        if not total <= most:
            return t, STRANGE
        arms[t] = arm
        for i in range(d):
            x[i] = now[arm, i]
        outcome = learn(ridge, memory, x, rewards[t, arm], u, w, y)
        if outcome != LEARNT:
            return t + int(outcome == ROUGH), outcome
    return len(rewards), LEARNT


@compiled
def play(
    rule: Rule, X: FloatArray, rewards: FloatArray, block: FloatArray, extra: FloatArray, arms: IntArray, most: float
) -> tuple[int, int]:
    """As `rounds.play`."""
    _, K, d = X.shape
    ridge, memory = ridge_in(block, d), memory_in(extra, d)
    seen = ridge_in(memory.read, d) if len(memory.squares) else ridge
    address, coefficients, draws, bank, needs_root, _ = rule
    mean, variance, scores, W = np.empty(K), np.empty(K), np.empty(K), np.empty((K, d if needs_root else 0))
    c, z = np.empty(coefficients.shape[1]), np.empty(draws.shape[1])
    now, x = np.empty((K, d)), np.empty(d)
    u, w, y = np.empty(d), np.empty(d), np.zeros(d)
    for t in range(len(rewards)):
        copy_row(coefficients, t, c)
        copy_row(draws, t, z)
        if t < len(X):
            for a in range(K):
                for i in range(d):
                    now[a, i] = X[t, a, i]
        predict(now, seen.theta, seen.V_inv, mean, variance)
        total = 0.0
        for a in range(K):
            total += variance[a]
        if not total <= most:
            return t, STRANGE
        if needs_root:
            root(now, seen, W)
        arm = arm_or_why(call(address, (mean, variance, W, seen.volume, c, z, bank, scores)), K)
        if d > SMALL and len(z) == 0 and arm >= 0:
            arm = first_identical(now, arm, scores)
        arms[t] = arm
        if arm < 0:
            return t, LEARNT
        copy_row(now, arm, x)
        outcome = learn(ridge, memory, x, rewards[t, arm], u, w, y)
        if outcome != LEARNT:
            return t + int(outcome == ROUGH), outcome
    return len(rewards), LEARNT
