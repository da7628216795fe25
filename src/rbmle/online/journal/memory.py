"""A journal in the memory of one process: for tests, notebooks and simulations. It grows with every decision."""

import threading
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

from rbmle.online.journal.base import CHUNK, Event, Journal, MovedError
from rbmle.online.journal.encoding import require_time


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
        self._events: list[Event] = []
        self._subjects: dict[str, list[Event]] = {}
        self._snapshots: dict[int, bytes] = {}
        self._last = self._base = 0
        self._lock = threading.Lock()

    def append(self, events: Sequence[Event], last: int | None = None) -> list[int | None]:
        """Write events; one whose subject and key are there already is left out."""
        places: list[int | None] = []
        for event in events:
            if not isfinite(event.time):
                require_time(event)
        with self._lock:
            if last is not None and last != self._last:
                raise MovedError(f"The journal is at {self._last}, not at {last}.")
            for kind, time, subject, key, data, body, _ in events:
                known = None if subject is None else self._subjects.get(subject)
                if known is not None and key is not None and any(each.key == key for each in known):
                    places.append(None)
                    continue
                self._last += 1
                event = Event(kind, time, subject, key, data, body, self._last)
                self._events.append(event)
                if known is not None:
                    known.append(event)
                elif subject is not None:
                    self._subjects[subject] = [event]
                places.append(self._last)
        return places

    def read(self, after: int, limit: int = CHUNK) -> list[Event]:
        """The first events after a place, in order."""
        with self._lock:
            low, high = 0, len(self._events)
            while low < high:
                middle = (low + high) // 2
                if self._events[middle].seq <= after:
                    low = middle + 1
                else:
                    high = middle
            return self._events[low : low + limit]

    def about(self, subject: str) -> list[Event]:
        """All events of one subject, in order."""
        with self._lock:
            return list(self._subjects.get(subject, ()))

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
            self._events = [event for event in self._events if event.seq not in gone]
            self._subjects = {}
            for event in self._events:
                if event.subject is not None:
                    self._subjects.setdefault(event.subject, []).append(event)

    def __repr__(self) -> str:
        return f"MemoryJournal({len(self._events)} events)"

    def __getstate__(self) -> Any:
        raise TypeError("A journal in memory cannot be pickled: every process would have another one.")
