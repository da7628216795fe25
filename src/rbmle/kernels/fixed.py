"""A fixed set of arms: after a pull, what is known of every arm follows by one rank-one update, with no model in sight.

mean, variance  (K,)    m_a and v_a of every arm
gram            (K, K)  G = X V⁻¹ Xᵀ, the form for few arms; or
root            (K, d)  W with W Wᵀ = G, the form for many arms and for policies that draw samples
counts, sums    (K,)    pulls and summed rewards of every arm: V and b follow from them
"""

import math

import numpy as np

from rbmle.kernels.compile import compiled, inlined
from rbmle.kernels.ridge import grow
from rbmle.types import FloatArray


@inlined
def learn(mean: FloatArray, variance: FloatArray, volume: FloatArray, g: FloatArray, arm: int, r: float) -> float:
    """Update means and variances after a pull of `arm`, g = G[:, arm] before it; returns the gain 1/(1 + g_arm)."""
    gain = 1.0 / (1.0 + g[arm])
    grow(volume, 1.0 + g[arm])
    step = gain * (r - mean[arm])
    for a in range(len(mean)):
        mean[a] += step * g[a]
        variance[a] -= gain * g[a] * g[a]
    return gain


@inlined
def learn_gram(
    mean: FloatArray, variance: FloatArray, volume: FloatArray, G: FloatArray, g: FloatArray, arm: int, r: float
) -> None:
    """Pull of `arm`: G ← G − g gᵀ/(1 + g_arm). `g` (K,) is scratch."""
    K = len(mean)
    for a in range(K):
        g[a] = G[arm, a]
    gain = learn(mean, variance, volume, g, arm, r)
    for a in range(K):
        h = gain * g[a]
        for c in range(K):
            G[a, c] -= h * g[c]


@compiled
def learn_root(
    mean: FloatArray, variance: FloatArray, volume: FloatArray, W: FloatArray, g: FloatArray, arm: int, r: float
) -> None:
    """Pull of `arm`: V' = C(I + s sᵀ)Cᵀ with s = w_arm, so W' = W M⁻ᵀ for the Cholesky factor M of I + s sᵀ.

    With t_j = 1 + Σ_{i≤j} s_i²: M_jj = √(t_j/t_{j−1}) and M_ij = s_i s_j/√(t_j t_{j−1}) below the diagonal; each
    row takes O(d). The factor is unique: this path and the general one see the same samples.
    """
    K, d = W.shape
    s = W[arm].copy()
    diagonal, below = np.empty(d), np.empty(d)
    t = 1.0
    for j in range(d):
        after = t + s[j] * s[j]
        diagonal[j] = math.sqrt(after / t)
        below[j] = s[j] / math.sqrt(after * t)
        t = after
    for a in range(K):
        dot = carried = 0.0
        for j in range(d):
            dot += W[a, j] * s[j]
            W[a, j] = (W[a, j] - s[j] * carried) / diagonal[j]
            carried += below[j] * W[a, j]
        g[a] = dot
    learn(mean, variance, volume, g, arm, r)
