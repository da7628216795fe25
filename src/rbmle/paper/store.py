"""Finished trials on disk, in one SQLite file: found by a hash of their settings, safe against a kill at any moment."""

import functools
import hashlib
import json
import sqlite3
import time
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

import rbmle
from rbmle.errors import StateFileError
from rbmle.types import FloatArray

FORMAT = 1
# Seconds of finished work that a kill may cost: writing every trial by itself would cost more.
DELAY = 0.3
# Packages that no outcome depends on.
WITHOUT = {"cli", "report", "testing"}
TABLE = """CREATE TABLE IF NOT EXISTS trials
    (key TEXT PRIMARY KEY, settings TEXT NOT NULL, regret BLOB NOT NULL, seconds REAL NOT NULL, state BLOB NOT NULL)"""


class Outcome(NamedTuple):
    """What one trial left: regret at the recorded rounds, seconds per decision, and where a shared generator stood."""

    regret: FloatArray
    seconds: float
    state: bytes = b""


@functools.cache
def sources() -> str:
    """A hash of this program's own code: after an edit, trials are run again rather than found."""
    root, digest = Path(rbmle.__file__).parent, hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        if path.relative_to(root).parts[0] not in WITHOUT:
            digest.update(path.read_bytes())
    return digest.hexdigest()


def key_of(settings: Mapping[str, Any]) -> str:
    """The name of a trial: a hash of everything that its outcome depends on, this program included."""
    full = {"format": FORMAT, "rbmle": sources(), **settings}
    return hashlib.sha256(json.dumps(full, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:32]


class Store:
    """All finished trials of a folder. Transactions make a write whole or absent, whatever happens in between."""

    def __init__(self, folder: str | PathLike[str]) -> None:
        self.path = Path(folder) / "trials.sqlite"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(self.path, timeout=30.0)
        except (OSError, sqlite3.Error) as reason:
            raise StateFileError(f"{self.path} cannot be opened: {reason}.") from reason
        try:
            self._file.execute("PRAGMA synchronous = NORMAL")
            self._file.execute(TABLE)
            self._file.commit()
            self._known = {key for (key,) in self._file.execute("SELECT key FROM trials")}
        except sqlite3.Error as reason:
            self._file.close()
            raise StateFileError(
                f"{self.path} cannot be used: {reason}. Move it away, and its trials are run again."
            ) from reason
        self._last = time.monotonic()

    def __contains__(self, key: str) -> bool:
        return key in self._known

    def __len__(self) -> int:
        return len(self._known)

    def put(self, key: str, settings: Mapping[str, Any], outcome: Outcome) -> None:
        """Keep a trial."""
        text = json.dumps(settings, sort_keys=True, ensure_ascii=False)
        numbers = np.ascontiguousarray(outcome.regret, dtype="<f8").tobytes()
        self._file.execute(
            "INSERT OR IGNORE INTO trials VALUES (?, ?, ?, ?, ?)",
            (key, text, numbers, float(outcome.seconds), outcome.state),
        )
        self._known.add(key)
        if time.monotonic() - self._last > DELAY:
            self.flush()

    def get(self, key: str) -> Outcome:
        """A trial that is there."""
        row = self._file.execute("SELECT regret, seconds, state FROM trials WHERE key = ?", (key,)).fetchone()
        return Outcome(np.frombuffer(row[0], dtype="<f8"), row[1], row[2])

    def flush(self) -> None:
        """Write what is not yet on disk."""
        self._file.commit()
        self._last = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.flush()
        self._file.close()
