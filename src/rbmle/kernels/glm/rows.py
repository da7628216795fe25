"""The compressed history: one row per distinct context with its count and its sum of rewards, found by hashing.

XT, counts, sums   as in kernels.glm.newton
table      (P,)    open-addressing hash table of row numbers, -1 where free; P a power of two, at most half full
"""

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.link import LANES, bits_of
from rbmle.types import FloatArray, IntArray


@compiled
def padded(rows: int) -> int:
    """The number of rows rounded up to whole vectors."""
    return (rows + LANES - 1) // LANES * LANES


@compiled
def find(XT: FloatArray, table: IntArray, x: FloatArray) -> int:
    """The place in the table where the row of x is or would be. Zero and minus zero are the same."""
    h = np.uint64(0)
    for j in range(len(x)):
        h = (h ^ np.uint64(bits_of(x[j] + 0.0))) * np.uint64(0x9E3779B97F4A7C15)
        h ^= h >> np.uint64(29)
    mask = np.uint64(len(table) - 1)
    slot = h & mask
    while True:
        row = table[slot]
        if row < 0:
            return int(slot)
        same = True
        for j in range(len(x)):
            if XT[j, row] != x[j]:
                same = False
                break
        if same:
            return int(slot)
        slot = (slot + np.uint64(1)) & mask


@compiled
def add(
    XT: FloatArray,
    counts: FloatArray,
    sums: FloatArray,
    table: IntArray,
    rows: int,
    x: FloatArray,
    count: float,
    total: float,
) -> int:
    """Add `count` observations of x with the given sum of rewards; returns its row: `rows` if it is new."""
    slot = find(XT, table, x)
    row = table[slot]
    if row < 0:
        row = rows
        table[slot] = row
        for j in range(len(x)):
            XT[j, row] = x[j] + 0.0
    counts[row] += count
    sums[row] += total
    return row


@compiled
def add_many(
    XT: FloatArray,
    counts: FloatArray,
    sums: FloatArray,
    table: IntArray,
    rows: int,
    X: FloatArray,
    n: FloatArray,
    r: FloatArray,
) -> int:
    """Add several contexts X (m, d) with counts n and sums r; returns how many rows there are then."""
    for s in range(len(r)):
        rows = max(rows, add(XT, counts, sums, table, rows, X[s], n[s], r[s]) + 1)
    return rows


@compiled
def rehash(XT: FloatArray, rows: int, table: IntArray) -> None:
    """Fill an empty table with the rows."""
    x = np.empty(len(XT))
    for row in range(rows):
        for j in range(len(x)):
            x[j] = XT[j, row]
        table[find(XT, table, x)] = row
