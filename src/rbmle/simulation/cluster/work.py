"""The worker's part: play a packet of tasks on data that came once, keep what is finished where a kill spares it."""

import functools
import hashlib
import pickle
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from rbmle.errors import InvalidInputError
from rbmle.simulation.cluster.shards import Shard
from rbmle.simulation.jobs import Play
from rbmle.simulation.store import Outcome

# Data that a worker process holds at once: those of the present batch and of the one that begins as it ends.
HELD = 2

_DATA: OrderedDict[str, tuple[Any, list[Play]]] = OrderedDict()
_LOCK = threading.Lock()


class Order(NamedTuple):
    """A task as it is sent.

    number  of the task in its batch
    play    which of the plays that were sent with the data
    names   of the pieces, and the state to start from
    keys    of the pieces in a store; None where they cannot be stored
    """

    number: int
    play: int
    names: list[Any]
    state: bytes
    keys: list[str] | None


class Answer(NamedTuple):
    """What became of an order."""

    number: int
    made: list[Outcome]
    seconds: float


class Parcel(NamedTuple):
    """Data and plays as bytes, so that every worker makes arrays of its own, which may be written to."""

    digest: str
    content: bytes

    @classmethod
    def of(cls, load: Callable[[], Any], plays: Sequence[Play]) -> "Parcel":
        """What makes the data, and what plays on them. Functions of a notebook go along."""
        import cloudpickle  # comes with the clusters

        try:
            content = cloudpickle.dumps((load, list(plays)), protocol=pickle.HIGHEST_PROTOCOL)
        except (pickle.PicklingError, TypeError, AttributeError) as reason:
            raise InvalidInputError(
                f"On a cluster, policies and problem must be such as can be sent: {reason}."
            ) from reason
        return cls(hashlib.sha256(content).hexdigest(), content)


def play_packet(
    fetch: Callable[[], bytes], digest: str, orders: Sequence[Order], shard: Shard | None = None
) -> list[Answer]:
    """Play some tasks. What a shard holds was finished by a worker that died before it could answer."""
    limit_algebra()
    data, plays = held(digest, fetch)
    answers = []
    with (shard or Shard("", "", "")).opened() as kept:
        for number, play, names, state, keys in orders:
            start = time.monotonic()
            made = kept.find(keys)
            if made is None:
                made = list(plays[play](data, names, state))
                kept.put(keys, made)
            answers.append(Answer(number, made, time.monotonic() - start))
    return answers


def held(digest: str, fetch: Callable[[], bytes]) -> tuple[Any, list[Play]]:
    """Data and plays, made once in a process."""
    with _LOCK:
        if digest not in _DATA:
            load, plays = pickle.loads(fetch())
            while len(_DATA) >= HELD:
                _DATA.popitem(last=False)
            _DATA[digest] = load(), plays
        _DATA.move_to_end(digest)
        return _DATA[digest]


@functools.cache
def limit_algebra() -> None:
    """Let BLAS use one thread, for good: sums are added in the same order as elsewhere."""
    load_algebra()
    threadpool_limits(1)


def load_algebra() -> None:
    """Load the libraries of the compiled code first: a limit reaches only what is loaded."""
    import scipy.linalg  # noqa: F401
