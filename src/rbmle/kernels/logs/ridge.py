"""Sums from which a ridge model and every estimate with it follow, whatever the model turns out to be.

A prediction is xᵀθ, and so the terms of doubly robust estimates are linear in θ̃ = (1, θ): their moments over rows are
known once the moments of the vectors are. One reading of the log then does what otherwise takes two.

X        (N, d)      contexts of all arms, a row's from offsets[i] to offsets[i + 1]
chances  (N,)        of the target
played   (n,)        where the arm that was served stands in X
D = d + 1            a 1 stands behind every context, for the intercept
learnt   (F, D, D+1) Σ x xᵀ and Σ r x of the arm served, by fold
"""

import numpy as np

from rbmle.kernels.compile import compiled, inlined
from rbmle.types import FloatArray, IntArray


@compiled
def learn(X: FloatArray, played: IntArray, rewards: FloatArray, folds: IntArray, learnt: FloatArray) -> None:
    """Add what rows teach; only the lower triangle of Σ x xᵀ is written."""
    d = X.shape[1]
    for i in range(len(played)):
        own, row = learnt[folds[i]], played[i]
        for a in range(d):
            x = X[row, a]
            for b in range(a + 1):
                own[a, b] += x * X[row, b]
            own[d, a] += x
            own[a, d + 1] += rewards[i] * x
        own[d, d] += 1.0
        own[d, d + 1] += rewards[i]


@inlined
def form(
    X: FloatArray, chances: FloatArray, start: int, stop: int, row: int, weight: float, reward: float, z: FloatArray
) -> None:
    """z (D + 1,): w r, then Σ_a π_a x_a − w x of the arm served; the sum over arms start … stop − 1 of X."""
    d = X.shape[1]
    z[0] = weight * reward
    for a in range(d):
        z[a + 1] = -weight * X[row, a]
    z[d + 1] = -weight
    for k in range(start, stop):
        chance = chances[k]
        if chance != 0.0:
            for a in range(d):
                z[a + 1] += chance * X[k, a]
            z[d + 1] += chance


@compiled
def mean_forms(
    X: FloatArray,
    chances: FloatArray,
    offsets: IntArray,
    played: IntArray,
    weights: FloatArray,
    rewards: FloatArray,
    folds: IntArray,
    sums: FloatArray,
) -> None:
    """sums (F, M + 1, M), M = D + 2: Σ z zᵀ (lower triangle), and Σ z in the last row, by fold; r is behind z."""
    M = X.shape[1] + 3
    z = np.empty(M)
    for i in range(len(played)):
        form(X, chances, offsets[i], offsets[i + 1], played[i], weights[i], rewards[i], z)
        z[M - 1] = rewards[i]
        own = sums[folds[i]]
        for a in range(M):
            for b in range(a + 1):
                own[a, b] += z[a] * z[b]
            own[M, a] += z[a]


@compiled
def ratio_forms(
    X: FloatArray,
    chances: FloatArray,
    offsets: IntArray,
    played: IntArray,
    weights: FloatArray,
    rewards: FloatArray,
    folds: IntArray,
    sums: FloatArray,
) -> None:
    """The same for Σ_a π_a x_a, (w r, − w x), w and r side by side, which self-normalised estimates need apart.

    sums (F, M + 1, M), M = D + (D + 1) + 2.
    """
    d = X.shape[1]
    M = 2 * d + 5
    z, none = np.empty(M), 0
    for i in range(len(played)):
        form(X, chances, offsets[i], offsets[i + 1], played[i], 0.0, rewards[i], z)
        for a in range(d + 1):  # the model's own part first
            z[a] = z[a + 1]
        form(X, chances, none, none, played[i], weights[i], rewards[i], z[d + 1 :])
        z[M - 2], z[M - 1] = weights[i], rewards[i]
        own = sums[folds[i]]
        for a in range(M):
            for b in range(a + 1):
                own[a, b] += z[a] * z[b]
            own[M, a] += z[a]
