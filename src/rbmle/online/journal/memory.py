"""A journal in the memory of one process: for tests, notebooks and simulations. It grows with every decision."""

import threading
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from marshal import dumps, loads
from math import isfinite
from operator import itemgetter
from typing import Any

from rbmle.errors import JournalError
from rbmle.online.journal.base import CHUNK, Event, Journal, MovedError
from rbmle.online.journal.encoding import require_time

# Place, kind, time, subject, key, data, body. With data as bytes nothing in a row could be part of a cycle: Python does
# not search it again and again for garbage, which would take longer with every event. And nobody can change it.
Row = tuple[int, str, float, str | None, str | None, bytes, bytes]


class MemoryJournal(Journal):
    """Events as a list. Threads may share it; nothing survives the process.

    >>> journal = MemoryJournal()
    >>> journal.append([Event("note", 0.0), Event("note", 1.0)])
    [1, 2]
    >>> [event.time for event in journal.read(after=1)]
    [1.0]
    """

    shared = False

    def __init__(self) -> None:
        self._rows: list[Row] = []
        self._subjects: dict[str, tuple[Row, ...]] = {}
        self._snapshots: dict[int, bytes] = {}
        self._last = self._base = 0
        self._lock = threading.Lock()

    def append(self, events: Sequence[Event], last: int | None = None) -> list[int | None]:
        """Write events; one whose subject and key are there already is left out."""
        if last is None and len(events) == 1:  # as most are; the rest is the same
            row = packed(events[0])
            with self._lock:
                return [self._add(*row)]
        rows = [packed(event) for event in events]
        with self._lock:
            if last is not None and last != self._last:
                raise MovedError(f"The journal is at {self._last}, not at {last}.")
            return [self._add(*row) for row in rows]

    def _add(
        self, kind: str, time: float, subject: str | None, key: str | None, content: bytes, body: bytes
    ) -> int | None:
        known = self._subjects.get(subject, ()) if subject is not None else ()
        if known and key is not None and any(row[4] == key for row in known):
            return None
        self._last = seq = self._last + 1
        row = seq, kind, time, subject, key, content, body
        self._rows.append(row)
        if subject is not None:
            self._subjects[subject] = (*known, row) if known else (row,)
        return seq

    def read(self, after: int, limit: int = CHUNK) -> list[Event]:
        """The first events after a place, in order."""
        with self._lock:
            start = bisect_right(self._rows, after, key=itemgetter(0))
            found = self._rows[start : start + limit]
        return [unpacked(row) for row in found]

    def about(self, subject: str) -> list[Event]:
        """All events of one subject, in order."""
        return [unpacked(row) for row in self._subjects.get(subject, ())]

    def save_snapshot(self, seq: int, content: bytes, *, base: bool = False) -> None:
        """Keep what the events up to `seq` come to."""
        with self._lock:
            if seq < self._base or (seq == self._base and not base):
                return  # a base speaks for more, and may have forgotten on purpose
            if base:
                self._snapshots, self._base = {}, seq
            self._snapshots[seq] = content
            for old in sorted(self._snapshots)[:-2]:
                if old != self._base:
                    del self._snapshots[old]

    def snapshots(self) -> Iterable[tuple[int, bytes]]:
        """Snapshots and their places, the newest first."""
        return sorted(self._snapshots.items(), reverse=True)

    @property
    def base(self) -> int:
        """The place of the base, or 0."""
        return self._base

    def remove(self, seqs: Sequence[int]) -> None:
        """Remove events for good, at or before the base."""
        self._require_sealed(seqs)
        gone = set(seqs)
        with self._lock:
            self._rows = [row for row in self._rows if row[0] not in gone]
            self._subjects = {}
            for row in self._rows:
                if row[3] is not None:
                    self._subjects[row[3]] = (*self._subjects.get(row[3], ()), row)

    def __repr__(self) -> str:
        return f"MemoryJournal({len(self._rows)} events)"

    def __getstate__(self) -> Any:
        raise TypeError("A journal in memory cannot be pickled: every process would have another one.")


def packed(event: Event) -> tuple[str, float, str | None, str | None, bytes, bytes]:
    """An event with its data as bytes; raises JournalError where these cannot be written, or its time is none."""
    kind, time, subject, key, data, body, _ = event
    if not isfinite(time):
        require_time(event)
    try:
        return kind, time, subject, key, dumps(dict(data)), body
    except (ValueError, TypeError) as reason:
        raise JournalError(f"An event's data must be plain: text, finite numbers, lists, dicts. {reason}.") from reason


def unpacked(row: Row) -> Event:
    """The event of a row."""
    seq, kind, time, subject, key, content, body = row
    return Event(kind, time, subject, key, loads(content), body, seq)
