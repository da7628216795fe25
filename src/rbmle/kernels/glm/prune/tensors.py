"""The log-likelihood to fourth order around one point, for all arms at once.

Coordinates are whitened: y = R x with RᵀR = H⁻¹ at the point, so that there the curvature is the identity. With
y_i the whitened rows, c_i their counts and z_i their scores at the point,

    third  (P, d)  Σ c_i μ''(z_i)  y_i⊗y_i⊗y_i         pairs of coordinates by the first index, P = d(d+1)/2
    fourth (P, P)  Σ c_i μ'''(z_i) y_i⊗y_i⊗y_i⊗y_i
    fifth  (P, P)  Σ c_i k_i       y_i⊗y_i⊗y_i⊗y_i     where k_i ≥ |μ''''| at all scores that row i may reach

A pair (i, j), i ≤ j, stands at i·d − i(i−1)/2 + j − i: row by row of the upper triangle.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from rbmle.kernels.compile import compiled, reordered
from rbmle.kernels.glm.named import LOGISTIC, POISSON
from rbmle.kernels.glm.prune.bounds import largest
from rbmle.types import FloatArray

# The largest |μ''''| of the logistic link, 0.12768392 at z = ±0.8426, rounded up.
LOGISTIC_FIFTH = 0.1277
# Bounds for the Poisson link hold up to this many times the distance of the farthest arm.
POISSON_REACH = 1.5


class Expansion(NamedTuple):
    """The log-likelihood around a point."""

    third: FloatArray
    fourth: FloatArray
    fifth: FloatArray
    sizes: FloatArray  # (3,) their norms t, q and k
    radius: float  # how far from the point it may be used
    longest: float  # the whitened length of the longest row


@compiled
def reach(n: int, code: int, limit: float, farthest: float, work: FloatArray) -> float:
    """How far from the point the expansion may be used, 0 for a link without one. work: scores, and v² in the last."""
    if code == POISSON:
        radius = POISSON_REACH * farthest
    elif code == LOGISTIC:
        radius = math.inf
    else:
        return 0.0
    if limit < math.inf:  # the link's tangents begin there, and its derivatives jump
        for i in range(n):
            if work[4, i] > 0.0:
                radius = min(radius, (limit - math.fabs(work[0, i])) / math.sqrt(work[4, i]))
    return radius


@compiled
def weigh(n: int, code: int, radius: float, counts: FloatArray, work: FloatArray, weights: FloatArray) -> None:
    """The rows' weights (3, n) in the three tensors, from μ and μ' in work[1] and work[2]."""
    if code == LOGISTIC:
        for i in range(n):
            mu, dmu = work[1, i], work[2, i]
            weights[0, i] = counts[i] * dmu * (1.0 - 2.0 * mu)
            weights[1, i] = counts[i] * dmu * (1.0 - 6.0 * dmu)
            weights[2, i] = counts[i] * LOGISTIC_FIFTH
    else:
        growth = math.exp(radius * math.sqrt(largest(work[4], n)))
        for i in range(n):
            weights[0, i] = counts[i] * work[1, i]
            weights[1, i] = weights[0, i]
            weights[2, i] = weights[0, i] * growth


@compiled
def pairs_of_rows(XT: FloatArray, n: int, R: FloatArray, rows: FloatArray, pairs: FloatArray) -> None:
    """The whitened rows (d, n), and the products of each two of their coordinates (P, n)."""
    d, p = len(R), 0
    for i in range(d):
        for s in range(n):
            rows[i, s] = R[i, 0] * XT[0, s]
        for k in range(1, i + 1):
            for s in range(n):
                rows[i, s] += R[i, k] * XT[k, s]
    for i in range(d):
        for j in range(i, d):
            for s in range(n):
                pairs[p, s] = rows[i, s] * rows[j, s]
            p += 1


@compiled
def place_of(d: int, i: int, j: int) -> int:
    """Where the pair (i, j), i ≤ j, stands."""
    return i * d - i * (i - 1) // 2 + j - i


@compiled
def put(A: FloatArray, i: int, j: int, k: int, m: int, d: int, value: float) -> None:
    """Write an entry of a symmetric tensor of fourth order, i ≤ j ≤ k ≤ m, wherever it stands."""
    p, q = place_of(d, i, j), place_of(d, k, m)
    A[p, q] = A[q, p] = value
    p, q = place_of(d, i, k), place_of(d, j, m)
    A[p, q] = A[q, p] = value
    p, q = place_of(d, i, m), place_of(d, j, k)
    A[p, q] = A[q, p] = value


@reordered
def fill(
    rows: FloatArray, pairs: FloatArray, weights: FloatArray, third: FloatArray, fourth: FloatArray, fifth: FloatArray
) -> None:
    """The three tensors, each entry summed once."""
    (d, n), P = rows.shape, len(pairs)
    first, second = np.empty(P, dtype=np.int64), np.empty(P, dtype=np.int64)
    weighted = np.empty((3, n))
    for i in range(d):
        for j in range(i, d):
            first[place_of(d, i, j)], second[place_of(d, i, j)] = i, j
    for p in range(P):
        i, j = first[p], second[p]
        for s in range(n):
            weighted[0, s] = weights[0, s] * pairs[p, s]
            weighted[1, s] = weights[1, s] * pairs[p, s]
            weighted[2, s] = weights[2, s] * pairs[p, s]
        for k in range(j, d):
            total = 0.0
            for s in range(n):
                total += weighted[0, s] * rows[k, s]
            third[p, k] = third[place_of(d, i, k), j] = third[place_of(d, j, k), i] = total
        q = place_of(d, j, j)
        while q < P:
            q1, q2, q3 = min(q + 1, P - 1), min(q + 2, P - 1), min(q + 3, P - 1)
            a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = 0.0
            for s in range(n):  # four pairs at a time: one alone would wait for every addition
                w4, w5 = weighted[1, s], weighted[2, s]
                a0 += w4 * pairs[q, s]
                b0 += w5 * pairs[q, s]
                a1 += w4 * pairs[q1, s]
                b1 += w5 * pairs[q1, s]
                a2 += w4 * pairs[q2, s]
                b2 += w5 * pairs[q2, s]
                a3 += w4 * pairs[q3, s]
                b3 += w5 * pairs[q3, s]
            for at, a, b in ((q, a0, b0), (q1, a1, b1), (q2, a2, b2), (q3, a3, b3)):
                put(fourth, i, j, first[at], second[at], d, a)
                put(fifth, i, j, first[at], second[at], d, b)
            q += 4


@compiled
def norms(third: FloatArray, fourth: FloatArray, fifth: FloatArray, out: FloatArray) -> None:
    """out (3,): t, q, k with ‖T[Δ]‖ ≤ t‖Δ‖ and ‖Q[Δ,Δ]‖ ≤ q‖Δ‖², and so for k; by the largest row sum of a matrix."""
    P, d = third.shape
    twice = np.empty(P)  # √2 where a pair's two coordinates differ: it stands for two entries
    for i in range(d):
        for j in range(i, d):
            twice[place_of(d, i, j)] = 1.0 if i == j else math.sqrt(2.0)
    out[:] = 0.0
    for k in range(d):
        total = 0.0
        for m in range(d):
            s = 0.0
            for p in range(P):
                s += twice[p] * twice[p] * third[p, k] * third[p, m]
            total += math.fabs(s)
        out[0] = max(out[0], total)
    out[0] = math.sqrt(out[0])
    for p in range(P):
        total = bound = 0.0
        for q in range(P):
            total += twice[p] * twice[q] * math.fabs(fourth[p, q])
            bound += twice[p] * twice[q] * math.fabs(fifth[p, q])
        out[1], out[2] = max(out[1], total), max(out[2], bound)


@compiled
def expand(likelihood: Any, R: FloatArray, farthest: float, work: FloatArray) -> Any:
    """The expansion from scores, μ, μ' and v² of the rows in `work`, good up to the farthest arm if `radius` > 0."""
    d, n, link = len(R), likelihood.n, likelihood.link
    P, radius = d * (d + 1) // 2, reach(n, link.code, link.limit, farthest, work)
    if not radius > 0.0:
        return Expansion(np.empty((0, 0)), np.empty((0, 0)), np.empty((0, 0)), np.empty(3), radius, 0.0)
    third, fourth, fifth, sizes = np.empty((P, d)), np.empty((P, P)), np.empty((P, P)), np.empty(3)
    rows, pairs, weights = np.empty((d, n)), np.empty((P, n)), np.empty((3, n))
    weigh(n, link.code, radius, likelihood.counts, work, weights)
    pairs_of_rows(likelihood.XT, n, R, rows, pairs)
    fill(rows, pairs, weights, third, fourth, fifth)
    norms(third, fourth, fifth, sizes)
    return Expansion(third, fourth, fifth, sizes, radius, math.sqrt(largest(work[4], n)))


@reordered
def pairs_of(points: FloatArray, pairs: FloatArray) -> None:
    """The products of each two coordinates of points (d, B), (P, B), times two where they differ."""
    (d, B), p = points.shape, 0
    for i in range(d):
        for j in range(i, d):
            twice = 1.0 if i == j else 2.0
            for a in range(B):
                pairs[p, a] = twice * points[i, a] * points[j, a]
            p += 1


@reordered
def contract(
    third: FloatArray,
    fourth: FloatArray,
    points: FloatArray,
    pairs: FloatArray,
    curve: FloatArray,
    cubic: FloatArray,
    quartic: FloatArray,
) -> None:
    """At points Δ (d, B): curve (P, B) is T[Δ] + ½Q[Δ,Δ], cubic and quartic (d, B) are T[Δ,Δ] and Q[Δ,Δ,Δ]."""
    (d, B), p = points.shape, 0
    sums = np.empty(B)
    cubic[:] = 0.0
    quartic[:] = 0.0
    for i in range(d):
        for j in range(i, d):
            combine(third, p, points, sums)
            for a in range(B):
                curve[p, a] = sums[a]
                cubic[i, a] += sums[a] * points[j, a]
            if i < j:
                for a in range(B):
                    cubic[j, a] += sums[a] * points[i, a]
            combine(fourth, p, pairs, sums)
            for a in range(B):
                curve[p, a] += 0.5 * sums[a]
                quartic[i, a] += sums[a] * points[j, a]
            if i < j:
                for a in range(B):
                    quartic[j, a] += sums[a] * points[i, a]
            p += 1


@reordered
def contract_fifth(d: int, fifth: FloatArray, pairs: FloatArray, form: FloatArray, norm: FloatArray) -> None:
    """F[Δ,Δ,Δ,Δ] and ‖F[Δ,Δ]‖², both (B,), from the points' pairs."""
    B, p = pairs.shape[1], 0
    sums = np.empty(B)
    form[:] = 0.0
    norm[:] = 0.0
    for i in range(d):
        for j in range(i, d):
            combine(fifth, p, pairs, sums)
            twice = 1.0 if i == j else 2.0
            for a in range(B):
                form[a] += sums[a] * pairs[p, a]
                norm[a] += twice * sums[a] * sums[a]
            p += 1


@reordered
def combine(entries: FloatArray, row: int, vectors: FloatArray, sums: FloatArray) -> None:
    """sums = Σ_p entries[row, p] vectors_p, five terms at a time."""
    P, B = vectors.shape
    sums[:] = 0.0
    p = 0
    while p + 4 < P:
        e0, e1, e2, e3, e4 = (
            entries[row, p], entries[row, p + 1], entries[row, p + 2], entries[row, p + 3], entries[row, p + 4]
        )  # fmt: skip
        for a in range(B):
            sums[a] += (
                e0 * vectors[p, a]
                + e1 * vectors[p + 1, a]
                + e2 * vectors[p + 2, a]
                + e3 * vectors[p + 3, a]
                + e4 * vectors[p + 4, a]
            )
        p += 5
    while p < P:
        e0 = entries[row, p]
        for a in range(B):
            sums[a] += e0 * vectors[p, a]
        p += 1


@reordered
def curve_times(curve: FloatArray, vectors: FloatArray, out: FloatArray) -> None:
    """out (d, B): the symmetric matrices `curve` (P, B) times vectors (d, B)."""
    d, B = vectors.shape
    out[:] = 0.0
    p = 0
    for i in range(d):
        for j in range(i, d):
            for a in range(B):
                out[i, a] += curve[p, a] * vectors[j, a]
            if i < j:
                for a in range(B):
                    out[j, a] += curve[p, a] * vectors[i, a]
            p += 1
