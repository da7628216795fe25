"""The tables of a journal in PostgreSQL, as plain SQL files that are run once each, in the order of their numbers.

A file that was published is never changed: a new one follows it.
"""

from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from rbmle.errors import JournalError

if TYPE_CHECKING:
    from psycopg import Connection

# Also the first look at the tables once the lock is held: what was looked up before it may be out of date.
KNOWN = """
CREATE TABLE IF NOT EXISTS rbmle_migrations (
    number integer PRIMARY KEY, name text NOT NULL, at timestamptz NOT NULL DEFAULT now()
)
"""


class Migration(NamedTuple):
    """A step from one version of the tables to the next."""

    number: int
    name: str
    sql: str


def migrations() -> list[Migration]:
    """All steps, in their order."""
    found = []
    for file in resources.files(__name__).iterdir():
        number, _, rest = file.name.partition("_")
        if file.name.endswith(".sql"):
            found.append(Migration(int(number), rest.removesuffix(".sql"), file.read_text(encoding="utf-8")))
    return sorted(found)


def version_of(connection: "Connection") -> int:
    """The number of the last step that a database has seen; 0 where it has none."""
    if not connection.execute("SELECT to_regclass('rbmle_migrations') IS NOT NULL").fetchall()[0][0]:
        return 0
    return last_step(connection)


def last_step(connection: "Connection") -> int:
    """The number of the last step that the table of steps has."""
    return int(connection.execute("SELECT coalesce(max(number), 0) FROM rbmle_migrations").fetchall()[0][0])


def require_known(version: int, source: str) -> None:
    """Raise where a newer rbmle has made the tables."""
    newest = migrations()[-1].number
    if version > newest:
        raise JournalError(
            f"{source} has format {version}; this version of rbmle reads formats up to {newest}. Update rbmle."
        )


def migrate(connection: "Connection", lock: str, source: str) -> None:
    """Run the steps that a database has not seen, all or none of them; of several at a time, one does."""
    if version_of(connection) == migrations()[-1].number:
        return
    with connection.transaction():
        connection.execute(lock)
        connection.execute(KNOWN)
        version = last_step(connection)
        require_known(version, source)
        for step in migrations():
            if step.number > version:
                connection.execute(step.sql)
                connection.execute("INSERT INTO rbmle_migrations VALUES (%s, %s)", (step.number, step.name))
