"""Information-directed sampling over a Gaussian posterior, in the coordinates of its root.

A sample θ = θ̂ + C⁻ᵀz gives arm a the score m_a + w_aᵀz, so that θ itself is never formed:

    root   (K, d)  rows w_a = C⁻¹x_a, V = C Cᵀ
    Z      (d, ·)  standard normal draws, one column per sample
    gain   (K,)    g_a = Σ_b p_b (w_aᵀ(z̄_b − z̄))², z̄_b the mean draw where arm b is best
    gap    (K,)    Δ_a = Σ_b p_b (m_b + w_bᵀz̄_b) − (m_a + w_aᵀz̄)
"""

import math

import numpy as np

from rbmle.kernels.compile import compiled, reordered
from rbmle.kernels.linear.predict import SMALL
from rbmle.types import FloatArray

# Samples whose scores are held at once: enough for vector instructions, few enough to stay in the cache.
CHUNK = 500


@compiled
def reflect(root: FloatArray, normal: FloatArray) -> None:
    """Reflect the rows of `root` at the plane across `normal` (d,)."""
    K, d = root.shape
    square = 0.0
    for i in range(d):
        square += normal[i] * normal[i]
    if square == 0.0:
        return
    for a in range(K):
        s = 0.0
        for i in range(d):
            s += root[a, i] * normal[i]
        s *= 2.0 / square
        for i in range(d):
            root[a, i] -= s * normal[i]


@reordered
def set_scores(score: FloatArray, mean: float, w: float, z: FloatArray) -> None:
    """score ← mean + w z."""
    for s in range(len(score)):
        score[s] = mean + w * z[s]


@reordered
def add_scores(score: FloatArray, w: float, z: FloatArray) -> None:
    """score ← score + w z."""
    for s in range(len(score)):
        score[s] += w * z[s]


@reordered
def take_better(score: FloatArray, top: FloatArray, best: FloatArray, arm: float) -> None:
    """Where the score beats the best so far, put this arm in its place. Arms are floats: one width for all lanes."""
    for s in range(len(score)):
        better = score[s] > top[s]
        best[s] = arm if better else best[s]
        top[s] = score[s] if better else top[s]


@reordered
def challenge_three(
    m: float,
    w: FloatArray,
    z0: FloatArray,
    z1: FloatArray,
    z2: FloatArray,
    top: FloatArray,
    best: FloatArray,
    arm: float,
) -> None:
    """Score and `take_better` in one pass, for d = 3, the paper's dimension."""
    w0, w1, w2 = w[0], w[1], w[2]
    for s in range(len(top)):
        score = m + w0 * z0[s] + w1 * z1[s] + w2 * z2[s]
        better = score > top[s]
        best[s] = arm if better else best[s]
        top[s] = score if better else top[s]


@reordered
def count_of(best: FloatArray, arm: float) -> float:
    """In how many samples an arm is best."""
    count = 0.0
    for s in range(len(best)):
        count += 1.0 if best[s] == arm else 0.0
    return count


@reordered
def sum_of(best: FloatArray, arm: float, z: FloatArray) -> float:
    """Sum of z over the samples in which an arm is best."""
    total = 0.0
    for s in range(len(best)):
        total += z[s] if best[s] == arm else 0.0
    return total


@compiled
def best_arms(
    mean: FloatArray, root: FloatArray, Z: FloatArray, first: int, M: int, share: FloatArray, z_best: FloatArray
) -> None:
    """Count for every arm the samples in which it is best (share), and add up their draws (z_best, (K, d)).

    The samples are columns first … first+M−1 of Z, taken in chunks.
    """
    K, d = root.shape
    for start in range(first, first + M, CHUNK):
        stop = min(start + CHUNK, first + M)
        score, top, best = np.empty(stop - start), np.full(stop - start, -math.inf), np.zeros(stop - start)
        projected = np.dot(root, np.ascontiguousarray(Z[:, start:stop])) if d > SMALL else root
        for a in range(K):
            if d == 3:
                z0, z1, z2 = Z[0, start:stop], Z[1, start:stop], Z[2, start:stop]
                challenge_three(mean[a], root[a], z0, z1, z2, top, best, float(a))
                continue
            if d > SMALL:
                set_scores(score, mean[a], 1.0, projected[a])
            else:
                set_scores(score, mean[a], root[a, 0], Z[0, start:stop])
                for i in range(1, d):
                    add_scores(score, root[a, i], Z[i, start:stop])
            take_better(score, top, best, float(a))
        if d > SMALL:
            add_one_by_one(best, Z, start, share, z_best)
        else:
            add_arm_by_arm(best, Z, start, share, z_best)


@compiled
def add_arm_by_arm(best: FloatArray, Z: FloatArray, start: int, share: FloatArray, z_best: FloatArray) -> None:
    """Add a chunk's draws to the arms that are best in them: a pass per arm, in vector instructions, for small K·d."""
    K, d = z_best.shape
    for a in range(K):
        count = count_of(best, float(a))
        if count > 0.0:
            share[a] += count
            for i in range(d):
                z_best[a, i] += sum_of(best, float(a), Z[i, start : start + len(best)])


@compiled
def add_one_by_one(best: FloatArray, Z: FloatArray, start: int, share: FloatArray, z_best: FloatArray) -> None:
    """The same in one pass over the draws, for large K·d."""
    for s in range(len(best)):
        share[int(best[s])] += 1.0
    for i in range(z_best.shape[1]):
        for s in range(len(best)):
            z_best[int(best[s]), i] += Z[i, start + s]


@compiled
def moments(
    mean: FloatArray, root: FloatArray, Z: FloatArray, first: int, M: int, gain: FloatArray, gap: FloatArray
) -> None:
    """Gain and expected regret of every arm, from columns first … first+M−1 of Z; raises where Z has not so many."""
    K, d = root.shape
    if first < 0 or M < 1 or first + M > Z.shape[1] or len(Z) != d:
        raise ValueError("not so many draws")
    share, z_best, z_mean = np.zeros(K), np.zeros((K, d)), np.zeros(d)
    best_arms(mean, root, Z, first, M, share, z_best)
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
    for b in range(K):
        for i in range(d):
            z_best[b, i] = (z_best[b, i] - z_mean[i]) if share[b] > 0.0 else 0.0
    shift = np.dot(root, np.ascontiguousarray(z_best.T))
    for a in range(K):
        s = mean[a]
        for i in range(d):
            s += root[a, i] * z_mean[i]
        gap[a] = optimum - s
        gain[a] = 0.0
        for b in range(K):
            gain[a] += share[b] * shift[a, b] * shift[a, b]


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
    where the regret does, q = −Δ_b/D; the ratio is convex where information is positive: one of these, or an end.
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
def best_pair(gain: FloatArray, gap: FloatArray) -> tuple[int, int, float]:
    """Arms (a, b) and q of the least information ratio; the arm of least regret where no arm has information left."""
    K = len(gain)
    if K == 1 or gain.max() <= 0.0:
        arm = int(np.argmin(gap))
        return arm, arm, 1.0
    first, second, share, least = 0, 0, 1.0, math.inf
    for a in range(K):
        for b in range(a + 1, K):
            q = best_share(gap[a], gap[b], gain[a], gain[b])
            value = ratio(q, gap[a], gap[b], gain[a], gain[b])
            if value < least:
                first, second, share, least = a, b, q, value
    return first, second, share
