"""A journal and what it comes to in this process: read, written, folded, kept as snapshots."""

import logging
import sqlite3
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from heapq import heappop, heappush

from rbmle.errors import JournalError, RbmleError, SharedJournalWarning
from rbmle.online import snapshot
from rbmle.online.fold import Made, Open, State
from rbmle.online.journal.base import Event, Journal
from rbmle.online.journal.forking import tell_agent
from rbmle.online.journal.sqlite import SQLiteJournal
from rbmle.online.rewards import Status
from rbmle.online.snapshot import restored
from rbmle.online.writer import Result, Writer

log = logging.getLogger("rbmle.online")
# Closings that are written at once.
CLOSINGS = 1000
# From this version on, SQLite does not lose what one process wrote while another resets the WAL.
SOUND = (3, 51, 3)


class Unwritten:
    """What a decision is going to be whose events still wait to be written.

    event    the decision's, if it waits too
    waiting  all that wait
    """

    __slots__ = ("event", "record", "waiting")

    def __init__(self, record: Open, event: Event | None) -> None:
        self.record, self.event = record, event
        self.waiting: list[Event] = []


class Core:
    """The state of an agent in this process.

    lock   held while the state is looked at or changed
    state  changed by events that are in the journal, in their order, and by nothing else
    """

    def __init__(
        self,
        journal: Journal,
        begin: Callable[[], Event] | None,
        *,
        durability: str,
        flush: tuple[int, float],
        sync_seconds: float,
        snapshot_every: int,
    ) -> None:
        self.journal = journal
        self.buffered = durability == "buffered"
        self.flush_events, self.flush_seconds = flush
        self.sync_seconds, self.snapshot_every = sync_seconds, snapshot_every
        self.lock = threading.RLock()
        self.unwritten: dict[str, Unwritten] = {}
        self.tally: dict[str, int] = {}
        self.closed = False
        self._warned = self._torn = False
        self.writer = Writer(journal, self._fold, self._fold_one)
        self.synced = self.ticked = time.monotonic()
        self.state = restored(journal, begin)
        self._flusher: threading.Thread | None = None
        self._stop, self._wake = threading.Event(), threading.Event()
        with self.writer.turn:
            self._catch_up()
        tell_agent(self)

    def commit(self, events: Sequence[Event]) -> list[Result]:
        """Write events for good and fold them."""
        self._require_open()
        return self.writer.commit(events)

    def commit_one(self, event: Event, made: Made | None = None) -> tuple[int | None, Status | None]:
        """`commit` for one event. made: what a decision says that was just made."""
        if self.closed:
            self._require_open()
        return self.writer.commit_one(event, made)

    def put(self, record: Open, event: Event) -> None:
        """Queue an event of a decision that is going to be `record`; called with the lock."""
        self._require_open()
        self.writer.put([event])
        found = self.unwritten.get(record.id)
        if found is None:
            found = self.unwritten[record.id] = Unwritten(record, event if event.kind == "decision" else None)
        found.waiting.append(event)
        if self._flusher is None:
            self._flusher = threading.Thread(target=self._flush_for_ever, name="rbmle flusher", daemon=True)
            self._flusher.start()

    def flush_if_full(self) -> None:
        """Have what waits written, if it is much; called without the lock. Who asks waits for the disk only where it
        does not keep up.
        """
        waiting = len(self.writer.waiting)
        if waiting >= 2 * self.flush_events:
            self.writer.flush()
        elif waiting >= self.flush_events:
            self._wake.set()

    def _flush_for_ever(self) -> None:
        while not self._stop.is_set():
            self._wake.wait(self.flush_seconds)
            self._wake.clear()
            if self.writer.waiting:
                try:
                    self.writer.flush()
                except RbmleError as reason:  # kept in the queue, and tried again
                    log.error("Events wait to be written: %s", reason)

    def record(self, decision: str) -> Open | None:
        """A decision that is open, with all that was told to this process; called with the lock."""
        found = self.unwritten.get(decision)
        return self.state.open.get(decision) if found is None else found.record

    def _fold(self, events: Sequence[Event], places: list[int | None]) -> list[Status | None]:
        """Let what was written happen. It is read back from the journal where others have written in between."""
        with self.lock:
            if self.unwritten:
                self._written(events)
            state = self.state
            before, apply = state.position, state.apply
            if not self._torn and places[0] == before + 1 and places[-1] == before + len(events):
                self._torn = True  # whoever is interrupted here, by Ctrl-C say, leaves a state that is made anew
                statuses = [apply(event, seq) for seq, event in enumerate(events, before + 1)]
                self._torn = False
            else:
                found = self._catch_up()
                statuses = [None if place is None else found.get(place) for place in places]
        if self.state.position // self.snapshot_every > before // self.snapshot_every:
            self._snapshot_unless_it_fails()
        return statuses

    def _fold_one(self, event: Event, seq: int | None, made: Made | None) -> Status | None:
        """`_fold` for one event."""
        status = None
        with self.lock:
            state = self.state
            if self._torn or self.unwritten or seq != state.position + 1:
                return self._fold((event,), [seq])[0]
            self._torn = True
            if made is None:
                status = state.apply(event, seq)
            else:
                state.admit(*made, event.data, event.body)
                state.position = seq
            self._torn = False
        if seq % self.snapshot_every == 0:
            self._snapshot_unless_it_fails()
        return status

    def _written(self, events: Sequence[Event]) -> None:
        for event in events:
            found = self.unwritten.get(event.subject) if event.subject is not None else None
            if found is not None and any(each is event for each in found.waiting):
                found.waiting = [each for each in found.waiting if each is not event]
                if not found.waiting:
                    del self.unwritten[found.record.id]

    def commit_after(self, event: Event, last: int) -> None:
        """Write an event right after another; raises MovedError where something else came after that."""
        self._require_open()
        with self.writer.turn:
            self.writer.flush()
            self._fold([event], self.journal.append([event], last))

    def _catch_up(self) -> dict[int, Status | None]:
        """Fold all that is in the journal and not in the state; called by whoever has the turn."""
        found: dict[int, Status | None] = {}
        while True:
            chunk = self.journal.read(self.state.position)
            if self._torn or self.journal.base > self.state.position:  # what is missing before the base is in the base
                state = restored(self.journal, None)
                with self.lock:
                    self.state, self._torn = state, False
                continue
            if not chunk:
                return found
            with self.lock, self._whole():
                for event in chunk:
                    if event.seq != self.state.position + 1:
                        raise JournalError(
                            f"{self.journal!r} is damaged: event {event.seq} comes after {self.state.position}."
                        )
                    found[event.seq] = self.state.apply(event, event.seq)

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Whoever is interrupted while events are applied, by Ctrl-C say, leaves a state that is made anew."""
        try:
            yield
        except BaseException:
            self._torn = True
            raise

    def sync(self) -> int:
        """Learn what others have written; how many events that were."""
        self._require_open()
        with self.writer.turn:
            self.writer.flush()
            if self.tally:
                self.write_tally()
            before = self.state.position
            found = self._catch_up()
            self.synced = time.monotonic()
        if found:
            self._warn_of_sharing()
        return self.state.position - before

    def sync_when_due(self) -> None:
        """`sync`, where others may write and it was long ago. A buffered agent goes on with what it knows where the
        journal cannot be reached: it keeps its events as long as there is room for them."""
        if self.journal.shared and time.monotonic() - self.synced > self.sync_seconds:
            try:
                self.sync()
            except JournalError as reason:
                if not self.buffered or self.closed:
                    raise
                self.synced = time.monotonic()
                log.error("The journal cannot be reached: %s", reason)

    def write_tally(self) -> None:
        """Write down how many rewards were refused since that was last done."""
        with self.lock:
            counted, self.tally = self.tally, {}
        if counted:
            self.writer.commit([Event("tally", time.time(), None, None, counted)])

    def refuse(self, status: Status) -> Status:
        """Count a reward that does not count."""
        with self.lock:
            self.tally[status.value] = self.tally.get(status.value, 0) + 1
        return status

    def closings(self, now: float, more: int = 0) -> list[Event]:
        """Events that close what is due, or leaves no room for so many more; called with the lock."""
        state, due = self.state, self.state.due
        surplus = len(state.open) + more - state.room
        if surplus <= 0 and not (due and due[0][0] <= now):
            return []
        if self.buffered:  # not with every call: closings do not wait in the queue
            if time.monotonic() - self.ticked < self.flush_seconds and surplus < CLOSINGS:
                return []
            self.ticked = time.monotonic()
        return due_closings(state, now, surplus)

    def snapshot(self) -> int:
        """Keep the state as it is, so that the next start is quick; up to which event it is."""
        self._require_open()
        with self.writer.turn:
            self.writer.flush()
            with self.lock:
                seq, content = self.state.position, snapshot.to_bytes(self.state)
            self.journal.save_snapshot(seq, content)
        return seq

    def _snapshot_unless_it_fails(self) -> None:
        try:
            with self.lock:
                seq, content = self.state.position, snapshot.to_bytes(self.state)
            self.journal.save_snapshot(seq, content)
        except RbmleError as reason:  # what was to be written is written
            log.error("A snapshot could not be kept: %s", reason)

    def close(self, *, snapshot: bool) -> None:
        """Write what waits, and let go of the journal. Where that cannot be written, it stays open."""
        with self.writer.turn:
            if self.closed:
                return
            self.writer.flush()
            self.write_tally()
            if snapshot:
                self.snapshot()
            with self.lock:
                self.writer.flush()  # what came in the meantime; nothing is taken while the lock is held
                self.closed = True
            self._stop.set()
            self._wake.set()
            self.journal.close()

    def before_fork(self) -> None:
        """Wait until no thread is in the middle of something."""
        self.writer.turn.acquire()
        self.lock.acquire()

    def after_fork(self, *, child: bool) -> None:
        """Go on. What waits to be written is the parent's, and so is the thread that writes it."""
        if child:
            self.writer.renew()
            self.unwritten.clear()
            self.tally.clear()
            self._flusher, self._stop, self._wake = None, threading.Event(), threading.Event()
        self.lock.release()
        self.writer.turn.release()

    def _require_open(self) -> None:
        if self.closed:
            raise JournalError("This agent is closed. Agent.open makes another.")

    def _warn_of_sharing(self) -> None:
        if not self._warned and isinstance(self.journal, SQLiteJournal) and sqlite3.sqlite_version_info < SOUND:
            self._warned = True
            warnings.warn(
                f"Several processes write {self.journal.path}, and SQLite {sqlite3.sqlite_version} can lose events "
                "then, when one resets the WAL while another writes; 3.51.3 is the first version that does not.",
                SharedJournalWarning,
                stacklevel=4,
            )


def due_closings(state: State, now: float, surplus: int) -> list[Event]:
    """Events that close decisions whose time is over, and the oldest where there are too many."""
    events: list[Event] = []
    kept = []
    while state.due and state.due[0][0] <= now and len(events) < CLOSINGS:
        deadline, name = entry = heappop(state.due)
        record = state.open.get(name)
        if record is not None and record.deadline == deadline:
            kept.append(entry)
            why = "age" if state.rules.wait is None else "wait"
            events.append(Event("close", now, name, "close", {"why": why}))
    for entry in kept:  # they stay due until their closing is in the journal
        heappush(state.due, entry)
    if surplus > 0:
        closing = {event.subject for event in events}
        oldest = (name for name in state.open if name not in closing)
        for _, name in zip(range(min(surplus - len(events), CLOSINGS)), oldest, strict=False):
            events.append(Event("close", now, name, "close", {"why": "full"}))
    return events
