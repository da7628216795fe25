"""A log lies in parts, each of which can be read by itself, here or on another machine.

How a log is cut into parts is a property of the log, not of who reads it: sums over parts that are merged in their
order are the same to the last bit on any number of machines.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from rbmle.errors import InvalidInputError
from rbmle.logs.batch import BATCH_ROWS, Batch
from rbmle.logs.check import checked
from rbmle.logs.raw import Raw, Reading, Scalars
from rbmle.types import BoolArray, FloatArray, IntArray, KeyArray

# Rows of a part of what is in memory.
PART_ROWS = 16 * BATCH_ROWS
# Row numbers of parts whose first row nobody knows begin at multiples of this.
FAR = 2**44
GLANCED = ("id", "time", "settled", "probability", "probabilities", "arm")


class Glance(NamedTuple):
    """A few columns of some rows, for a first look at the whole log; None where there is no such column."""

    rows: IntArray
    keys: KeyArray | None
    time: FloatArray | None
    settled: BoolArray | None
    probability: FloatArray | None


class Part(ABC):
    """Some rows of a log that follow each other. It can be pickled, unless it is a stream.

    label  what messages call it
    first  the number of its first row in the log; None where the rows before it would have to be counted
    """

    label: str
    first: int | None

    @abstractmethod
    def batches(self, reading: Reading, index: int) -> Iterator[Batch]:
        """Its rows, checked; `index` is the part's place in the log."""

    @abstractmethod
    def glances(self, reading: Reading, index: int) -> Iterator[Glance]:
        """A first look at its rows, of which nothing is checked yet."""

    def start(self, index: int) -> int:
        """The number of the first row, or one that no other part has."""
        return index * FAR if self.first is None else self.first

    def beginning(self, first: int) -> "Part":
        """The part with the number of its first row, where nobody knew it."""
        return self


class HeldPart(Part):
    """Rows in memory, checked already."""

    def __init__(self, label: str, first: int, batches: Sequence[Batch]) -> None:
        self.label, self.first, self.held = label, first, tuple(batches)

    def batches(self, reading: Reading, index: int) -> Iterator[Batch]:
        """Its rows."""
        yield from self.held

    def glances(self, reading: Reading, index: int) -> Iterator[Glance]:
        """A first look at its rows."""
        for each in self.held:
            yield Glance(each.rows, each.keys, each.time, each.settled, each.probability)


class RawPart(Part):
    """Rows that are checked whenever they are read."""

    @abstractmethod
    def raws(self, reading: Reading, only: Sequence[str] | None = None) -> Iterator[Raw]:
        """Its columns, or some of them, as they are."""

    def batches(self, reading: Reading, index: int) -> Iterator[Batch]:
        """Its rows, checked."""
        first = self.start(index)
        for raw in self.raws(reading):
            yield checked(raw, reading, first)
            first += raw.n

    def glances(self, reading: Reading, index: int) -> Iterator[Glance]:
        """A first look at its rows."""
        first = self.start(index)
        for raw in self.raws(reading, GLANCED):
            time, settled = raw.columns.get("time"), raw.columns.get("settled")
            yield Glance(
                np.arange(first, first + raw.n),
                raw.keys,
                time.values if isinstance(time, Scalars) else None,
                settled.values != 0.0 if isinstance(settled, Scalars) else None,  # a bad one is not an open one
                served_chances(raw),
            )
            first += raw.n


def served_chances(raw: Raw) -> FloatArray | None:
    """The chance of the arm served in rows that nobody has checked: NaN where there is none."""
    column = raw.columns.get("probability")
    if isinstance(column, Scalars):
        return column.values
    arm, of_all = raw.columns.get("arm"), raw.columns.get("probabilities")
    if not isinstance(arm, Scalars) or of_all is None or isinstance(of_all, Scalars):
        return None
    sizes = np.diff(of_all.offsets)
    good = (arm.values >= 0) & (arm.values < sizes)
    places = of_all.offsets[:-1][good] + arm.values[good].astype(np.int64)
    chances = np.full(raw.n, np.nan)
    chances[good] = of_all.values[places]
    return chances


class StreamPart(RawPart):
    """Record batches as they come from a stream: all of the log in one part, read as often as `make` can make it.

    once: a stream that flows but once, and has not been read yet.
    """

    def __init__(
        self, label: str, make: Callable[[], Iterable[Any]] | None = None, once: Iterable[Any] | None = None
    ) -> None:
        self.label, self.make, self.once, self.first = label, make, once, 0

    def raws(self, reading: Reading, only: Sequence[str] | None = None) -> Iterator[Raw]:
        """Its columns."""
        from rbmle.logs.arrow import raws_of

        return raws_of(self._stream(), reading, self.label, 0)

    def _stream(self) -> Iterable[Any]:
        if self.make is not None:
            return self.make()
        if self.once is None:
            raise InvalidInputError(
                "The log is a stream that was read already, and has to be read again. Give a function that opens it, "
                "Log.read(lambda: …), or a table or files."
            )
        stream, self.once = self.once, None
        return stream

    def __reduce__(self) -> Any:
        raise InvalidInputError("A stream cannot be sent to other machines: give the log as files.")


class TablePart(RawPart):
    """Some rows of a table in memory."""

    def __init__(self, label: str, first: int, table: Any) -> None:
        self.label, self.first, self.table = label, first, table

    def raws(self, reading: Reading, only: Sequence[str] | None = None) -> Iterator[Raw]:
        """Its columns."""
        from rbmle.logs.arrow import raws_of

        return raws_of(self.table.to_batches(), reading, self.label, int(self.first or 0))


def held_parts(label: str, batches: Iterable[Batch]) -> list[Part]:
    """Checked batches in memory as parts."""
    parts, now, first, row = list[Part](), list[Batch](), 0, 0
    for batch in batches:
        now.append(batch)
        row = int(batch.rows[-1]) + 1 if len(batch) else row
        if row - first >= PART_ROWS:
            parts.append(HeldPart(label, first, now))
            now, first = [], row
    if now or not parts:
        parts.append(HeldPart(label, first, now))
    return parts
