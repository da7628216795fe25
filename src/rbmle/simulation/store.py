"""Finished trials on disk, in one SQLite file: found by a hash of all they depend on, safe against a kill at any time.

A store may be shared by threads and by processes: rows are kept back for a moment and written together, so that the
file is locked for milliseconds only. A row that was damaged is noticed by its checksum and counts as not there.
"""

import functools
import hashlib
import json
import sqlite3
import struct
import threading
import time
import uuid
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Self

import numpy as np

import rbmle
from rbmle.errors import StateFileError
from rbmle.types import FloatArray

FORMAT = 2
# Seconds of finished work that a kill may cost: writing every trial by itself would cost more.
DELAY = 0.3
# Seconds to wait for another process that is writing.
PATIENCE = 30.0
# Packages that no outcome depends on.
WITHOUT = {"cli", "report", "testing", "studies", "display", "logs", "evaluation"}
ENDINGS = (".sqlite", ".db")
TABLE = """CREATE TABLE IF NOT EXISTS outcomes (key TEXT PRIMARY KEY, settings TEXT NOT NULL, regret BLOB NOT NULL,
    seconds REAL NOT NULL, state BLOB NOT NULL, run TEXT NOT NULL, checksum BLOB NOT NULL)"""
Row = tuple[str, bytes | str, bytes, float, bytes, str, bytes]


class Outcome(NamedTuple):
    """What one trial left.

    regret   at the recorded rounds
    seconds  per decision, to be compared with those of the same `run` only
    state    where a shared generator stood, if there was one
    run      the store (see `Store.run`) that kept it
    """

    regret: FloatArray
    seconds: float
    state: bytes = b""
    run: str = ""


@functools.cache
def sources() -> str:
    """A hash of this program's own code: after an edit, trials are run again rather than found."""
    root, digest = Path(rbmle.__file__).parent, hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        inside = path.relative_to(root)
        if inside.parts[0] not in WITHOUT:
            digest.update(f"{inside.as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()


@functools.cache
def computed_by() -> dict[str, str]:
    """This program's code, and the versions of what it computes with."""
    return {"rbmle": sources(), **{name: version(name) for name in ("numpy", "scipy", "numba")}}


def key_of(settings: Mapping[str, Any]) -> str:
    """The name of a trial: a hash of its settings (plain data) and of the code that computes its outcome."""
    full = {"format": FORMAT, "computed_by": computed_by(), "settings": settings}
    return hashlib.sha256(json.dumps(full, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:32]


class Store:
    """All finished trials of a file: `path` itself where it ends in .sqlite or .db, else trials.sqlite in that folder.

    run      a name of this opening; outcomes that it keeps carry it
    damaged  how many rows were found to be damaged
    """

    def __init__(self, path: str | PathLike[str], *, patience: float = PATIENCE) -> None:
        given = Path(path)
        self.path = given if given.suffix in ENDINGS else given / "trials.sqlite"
        self.run = uuid.uuid4().hex
        self.damaged = 0
        self._waiting: dict[str, Row] = {}
        self._lock = threading.RLock()
        self._last = -DELAY
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Any thread may ask; the lock keeps them apart.
            self._file = sqlite3.connect(self.path, timeout=patience, check_same_thread=False)
        except (OSError, sqlite3.Error) as reason:
            raise StateFileError(f"{self.path} cannot be opened: {reason}.") from reason
        try:
            self._file.execute("PRAGMA synchronous = NORMAL")
            with self._file:
                self._file.execute(TABLE)
            self._known = {key for (key,) in self._file.execute("SELECT key FROM outcomes")}
        except sqlite3.Error as reason:
            self._file.close()
            self._refuse(reason)
        for shard in sorted(self.shards.glob("*.sqlite")):
            with suppress(StateFileError):  # then its trials are run again
                self.absorb(shard)

    @property
    def shards(self) -> Path:
        """The folder of files whose trials are taken over when the store is opened: of runs on clusters that were
        stopped, or stores of other machines that somebody put there."""
        return self.path.with_suffix(".shards")

    def absorb(self, path: Path) -> None:
        """Take over the undamaged trials of another store, and remove it."""
        with Store(path, patience=1.0) as other:
            rows = {row[0]: row for row in other._rows() if checksum(*row[:-1]) == row[-1]}
        with self._lock:
            self._waiting |= {key: row for key, row in rows.items() if key not in self._known}
            self._known |= rows.keys()
            self.flush()
        path.unlink(missing_ok=True)

    def __contains__(self, key: str) -> bool:
        return self.find(key) is not None

    def __len__(self) -> int:
        return len(self._known)

    def put(self, key: str, settings: Mapping[str, Any], outcome: Outcome) -> None:
        """Keep a trial. A second outcome of the same key takes the place of the first."""
        self.put_all([(key, settings, outcome)])

    def put_all(self, made: Sequence[tuple[str, Mapping[str, Any], Outcome]]) -> None:
        """Keep several trials: on disk there will be all of them or none."""
        rows = {}
        for key, settings, outcome in made:
            # For people who want to know what a key stands for: nothing here reads it. Plain, it would fill the file.
            text = zlib.compress(json.dumps(settings, sort_keys=True, ensure_ascii=False).encode(), 1)
            numbers = np.ascontiguousarray(outcome.regret, dtype="<f8").tobytes()
            parts = (key, text, numbers, float(outcome.seconds), outcome.state, outcome.run or self.run)
            rows[key] = (*parts, checksum(*parts))
        with self._lock:
            self._waiting |= rows
            self._known |= rows.keys()
            if time.monotonic() - self._last > DELAY:
                self.flush()

    def find(self, key: str) -> Outcome | None:
        """A trial, or None where it is not there or damaged."""
        with self._lock:
            if key not in self._known:
                return None
            row = self._waiting.get(key) or self._read(key)
            if row is not None and checksum(*row[:-1]) == row[-1]:
                return Outcome(np.frombuffer(row[2], dtype="<f8").astype(np.float64), row[3], row[4], row[5])
            self._drop(key)
            return None

    def get(self, key: str) -> Outcome:
        """A trial that is there."""
        found = self.find(key)
        if found is None:
            raise StateFileError(f"{self.path} has no undamaged trial {key}: run it again.")
        return found

    def flush(self) -> None:
        """Write what is not yet on disk, as a whole or not at all."""
        with self._lock:
            self._last = time.monotonic()
            if not self._waiting:
                return
            try:
                with self._file:
                    self._file.executemany(
                        "INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?, ?, ?, ?)", self._waiting.values()
                    )
            except sqlite3.Error as reason:
                self._refuse(reason)
            self._waiting.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.flush()
        finally:
            self._file.close()

    def _read(self, key: str) -> Row | None:
        try:
            row: Row | None = self._file.execute("SELECT * FROM outcomes WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as reason:
            self._refuse(reason)
        return row

    def _rows(self) -> list[Row]:
        try:
            found: list[Row] = self._file.execute("SELECT * FROM outcomes").fetchall()
        except sqlite3.Error as reason:
            self._refuse(reason)
        return found

    def _drop(self, key: str) -> None:
        self.damaged += 1
        self._known.discard(key)
        try:
            with self._file:
                self._file.execute("DELETE FROM outcomes WHERE key = ?", (key,))
        except sqlite3.Error as reason:
            self._refuse(reason)

    def _refuse(self, reason: sqlite3.Error) -> NoReturn:
        """Say what is wrong with the file; what is waiting is kept for another attempt."""
        if isinstance(reason, sqlite3.OperationalError) and "locked" in str(reason):
            raise StateFileError(
                f"{self.path} is locked: another program holds it. Close that one, or give a store of another name."
            ) from reason
        raise StateFileError(
            f"{self.path} cannot be used: {reason}. Move it away, and its trials are run again."
        ) from reason


def checksum(*parts: Any) -> bytes:
    """Of all that a row holds, so that no bit of it can change unseen."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        content = part if isinstance(part, bytes) else repr(part).encode()  # a float's repr is exact
        digest.update(struct.pack("<q", len(content)) + content)
    return digest.digest()
