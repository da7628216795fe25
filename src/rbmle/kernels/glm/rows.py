"""The compressed history: identical contexts are one row, found by hashing. See `History` in kernels.glm.named."""

from typing import Any

import numpy as np

from rbmle.kernels.bits import bits_of
from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.named import History
from rbmle.types import FloatArray

# Places in the totals of a History. One that forgets has more of them: γ (1 with a window), the oldest place of the
# ring, how many rewards are in the ring; then the ring, a row and a reward each (none with a discount).
ROWS, REWARDS, SQUARES = 0, 1, 2
GAMMA, PLACE, FILLED, RING = 4, 5, 6, 7
# With a discount rows that weigh less than this are dropped, every so many rewards.
LEAST, TIDY = 1e-9, 256


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
    if len(history.totals) > GAMMA:
        return add_and_forget(history, x, r)
    if not put(history, x, 1.0, r):
        return False
    history.totals[REWARDS] += 1.0
    history.totals[SQUARES] += r * r
    return True


@compiled
def add_and_forget(history: Any, x: FloatArray, r: float) -> bool:
    """`add` for a history in which older rewards lose their weight, or leave."""
    totals, gamma = history.totals, history.totals[GAMMA]
    if history.table[find(history, x)] < 0 and int(totals[ROWS]) >= len(history.counts):
        return False
    if gamma < 1.0:
        for row in range(int(totals[ROWS])):
            history.counts[row] *= gamma
            history.sums[row] *= gamma
        totals[SQUARES] *= gamma
    else:
        length = (len(totals) - RING) // 2
        place = RING + 2 * int(totals[PLACE])
        if totals[FILLED] == length:
            take_away(history, int(totals[place]), totals[place + 1])
        else:
            totals[FILLED] += 1.0
        totals[PLACE] = totals[PLACE] + 1.0 if totals[PLACE] + 1.0 < length else 0.0
        totals[place] = -1.0  # its row is known once there is one
    if not put(history, x, 1.0, r):
        return False
    if gamma == 1.0:
        totals[place], totals[place + 1] = float(history.table[find(history, x)]), r
    totals[REWARDS] += 1.0
    totals[SQUARES] += r * r
    if gamma < 1.0 and int(totals[REWARDS]) % TIDY == 0:
        tidy(history)
    return True


@compiled
def take_away(history: Any, row: int, r: float) -> None:
    """A reward leaves its row, and the row the history with the last of them."""
    history.counts[row] -= 1.0
    history.sums[row] -= r
    history.totals[SQUARES] -= r * r
    if history.counts[row] == 0.0:
        drop(history, row)
        fill_table(history)


@compiled
def tidy(history: Any) -> None:
    """Drop the rows that hardly weigh anything."""
    row, before = 0, history.totals[ROWS]
    while row < int(history.totals[ROWS]):
        if history.counts[row] < LEAST:
            drop(history, row)
        else:
            row += 1
    if history.totals[ROWS] < before:
        fill_table(history)


@compiled
def drop(history: Any, row: int) -> None:
    """The last row takes the place of one that goes; the table is to be filled anew."""
    last, totals = int(history.totals[ROWS]) - 1, history.totals
    for j in range(len(history.XT)):
        history.XT[j, row] = history.XT[j, last]
        history.XT[j, last] = 0.0
    history.counts[row], history.sums[row] = history.counts[last], history.sums[last]
    history.counts[last] = history.sums[last] = 0.0
    totals[ROWS] -= 1.0
    for place in range(RING, len(totals), 2):
        if totals[place] == last:
            totals[place] = float(row)


@compiled
def fill_table(history: Any) -> None:
    """The table anew from the rows."""
    history.table[:] = -1
    x = np.empty(len(history.XT))
    for row in range(int(history.totals[ROWS])):
        for j in range(len(x)):
            x[j] = history.XT[j, row]
        history.table[find(history, x)] = row


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
    fill_table(History(*plain))
