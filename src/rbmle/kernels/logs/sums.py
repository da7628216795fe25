"""Sums that do not hang on how they were split: every sum carries the rounding errors of its additions beside it.

hi, lo  a sum is hi + lo; lo holds what was rounded away, exactly as long as it stays small
columns (m, n), of which all first and second moments are kept: Σ x_c, then Σ x_c x_e for e ≥ c
"""

from rbmle.kernels.compile import compiled, inlined
from rbmle.types import FloatArray, IntArray


@inlined
def put(hi: FloatArray, lo: FloatArray, place: int, value: float) -> None:
    """Add a number to the sum at a place (Knuth's exact addition of two)."""
    old = hi[place]
    new = old + value
    part = new - old
    hi[place] = new
    lo[place] += (old - (new - part)) + (value - part)


@compiled
def add_moments(columns: FloatArray, hi: FloatArray, lo: FloatArray) -> None:
    """Add the moments of n rows."""
    m, n = columns.shape
    for i in range(n):
        place = m
        for c in range(m):
            value = columns[c, i]
            put(hi, lo, c, value)
            for e in range(c, m):
                put(hi, lo, place, value * columns[e, i])
                place += 1


@compiled
def add_values(values: FloatArray, hi: FloatArray, lo: FloatArray) -> None:
    """Add a number to each of many sums."""
    for place in range(len(values)):
        put(hi, lo, place, values[place])


@compiled
def dots(a: FloatArray, b: FloatArray, offsets: IntArray, totals: FloatArray) -> None:
    """Σ a b over the arms of every row."""
    for i in range(len(totals)):
        total = 0.0
        for k in range(offsets[i], offsets[i + 1]):
            total += a[k] * b[k]
        totals[i] = total
