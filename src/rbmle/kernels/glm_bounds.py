"""Certified bounds of the index of GLM-RBMLE from any point, however rough.

Let g(θ) be the biased log-likelihood of an arm with context x, θ̄ its maximiser, and the index
I = g(θ̄) + (η−1) α xᵀθ̄. At a point θ with gradient r, curvature H and Newton step p = H⁻¹r let δ = ‖r‖_{H⁻¹},
w = ‖x‖_{H⁻¹} and ρ = c · max_i ‖x_i‖_{H⁻¹} over the rows, c the family's self-concordance: within H-distance s of θ every
row's μ' changes by a factor of at most e^{ρs}, and so does H. With u = ρδ < 1 it follows, as for generalized
self-concordant functions (Bach 2010; Sun & Tran-Dinh 2019), that

    δ² (½ − u/6) ≤ g(θ̄) − g(θ) ≤ δ² (u + (1−u) log(1−u)) / u²  = δ² (½ + u/6 + u²/12 + …)
    |xᵀθ̄ − xᵀ(θ + p)| ≤ w δ (−log(1−u) − u) / u               = w δ (u/2 + u²/3 + …)

so that the error of the value is of third, that of the slope of second order in δ.
"""

import math

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm_link import summing
from rbmle.types import FloatArray

# Rounding allowed for in bounds, relative to the absolute terms of an index. Arms closer than that are solved.
ROUNDING = 1e-11


@compiled
def interval(
    g: float, square: float, rho: float, slope: float, width: float, pull: float, margin: float
) -> tuple[float, float]:
    """Lower and upper bound of an index: g = g(θ), square = δ², slope = xᵀ(θ+p), width = w, pull = (η−1)α ≥ 0."""
    delta = math.sqrt(square)
    u = rho * delta
    middle = g + pull * slope
    if u < 0.1:
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
    return middle + below - off - margin, middle + above + off + margin


@summing
def row_lengths(XT: FloatArray, n: int, R: FloatArray, square: FloatArray, entry: FloatArray) -> None:
    """square_i = x_iᵀH⁻¹x_i = ‖R x_i‖² of every row; entry (n,) is scratch."""
    for i in range(n):
        square[i] = 0.0
    for j in range(len(R)):
        r = R[j, 0]
        for i in range(n):
            entry[i] = r * XT[0, i]
        for k in range(1, j + 1):
            r = R[j, k]
            for i in range(n):
                entry[i] += r * XT[k, i]
        for i in range(n):
            square[i] += entry[i] * entry[i]


@compiled
def widest_row(XT: FloatArray, n: int, R: FloatArray, work: FloatArray) -> float:
    """max_i ‖x_i‖_{H⁻¹} over the rows."""
    square = work[4]
    row_lengths(XT, n, R, square, work[0])
    a = b = c = d = 0.0
    for i in range(0, n, 4):  # four chains: one alone would wait for every comparison
        a = square[i] if square[i] > a else a
        b = square[i + 1] if square[i + 1] > b else b
        c = square[i + 2] if square[i + 2] > c else c
        d = square[i + 3] if square[i + 3] > d else d
    return math.sqrt(max(max(a, b), max(c, d)))
