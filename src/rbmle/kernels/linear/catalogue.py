"""A fixed set of arms: after a pull, what is known of every arm follows by one rank-one update, with no model in sight.

rows            (4, K)  m_a, v_a, and the pulls and summed rewards of every arm, from which V and b follow
gram            (K, K)  G = X V⁻¹ Xᵀ, the form for few arms; or
root            (K, d)  W with W Wᵀ = G, the form for many arms and for policies that draw samples
volume          (3,)    as in kernels.linear.ridge
"""

import math
from typing import NamedTuple

import numpy as np

from rbmle.kernels.compile import compiled, inlined
from rbmle.kernels.linear.formula import Known
from rbmle.kernels.linear.ridge import grow
from rbmle.types import FloatArray


class Form(NamedTuple):
    """The arrays of arms that stay; a gram of size 0 means: use the root."""

    rows: FloatArray
    gram: FloatArray
    root: FloatArray
    volume: FloatArray


@inlined
def learn(known: Known, g: FloatArray, arm: int, r: float) -> float:
    """Update means and variances after a pull of `arm`, g = G[:, arm] before it; returns the gain 1/(1 + g_arm)."""
    mean, variance = known.mean, known.variance
    gain = 1.0 / (1.0 + g[arm])
    grow(known.volume, 1.0 + g[arm])
    step = gain * (r - mean[arm])
    for a in range(len(mean)):
        mean[a] += step * g[a]
        variance[a] -= gain * g[a] * g[a]
    return gain


@inlined
def learn_gram(known: Known, G: FloatArray, g: FloatArray, arm: int, r: float) -> None:
    """Pull of `arm`: G ← G − g gᵀ/(1 + g_arm). `g` (K,) is scratch."""
    K = len(g)
    for a in range(K):
        g[a] = G[arm, a]
    gain = learn(known, g, arm, r)
    for a in range(K):
        h = gain * g[a]
        for c in range(K):
            G[a, c] -= h * g[c]


@compiled
def learn_root(known: Known, g: FloatArray, arm: int, r: float) -> None:
    """Pull of `arm`: V' = C(I + s sᵀ)Cᵀ with s = w_arm, so W' = W M⁻ᵀ for the Cholesky factor M of I + s sᵀ.

    With t_j = 1 + Σ_{i≤j} s_i²: M_jj = √(t_j/t_{j−1}) and M_ij = s_i s_j/√(t_j t_{j−1}) below the diagonal; each
    row takes O(d). The factor is unique: this path and the general one see the same samples.
    """
    W = known.root
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
    learn(known, g, arm, r)


@compiled
def pull(
    arm: int, r: float, rows: FloatArray, gram: FloatArray, W: FloatArray, volume: FloatArray, scratch: FloatArray
) -> bool:
    """One reward of an arm that stays. False, nothing changed, where the form has lost its definiteness to rounding."""
    known = Known(rows[0], rows[1], W, volume)
    if gram.size:
        if not gram[arm, arm] >= 0.0:
            return False
        learn_gram(known, gram, scratch, arm, r)
    else:
        learn_root(known, scratch, arm, r)
    rows[2, arm] += 1.0
    rows[3, arm] += r
    return True
