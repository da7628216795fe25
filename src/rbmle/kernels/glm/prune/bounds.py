"""Certified bounds of the index of GLM-RBMLE from any point, however rough.

Let g(θ) be the biased log-likelihood of an arm with context x, θ̄ its maximiser, and the index
I = g(θ̄) + (η−1) α xᵀθ̄. At a point θ with gradient r, curvature H and Newton step p = H⁻¹r let δ = ‖r‖_{H⁻¹} and
w = ‖x‖_{H⁻¹}. Let ρ be such that within H-distance s of θ every row's log μ' changes by at most ρ times that distance:
then so does H, and if u = ρδ < 1 and −log(1−u)/ρ ≤ s it follows, as for generalized self-concordant functions
(Bach 2010; Sun & Tran-Dinh 2019), that θ̄ lies within that distance and

    δ² (½ − u/6) ≤ g(θ̄) − g(θ) ≤ δ² (u + (1−u) log(1−u)) / u²  = δ² (½ + u/6 + u²/12 + …)
    |xᵀθ̄ − xᵀ(θ + p)| ≤ w δ (−log(1−u) − u) / u               = w δ (u/2 + u²/3 + …)

so that the error of the value is of third, that of the slope of second order in δ.

A row's score moves by at most v_i s, v_i = ‖x_i‖_{H⁻¹}, so ρ = c max v_i serves for every s, c the family's
self-concordance. The logistic link is flatter where scores are small, |(log μ')'(z)| = tanh(|z|/2), so that
ρ(s) = max_i v_i tanh((|z_i| + v_i s)/2) is often less than half of that.
"""

import math
from typing import Any

from rbmle.kernels.compile import compiled, inlined, reordered
from rbmle.kernels.glm.named import LOGISTIC
from rbmle.types import FloatArray

# Below this u the bounds' series are used, where the closed forms would lose digits to cancellation.
SERIES = 0.1
# Rounding allowed for in bounds, relative to the absolute terms of an index. Arms closer than that are solved.
ROUNDING = 1e-11


@compiled
def interval(
    g: float, square: float, rho: float, slope: float, width: float, pull: float, margin: float
) -> tuple[float, float]:
    """Lower and upper bound of an index: g = g(θ), square = δ², slope = xᵀ(θ+p), width = w, pull = (η−1)α ≥ 0."""
    delta = math.sqrt(square)
    u = rho * delta
    newton = g + pull * slope
    if u < SERIES:
        above = square * (0.5 + u / 6.0 + u * u / (12.0 * (1.0 - u)))
        off = delta * (0.5 * u + u * u / (3.0 * (1.0 - u)))
    elif u < 1.0:
        log = math.log1p(-u)
        above = square * ((u + (1.0 - u) * log) / (u * u))
        off = delta * ((-log - u) / u)
    else:
        return -math.inf, math.inf
    below = square * (0.5 - u / 6.0)
    off *= math.fabs(pull) * width
    return newton + below - off - margin, newton + above + off + margin


@reordered
def row_lengths(XT: FloatArray, n: int, R: FloatArray, square: FloatArray, entry: FloatArray) -> None:
    """square_i = x_iᵀH⁻¹x_i = ‖R x_i‖² of every row; entry (n,) is scratch."""
    for i in range(n):
        square[i] = 0.0
    for j in range(len(R)):
        for i in range(n):
            entry[i] = R[j, j] * XT[j, i]
        k = 0
        while k + 3 < j:  # four terms at a time pass over `entry` once
            r0, r1, r2, r3 = R[j, k], R[j, k + 1], R[j, k + 2], R[j, k + 3]
            for i in range(n):
                entry[i] += r0 * XT[k, i] + r1 * XT[k + 1, i] + r2 * XT[k + 2, i] + r3 * XT[k + 3, i]
            k += 4
        while k < j:
            r0 = R[j, k]
            for i in range(n):
                entry[i] += r0 * XT[k, i]
            k += 1
        for i in range(n):
            square[i] += entry[i] * entry[i]


@compiled
def largest(values: FloatArray, n: int) -> float:
    """The largest of n numbers ≥ 0, n a multiple of 4."""
    a = b = c = d = 0.0
    for i in range(0, n, 4):  # four chains: one alone would wait for every comparison
        a = values[i] if values[i] > a else a
        b = values[i + 1] if values[i + 1] > b else b
        c = values[i + 2] if values[i + 2] > c else c
        d = values[i + 3] if values[i + 3] > d else d
    return max(a, b, c, d)


@compiled
def widest_row(XT: FloatArray, n: int, R: FloatArray, work: FloatArray) -> float:
    """max_i v_i; leaves the squares of all v_i in work[4]. The scores in work[0] are kept."""
    row_lengths(XT, n, R, work[4], work[3])
    return math.sqrt(largest(work[4], n))


@inlined
def tanh_above(x: float) -> float:
    """A simple upper bound of tanh x, x ≥ 0: a continued fraction cut short, and 1."""
    bound = x * (15.0 + x * x) / (15.0 + 6.0 * x * x)
    return bound if bound < 1.0 else 1.0


@reordered
def steepness(n: int, limit: float, s: float, work: FloatArray) -> None:
    """work[3] = v_i tanh((|z_i| + v_i s)/2), from z in work[0] and v² in work[4]; tanh by an upper bound."""
    z, square, out = work[0], work[4], work[3]
    for i in range(n):
        v = math.sqrt(square[i])
        size = math.fabs(z[i]) + v * s
        out[i] = v * tanh_above(0.5 * (size if size < limit else limit))


@compiled
def steepest(likelihood: Any, concordance: float, widest: float, s: float, work: FloatArray) -> float:
    """ρ(s) after `widest_row`."""
    if likelihood.link.code != LOGISTIC:
        return concordance * widest
    steepness(likelihood.n, likelihood.link.limit, s, work)
    return largest(work[3], likelihood.n)
