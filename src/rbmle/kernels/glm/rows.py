"""The compressed history: identical contexts are one row, found by hashing. See `History` in kernels.glm.named."""

from typing import Any

import numpy as np

from rbmle.kernels.bits import bits_of
from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.named import History
from rbmle.types import FloatArray

# Places in the totals of a History.
ROWS, REWARDS, SQUARES = 0, 1, 2


@compiled
def find(history: Any, x: FloatArray) -> int:
    """The place in the table where the row of x is or would be. Zero and minus zero are the same."""
    XT, table = history.XT, history.table
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
def put(history: Any, x: FloatArray, count: float, total: float) -> bool:
    """Add `count` observations of x with the given sum of rewards, uncounted. False where there is no room."""
    slot = find(history, x)
    row = history.table[slot]
    if row < 0:
        row = int(history.totals[ROWS])
        if row >= len(history.counts):
            return False
        history.table[slot] = row
        history.totals[ROWS] += 1.0
        for j in range(len(x)):
            history.XT[j, row] = x[j] + 0.0
    history.counts[row] += count
    history.sums[row] += total
    return True


@compiled
def add(history: Any, x: FloatArray, r: float) -> bool:
    """Learn one reward, and count it. False, nothing changed, where there is no room."""
    if not put(history, x, 1.0, r):
        return False
    history.totals[REWARDS] += 1.0
    history.totals[SQUARES] += r * r
    return True


@compiled
def observe(plain: Any, x: FloatArray, r: float) -> bool:
    """`add` for a plain tuple."""
    return add(History(*plain), x, r)


@compiled
def observe_many(plain: Any, X: FloatArray, rewards: FloatArray) -> int:
    """Learn rewards of contexts X (m, d); returns how many there was room for."""
    history = History(*plain)
    for s in range(len(rewards)):
        if not add(history, X[s], rewards[s]):
            return s
    return len(rewards)


@compiled
def put_many(plain: Any, X: FloatArray, counts: FloatArray, sums: FloatArray) -> int:
    """Add rows X (m, d) with their counts and sums, uncounted; returns how many there was room for."""
    history = History(*plain)
    for s in range(len(counts)):
        if not put(history, X[s], counts[s], sums[s]):
            return s
    return len(counts)


@compiled
def rehash(plain: Any) -> None:
    """Fill an empty table with the rows."""
    history = History(*plain)
    x = np.empty(len(history.XT))
    for row in range(int(history.totals[ROWS])):
        for j in range(len(x)):
            x[j] = history.XT[j, row]
        history.table[find(history, x)] = row
