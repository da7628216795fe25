"""Columns as a reader found them, before anybody has looked at what they hold; and how they are to be read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from rbmle.errors import LogError
from rbmle.types import BoolArray, FloatArray, IntArray, KeyArray

OnError: TypeAlias = Literal["raise", "drop"]


class Scalars(NamedTuple):
    """One number a row; `null` (n,) where there is none."""

    values: FloatArray
    null: BoolArray


class Lists(NamedTuple):
    """A list a row, side by side: that of row i is values[offsets[i]:offsets[i + 1]], (N,) or (N, d)."""

    values: FloatArray
    offsets: IntArray
    null: BoolArray


@dataclass(frozen=True)
class Reading:
    """How a log is read, the same for all its parts: light, and plain enough to be sent to another machine.

    columns     what our columns are called in the files; several names are put side by side (a list column)
    n_arms      K where it is known for all rows: told, or found in the first
    n_features  d, found in the first row
    on_error    "raise", or "drop" and count
    """

    columns: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    n_arms: int | None = None
    n_features: int | None = None
    on_error: OnError = "raise"

    def called(self, column: str) -> str:
        """What a column of ours is called in the file, for messages."""
        name = self.columns.get(column, column)
        return name if isinstance(name, str) else " and ".join(name)


class Faults:
    """What is wrong with the rows of a batch: raised at the first bad row, or counted and left out.

    numbers: (n,) what the rows are called in messages, and `unit` what that counts: rows from 0, or lines from 1.
    """

    def __init__(self, source: str, numbers: IntArray, reading: Reading, unit: str = "row") -> None:
        self.n, self.source, self.numbers, self.reading, self.unit = len(numbers), source, numbers, reading, unit
        n = self.n
        self.bad = np.zeros(n, dtype=np.bool_)
        self.found: list[tuple[int, str, str]] = []
        self.counts: dict[str, int] = {}

    def note(self, bad: BoolArray, column: str, say: Callable[[int], str]) -> None:
        """Rows that are bad for a reason which `say` puts into words for one of them."""
        new = bad & ~self.bad
        if new.any():
            row = int(np.flatnonzero(new)[0])
            self.found.append((row, column, say(row)))
            self.counts[column] = self.counts.get(column, 0) + int(np.count_nonzero(new))
            self.bad |= bad

    def settle(self) -> None:
        """Raise for the first bad row, unless bad rows are to be dropped."""
        if self.found and self.reading.on_error == "raise":
            row, column, text = min(self.found, key=lambda each: each[0])
            raise self.error(row, column, text)

    def error(self, row: int, column: str, text: str) -> LogError:
        """The error that names file, row and column."""
        number, called = int(self.numbers[row]), self.reading.called(column)
        message = f"{self.source}, {self.unit} {number}{f', column {called!r}' if column else ''}: {text}"
        return LogError(message, row=number, column=called, source=self.source)


@dataclass
class Raw:
    """A batch of rows. `labels`: ids and the arms' ids, as the reader has them; `faults` that it found already."""

    faults: Faults
    columns: dict[str, Scalars | Lists]
    keys: KeyArray | None = None
    labels: dict[str, Any] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """How many rows."""
        return self.faults.n
