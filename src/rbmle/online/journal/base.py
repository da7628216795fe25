"""What a journal is: events in one order, appended and read, never changed.

A backend supplies `append`, `read` and `about`, and a place for snapshots. `rbmle.testing.JournalChecks` is the test
suite that it must pass.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from rbmle.errors import JournalError

if TYPE_CHECKING:
    import pandas as pd

    from rbmle.logs import Log

# Events that are read at once.
CHUNK = 5000


class Event(NamedTuple):
    """One thing that happened.

    kind     what: "decision", "reward", "close", …; see `rbmle.online.fold`
    time     when, in seconds since 1970, by the clock of whoever wrote it
    subject  the id of the decision that it is about, or None
    key      with a subject, something that happens once: a journal holds no two events of one subject and key
    data     plain data
    body     numbers, as bytes
    seq      its place in the journal, from 1; 0 while it has none
    """

    kind: str
    time: float
    subject: str | None = None
    key: str | None = None
    data: Mapping[str, Any] = {}
    body: bytes = b""
    seq: int = 0


class MovedError(JournalError):
    """Somebody else has written meanwhile. Nothing was appended."""


class Journal(ABC):
    """Events in one order, the same for all who read them.

    shared: whether others may write to it too, so that one has to look.
    """

    shared: bool = True

    @abstractmethod
    def append(self, events: Sequence[Event], last: int | None = None) -> list[int | None]:
        """Write events for good, all or none; their places, ascending. One whose subject and key are there already is
        left out and has None.

        An event can be read as soon as, and only if, all those before it can: whoever reads on from where it was misses
        nothing. last: raises `MovedError` unless the last event is this one.
        """

    @abstractmethod
    def read(self, after: int, limit: int = CHUNK) -> list[Event]:
        """The first events after a place, in order."""

    @abstractmethod
    def about(self, subject: str) -> list[Event]:
        """All events of one subject, in order."""

    @abstractmethod
    def save_snapshot(self, seq: int, content: bytes, *, base: bool = False) -> None:
        """Keep what the events up to `seq` come to. The last two are kept; a base stays, and older ones go."""

    @abstractmethod
    def snapshots(self) -> Iterable[tuple[int, bytes]]:
        """Snapshots and their places, the newest first."""

    @property
    @abstractmethod
    def base(self) -> int:
        """The place of the base, or 0: what comes before it may be gone, and counts only through it."""

    @abstractmethod
    def remove(self, seqs: Sequence[int]) -> None:
        """Remove events for good, at or before the base."""

    def close(self) -> None:
        """Let go of files and connections."""
        return

    def events(self, after: int = 0) -> Iterator[Event]:
        """All events after a place, in order."""
        while chunk := self.read(after):
            yield from chunk
            after = chunk[-1].seq

    def log(self) -> "Log":
        """What was decided and earned, a row per decision, as a log that `rbmle.evaluation` reads."""
        from rbmle.online.export import log_of_journal

        return log_of_journal(self)

    def to_frame(self) -> "pd.DataFrame":
        """The log as a pandas data frame."""
        return self.log().to_frame()

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """The log as a Parquet file."""
        self.log().to_parquet(path)

    def _require_sealed(self, seqs: Sequence[int]) -> None:
        if seqs and max(seqs) > self.base:
            raise JournalError(f"Only events up to the base, {self.base}, can be removed. Got {max(seqs)}.")
