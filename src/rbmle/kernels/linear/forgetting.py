"""Ridge regression that forgets, in O(d²) a reward.

A discount multiplies V and b by γ before a reward is added. The prior fades with the rest, V = diag(prior) +
Σ γ^(n−s) x xᵀ, and with every reward some coordinates of it, one after the other, are put back to λ: a step of rank one
each, where to put all back (D-LinUCB's (1 − γ)λI) would take a new inverse. Enough of them have their turn for none to
fall below λ/2 while it waits.

A window adds a reward and takes the oldest away: two steps of rank one.

All that a model keeps beyond its block lies in one array, `extra`, for Python to hand over:

numbers  (NUMBERS,)   by the names below
prior    (d,)         the diagonal of V without rewards
squares  (d, d)       Ṽ = diag + Σ γ^2(n−s) x xᵀ, its prior put back in the same turns; (0, d) without a sandwich
read     a block as `ridge` has it, with V⁻¹ṼV⁻¹ in the place of V⁻¹ and 0 in that of V: what decisions are to read
ring     (length, d + 1)  the contexts and rewards of a window, `place` the oldest; (0, d + 1) for a discount
"""

import math
from typing import NamedTuple

import numpy as np

from rbmle.kernels.compile import compiled, embedded
from rbmle.kernels.linear.ridge import (
    LARGEST_SQUARE,
    LEARNT,
    LOST,
    REFUSED,
    ROUGH,
    STEEP,
    Ridge,
    grow,
    is_bearable,
    is_within,
    ridge_in,
)
from rbmle.types import FloatArray

# γ (1 for a window); d log γ; λ; coordinates of the prior that have their turn with a reward; where they go on, or the
# oldest place of the ring; how many rewards are in the ring; whether there is a sandwich.
GAMMA, LOSS, LAMBDA, TURNS, PLACE, FILLED, SANDWICH, NUMBERS = 0, 1, 2, 3, 4, 5, 6, 7
# What is left of the variance of a context that leaves: below this V⁻¹ is computed anew.
LEAST_LEFT = 1e-6


class Memory(NamedTuple):
    """The parts of `extra`."""

    numbers: FloatArray
    prior: FloatArray
    squares: FloatArray
    read: FloatArray
    ring: FloatArray


@compiled
def memory_in(extra: FloatArray, d: int) -> Memory:
    """The parts of `extra`."""
    S = d if extra[SANDWICH] > 0.0 else 0
    R = 2 * d * d + 2 * d + 3 if S else 0
    after, end = NUMBERS + d, NUMBERS + d + S * d
    ring = extra[end + R :]
    return Memory(
        extra[:NUMBERS],
        extra[NUMBERS:after],
        extra[after:end].reshape((S, d)),
        extra[end : end + R],
        ring.reshape((len(ring) // (d + 1), d + 1)),
    )


@compiled
def observe(block: FloatArray, extra: FloatArray, x: FloatArray, r: float) -> int:
    """Learn one reward, and forget: LEARNT or ROUGH, or why not, and then nothing has changed."""
    d = len(x)
    return learn(ridge_in(block, d), memory_in(extra, d), x, r, np.empty(d), np.empty(d), np.zeros(d))


@compiled
def observe_many(block: FloatArray, extra: FloatArray, X: FloatArray, rewards: FloatArray) -> tuple[int, int]:
    """Learn rewards one after the other: how many were learnt, and how the last one tried went."""
    d = X.shape[1]
    ridge, memory = ridge_in(block, d), memory_in(extra, d)
    u, w, y = np.empty(d), np.empty(d), np.zeros(d)
    for s in range(len(rewards)):
        outcome = learn(ridge, memory, X[s], rewards[s], u, w, y)
        if outcome != LEARNT:
            return s + int(outcome == ROUGH), outcome
    return len(rewards), LEARNT


@embedded
def multiply(matrix: FloatArray, x: FloatArray, y: FloatArray) -> float:
    """y = matrix · x; returns xᵀy."""
    total = 0.0
    for i in range(len(x)):
        s = 0.0
        for j in range(len(x)):
            s += matrix[i, j] * x[j]
        y[i] = s
        total += x[i] * s
    return total


@embedded
def learn(ridge: Ridge, memory: Memory, x: FloatArray, r: float, u: FloatArray, w: FloatArray, y: FloatArray) -> int:
    """`observe` with scratch u, w and y (d,) given, for loops; y of numbers, for it is multiplied by 0 at times."""
    V, V_inv, b, theta, volume = ridge
    numbers, prior, squares, read, ring = memory
    d, gamma = len(x), numbers[GAMMA]
    q = multiply(V_inv, x, u) / gamma  # of V as it is once it has faded
    m = square = 0.0
    for i in range(d):
        m += x[i] * theta[i]
        square += x[i] * x[i]
    gain = 1.0 / (1.0 + q)
    step = gain / gamma * (r - m)
    if q < 0.0:
        return LOST
    if not (is_bearable(r, q, step) and (square <= LARGEST_SQUARE or is_within(x))):
        return REFUSED
    if len(squares):
        add_to_spread(read, squares, gamma, gain, x, u, w)
    grow(volume, 1.0 + q)
    volume[0] += numbers[LOSS]
    scale, fade = math.sqrt(gain) / gamma, 1.0 / gamma
    for i in range(d):
        theta[i] += step * u[i]
        b[i] = gamma * b[i] + r * x[i]
        u[i] *= scale  # u uᵀ is then symmetric to the last bit
    outcome, sign = ROUGH if q > STEEP else LEARNT, 0.0
    # The second step of rank one, sign · y yᵀ, is taken in the same pass over V⁻¹ as the first.
    if gamma < 1.0:
        i, sign = int(numbers[PLACE]), -1.0
        for j in range(d):
            prior[j] *= gamma
            y[j] = fade * V_inv[i, j] - u[i] * u[j]
        put_back(ridge, memory, i, w, y)
        for j in range(d):
            for k in range(d):
                V[j, k] = gamma * V[j, k] + x[j] * x[k]
        V[i, i] += numbers[LAMBDA] - prior[i]
        prior[i] = numbers[LAMBDA]
        go_on(numbers, d)
    else:
        for i in range(d):
            for j in range(d):
                V[i, j] += x[i] * x[j]
        oldest = ring[int(numbers[PLACE])]
        if numbers[FILLED] == len(ring):
            sign = take_away(ridge, oldest, u, y)
            if sign == 0.0:  # V⁻¹ and θ̂ are then computed anew
                outcome = ROUGH
        else:
            numbers[FILLED] += 1.0
        for i in range(d):
            oldest[i] = x[i]
        oldest[d] = r
        go_on(numbers, len(ring))
    for i in range(d):
        for j in range(d):
            V_inv[i, j] = fade * V_inv[i, j] - u[i] * u[j] + sign * (y[i] * y[j])
    for _ in range(int(numbers[TURNS]) - 1):
        one_more(ridge, memory, w, y)
    if len(squares):
        tell(read, ridge)
    return outcome


@embedded
def go_on(numbers: FloatArray, length: int) -> None:
    """The next coordinate, or place of the ring."""
    numbers[PLACE] = numbers[PLACE] + 1.0 if numbers[PLACE] + 1.0 < length else 0.0


@embedded
def add_to_spread(
    read: FloatArray, squares: FloatArray, gamma: float, gain: float, x: FloatArray, u: FloatArray, w: FloatArray
) -> None:
    """Ṽ ← γ²Ṽ + xxᵀ, and W = V⁻¹ṼV⁻¹ for V ← γV + xxᵀ; u = V⁻¹x as it was before, w is scratch.

    With v = u/γ and k = 1/(1 + xᵀv), γ cancels in W: it becomes W − k (v wᵀ + w vᵀ) + k² (xᵀw + 1) v vᵀ, w = W x.
    """
    d = len(x)
    spread = read[d * d : 2 * d * d].reshape((d, d))
    k = gain / gamma
    c = k * k * (multiply(spread, x, w) + 1.0)
    for i in range(d):
        for j in range(d):
            squares[i, j] = gamma * gamma * squares[i, j] + x[i] * x[j]
            spread[i, j] += c * (u[i] * u[j]) - k * (u[i] * w[j] + w[i] * u[j])


@embedded
def put_back(ridge: Ridge, memory: Memory, i: int, w: FloatArray, y: FloatArray) -> None:
    """What the prior of coordinate i, put back to λ, changes but for V, V⁻¹ and the prior itself.

    y is the row i of V⁻¹, scaled here so that V⁻¹ is to lose y yᵀ.
    """
    _, _, _, theta, volume = ridge
    numbers, prior, squares, read, _ = memory
    d, lam = len(theta), numbers[LAMBDA]
    c = lam - prior[i]
    q = c * y[i]
    gain = c / (1.0 + q)
    if len(squares):
        # The prior of Ṽ fades with γ² where that of V fades with γ, both from λ: it is prior²/λ.
        more = lam - prior[i] * prior[i] / lam
        spread = read[d * d : 2 * d * d].reshape((d, d))
        for j in range(d):
            w[j] = spread[i, j]
        a = gain * gain * w[i] + more / ((1.0 + q) * (1.0 + q))
        for j in range(d):
            for k in range(d):
                spread[j, k] += a * (y[j] * y[k]) - gain * (y[j] * w[k] + w[j] * y[k])
        squares[i, i] += more
    grow(volume, 1.0 + q)
    step, scale = gain * theta[i], math.sqrt(gain)
    for j in range(d):
        theta[j] -= step * y[j]
        y[j] *= scale


@compiled
def one_more(ridge: Ridge, memory: Memory, w: FloatArray, y: FloatArray) -> None:
    """The next coordinate of the prior is put back, where they fade so fast that one a reward is too few."""
    V, V_inv, _, theta, _ = ridge
    numbers, prior, _, _, _ = memory
    d, i = len(theta), int(numbers[PLACE])
    for j in range(d):
        y[j] = V_inv[i, j]
    put_back(ridge, memory, i, w, y)
    V[i, i] += numbers[LAMBDA] - prior[i]
    prior[i] = numbers[LAMBDA]
    for j in range(d):
        for k in range(d):
            V_inv[j, k] -= y[j] * y[k]
    go_on(numbers, d)


@embedded
def take_away(ridge: Ridge, old: FloatArray, u: FloatArray, y: FloatArray) -> float:
    """A reward leaves V, b, θ̂ and the determinant, V⁻¹ being that from before the last one, whose step is u uᵀ.

    V⁻¹ is to gain y yᵀ: 1, or 0 where too little is left of the variance of its context for that.
    """
    V, V_inv, b, theta, volume = ridge
    d = len(theta)
    shared = m = q = 0.0
    for i in range(d):
        shared += u[i] * old[i]
        m += old[i] * theta[i]
    for i in range(d):
        s = -shared * u[i]
        for j in range(d):
            s += V_inv[i, j] * old[j]
        y[i] = s
        q += old[i] * s
        b[i] -= old[d] * old[i]
    for i in range(d):
        for j in range(d):
            V[i, j] -= old[i] * old[j]
    left = 1.0 - q
    if not left > LEAST_LEFT:
        return 0.0
    volume[1] *= left
    if volume[1] < 1e-150:
        volume[0] += math.log(volume[1])
        volume[1] = 1.0
    step, scale = (m - old[d]) / left, 1.0 / math.sqrt(left)
    for i in range(d):
        theta[i] += step * y[i]
        y[i] *= scale
    return 1.0


@embedded
def tell(read: FloatArray, ridge: Ridge) -> None:
    """θ̂ and the determinant for whoever reads."""
    d = len(ridge.theta)
    for i in range(d):
        read[2 * d * d + d + i] = ridge.theta[i]
    for i in range(3):
        read[2 * d * d + 2 * d + i] = ridge.volume[i]
