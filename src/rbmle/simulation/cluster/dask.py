"""Packets on Dask."""

from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

from rbmle.errors import InvalidInputError, RbmleError
from rbmle.simulation.cluster.drive import Lost
from rbmle.simulation.cluster.shards import Shard
from rbmle.simulation.cluster.work import Answer, Order, Parcel, play_packet


@contextmanager
def at(address: str | None) -> Iterator["DaskCluster"]:
    """The cluster at host:port, or that of the client of the moment."""
    try:
        from distributed import Client, get_client
    except ModuleNotFoundError as missing:
        raise RbmleError("Dask is not installed: pip install 'rbmle[dask]'.") from missing
    if address is None:
        try:
            client = get_client()
        except ValueError as reason:
            raise InvalidInputError(
                "backend='dask' needs a client of Dask: make one first, or give dask://host:port."
            ) from reason
        yield DaskCluster(client)
        return
    try:
        client = Client(f"tcp://{address}")
    except OSError as reason:
        raise InvalidInputError(f"There is no scheduler of Dask at {address}: {reason}.") from reason
    with client:
        yield DaskCluster(client)


class DaskCluster:
    """A client. Dask itself plays a packet again where a worker was lost, some times."""

    def __init__(self, client: Any) -> None:
        from distributed import as_completed

        self._client = client
        self._flying: dict[str, Any] = {}
        self._finished = as_completed(loop=client.loop)

    def slots(self) -> int:
        """Threads of all workers."""
        return sum(self._client.nthreads().values())

    def share(self, parcel: Parcel) -> Any:
        """Scatter to all workers; one that comes later takes it from another."""
        return self._client.scatter(parcel.content, broadcast=True, hash=False)

    def submit(self, data: Any, parcel: Parcel, orders: list[Order], shard: Shard | None) -> str:
        """Send a packet."""
        future = self._client.submit(play_held, data, parcel.digest, orders, shard, pure=False)
        self._flying[future.key] = future
        self._finished.add(future)
        return str(future.key)

    def answer(self) -> tuple[str, list[Answer] | Lost]:
        """The next answer."""
        from distributed import KilledWorker

        future = next(self._finished)
        self._flying.pop(future.key)
        if future.status == "lost":
            return str(future.key), Lost(data=True)
        try:
            answers: list[Answer] = future.result()
        except KilledWorker:
            return str(future.key), Lost()
        except CancelledError:  # with the last worker that held the data, or the answer
            return str(future.key), Lost(data=True)
        return str(future.key), answers

    def close(self) -> None:
        """Cancel what was not answered."""
        if self._flying:
            self._client.cancel(list(self._flying.values()))
            self._flying.clear()


def play_held(content: bytes, digest: str, orders: list[Order], shard: Shard | None) -> list[Answer]:
    """A packet on data that Dask has brought to this worker."""
    return play_packet(lambda: content, digest, orders, shard)
