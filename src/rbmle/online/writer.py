"""Writing as a group: threads that wait for the disk are served by one commit.

Whoever has the turn writes what all have queued, lets it be folded, and tells each what became of theirs. The order of
the queue is that of the journal, and that of the fold.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rbmle.errors import JournalError
from rbmle.online.journal.base import Event, Journal
from rbmle.online.rewards import Status

# Tickets of one commit; events that may wait for one.
MOST, FULL = 1000, 100_000


class Result(NamedTuple):
    """What became of an event: its place (None: it was there already), and what the fold says of it."""

    seq: int | None
    status: Status | None


class Ticket:
    """Events of one caller. lasting: nobody waits for them; they stay in the queue until they are written."""

    __slots__ = ("done", "error", "events", "lasting", "results", "told")

    def __init__(self, events: Sequence[Event], lasting: bool) -> None:
        self.events, self.lasting = events, lasting
        self.done = False
        self.told = None if lasting else threading.Event()
        self.error: BaseException | None = None
        self.results: list[Result] = []


class Writer:
    """The queue in front of a journal.

    fold  takes events that were written and their places, and returns what became of each; called by one thread at a
          time, in the order of the journal; fold_one is the same for one event
    """

    def __init__(
        self,
        journal: Journal,
        fold: Callable[[Sequence[Event], list[int | None]], list[Any]],
        fold_one: Callable[[Event, int | None, Any], Any],
    ) -> None:
        self.journal, self.fold, self.fold_one = journal, fold, fold_one
        self.turn, self.door = threading.RLock(), threading.Lock()
        self.waiting: deque[Ticket] = deque()

    def commit(self, events: Sequence[Event]) -> list[Result]:
        """Write events and all that waits, and return when they are in the journal for good, and folded."""
        ticket = Ticket(events, lasting=False)
        self.waiting.append(ticket)
        while not ticket.done:
            if self.turn.acquire(blocking=False):  # it is free, or ours already
                self._write_until(ticket, self.turn)
            elif self.door.acquire(blocking=False):  # one waits for the turn, all others to be told
                self._write_until(ticket, self.door)
            elif ticket.told is not None:
                ticket.told.wait()
                ticket.told.clear()
        if ticket.error is not None:
            raise ticket.error
        return ticket.results

    def commit_one(self, event: Event, hint: Any = None) -> tuple[int | None, Status | None]:
        """`commit` for one event, which costs half where nobody else writes. hint: for `fold_one`."""
        if not self.waiting and self.turn.acquire(False):
            try:
                if not self.waiting:
                    seq = self.journal.append((event,))[0]
                    return seq, self.fold_one(event, seq, hint)
            finally:
                self.turn.release()
        return self.commit((event,))[0]

    def put(self, events: Sequence[Event]) -> None:
        """Queue events that somebody will write later."""
        if len(self.waiting) >= FULL:
            raise JournalError(f"{FULL} events wait to be written to {self.journal!r}; no more are taken.")
        self.waiting.append(Ticket(events, lasting=True))

    def flush(self) -> None:
        """Write all that waits."""
        with self.turn:
            while self.waiting:
                self._write()

    def _write_until(self, ticket: Ticket, held: Any) -> None:
        """Write until a ticket is done, let go of what is held, and have those who came meanwhile look again."""
        try:
            with self.turn:
                while not ticket.done:
                    self._write()
        finally:
            held.release()
            for each in list(self.waiting):
                if each.told is not None:
                    each.told.set()

    def renew(self) -> None:
        """Forget who waits: they are threads of another process, from which this one was forked."""
        self.waiting.clear()
        self.door = threading.Lock()

    def _write(self) -> None:
        tickets: list[Ticket] = []
        while self.waiting and len(tickets) < MOST:
            tickets.append(self.waiting.popleft())
        events = [event for ticket in tickets for event in ticket.events]
        told = any(not ticket.lasting for ticket in tickets)
        written = False
        try:
            places = self.journal.append(events)
            written = True
            statuses = self.fold(events, places)
        except BaseException as error:
            again = [ticket for ticket in tickets if ticket.lasting and not written]
            self.waiting.extendleft(reversed(again))
            for ticket in tickets:
                ticket.done, ticket.error = True, error
                if ticket.told is not None:
                    ticket.told.set()
            raise
        if not told:  # nobody asks what became of them
            return
        start = 0
        for ticket in tickets:
            stop = start + len(ticket.events)
            ticket.results = [Result(*pair) for pair in zip(places[start:stop], statuses[start:stop], strict=True)]
            ticket.done, start = True, stop
            if ticket.told is not None:
                ticket.told.set()
