"""64-bit keys of ids: what a row is called decides its fold and its bootstrap weights, on whichever machine it lies.

A whole number has the key of its digits, so that 17 in one file and "17" in another are the same row.
"""

from typing import Any

import numpy as np
from numba import uint64

from rbmle.kernels.compile import compiled, inlined
from rbmle.types import IntArray, KeyArray

FIRST, PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x9E3779B97F4A7C15)
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
TEN, S27, S30, S31, S32 = (np.uint64(each) for each in (10, 27, 30, 31, 32))


@inlined
def mixed(z: Any) -> Any:
    """The finaliser of splitmix64: every bit of the result hangs on every bit of z."""
    z = (z ^ (z >> S30)) * MIX_1
    z = (z ^ (z >> S27)) * MIX_2
    return z ^ (z >> S31)


@inlined
def taken_in(key: Any, word: Any) -> Any:
    """A key after eight more bytes."""
    key = (key ^ word) * PRIME
    return key ^ (key >> S32)


@compiled
def of_bytes(data: Any, start: int, stop: int) -> Any:
    """The key of the bytes data[start:stop]."""
    key, place = FIRST, start
    while place < stop:
        word = uint64(0)
        for i in range(min(8, stop - place)):
            word |= uint64(data[place + i]) << uint64(8 * i)
        key = taken_in(key, word)
        place += 8
    return mixed(key ^ uint64(stop - start))


@compiled
def of_texts(data: Any, offsets: IntArray, keys: KeyArray) -> None:
    """Keys of texts in UTF-8, side by side in `data`; text i ends where the next begins."""
    for i in range(len(keys)):
        keys[i] = of_bytes(data, offsets[i], offsets[i + 1])


@compiled
def of_numbers(numbers: IntArray, keys: KeyArray) -> None:
    """Keys of whole numbers: those of their digits."""
    digits = np.empty(20, dtype=np.uint8)
    for i in range(len(keys)):
        size = uint64(numbers[i])
        rest, place = ~size + uint64(1) if numbers[i] < 0 else size, 20  # the least number has no positive twin
        while True:
            place -= 1
            digits[place] = 48 + rest % TEN
            rest //= TEN
            if rest == uint64(0):
                break
        if numbers[i] < 0:
            place -= 1
            digits[place] = 45
        keys[i] = of_bytes(digits, place, 20)
