"""Packets on Ray."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rbmle.errors import InvalidInputError, RbmleError
from rbmle.simulation.cluster.drive import Lost
from rbmle.simulation.cluster.shards import Shard
from rbmle.simulation.cluster.work import Answer, Order, Parcel, play_packet


@contextmanager
def at(address: str | None) -> Iterator["RayCluster"]:
    """The cluster at host:port, or the one that this process is connected to."""
    try:
        import ray
    except ModuleNotFoundError as missing:
        raise RbmleError("Ray is not installed: pip install 'rbmle[ray]'.") from missing
    if address is None:
        if not ray.is_initialized():
            raise InvalidInputError("backend='ray' needs Ray: call ray.init first, or give ray://host:port.")
        yield RayCluster()
        return
    try:
        context = ray.init(f"ray://{address}")
    except (ConnectionError, RuntimeError) as reason:
        raise InvalidInputError(f"There is no Ray at {address}: {reason}.") from reason
    try:
        yield RayCluster()
    finally:
        context.disconnect()


class RayCluster:
    """The Ray of the moment. Lost packets are sent again by us, not by Ray, which would not know how far they were."""

    def __init__(self) -> None:
        import ray

        self._ray = ray
        self._play = ray.remote(num_cpus=1, max_retries=0)(play_fetched)
        self._flying: list[Any] = []

    def slots(self) -> int:
        """Processors of all nodes."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def share(self, parcel: Parcel) -> Any:
        """Put into the object store, from where every worker takes it once; in a list Ray leaves that to the worker."""
        return [self._ray.put(parcel.content)]

    def submit(self, data: Any, parcel: Parcel, orders: list[Order], shard: Shard | None) -> Any:
        """Send a packet."""
        reference = self._play.remote(data, parcel.digest, orders, shard)
        self._flying.append(reference)
        return reference

    def answer(self) -> tuple[Any, list[Answer] | Lost]:
        """The next answer."""
        errors = self._ray.exceptions
        [reference], self._flying = self._ray.wait(self._flying, num_returns=1)
        try:
            answers: list[Answer] = self._ray.get(reference)
        except errors.RayTaskError as reason:
            if isinstance(reason.cause, errors.ObjectLostError):
                return reference, Lost(data=True)
            raise reason.cause from None
        except (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError, errors.ObjectLostError):
            return reference, Lost()
        return reference, answers

    def close(self) -> None:
        """Cancel what was not answered."""
        for reference in self._flying:
            self._ray.cancel(reference)
        self._flying = []


def play_fetched(data: list[Any], digest: str, orders: list[Order], shard: Shard | None) -> list[Answer]:
    """A packet on data in the object store."""
    import ray

    return play_packet(lambda: ray.get(data[0]), digest, orders, shard)
