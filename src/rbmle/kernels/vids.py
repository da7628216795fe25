"""Information-directed sampling over a Gaussian posterior, in the coordinates of its root.

A sample θ = θ̂ + C⁻ᵀz gives arm a the score m_a + w_aᵀz, so that θ itself is never formed:

    root   (K, d)  rows w_a = C⁻¹x_a, V = C Cᵀ
    Z      (d, M)  standard normal draws, one column per sample
    gain   (K,)    g_a = Σ_b p_b (w_aᵀ(z̄_b − z̄))², z̄_b the mean draw where arm b is best
    gap    (K,)    Δ_a = Σ_b p_b (m_b + w_bᵀz̄_b) − (m_a + w_aᵀz̄)
"""

import math

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.types import FloatArray

# Samples whose scores are held at once: enough for vector instructions, few enough to stay in the cache.
CHUNK = 512
# As published, a gain below this counts as none.
NO_GAIN = 1e-6


@compiled
def best_arms(mean: FloatArray, root: FloatArray, Z: FloatArray, share: FloatArray, z_best: FloatArray) -> None:
    """Count for every arm the samples in which it is best (share), and add up their draws (z_best, (K, d))."""
    K, d = root.shape
    M = Z.shape[1]
    score, top = np.empty(CHUNK), np.empty(CHUNK)
    best = np.empty(CHUNK, dtype=np.int64)
    for start in range(0, M, CHUNK):
        n = min(CHUNK, M - start)
        for a in range(K):
            for s in range(n):
                score[s] = mean[a]
            for i in range(d):
                w = root[a, i]
                for s in range(n):
                    score[s] += w * Z[i, start + s]
            if a == 0:
                for s in range(n):
                    top[s] = score[s]
                    best[s] = 0
            else:
                for s in range(n):
                    better = score[s] > top[s]
                    best[s] = a if better else best[s]
                    top[s] = score[s] if better else top[s]
        for s in range(n):
            share[best[s]] += 1.0
        for i in range(d):
            for s in range(n):
                z_best[best[s], i] += Z[i, start + s]


@compiled
def moments(mean: FloatArray, root: FloatArray, Z: FloatArray, gain: FloatArray, gap: FloatArray) -> None:
    """Gain and expected regret of every arm."""
    K, d = root.shape
    M = Z.shape[1]
    share, z_best, z_mean = np.zeros(K), np.zeros((K, d)), np.zeros(d)
    best_arms(mean, root, Z, share, z_best)
    for b in range(K):
        for i in range(d):
            z_mean[i] += z_best[b, i] / M
    optimum = 0.0
    for b in range(K):
        if share[b] > 0.0:
            s = mean[b]
            for i in range(d):
                z_best[b, i] /= share[b]
                s += root[b, i] * z_best[b, i]
            share[b] /= M
            optimum += share[b] * s
    for a in range(K):
        s = mean[a]
        for i in range(d):
            s += root[a, i] * z_mean[i]
        gap[a] = optimum - s
        gain[a] = 0.0
        for b in range(K):
            if share[b] > 0.0:
                shift = 0.0
                for i in range(d):
                    shift += root[a, i] * (z_best[b, i] - z_mean[i])
                gain[a] += share[b] * shift * shift


@compiled
def ratio(q: float, gap_a: float, gap_b: float, gain_a: float, gain_b: float) -> float:
    """Information ratio of playing a with probability q, else b."""
    information = q * gain_a + (1.0 - q) * gain_b
    regret = q * gap_a + (1.0 - q) * gap_b
    return regret * regret / information if information > 0.0 else math.inf


@compiled
def best_share(gap_a: float, gap_b: float, gain_a: float, gain_b: float) -> float:
    """q in [0, 1] of the least information ratio of a pair, in closed form.

    With q ↦ (Δ_b + qD)²/(g_b + qG), D = Δ_a − Δ_b, G = g_a − g_b, the derivative vanishes at q = Δ_b/D − 2 g_b/G and
    where the regret does, q = −Δ_b/D; the ratio is convex where information is positive: one of these or an end is best.
    """
    D, G = gap_a - gap_b, gain_a - gain_b
    best, least = 0.0, ratio(0.0, gap_a, gap_b, gain_a, gain_b)
    end = ratio(1.0, gap_a, gap_b, gain_a, gain_b)
    if end < least:
        best, least = 1.0, end
    for inner in range(2):
        if D == 0.0 or (inner == 0 and G == 0.0):
            continue
        q = gap_b / D - 2.0 * gain_b / G if inner == 0 else -gap_b / D
        if 0.0 < q < 1.0:
            value = ratio(q, gap_a, gap_b, gain_a, gain_b)
            if value < least:
                best, least = q, value
    return best


@compiled
def best_pair(gain: FloatArray, gap: FloatArray, grid: int, published: bool, u: float) -> tuple[int, int, float]:
    """Arms (a, b) and q of the least information ratio; `grid` points for q, or 0 for the closed form.

    As published, any gain below 1e-6 makes the arm of the smallest gain win (random among equals, by u in [0, 1)).
    By its authors, where no arm has information left the arm of least regret is played.
    """
    K = len(gain)
    if published and K > 1 and gain.min() < NO_GAIN:
        equals = np.flatnonzero(gain == gain.min())
        arm = equals[int(u * len(equals))]
        return arm, arm, 1.0
    if K == 1 or gain.max() <= 0.0:
        arm = int(np.argmin(gap))
        return arm, arm, 1.0
    first, second, share, least = 0, 0, 1.0, math.inf
    for a in range(K):
        for b in range(a + 1, K):
            if grid == 0:
                q = best_share(gap[a], gap[b], gain[a], gain[b])
                value = ratio(q, gap[a], gap[b], gain[a], gain[b])
                if value < least:
                    first, second, share, least = a, b, q, value
            else:
                for point in range(grid):
                    q = point / (grid - 1)
                    value = ratio(q, gap[a], gap[b], gain[a], gain[b])
                    if value < least:
                        first, second, share, least = a, b, q, value
    return first, second, share
