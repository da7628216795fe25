"""Formulas that are an upper bound, mean + weight · variance or mean + weight · √variance, in loops of their own.

weights  (B, 2)  outer and inner of every round: the index is m + outer · √(inner · v), or m + outer · v
rooted           which of the two

Nearly every index method is one of these. A call by address costs as much as the formula itself where arms are few, and
what is not called can be done for eight trials at once (`kernels.linear.lanes`). For up to SMALL features.
"""

import math
from typing import NamedTuple, Self

import numpy as np

from rbmle.inputs import LARGEST_CONTEXT
from rbmle.kernels.border import all_within
from rbmle.kernels.compile import compiled, embedded
from rbmle.kernels.linear.formula import NOT_FINITE
from rbmle.kernels.linear.predict import predict_few, predict_three
from rbmle.kernels.linear.ridge import LEARNT, ROUGH, STRANGE, learn, learn_three, ridge_in
from rbmle.types import FloatArray, IntArray

# Arms that are looked at together.
TOGETHER = 256


class Bound(NamedTuple):
    """A formula with its weights, for compiled loops."""

    weights: FloatArray
    rooted: bool

    def after(self, rounds: int) -> Self:
        """Without the first rounds."""
        return self._replace(weights=self.weights[rounds:])


@embedded
def upper(m: float, v: float, outer: float, inner: float, rooted: bool) -> float:
    """The index of one arm; of eight at once where m and v are eight."""
    return m + (outer * math.sqrt(inner * max(v, 0.0)) if rooted else outer * v)


@compiled
def confidence(t: float, delta: float, n_arms: int) -> float:
    """β_t = 2 log(K t² π² / (6δ))."""
    return 2.0 * math.log(n_arms * t**2 * math.pi**2 / (6.0 * delta))


@compiled
def confidences(coefficients: FloatArray, n_arms: int, beta: FloatArray) -> None:
    """β_t of some rounds: (t, δ) of each."""
    for s in range(len(beta)):
        beta[s] = confidence(coefficients[s, 0], coefficients[s, 1], n_arms)


@compiled
def choose(X: FloatArray, outer: float, inner: float, rooted: bool, block: FloatArray) -> int:
    """One decision, or NOT_FINITE; a few arms at a time, so that nothing as long as X is kept."""
    K, d = X.shape
    ridge, some = ridge_in(block, d), min(K, TOGETHER)
    mean, variance = np.empty(some), np.empty(some)
    best, top = -1, 0.0
    for first in range(0, K, TOGETHER):
        now = X[first : first + TOGETHER]
        if not all_within(now, LARGEST_CONTEXT):
            return NOT_FINITE
        predict_few(now, ridge.theta, ridge.V_inv, mean, variance)
        for a in range(len(now)):
            score = upper(mean[a], variance[a], outer, inner, rooted)
            if score > top or best < 0:
                best, top = first + a, score
    return best


@embedded
def first_best(mean: FloatArray, variance: FloatArray, outer: float, inner: float, rooted: bool) -> tuple[int, float]:
    """The arm of the largest index, the lowest number among equals, and the sum of all variances."""
    best, top, total = 0, upper(mean[0], variance[0], outer, inner, rooted), variance[0]
    for a in range(1, len(mean)):
        score = upper(mean[a], variance[a], outer, inner, rooted)
        total += variance[a]
        if score > top:
            best, top = a, score
    return best, total


@compiled
def play_three(
    bound: Bound, X: FloatArray, rewards: FloatArray, block: FloatArray, arms: IntArray, most: float
) -> tuple[int, int]:
    """`play` for d = 3."""
    B, K, _ = X.shape
    weights, rooted = bound
    ridge, mean, variance = ridge_in(block, 3), np.empty(K), np.empty(K)
    for t in range(B):
        predict_three(X, t, ridge.theta, ridge.V_inv, mean, variance)
        arm, total = first_best(mean, variance, weights[t, 0], weights[t, 1], rooted)
        if not total <= most:
            return t, STRANGE
        arms[t] = arm
        outcome = learn_three(ridge, X, t, arm, rewards[t, arm])
        if outcome != LEARNT:
            return t + int(outcome == ROUGH), outcome
    return B, LEARNT


@compiled
def play(
    bound: Bound, X: FloatArray, rewards: FloatArray, block: FloatArray, arms: IntArray, most: float
) -> tuple[int, int]:
    """As `rounds.play`."""
    B, K, d = X.shape
    weights, rooted = bound
    if d == 3:
        return play_three(bound, X, rewards, block, arms, most)
    ridge, mean, variance = ridge_in(block, d), np.empty(K), np.empty(K)
    now, x, u = np.empty((K, d)), np.empty(d), np.empty(d)
    for t in range(B):
        for a in range(K):
            for i in range(d):
                now[a, i] = X[t, a, i]
        predict_few(now, ridge.theta, ridge.V_inv, mean, variance)
        arm, total = first_best(mean, variance, weights[t, 0], weights[t, 1], rooted)
        if not total <= most:
            return t, STRANGE
        arms[t] = arm
        for i in range(d):
            x[i] = now[arm, i]
        outcome = learn(ridge, x, rewards[t, arm], u)
        if outcome != LEARNT:
            return t + int(outcome == ROUGH), outcome
    return B, LEARNT
