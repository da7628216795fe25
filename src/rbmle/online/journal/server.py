"""One connection to a PostgreSQL server: made when it is needed, and again when it was lost."""

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import ceil
from typing import TYPE_CHECKING, Any, TypeVar, cast

from rbmle.errors import JournalError
from rbmle.online.journal.migrations import migrate, require_known, version_of

if TYPE_CHECKING:
    from psycopg import Connection

log = logging.getLogger("rbmle.online")
# "rbml": the first half of all advisory locks; the second is the number of a journal, 0 that of the tables.
CLASS = 0x72626D6C
SETTINGS = ("server_encoding", "synchronous_commit", "fsync")
Answer = TypeVar("Answer")
# Connections of a parent: to close one here would end it there.
_inherited: list[Any] = []
# Servers that were warned of.
_careless: set[str] = set()


class Server:
    """A connection, by one thread at a time.

    where    the URL of libpq
    timeout  seconds to wait for the server and for locks
    """

    def __init__(self, where: str, timeout: float) -> None:
        try:
            from psycopg import ProgrammingError
            from psycopg.conninfo import conninfo_to_dict
        except ImportError as reason:
            raise JournalError(
                'A journal in PostgreSQL needs psycopg. Get it with: pip install "rbmle[postgres]"'
            ) from reason
        self.where, self.timeout = where, timeout
        self._connection: Connection | None = None
        self._settings = ""
        try:
            told = conninfo_to_dict(where)
        except ProgrammingError as reason:
            raise JournalError(f"The URL of a journal cannot be read: {str(reason).strip()}.") from None
        self.place = f"{told.get('host') or 'localhost'}/{told.get('dbname') or told.get('user') or ''}"

    def connection(self) -> "Connection":
        """The connection, a new one if there is none."""
        if self._connection is None or self._connection.closed:
            self._connection = self._connect()
        return self._connection

    def _connect(self) -> "Connection":
        import psycopg

        connection = psycopg.connect(
            self.where, autocommit=True, prepare_threshold=None, client_encoding="utf8",
            fallback_application_name="rbmle", connect_timeout=ceil(self.timeout),
        )  # fmt: skip
        try:
            asked = "SELECT " + ", ".join(f"current_setting('{name}')" for name in SETTINGS)
            encoding, commit, fsync = connection.execute(asked.encode()).fetchall()[0]
            if encoding != "UTF8":
                raise JournalError(f"{self.place} cannot hold journals: its encoding must be UTF8. Got {encoding}.")
            if fsync != "on" and self.place not in _careless:
                _careless.add(self.place)
                log.warning("%s has fsync=%s: what is written is lost when its machine dies.", self.place, fsync)
            wait = f"SET LOCAL lock_timeout = {ceil(1000 * self.timeout)}; "
            self._settings = wait + ("SET LOCAL synchronous_commit = on; " if commit == "off" else "")
        except BaseException:
            connection.close()
            raise
        return connection

    def prepare(self, source: str, *, create: bool) -> None:
        """Bring the tables to this version; raise where there are none, or newer ones."""
        connection = self.connection()
        if create:
            migrate(connection, f"SELECT pg_advisory_xact_lock({CLASS}, 0)", source)
        version = version_of(connection)
        if version == 0:
            raise JournalError(f"{source} cannot be read: there is no such journal.")
        require_known(version, source)

    def rows(self, sql: str, arguments: Sequence[Any]) -> list[Any]:
        """What a query finds; asked again, once, where the connection was lost."""
        from psycopg import Error

        try:
            return self.connection().cursor(binary=True).execute(sql, arguments).fetchall()
        except Error:
            if self._connection is not None and not self._connection.closed:
                raise
        return self.connection().cursor(binary=True).execute(sql, arguments).fetchall()

    def run(self, begin: str, work: "Callable[[Connection, int], Answer]") -> Answer:
        """A transaction that begins so, and is committed unless `work` answers None or raises. Where the connection is
        lost and it did not take place, it is tried once more."""
        answer, lost = self._attempt(begin, work)
        if lost is not None:
            answer, lost = self._attempt(begin, work)
        if lost is not None:
            raise lost
        return answer

    def _attempt(self, begin: str, work: "Callable[[Connection, int], Answer]") -> "tuple[Answer, Exception | None]":
        """What `work` answered, and why it is not so: the loss of the connection, None if it is."""
        connection, xid, answer, committing = self.connection(), None, None, False
        try:
            cursor = connection.execute(begin.format(settings=self._settings).encode())
            while cursor.nextset():
                pass
            before, xid = cursor.fetchall()[0]
            answer = work(connection, int(before))
            committing = answer is not None
            connection.execute("COMMIT" if committing else "ROLLBACK")
        except BaseException as reason:
            with suppress(Exception):
                if committing:
                    connection.close()  # nobody knows what it is in the middle of
                elif not connection.closed:
                    connection.execute("ROLLBACK")
            if not connection.closed or not isinstance(reason, Exception):
                raise
            lost = None if committing and self._took_place(xid, reason) else reason
            return cast("Answer", answer), lost
        return answer, None

    def _took_place(self, xid: Any, reason: BaseException) -> bool:
        """Whether a transaction was committed; waits until that is decided."""
        from psycopg import Error

        until = time.monotonic() + self.timeout
        try:
            while time.monotonic() < until:
                found = self.connection().execute("SELECT txid_status(%s)", (xid,)).fetchall()[0][0]
                if found != "in progress":
                    return bool(found == "committed")
                time.sleep(0.01)
        except Error as also:
            reason = also
        raise JournalError(
            f"The connection to {self.place} was lost while events were written. They may be in the journal: tell them "
            "again, which is harmless."
        ) from reason

    def abandon(self) -> None:
        """Forget a connection that is another process's."""
        if self._connection is not None:
            _inherited.append(self._connection)
            self._connection = None

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            self._connection.close()
