"""Some rows of a log as arrays: checked, and light to cut."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np

from rbmle.types import BoolArray, FloatArray, IntArray, KeyArray

# Rows of a batch, and bytes of its contexts, whichever is less.
BATCH_ROWS, BATCH_BYTES = 16_384, 2**24
OF_ROWS = ("rows", "keys", "arm", "reward", "settled", "time", "probability", "context")
OF_ARMS = ("probabilities", "contexts", "eligible")


@dataclass(frozen=True, eq=False, repr=False)
class Batch:
    """n decisions. What belongs to the arms of row i stands in rows offsets[i]:offsets[i + 1] of arrays over all arms.

    rows           (n,) numbers of the rows in the log, from 0; some are missing where rows were dropped
    keys           (n,) 64-bit keys of their ids
    offsets        (n + 1,)
    arm            (n,) position of the arm served among those of its row
    reward         (n,) NaN where there is none
    settled        (n,) whether the reward is final; None: all are
    time           (n,) seconds since 1970, or None
    probability    (n,) of the arm served, or None where the log has none
    probabilities  (ΣK,) of all arms, or None
    contexts       (ΣK, d) of all arms, or None
    context        (n, d) shared by the arms of a row, or None
    eligible       (ΣK,) the arms' numbers, or None where they are 0 … K − 1
    labels         the ids of the rows and of the arms as the reader has them, for those who write: see `Reader`
    skipped        rows that are left out, and why
    """

    rows: IntArray
    keys: KeyArray
    offsets: IntArray
    arm: IntArray
    reward: FloatArray
    settled: BoolArray | None = None
    time: FloatArray | None = None
    probability: FloatArray | None = None
    probabilities: FloatArray | None = None
    contexts: FloatArray | None = None
    context: FloatArray | None = None
    eligible: IntArray | None = None
    labels: Mapping[str, Any] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.arm)

    @cached_property
    def sizes(self) -> IntArray:
        """(n,) how many arms each row has."""
        sizes: IntArray = np.diff(self.offsets)
        return sizes

    @cached_property
    def n_arms(self) -> int | None:
        """K where all rows have as many arms, else None."""
        if not len(self):
            return None
        K = int(self.sizes[0])
        return K if bool((self.sizes == K).all()) else None

    @cached_property
    def played(self) -> IntArray:
        """(n,) where the arm that was served stands in arrays over all arms."""
        played: IntArray = self.offsets[:-1] + self.arm
        return played

    @cached_property
    def numbers(self) -> IntArray:
        """(ΣK,) the numbers of the arms, by which they are known across rows."""
        if self.eligible is not None:
            return self.eligible
        numbers: IntArray = np.arange(self.offsets[-1]) - np.repeat(self.offsets[:-1], self.sizes)
        return numbers

    @property
    def arm_numbers(self) -> IntArray:
        """(n,) the number of the arm that was served."""
        return self.arm if self.eligible is None else self.eligible[self.played]

    @property
    def cube(self) -> FloatArray:
        """(n, K, d): the contexts of all arms, where every row has K."""
        from rbmle.errors import InvalidInputError

        if self.contexts is None or self.n_arms is None:
            what = "no contexts of its arms" if self.contexts is None else "rows of different numbers of arms"
            raise InvalidInputError(f"cube needs a log with contexts of K arms in every row. This one has {what}.")
        return self.contexts.reshape(len(self), self.n_arms, -1)

    def cut(self, rows: int) -> Iterator["Batch"]:
        """Batches of at most so many rows, as views; what was skipped is counted with the first."""
        if len(self) <= rows:
            yield self
            return
        for start in range(0, len(self), rows):
            own = slice(start, start + rows)
            of_arms = slice(self.offsets[start], self.offsets[min(start + rows, len(self))])
            new: dict[str, Any] = {"skipped": self.skipped if start == 0 else {}}
            for each in fields(self):
                value = getattr(self, each.name)
                if each.name in OF_ROWS:
                    new[each.name] = None if value is None else value[own]
                elif each.name in OF_ARMS:
                    new[each.name] = None if value is None else value[of_arms]
            new["offsets"] = self.offsets[start : start + rows + 1] - self.offsets[start]
            new["labels"] = {name: values[own] for name, values in self.labels.items()}
            yield Batch(**new)

    def take(self, kept: BoolArray, why: str = "") -> "Batch":
        """The rows where `kept` is true; the others are counted under `why`, unless that is empty."""
        lost = int(len(self) - np.count_nonzero(kept))
        if not lost:
            return self
        skipped = {**self.skipped, why: self.skipped.get(why, 0) + lost} if why else self.skipped
        of_arms = np.repeat(kept, self.sizes)
        new: dict[str, Any] = {"skipped": skipped, "offsets": offsets_of(self.sizes[kept])}
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name in OF_ROWS:
                new[each.name] = None if value is None else value[kept]
            elif each.name in OF_ARMS:
                new[each.name] = None if value is None else value[of_arms]
        if self.labels:
            which = np.flatnonzero(kept)
            new["labels"] = {name: taken(values, which) for name, values in self.labels.items()}
        return Batch(**new)

    def __repr__(self) -> str:
        return f"Batch({len(self)} rows, {self.offsets[-1]} arms)"


def offsets_of(sizes: Any) -> IntArray:
    """Where rows of these sizes begin when they stand one after the other; the last number is where all end."""
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def taken(values: Any, which: IntArray) -> Any:
    """Some of a list, an array or an Arrow array."""
    if hasattr(values, "take"):
        return values.take(which)
    return [values[i] for i in which]
