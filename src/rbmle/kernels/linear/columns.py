"""Many arms that stay: V⁻¹ is kept, and what a pull changes of every arm follows in one pass over the arms' features.

After a pull of arm p with context x let u = V⁻¹x, q = xᵀu and γ = 1/(1 + q), all from before it. The matrix lemma gives
V'⁻¹ = V⁻¹ − γ u uᵀ and θ̂' = θ̂ + γ(r − m_p) u, so that with g = √γ X u

    m' = m + √γ(r − m_p) g,    v' = v − g²,

K·d multiplications beside the d² of V⁻¹. X is kept by columns: a feature of all arms lies side by side, so that the
sum over features runs in vector instructions for many arms at once, and equal arms get equal bits wherever they stand.

rows      (4, K)  as in kernels.linear.catalogue
contexts  (K, d)  X
columns   (d, K)  Xᵀ, contiguous
inverse   (d, d)  V⁻¹, symmetric to the last bit
theta     (d,)    θ̂
drift     (2,)    Σ γ |r − m_p| √q, by which kernels.linear.lazy bounds how far means can have moved; and what rounding
                  is taken to be of q/‖x‖²
volume    (3,)    as in kernels.linear.ridge
"""

import math
from typing import NamedTuple

import numpy as np

from rbmle.kernels.compile import compiled, inlined
from rbmle.kernels.linear.formula import Rule, arm_or_why, call
from rbmle.kernels.linear.index import upper
from rbmle.kernels.linear.ridge import LEARNT, LOST, ROUGH, STEEP, grow
from rbmle.kernels.linear.rounds import copy_row
from rbmle.types import FloatArray, IntArray

# Arms that are updated together: what they share stays in the nearest cache.
TOGETHER = 512


class Columns(NamedTuple):
    """The arrays of many arms that stay."""

    rows: FloatArray
    contexts: FloatArray
    columns: FloatArray
    inverse: FloatArray
    theta: FloatArray
    drift: FloatArray
    volume: FloatArray


@compiled
def multiply(columns: FloatArray, u: FloatArray, first: int, g: FloatArray) -> None:
    """g = Xu for the arms first, first + 1, …: four features at a time, or every sum would be stored for each."""
    d, n = len(u), len(g)
    g[:] = 0.0
    j = 0
    while j + 4 <= d:
        c0, c1 = columns[j, first : first + n], columns[j + 1, first : first + n]
        c2, c3 = columns[j + 2, first : first + n], columns[j + 3, first : first + n]
        u0, u1, u2, u3 = u[j], u[j + 1], u[j + 2], u[j + 3]
        for a in range(n):
            g[a] += u0 * c0[a] + u1 * c1[a] + u2 * c2[a] + u3 * c3[a]
        j += 4
    while j < d:
        c0, u0 = columns[j, first : first + n], u[j]
        for a in range(n):
            g[a] += u0 * c0[a]
        j += 1


@compiled
def follow(columns: FloatArray, u: FloatArray, step: float, rows: FloatArray, scratch: FloatArray) -> None:
    """m += step·g and v −= g² with g = Xu."""
    K = columns.shape[1]
    for first in range(0, K, TOGETHER):
        last = min(K, first + TOGETHER)
        g, mean, variance = scratch[: last - first], rows[0, first:last], rows[1, first:last]
        multiply(columns, u, first, g)
        for a in range(len(g)):
            mean[a] += step * g[a]
            variance[a] -= g[a] * g[a]


@compiled
def shrink(inverse: FloatArray, x: FloatArray, u: FloatArray) -> float:
    """V⁻¹ −= u uᵀ with u = √γ V⁻¹x; returns q = xᵀV⁻¹x from before. Where q < 0 nothing has changed but u."""
    d = len(x)
    u[:] = 0.0
    for j in range(d):
        if x[j] != 0.0:
            for i in range(d):
                u[i] += inverse[j, i] * x[j]
    q = 0.0
    for i in range(d):
        q += x[i] * u[i]
    if q >= 0.0:
        root_gain = math.sqrt(1.0 / (1.0 + q))
        for i in range(d):
            u[i] *= root_gain  # u uᵀ is then symmetric to the last bit
        for i in range(d):
            if u[i] != 0.0:
                for j in range(d):
                    inverse[i, j] -= u[i] * u[j]
    return q


@inlined
def learn(held: Columns, x: FloatArray, arm: int, r: float, u: FloatArray) -> tuple[int, float]:
    """All of a reward but `follow`: LEARNT, ROUGH, or LOST, and then nothing has changed; and the step for that.

    u: scratch, and √γ V⁻¹x afterwards.
    """
    rows, _, _, inverse, theta, drift, volume = held
    m = square = 0.0
    for i in range(len(x)):
        m += x[i] * theta[i]
        square += x[i] * x[i]
    q = shrink(inverse, x, u)
    if not q >= 0.0:
        return LOST, 0.0
    grow(volume, 1.0 + q)
    root_gain = math.sqrt(1.0 / (1.0 + q))
    step = root_gain * (r - m)
    for i in range(len(x)):
        theta[i] += step * u[i]
    drift[0] += abs(step) * root_gain * math.sqrt(q + drift[1] * square)
    rows[2, arm] += 1.0
    rows[3, arm] += r
    return ROUGH if q > STEEP else LEARNT, step


@compiled
def pull(
    arm: int,
    r: float,
    rows: FloatArray,
    contexts: FloatArray,
    columns: FloatArray,
    inverse: FloatArray,
    numbers: FloatArray,
    follows: bool,
) -> int:
    """`learn` for Python, and `follow` unless bounds do instead. numbers: θ̂, the drift and the volume side by side."""
    d = len(inverse)
    held = Columns(rows, contexts, columns, inverse, numbers[:d], numbers[d : d + 2], numbers[d + 2 :])
    u = np.empty(d)
    outcome, step = learn(held, contexts[arm], arm, r, u)
    if follows and outcome != LOST:
        follow(columns, u, step, rows, np.empty(TOGETHER))
    return outcome


@compiled
def best(rows: FloatArray, outer: float, inner: float, rooted: bool) -> tuple[int, float]:
    """The arm of the largest index and that, from means and variances that are up to date."""
    arm, top = 0, upper(rows[0, 0], rows[1, 0], outer, inner, rooted)
    for a in range(1, rows.shape[1]):
        score = upper(rows[0, a], rows[1, a], outer, inner, rooted)
        if score > top:
            arm, top = a, score
    return arm, top


@compiled
def play(rule: Rule, rewards: FloatArray, held: Columns, arms: IntArray) -> tuple[int, int]:
    """Choose and learn in every round of rewards (B, K): how many went well, how the last one did.

    arms: the arms played; of a round without one, why.
    """
    rows, root = held.rows, np.empty((len(held.contexts), 0))
    mean, variance, volume = rows[0], rows[1], held.volume
    address, coefficients, draws, bank, _, _ = rule
    K, d = held.contexts.shape
    scores, x, u, g = np.empty(K), np.empty(d), np.empty(d), np.empty(TOGETHER)
    c, z = np.empty(coefficients.shape[1]), np.empty(draws.shape[1])
    for t in range(len(rewards)):
        copy_row(coefficients, t, c)
        copy_row(draws, t, z)
        arms[t] = arm = arm_or_why(call(address, (mean, variance, root, volume, c, z, bank, scores)), K)
        if arm < 0:
            return t, LEARNT
        copy_row(held.contexts, arm, x)
        outcome, step = learn(held, x, arm, rewards[t, arm], u)
        if outcome != LOST:
            follow(held.columns, u, step, rows, g)
        if outcome != LEARNT:
            return t + int(outcome == ROUGH), outcome
    return len(rewards), LEARNT
