"""Random numbers of rows: functions of a seed and the row's key, on whichever machine and in whatever order."""

import math
from typing import Any

import numpy as np
from numba import uint64

from rbmle.kernels.compile import compiled, inlined
from rbmle.kernels.logs.keys import PRIME, mixed
from rbmle.types import FloatArray, KeyArray

# P(N ≤ k) of a Poisson number of mean 1, in units of 2⁻³²; what is above the last is its largest value.
STEPS = np.array(
    [int(2**32 * sum(math.exp(-1.0) / math.factorial(j) for j in range(k + 1))) for k in range(12)], dtype=np.uint64
)
LOW, HALF, COARSE = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(20)
# By the first 12 bits of such a number: N, or −1 where the other bits decide.
TABLE = np.array(
    [
        int(np.searchsorted(STEPS, first << 20, side="right"))
        if np.searchsorted(STEPS, first << 20, side="right") == np.searchsorted(STEPS, (first + 1) << 20)
        else -1
        for first in range(4096)
    ],
    dtype=np.int8,
)
UNIT = 2.0**-53
S11 = np.uint64(11)


@inlined
def count_of(part: Any) -> int:
    """A Poisson number from 32 random bits."""
    count = int(TABLE[part >> COARSE])
    if count < 0:
        count = 0
        while count < 12 and part >= STEPS[count]:
            count += 1
    return count


@compiled
def poisson(keys: KeyArray, seed: int, counts: FloatArray) -> None:
    """counts (n, B): how often row i is in replicate b of the Poisson bootstrap. B must be even.

    Two replicates share a 64-bit number, a half each.
    """
    n, B = counts.shape
    start = mixed(uint64(seed) * PRIME + uint64(1))
    for i in range(n):
        base = mixed(keys[i] ^ start)
        for b in range(0, B, 2):
            word = mixed(base + uint64(b + 1) * PRIME)
            counts[i, b] = count_of(word & LOW)
            counts[i, b + 1] = count_of(word >> HALF)


@compiled
def replicate(keys: KeyArray, seed: int, rows: FloatArray, sums: FloatArray) -> None:
    """sums (B, m) += Σ_i N_ib rows (n, m), with the counts of `poisson`."""
    n, m = rows.shape
    start = mixed(uint64(seed) * PRIME + uint64(1))
    for i in range(n):
        base = mixed(keys[i] ^ start)
        for b in range(0, len(sums), 2):
            word = mixed(base + uint64(b + 1) * PRIME)
            first, second = float(count_of(word & LOW)), float(count_of(word >> HALF))
            for c in range(m):
                sums[b, c] += first * rows[i, c]
                sums[b + 1, c] += second * rows[i, c]


@compiled
def uniform(keys: KeyArray, seed: int, numbers: FloatArray) -> None:
    """A number in [0, 1) for every row."""
    start = mixed(uint64(seed) * PRIME + uint64(2))
    for i in range(len(numbers)):
        numbers[i] = float(mixed(keys[i] ^ start) >> S11) * UNIT
