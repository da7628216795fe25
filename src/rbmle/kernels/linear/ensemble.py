"""A ridge model with an ensemble of random targets beside it: t_j = V⁻¹ s_j, s_j = √λ z_0j + Σ z_sj x_s.

block           of kernels.linear.ridge
targets (M, d)  s_j
noise   (B, M)  z_j of every round, standard normal
member  (B,)    the member whose say counts in a round, -1 for the largest of all
"""

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.linear.ridge import LEARNT, ROUGH, Ridge, learn, ridge_in
from rbmle.kernels.normal import first_max
from rbmle.types import FloatArray, IntArray


@compiled
def members_of(ridge: Ridge, targets: FloatArray, T: FloatArray) -> None:
    """T (M, d) ← targets V⁻¹."""
    M, d = targets.shape
    for j in range(M):
        for i in range(d):
            total = 0.0
            for k in range(d):
                total += ridge.V_inv[i, k] * targets[j, k]
            T[j, i] = total


@compiled
def score(theta: FloatArray, T: FloatArray, X: FloatArray, scale: float, member: int, scores: FloatArray) -> None:
    """x_aᵀθ̂ + scale · x_aᵀt_member, or scale times the largest of all x_aᵀt_j where `member` is -1."""
    d = X.shape[1]
    first, last = (0, len(T)) if member < 0 else (member, member + 1)
    for a in range(len(X)):
        mean, top = 0.0, -np.inf
        for i in range(d):
            mean += X[a, i] * theta[i]
        for j in range(first, last):
            say = 0.0
            for i in range(d):
                say += X[a, i] * T[j, i]
            top = max(top, say)
        scores[a] = mean + scale * top


@compiled
def score_all(block: FloatArray, targets: FloatArray, X: FloatArray, scale: float, members: IntArray) -> FloatArray:
    """Scores (n, K) by each of `members` (n,)."""
    ridge, T, scores = ridge_in(block, X.shape[1]), np.empty(targets.shape), np.empty((len(members), len(X)))
    members_of(ridge, targets, T)
    for s in range(len(members)):
        score(ridge.theta, T, X, scale, members[s], scores[s])
    return scores


@compiled
def play(
    block: FloatArray, targets: FloatArray, X: FloatArray, rewards: FloatArray, noise: FloatArray, scale: float,
    member: IntArray, arms: IntArray,
) -> tuple[int, int]:  # fmt: skip
    """Choose and learn in every round of X (B, K, d), or (1, K, d), and rewards (B, K): how many went well, and how the
    last one did. What a round has put into the model is in the targets too."""
    d = X.shape[2]
    ridge, T, u, scores = ridge_in(block, d), np.empty(targets.shape), np.empty(d), np.empty(X.shape[1])
    for t in range(len(rewards)):
        now = X[t if len(X) > 1 else 0]
        members_of(ridge, targets, T)
        score(ridge.theta, T, now, scale, member[t], scores)
        arm = first_max(scores)
        arms[t] = arm
        outcome = learn(ridge, now[arm], rewards[t, arm], u)
        if outcome in (LEARNT, ROUGH):
            for j in range(len(targets)):
                for i in range(d):
                    targets[j, i] += noise[t, j] * now[arm, i]
        if outcome != LEARNT:
            return t + int(outcome == ROUGH), outcome
    return len(rewards), LEARNT
