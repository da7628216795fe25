"""Eight trials of one index method side by side: the loops of `kernels.linear.index`, a trial in each lane.

Every array has the trial as its last axis, (…, 8), and is handed over as rows of eight, (N, 8). Each lane is rounded as
the loop of a single trial rounds it, so that its numbers are the same to the last bit. What a single trial would stop
for, or look at twice, stops all eight before anything of that round is learnt: they are then played one by one.

model  rows of V (d·d), V⁻¹ (d·d), b (d), θ̂ (d) and volume (3), as in kernels.linear.ridge; of V and V⁻¹ the lower
       triangles alone
X      (B·K·d, 8)  contexts
R      (B·K, 8)    rewards
arms   (B, 8)      output: the arms played
"""

import math
from typing import Any

import numpy as np

from rbmle.inputs import LARGEST_REWARD
from rbmle.kernels.compile import compiled, embedded
from rbmle.kernels.eight import LANES, all_of, fill, load, pick, size_of, store, where
from rbmle.kernels.linear.index import Bound, upper
from rbmle.kernels.linear.ridge import LARGEST_SQUARE, STEEP
from rbmle.types import FloatArray

# Eight of them.
Sources = tuple[FloatArray, ...]


@embedded
def is_usual(q: Any, r: Any, step: Any, square: Any, total: Any, most: float) -> bool:
    """Whether nothing is to be looked at again, in any lane."""
    fine = (q >= 0.0) & (q <= STEEP) & (size_of(r) <= LARGEST_REWARD) & (size_of(step) < math.inf)
    return bool(all_of(fine & (square <= LARGEST_SQUARE) & (total <= most)))


@compiled
def tidy(model: FloatArray, volume: int) -> None:
    """Take the logarithm of determinants that got large."""
    for lane in range(LANES):
        if model[volume + 1, lane] > 1e150:
            model[volume, lane] += math.log(model[volume + 1, lane])
            model[volume + 1, lane] = 1.0


@compiled
def interleave(sources: Sources, first: int, target: FloatArray) -> None:
    """Numbers first … of eight arrays (n,), as rows of eight."""
    a, b, c, d, e, f, g, h = sources
    for i in range(len(target)):
        at = first + i
        target[i, 0], target[i, 1], target[i, 2], target[i, 3] = a[at], b[at], c[at], d[at]
        target[i, 4], target[i, 5], target[i, 6], target[i, 7] = e[at], f[at], g[at], h[at]


@compiled
def mirror(model: FloatArray, d: int) -> None:
    """Complete V and V⁻¹ from their lower triangles."""
    for start in (0, d * d):
        for i in range(d):
            for j in range(i):
                for lane in range(LANES):
                    model[start + j * d + i, lane] = model[start + i * d + j, lane]


@compiled
def play_three(
    bound: Bound, first: int, X: FloatArray, R: FloatArray, model: FloatArray, arms: FloatArray, most: float
) -> int:
    """`play` for d = 3, all that is known in registers."""
    weights, rooted = bound
    B = len(arms)
    K = len(R) // B
    V00, V10, V11, V20, V21, V22 = (
        load(model, 0), load(model, 3), load(model, 4), load(model, 6), load(model, 7), load(model, 8)
    )  # fmt: skip
    W00, W10, W11, W20, W21, W22 = (
        load(model, 9), load(model, 12), load(model, 13), load(model, 15), load(model, 16), load(model, 17)
    )  # fmt: skip
    b0, b1, b2 = load(model, 18), load(model, 19), load(model, 20)
    t0, t1, t2 = load(model, 21), load(model, 22), load(model, 23)
    volume = load(model, 25)
    done = B
    for t in range(B):
        outer, inner = weights[first + t, 0], weights[first + t, 1]
        c10, c20, c21 = 2.0 * W10, 2.0 * W20, 2.0 * W21
        best = top = total = x0 = x1 = x2 = fill(0.0)
        for a in range(K):
            place = 3 * (t * K + a)
            x, y, z = load(X, place), load(X, place + 1), load(X, place + 2)
            m = x * t0 + y * t1 + z * t2
            v = x * (W00 * x) + y * (W11 * y + c10 * x) + z * (W22 * z + (c20 * x + c21 * y))
            score = upper(m, v, outer, inner, rooted)
            total = total + v
            if a == 0:
                top, x0, x1, x2 = score, x, y, z
            else:
                better = score > top
                top, best = where(better, score, top), where(better, fill(float(a)), best)
                x0, x1, x2 = where(better, x, x0), where(better, y, x1), where(better, z, x2)
        r = pick(R, t * K, 1, best)
        u0 = W00 * x0 + W10 * x1 + W20 * x2
        u1 = W10 * x0 + W11 * x1 + W21 * x2
        u2 = W20 * x0 + W21 * x1 + W22 * x2
        q = x0 * u0 + x1 * u1 + x2 * u2
        gain = 1.0 / (1.0 + q)
        step = gain * (r - (x0 * t0 + x1 * t1 + x2 * t2))
        if not is_usual(q, r, step, x0 * x0 + x1 * x1 + x2 * x2, total, most):
            done = t
            break
        store(arms, t, best)
        volume = volume * (1.0 + q)
        if not all_of(volume <= 1e150):
            store(model, 25, volume)
            tidy(model, 24)
            volume = load(model, 25)
        t0, t1, t2 = t0 + step * u0, t1 + step * u1, t2 + step * u2
        b0, b1, b2 = b0 + r * x0, b1 + r * x1, b2 + r * x2
        g0, g1, g2 = gain * u0, gain * u1, gain * u2
        V00, V10, V11 = V00 + x0 * x0, V10 + x1 * x0, V11 + x1 * x1
        V20, V21, V22 = V20 + x2 * x0, V21 + x2 * x1, V22 + x2 * x2
        W00, W10, W11 = W00 - g0 * u0, W10 - g1 * u0, W11 - g1 * u1
        W20, W21, W22 = W20 - g2 * u0, W21 - g2 * u1, W22 - g2 * u2
    store(model, 0, V00)
    store(model, 3, V10)
    store(model, 4, V11)
    store(model, 6, V20)
    store(model, 7, V21)
    store(model, 8, V22)
    store(model, 9, W00)
    store(model, 12, W10)
    store(model, 13, W11)
    store(model, 15, W20)
    store(model, 16, W21)
    store(model, 17, W22)
    store(model, 18, b0)
    store(model, 19, b1)
    store(model, 20, b2)
    store(model, 21, t0)
    store(model, 22, t1)
    store(model, 23, t2)
    store(model, 25, volume)
    return done


@compiled
def play(
    bound: Bound, first: int, X: FloatArray, R: FloatArray, model: FloatArray, arms: FloatArray, most: float
) -> int:
    """Choose and learn in rounds of all lanes, `first` of those with weights; how many rounds were as usual."""
    weights, rooted = bound
    B = len(arms)
    K = len(R) // B
    d = len(X) // len(R)
    if d == 3:
        return play_three(bound, first, X, R, model, arms, most)
    V, V_inv, b, theta, volume = 0, d * d, 2 * d * d, 2 * d * d + d, 2 * d * d + 2 * d
    u, x = np.empty((d, LANES)), np.empty((d, LANES))
    for t in range(B):
        outer, inner = weights[first + t, 0], weights[first + t, 1]
        best = top = total = fill(0.0)
        for a in range(K):
            place = d * (t * K + a)
            m = v = fill(0.0)
            for i in range(d):
                s, row = fill(0.0), V_inv + i * d
                for j in range(i):
                    s = s + load(model, row + j) * load(X, place + j)
                xi = load(X, place + i)
                m = m + xi * load(model, theta + i)
                v = v + xi * (load(model, row + i) * xi + 2.0 * s)
            score = upper(m, v, outer, inner, rooted)
            total = total + v
            if a == 0:
                top = score
            else:
                better = score > top
                top, best = where(better, score, top), where(better, fill(float(a)), best)
        r = pick(R, t * K, 1, best)
        for i in range(d):
            store(x, i, pick(X, d * t * K + i, d, best))
        q = m = square = fill(0.0)
        for i in range(d):
            s, row = fill(0.0), V_inv + i * d
            for j in range(i + 1):
                s = s + load(model, row + j) * load(x, j)
            for j in range(i + 1, d):
                s = s + load(model, V_inv + j * d + i) * load(x, j)
            store(u, i, s)
            q = q + load(x, i) * s
            m = m + load(x, i) * load(model, theta + i)
            square = square + load(x, i) * load(x, i)
        gain = 1.0 / (1.0 + q)
        step = gain * (r - m)
        if not is_usual(q, r, step, square, total, most):
            return t
        store(arms, t, best)
        grown = load(model, volume + 1) * (1.0 + q)
        store(model, volume + 1, grown)
        if not all_of(grown <= 1e150):
            tidy(model, volume)
        root_gain = math.sqrt(gain)
        for i in range(d):
            store(model, theta + i, load(model, theta + i) + step * load(u, i))
            store(model, b + i, load(model, b + i) + r * load(x, i))
            store(u, i, load(u, i) * root_gain)
        for i in range(d):
            xi, ui, row = load(x, i), load(u, i), i * d
            for j in range(i + 1):
                store(model, V + row + j, load(model, V + row + j) + xi * load(x, j))
                store(model, V_inv + row + j, load(model, V_inv + row + j) - ui * load(u, j))
    return B
