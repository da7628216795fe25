"""A first look at a whole log, by a few of its columns; and its rows as they may be used, which hangs on that."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rbmle.logs.batch import Batch
from rbmle.logs.ids import repeated_in
from rbmle.logs.parts import Part
from rbmle.logs.raw import Reading
from rbmle.types import IntArray

if TYPE_CHECKING:
    from rbmle.logs.log import Log

OPEN, VOID, TWICE = "not settled", "void: settled without a reward", "dropped: an id that an earlier row has"


class Scanned(NamedTuple):
    """What a first look found.

    rows         how many rows there are, good or bad
    frontier     the least time of an open row; infinite where none is open
    probability  the smallest chance of an arm served; NaN where the log has none
    """

    rows: int
    frontier: float
    probability: float


def scan(log: "Log") -> Scanned:
    """Look at all rows."""
    rows, frontier, least = 0, np.inf, np.inf
    for index, part in enumerate(log.parts):
        for glance in part.glances(log.reading, index):
            rows += len(glance.rows)
            if glance.settled is not None and glance.time is not None:
                frontier = min(frontier, float(np.min(glance.time[~glance.settled], initial=np.inf)))
            if glance.probability is not None:
                good = glance.probability > 0.0
                least = min(least, float(np.min(glance.probability[good], initial=np.inf)))
    return Scanned(rows, frontier, least if np.isfinite(least) else np.nan)


@dataclass(frozen=True)
class Usable:
    """Rows that count: decided before the first open one, with a reward, each once. Light enough to be sent.

    frontier  rows decided from this time on are left out; None where all rewards are settled
    repeated  rows to be left out because an earlier one has their id
    """

    reading: Reading
    frontier: float | None
    repeated: IntArray | None

    def batches(self, part: Part, index: int) -> Iterator[Batch]:
        """The rows of a part that count; those that do not are in `skipped`."""
        for batch in part.batches(self.reading, index):
            batch = different(batch, self.repeated)
            if self.frontier is not None and batch.time is not None:
                batch = batch.take(batch.time < self.frontier, OPEN)
                batch = batch.take(~np.isnan(batch.reward), VOID)
            yield batch


def different(batch: Batch, repeated: IntArray | None) -> Batch:
    """The batch without rows whose id an earlier one has."""
    if repeated is None or not len(repeated):
        return batch
    return batch.take(~np.isin(batch.rows, repeated), TWICE)


def repeated_rows(log: "Log") -> IntArray | None:
    """Rows to be left out because an earlier one has their id; None where none are left out."""
    if log.reading.on_error != "drop" or "id" not in log.columns:
        return None
    later, _ = repeated_in(log, log.scanned.rows)
    return np.sort(later)


def numbered(log: "Log") -> "Log":
    """The log with rows numbered through all its parts: those of text files are counted, which is to read them."""
    if all(part.first is not None for part in log.parts):
        return log
    parts, first = list[Part](), 0
    for index, part in enumerate(log.parts):
        parts.append(part.beginning(first))
        first += sum(len(glance.rows) for glance in part.glances(log.reading, index))
    return replace(log, parts=tuple(parts))
