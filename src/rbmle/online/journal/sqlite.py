"""A journal in one SQLite file: for one machine, any number of processes and threads.

The file is in WAL mode and every commit is brought to the disk (synchronous=FULL): what `append` returned for survives
the death of the process and of the machine. One connection writes and one reads, so that readers do not wait for disks.
"""

import logging
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from rbmle.errors import JournalError
from rbmle.online.journal.base import CHUNK, Event, Journal, MovedError
from rbmle.online.journal.encoding import COLUMNS, from_row, to_row
from rbmle.online.journal.forking import tell_journal

log = logging.getLogger("rbmle.online")
FORMAT = 1
# "rbml": SQLite's own field for whose file it is.
APPLICATION = 0x72626D6C
SCHEMA = """
CREATE TABLE events (
    seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, time REAL NOT NULL, subject TEXT, key TEXT, data TEXT NOT NULL,
    body BLOB NOT NULL, crc INTEGER NOT NULL, UNIQUE (subject, key)
);
CREATE TABLE snapshots (seq INTEGER PRIMARY KEY, base INTEGER NOT NULL, content BLOB NOT NULL);
"""
PRAGMAS = {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1}
SELECT = f"SELECT {', '.join(COLUMNS)} FROM events"
INSERT = f"INSERT INTO events ({', '.join(COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
ONCE = INSERT.replace("INSERT", "INSERT OR IGNORE", 1)
LAST = "SELECT max(coalesce((SELECT max(seq) FROM events), 0), coalesce((SELECT max(seq) FROM snapshots), 0))"


class SQLiteJournal(Journal):
    """A journal in one SQLite file, made when it is not there.

    path:    the file. SQLite keeps two others beside it, `-wal` and `-shm`, while it is open: they belong to it.
    timeout: seconds to wait for other writers.
    create:  whether to make the file where there is none.
    """

    def __init__(self, path: str | PathLike[str], *, timeout: float = 30.0, create: bool = True) -> None:
        self.path = Path(path)
        self.timeout = timeout
        if not create and not self.path.exists():
            raise JournalError(f"{self.path} cannot be read: there is no such journal.")
        self._writing, self._reading, self._opening = threading.RLock(), threading.RLock(), threading.RLock()
        self._connections: tuple[sqlite3.Connection, sqlite3.Connection] | None = None
        self._closed = False
        with self._explained():
            self._prepare()
        tell_journal(self)

    def _open(self) -> tuple[sqlite3.Connection, sqlite3.Connection]:
        """The connections that write and read, new ones where there are none."""
        if self._closed:
            raise JournalError(f"{self.path} is closed.")
        with self._opening:
            if self._connections is None:
                writer = self._connect()
                try:
                    self._connections = writer, self._connect()
                except BaseException:
                    writer.close()
                    raise
            return self._connections

    @property
    def _writer(self) -> sqlite3.Connection:
        return self._open()[0]

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=self.timeout, isolation_level=None, check_same_thread=False, cached_statements=32
        )
        try:
            for name, value in PRAGMAS.items():
                connection.execute(f"PRAGMA {name} = {value}")
                told = connection.execute(f"PRAGMA {name}").fetchone()[0]
                if told != value:
                    raise JournalError(
                        f"{self.path} cannot be a journal: {name} should be {value}, SQLite says {told}."
                    )
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self) -> None:
        """Make the tables of a new file; raise where a file is of somebody else, or of a newer version."""
        with self._transaction() as writer:
            whose, version = (writer.execute(f"PRAGMA {n}").fetchone()[0] for n in ("application_id", "user_version"))
            tables = writer.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if not tables and not whose:
                for statement in SCHEMA.split(";"):
                    writer.execute(statement)
                writer.execute(f"PRAGMA application_id = {APPLICATION}")
                writer.execute(f"PRAGMA user_version = {FORMAT}")
            elif whose != APPLICATION:
                raise JournalError(f"{self.path} is not a journal of rbmle's: it is another program's database.")
            elif version != FORMAT:
                raise JournalError(
                    f"{self.path} has format {version}; this version of rbmle reads format {FORMAT}. Update rbmle."
                )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """What SQLite says as an error that names the file."""
        try:
            yield
        except sqlite3.ProgrammingError as reason:
            raise JournalError(f"{self.path} is closed, or was asked for something impossible: {reason}.") from reason
        except (sqlite3.Error, OverflowError, UnicodeError, OSError) as reason:
            raise JournalError(f"{self.path} cannot be used as a journal: {reason}.") from reason

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing; only one writer at a time, in all processes."""
        writer = self._writer
        writer.execute("BEGIN IMMEDIATE")
        try:
            yield writer
            writer.execute("COMMIT")
        except BaseException:
            if writer.in_transaction:
                writer.execute("ROLLBACK")
            raise

    def append(self, events: Sequence[Event], last: int | None = None) -> list[int | None]:
        """Write events for good, in one transaction."""
        with self._writing, self._explained():
            try:
                return self._append(events, last, one_by_one=False)
            except sqlite3.IntegrityError:  # something that happens once is there already
                return self._append(events, last, one_by_one=True)

    def _append(self, events: Sequence[Event], last: int | None, one_by_one: bool) -> list[int | None]:
        with self._transaction() as writer:
            before: int = writer.execute(LAST).fetchone()[0]
            if last is not None and last != before:
                raise MovedError(f"{self.path} is at {before}, not at {last}.")
            if not one_by_one:
                writer.executemany(INSERT, [to_row(event, before + 1 + i) for i, event in enumerate(events)])
                return list(range(before + 1, before + 1 + len(events)))
            places: list[int | None] = []
            for event in events:
                new = writer.execute(ONCE, to_row(event, before + 1)).rowcount == 1
                before += new
                places.append(before if new else None)
            return places

    def _rows(self, sql: str, arguments: Sequence[Any]) -> list[Any]:
        with self._reading, self._explained():
            return self._open()[1].execute(sql, arguments).fetchall()

    def read(self, after: int, limit: int = CHUNK) -> list[Event]:
        """The first events after a place, in order."""
        rows = self._rows(f"{SELECT} WHERE seq > ? ORDER BY seq LIMIT ?", (after, limit))
        source = str(self.path)
        return [from_row(row, source) for row in rows]

    def about(self, subject: str) -> list[Event]:
        """All events of one subject, in order."""
        rows = self._rows(f"{SELECT} WHERE subject = ? ORDER BY seq", (subject,))
        return [from_row(row, str(self.path)) for row in rows]

    def save_snapshot(self, seq: int, content: bytes, *, base: bool = False) -> None:
        """Keep what the events up to `seq` come to."""
        with self._writing, self._explained(), self._transaction() as writer:
            if writer.execute("SELECT max(seq) >= ? FROM snapshots WHERE base = 1", (seq + base,)).fetchone()[0]:
                return  # a base speaks for more, and may have forgotten on purpose
            if base:
                writer.execute("DELETE FROM snapshots")
            writer.execute("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)", (seq, int(base), content))
            newest = "SELECT seq FROM snapshots ORDER BY seq DESC LIMIT 2"
            writer.execute(f"DELETE FROM snapshots WHERE base = 0 AND seq NOT IN ({newest})")

    def snapshots(self) -> Iterable[tuple[int, bytes]]:
        """Snapshots and their places, the newest first."""
        for (seq,) in self._rows("SELECT seq FROM snapshots ORDER BY seq DESC", ()):
            for (content,) in self._rows("SELECT content FROM snapshots WHERE seq = ?", (seq,)):
                yield int(seq), bytes(content)

    @property
    def base(self) -> int:
        """The place of the base, or 0."""
        return int(self._rows("SELECT coalesce(max(seq), 0) FROM snapshots WHERE base = 1", ())[0][0])

    def remove(self, seqs: Sequence[int]) -> None:
        """Remove events for good, at or before the base; their bytes are overwritten."""
        self._require_sealed(seqs)
        with self._writing, self._explained():
            with self._transaction() as writer:
                writer.executemany("DELETE FROM events WHERE seq = ?", [(seq,) for seq in seqs])
            busy = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            log.warning("%s-wal may still have bytes of removed events: others use the file.", self.path)

    def close(self) -> None:
        """Close the file."""
        with self._writing, self._reading:
            self._closed = True
            self._let_go()

    def _let_go(self) -> None:
        connections, self._connections = self._connections or (), None
        for connection in connections:
            connection.close()

    def before_fork(self) -> None:
        """Close the file: SQLite cannot be carried into another process. It is opened again when it is needed."""
        self._writing.acquire()
        self._reading.acquire()
        self._let_go()

    def after_fork(self, *, child: bool) -> None:
        """Go on, in the parent and in the child."""
        self._reading.release()
        self._writing.release()

    def __repr__(self) -> str:
        return f"SQLiteJournal({str(self.path)!r})"
