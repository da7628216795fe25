"""Whether two rows have the same id: by 64-bit keys, so that a log of ten million rows takes 160 MB to be sure of.

Two different ids have the same key with a chance of n²/2⁶⁵: one in a million for six million rows.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from rbmle.errors import LogError
from rbmle.types import IntArray, KeyArray

if TYPE_CHECKING:
    from rbmle.logs.log import Log

# So many rows are compared at once; longer logs are looked through in turns, a range of keys in each.
AT_ONCE = 2**24


class Ids:
    """Keys of rows, collected while they are read for something else. Light to send and to put together."""

    def __init__(self) -> None:
        self.keys: list[KeyArray] = []
        self.rows: list[IntArray] = []
        self.count = 0

    def add(self, keys: KeyArray, rows: IntArray) -> None:
        """Take in some rows, as long as there is room."""
        self.count += len(keys)
        if self.count <= AT_ONCE:
            self.keys.append(np.array(keys))
            self.rows.append(np.array(rows))
        else:
            self.keys, self.rows = [], []

    def merge(self, other: "Ids") -> None:
        """Take in what another has collected."""
        self.count += other.count
        self.keys, self.rows = [*self.keys, *other.keys], [*self.rows, *other.rows]
        if self.count > AT_ONCE:
            self.keys, self.rows = [], []

    def require_different(self, log: "Log") -> None:
        """Raise if two rows have the same id; where there were too many to collect, the log is looked through again."""
        if "id" not in log.columns:
            return
        if self.count > AT_ONCE:
            later, earlier = repeated_in(log, self.count)
        elif self.keys:
            later, earlier = repeated(np.concatenate(self.keys), np.concatenate(self.rows))
        else:
            return
        if len(later):
            place = int(np.argmin(later))
            raise said(log, int(later[place]), int(earlier[place]))


def repeated(keys: KeyArray, rows: IntArray) -> tuple[IntArray, IntArray]:
    """Rows whose key an earlier row has, and that earlier row."""
    in_order = np.sort(keys)
    if not bool((in_order[1:] == in_order[:-1]).any()):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    order = np.lexsort((rows, keys))
    same = keys[order][1:] == keys[order][:-1]
    return rows[order][1:][same], rows[order][:-1][same]


def repeated_in(log: "Log", count: int) -> tuple[IntArray, IntArray]:
    """`repeated` for a whole log, in as many turns as memory asks for."""
    turns = -(-count // AT_ONCE)
    found = [repeated(*collected(log, turn, turns)) for turn in range(turns)]
    return np.concatenate([later for later, _ in found]), np.concatenate([earlier for _, earlier in found])


def collected(log: "Log", turn: int, turns: int) -> tuple[KeyArray, IntArray]:
    """The keys of a turn, with their rows."""
    keys, rows = list[KeyArray](), list[IntArray]()
    for each_keys, each_rows in keys_of(log):
        own = each_keys % np.uint64(turns) == np.uint64(turn)
        keys.append(each_keys[own])
        rows.append(each_rows[own])
    return np.concatenate(keys), np.concatenate(rows)


def keys_of(log: "Log") -> Iterable[tuple[KeyArray, IntArray]]:
    """Keys and rows of a log, batch by batch."""
    for index, part in enumerate(log.parts):
        for glance in part.glances(log.reading, index):
            if glance.keys is not None:
                yield glance.keys, glance.rows


def said(log: "Log", later: int, earlier: int) -> LogError:
    """The error that names both rows."""
    starts = [part.start(index) for index, part in enumerate(log.parts)]

    def named(row: int) -> tuple[str, int]:
        part = log.parts[int(np.searchsorted(starts, row, side="right")) - 1]
        within = getattr(part, "within", None)
        begins = starts[log.parts.index(part)]
        return part.label, row - begins + (begins if within is None else within)

    (source, row), (other, twin) = named(later), named(earlier)
    where = f"row {twin}" if other == source else f"row {twin} of {other}"
    called = log.reading.called("id")
    text = f"{source}, row {row}, column {called!r}: must be different in every row. It is the same as in {where}."
    return LogError(text, row=row, column=called, source=source)
