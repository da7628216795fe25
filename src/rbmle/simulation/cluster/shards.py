"""Shards of a store: a small file for every packet on its way, where its worker keeps what it has finished.

They lie in a folder beside the store. Workers that see it (on the same machine, or in a shared file system) save
finished trials there, so that neither their own death nor that of whoever sent them costs more than was unfinished.
Whoever opens the store next takes the trials over. Workers that do not see it go without.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, Self

from rbmle.errors import StateFileError
from rbmle.simulation.store import Outcome, Store


class Kept:
    """The shard of one packet; without a file nothing is kept."""

    def __init__(self, store: Store | None) -> None:
        self._store = store

    def find(self, keys: Sequence[str] | None) -> list[Outcome] | None:
        """Outcomes of a task, or None unless all are there."""
        if self._store is None or keys is None or not keys:
            return None
        try:
            found = [self._store.find(key) for key in keys]
        except StateFileError:
            self._store = None
            return None
        return [one for one in found if one is not None] if None not in found else None

    def put(self, keys: Sequence[str] | None, made: Sequence[Outcome]) -> None:
        """Keep the outcomes of a task. Where that fails the work goes on: they are sent back all the same."""
        if self._store is None or keys is None:
            return
        try:
            self._store.put_all([(key, {}, one) for key, one in zip(keys, made, strict=True)])
        except StateFileError:
            self._store = None


class Shard(NamedTuple):
    """The file of one packet.

    folder  of the shards
    sign    of a file that the sender left there, by which a worker knows that it sees the same folder
    name    of the packet
    """

    folder: str
    sign: str
    name: str

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.folder) / f"{self.name}.sqlite"

    @contextmanager
    def opened(self) -> Iterator[Kept]:
        """What is kept there, and kept from now on."""
        store = None
        with suppress(StateFileError, OSError):
            if self.sign and (Path(self.folder) / self.sign).exists():
                store = Store(self.path)
        try:
            yield Kept(store)
        finally:
            if store is not None:
                with suppress(StateFileError):
                    store.__exit__()


class Shards:
    """All shards of one run, on the side that sends packets."""

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self._count = 0
        self._done: list[Shard] = []
        if store is not None:
            self.folder = store.shards.absolute()
            self.folder.mkdir(exist_ok=True)
            (self.folder / store.run).touch()

    def new(self) -> Shard | None:
        """For the next packet."""
        if self._store is None:
            return None
        self._count += 1
        return Shard(str(self.folder), self._store.run, f"{self._store.run}-{self._count}")

    def lost(self, shard: Shard | None) -> None:
        """Take over what a lost packet's worker had finished."""
        if self._store is not None and shard is not None and shard.path.exists():
            self._store.absorb(shard.path)

    def done(self, shard: Shard | None) -> None:
        """Forget a shard whose trials were sent back; it goes when they are on the disk."""
        if shard is not None:
            self._done.append(shard)
        if len(self._done) >= 64:
            self.tidy()

    def tidy(self) -> None:
        """Remove what is not needed any more."""
        if self._store is not None:
            self._store.flush()
        for shard in self._done:
            shard.path.unlink(missing_ok=True)
        self._done.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._store is None:
            return
        with suppress(StateFileError):  # said already
            self.tidy()
        (self.folder / self._store.run).unlink(missing_ok=True)
        with suppress(OSError):  # shards of packets that were cancelled: the next run takes them over
            self.folder.rmdir()
