"""A journal in a PostgreSQL database: for several machines.

Whoever writes holds an advisory lock of the journal until its transaction is committed, so that the order of the places
is the order of the commits: a reader that has seen an event misses none before it. What `append` returned for is on the
server's disk. A connection that was lost is made again; whether a commit that it was lost in took place is asked of the
server, so that nothing is written twice.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from rbmle import params
from rbmle.errors import InvalidParameterError, JournalError
from rbmle.online.journal.base import CHUNK, Event, Journal, MovedError
from rbmle.online.journal.encoding import COLUMNS, Row, from_row, to_row
from rbmle.online.journal.forking import tell_journal
from rbmle.online.journal.server import CLASS, Server
from rbmle.params import Real

if TYPE_CHECKING:
    from psycopg import Connection

FIELDS = ", ".join(COLUMNS)
SELECT = f"SELECT {FIELDS} FROM rbmle_events WHERE journal = %s"
KINDS = ("bigint", "text", "float8", "text", "text", "text", "bytea", "bigint")
INSERT = f"""
INSERT INTO rbmle_events (journal, {FIELDS})
SELECT %s, * FROM unnest({", ".join(f"%b::{kind}[]" for kind in KINDS)}) ON CONFLICT DO NOTHING
"""
THERE = """
SELECT subject, key FROM rbmle_events
WHERE journal = %s AND (subject, key) IN (SELECT * FROM unnest(%s::text[], %s::text[]))
"""
LAST = """
greatest((SELECT coalesce(max(seq), 0) FROM rbmle_events WHERE journal = {journal}),
         (SELECT coalesce(max(seq), 0) FROM rbmle_snapshots WHERE journal = {journal}))
"""
Answer = TypeVar("Answer")


class PostgresJournal(Journal):
    """A journal in a PostgreSQL database, which may have many. The tables are made where they are not there.

    url:     "postgresql://user@host/database", as libpq takes it; "#news" at its end names the journal
    name:    of the journal, if the URL does not name it
    timeout: seconds to wait for the server, and for other writers
    create:  whether to make the tables and the journal where there are none

    It needs psycopg: `pip install "rbmle[postgres]"`.
    """

    def __init__(self, url: str, *, name: str = "agent", timeout: float = 30.0, create: bool = True) -> None:
        params.require("PostgresJournal", "timeout", timeout, Real(0.0, open_low=True))
        where, _, named = url.partition("#")
        self.url, self.name, self.timeout = url, named or name, timeout
        if not self.name or "\0" in self.name:
            raise InvalidParameterError("The 'name' parameter of PostgresJournal must be text. Got none, or a NUL.")
        self._writing, self._reading = threading.RLock(), threading.RLock()
        self._writer, self._reader = Server(where, timeout), Server(where, timeout)
        self.place = self._writer.place
        self._closed = False
        try:
            with self._explained():
                self._writer.prepare(repr(self), create=create)
                self.number = self._numbered(create)
        except BaseException:
            self._writer.close()
            raise
        self._begin = (
            f"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {{settings}}"
            f"SELECT pg_advisory_xact_lock({CLASS}, {self.number}); "
            f"SELECT {LAST.format(journal=self.number)}, txid_current()"
        )
        tell_journal(self)

    def _numbered(self, create: bool) -> int:
        """The number of the journal of this name in its database."""
        connection, asked = self._writer.connection(), "SELECT id FROM rbmle_journals WHERE name = %s"
        found = connection.execute(asked, (self.name,)).fetchone()
        if found is None and create:
            connection.execute("INSERT INTO rbmle_journals (name) VALUES (%s) ON CONFLICT DO NOTHING", (self.name,))
            found = connection.execute(asked, (self.name,)).fetchone()
        if found is None:
            raise JournalError(f"{self!r} cannot be read: there is no such journal.")
        return int(found[0])

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """What psycopg says as an error that names the journal."""
        from psycopg import Error

        if self._closed:
            raise JournalError(f"{self!r} is closed.")
        try:
            yield
        except (Error, UnicodeError) as reason:
            raise JournalError(f"{self!r} cannot be used as a journal: {str(reason).strip()}.") from reason

    def append(self, events: Sequence[Event], last: int | None = None) -> list[int | None]:
        """Write events for good, in one transaction."""

        def write(connection: "Connection", before: int) -> list[int | None] | None:
            if last is not None and last != before:
                raise MovedError(f"{self!r} is at {before}, not at {last}.")
            rows = [to_row(event, before + 1 + i) for i, event in enumerate(events)]
            if self._insert(connection, rows):
                return [row[0] for row in rows]
            return None

        def write_what_is_new(connection: "Connection", before: int) -> list[int | None]:
            if last is not None and last != before:
                raise MovedError(f"{self!r} is at {before}, not at {last}.")
            subjects, keys = [event.subject for event in events], [event.key for event in events]
            there = set(connection.execute(THERE, (self.number, subjects, keys)).fetchall())
            places: list[int | None] = []
            rows: list[Row] = []
            for event in events:
                once = (event.subject, event.key)
                if None not in once:
                    if once in there:
                        places.append(None)
                        continue
                    there.add(once)
                rows.append(to_row(event, before + 1 + len(rows)))
                places.append(rows[-1][0])
            self._insert(connection, rows)
            return places

        places = self._transaction(write)
        return self._transaction(write_what_is_new) if places is None else places

    def _insert(self, connection: "Connection", rows: Sequence[Any]) -> bool:
        """Write rows; whether none of them was there already."""
        if not rows:
            return True
        done = connection.execute(INSERT, (self.number, *map(list, zip(*rows, strict=True))))
        return done.rowcount == len(rows)

    def _transaction(self, work: "Callable[[Connection, int], Answer]") -> Answer:
        """All or nothing, by one writer at a time; `work` is given the last place. What it says is None is undone."""
        with self._writing, self._explained():
            return self._writer.run(self._begin, work)

    def _rows(self, sql: str, arguments: Sequence[Any]) -> list[Any]:
        with self._reading, self._explained():
            return self._reader.rows(sql, arguments)

    def read(self, after: int, limit: int = CHUNK) -> list[Event]:
        """The first events after a place, in order."""
        rows = self._rows(f"{SELECT} AND seq > %s ORDER BY seq LIMIT %s", (self.number, after, limit))
        return [from_row(row, repr(self)) for row in rows]

    def about(self, subject: str) -> list[Event]:
        """All events of one subject, in order."""
        rows = self._rows(f"{SELECT} AND subject = %s ORDER BY seq", (self.number, subject))
        return [from_row(row, repr(self)) for row in rows]

    def save_snapshot(self, seq: int, content: bytes, *, base: bool = False) -> None:
        """Keep what the events up to `seq` come to."""
        which = "rbmle_snapshots WHERE journal = %(journal)s"

        def save(connection: "Connection", _: int) -> bool:
            told = {"journal": self.number, "seq": seq, "base": base, "content": content}
            later = f"SELECT 1 FROM {which} AND base AND seq >= %(seq)s + %(base)s::int"
            if connection.execute(later, told).fetchone() is not None:
                return True  # a base speaks for more, and may have forgotten on purpose
            if base:
                connection.execute(f"DELETE FROM {which}", told)
            connection.execute(
                "INSERT INTO rbmle_snapshots (journal, seq, base, content) "
                "VALUES (%(journal)s, %(seq)s, %(base)s, %(content)b) "
                "ON CONFLICT (journal, seq) DO UPDATE SET content = EXCLUDED.content",
                told,
            )
            newest = f"SELECT seq FROM {which} ORDER BY seq DESC LIMIT 2"
            connection.execute(f"DELETE FROM {which} AND NOT base AND seq NOT IN ({newest})", told)
            return True

        self._transaction(save)

    def snapshots(self) -> Iterable[tuple[int, bytes]]:
        """Snapshots and their places, the newest first."""
        which = "FROM rbmle_snapshots WHERE journal = %s"
        for (seq,) in self._rows(f"SELECT seq {which} ORDER BY seq DESC", (self.number,)):
            for (content,) in self._rows(f"SELECT content {which} AND seq = %s", (self.number, seq)):
                yield int(seq), bytes(content)

    @property
    def base(self) -> int:
        """The place of the base, or 0."""
        sql = "SELECT coalesce(max(seq), 0) FROM rbmle_snapshots WHERE journal = %s AND base"
        return int(self._rows(sql, (self.number,))[0][0])

    def remove(self, seqs: Sequence[int]) -> None:
        """Remove events for good, at or before the base. Their bytes are gone from the tables when this returns; the
        server's write-ahead log and its backups keep them for as long as they are kept."""
        self._require_sealed(seqs)

        def delete(connection: "Connection", _: int) -> bool:
            sql = "DELETE FROM rbmle_events WHERE journal = %s AND seq = ANY(%s::bigint[])"
            connection.execute(sql, (self.number, list(seqs)))
            return True

        self._transaction(delete)
        with self._writing, self._explained():
            self._writer.connection().execute("VACUUM rbmle_events, rbmle_snapshots")

    def close(self) -> None:
        """Let go of the connections."""
        with self._writing, self._reading:
            self._closed = True
            self._writer.close()
            self._reader.close()

    def before_fork(self) -> None:
        """Wait until no thread is in the middle of something."""
        self._writing.acquire()
        self._reading.acquire()

    def after_fork(self, *, child: bool) -> None:
        """Go on; a child makes connections of its own."""
        if child:
            self._writer.abandon()
            self._reader.abandon()
        self._reading.release()
        self._writing.release()

    def __repr__(self) -> str:
        return f"PostgresJournal({self.name!r} at {self.place})"
