"""Finished trials of a run: those it played itself, and those that a store remembers."""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple, Self

from rbmle.errors import StateFileError
from rbmle.simulation.store import Outcome, Store, key_of


class Piece(NamedTuple):
    """What one outcome is found by: its key, and the settings behind it, None for what cannot be stored."""

    key: str
    settings: Mapping[str, Any] | None

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Self:
        """A piece of work that depends on nothing but these settings (plain data) and the code."""
        return cls(key_of(settings), settings)


class Outcomes:
    """By key. Without a path nothing is stored.

    run  a name of this run: times are compared with those of the same one only
    new  what was played in this run
    """

    def __init__(self, path: str | PathLike[str] | None = None) -> None:
        self.store = None if path is None else Store(path)
        self.run = uuid.uuid4().hex if self.store is None else self.store.run
        self.new: dict[str, Outcome] = {}

    def find(self, key: str) -> Outcome | None:
        """An outcome, or None where it is not there."""
        return self.new.get(key) or (None if self.store is None else self.store.find(key))

    def get(self, key: str) -> Outcome:
        """An outcome that is there."""
        found = self.find(key)
        if found is None:
            raise StateFileError(f"There is no finished trial {key}: run it again.")
        return found

    def put(self, made: Sequence[tuple[Piece, Outcome]]) -> None:
        """Keep outcomes, on disk all of them or none."""
        self.new |= {piece.key: outcome._replace(run=self.run) for piece, outcome in made}
        if self.store is not None:
            self.store.put_all([(key, settings, one) for (key, settings), one in made if settings is not None])

    def commonest_run(self, keys: Iterable[str]) -> str:
        """The run that played most of these: the one whose times there are most of."""
        return Counter(self.get(key).run for key in keys).most_common(1)[0][0]

    def flush(self) -> None:
        """Bring all to the disk."""
        if self.store is not None:
            self.store.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        if self.store is not None:
            self.store.__exit__(*reason)
