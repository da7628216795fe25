"""The sender's part: packets to wherever a worker is free, outcomes kept as they come, lost packets sent again."""

from collections import Counter, deque
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from rbmle.display.progress import Progress
from rbmle.errors import WorkerLostError
from rbmle.simulation.cluster.packets import Clock, Queue
from rbmle.simulation.cluster.shards import Shard, Shards
from rbmle.simulation.cluster.work import Answer, Order, Parcel
from rbmle.simulation.jobs import Batch, Play, Task
from rbmle.simulation.outcomes import Outcomes

# How often a task may be lost, the last times by itself.
ATTEMPTS = 4


class Lost(NamedTuple):
    """A packet that will not be answered.

    data  whether what it was to be played on is lost too
    """

    data: bool = False


class Cluster(Protocol):
    """What is asked of Dask, Ray or anything else that plays packets."""

    def slots(self) -> int:
        """How many packets are played at once."""
        ...

    def share(self, parcel: Parcel) -> Any:
        """Make data known to all workers, once; gives what `submit` is to be told of them."""
        ...

    def submit(self, data: Any, parcel: Parcel, orders: list[Order], shard: Shard | None) -> Hashable:
        """Have `work.play_packet` called somewhere; gives a name for the answer."""
        ...

    def answer(self) -> tuple[Hashable, list[Answer] | Lost]:
        """Wait for an answer to any packet. Raises what a policy or a problem raised."""
        ...

    def close(self) -> None:
        """Take back what was not answered."""
        ...


class Lot:
    """A batch on a cluster: its queue, and its data, which are sent when the first packet is."""

    def __init__(self, batch: Batch, tasks: Sequence[Task], clock: Clock) -> None:
        self.tasks, self.queue, self.left = tasks, Queue(tasks, clock), len(tasks)
        self._load = batch.load
        plays = {id(task.job.play): task.job.play for task in tasks}
        self._plays: list[Play] = list(plays.values())
        self._place = {known: place for place, known in enumerate(plays)}
        self._parcel: Parcel | None = None
        self._data: Any = None

    def data(self, cluster: Cluster) -> tuple[Any, Parcel]:
        """Send the data unless they are there."""
        if self._parcel is None:
            self._parcel = Parcel.of(self._load, self._plays)
            self._data = cluster.share(self._parcel)
        return self._data, self._parcel

    def forget(self) -> None:
        """Let the data go."""
        self._parcel = self._data = None

    def order(self, number: int) -> Order:
        """A task as it is sent."""
        task = self.tasks[number]
        pieces = task.pieces
        keys = None if any(each.settings is None for each in pieces) else [each.key for each in pieces]
        return Order(number, self._place[id(task.job.play)], task.names, task.state, keys)


class Packet(NamedTuple):
    """What is on its way; a suspect is one task, and nothing else is on its way meanwhile."""

    lot: Lot
    numbers: list[int]
    shard: Shard | None
    suspect: bool = False


class Drive:
    """One run on a cluster. Batches follow each other without a pause: the next begins where workers become free.

    n_jobs: packets at a time, None or -1 for as many as there are workers, -2 for one less.
    """

    def __init__(
        self, cluster: Cluster, planned: Sequence[tuple[Batch, Sequence[Task]]], outcomes: Outcomes,
        progress: Progress, n_jobs: int | None,
    ) -> None:  # fmt: skip
        self._cluster, self._outcomes, self._progress, self._n_jobs = cluster, outcomes, progress, n_jobs
        self._clock = Clock()
        self._lots = iter([Lot(batch, todo, self._clock) for batch, todo in planned])
        self._lot = next(self._lots, None)
        self._flying: dict[Hashable, Packet] = {}
        self._again: list[Lot] = []
        self._suspects = deque[tuple[Lot, int]]()
        self._losses = Counter[tuple[int, int]]()

    def run(self) -> None:
        """Send, wait, keep, until all is there."""
        if self._lot is None:
            return
        self._progress.working("cluster")
        try:
            with Shards(self._outcomes.store) as shards:
                while True:
                    most = self._most()
                    for packet in self._packets(most, shards):
                        self._send(packet)
                    if not self._flying:
                        break
                    name, answers = self._cluster.answer()
                    packet = self._flying.pop(name)
                    if isinstance(answers, Lost):
                        self._lost(packet, answers, shards)
                    else:
                        self._keep(packet, answers)
                        shards.done(packet.shard)
        finally:
            self._cluster.close()
            self._outcomes.flush()

    def _most(self) -> int:
        """Packets on their way at once: where all workers are asked for, each has one that waits for it."""
        if self._n_jobs is not None and self._n_jobs > 0:
            return self._n_jobs
        slots = self._cluster.slots()
        return 2 * max(1, slots + 1 + (-1 if self._n_jobs is None else self._n_jobs))

    def _packets(self, most: int, shards: Shards) -> Iterator[Packet]:
        while len(self._flying) < most:
            if self._suspects:
                if not self._flying:  # by itself, so that nobody else's death is blamed on it
                    suspect, number = self._suspects.popleft()
                    yield Packet(suspect, [number], shards.new(), suspect=True)
                return
            while self._lot is not None and not self._lot.queue:
                self._lot = next(self._lots, None)
            self._again = [lot for lot in self._again if lot.queue]
            lot = self._again[0] if self._again else self._lot
            if lot is None:
                return
            yield Packet(lot, lot.queue.packet(most), shards.new())

    def _send(self, packet: Packet) -> None:
        data, parcel = packet.lot.data(self._cluster)
        orders = [packet.lot.order(number) for number in packet.numbers]
        self._flying[self._cluster.submit(data, parcel, orders, packet.shard)] = packet

    def _keep(self, packet: Packet, answers: Sequence[Answer]) -> None:
        for number, made, seconds in answers:
            task = packet.lot.tasks[number]
            self._outcomes.put(list(zip(task.pieces, made, strict=True)))
            self._clock.learn(task, seconds)
            self._finished(packet.lot, task, seconds)

    def _finished(self, lot: Lot, task: Task, seconds: float) -> None:
        self._progress.done(task.job.kind, seconds)
        lot.left -= 1
        if not lot.left:
            lot.forget()

    def _lost(self, packet: Packet, lost: Lost, shards: Shards) -> None:
        """Send again what the worker had not finished; data that are lost, too.

        Tasks come along that did nothing: they only waited on a worker that died. So they are sent again one by one,
        and those that are lost again when nothing else is on its way.
        """
        lot = packet.lot
        if lost.data:
            lot.forget()
        shards.lost(packet.shard)
        for number in packet.numbers:
            task, known = lot.tasks[number], (id(lot), number)
            if all(self._outcomes.find(piece.key) is not None for piece in task.pieces):
                self._finished(lot, task, 0.0)
                continue
            self._losses[known] += 1
            if packet.suspect and self._losses[known] >= ATTEMPTS:
                raise WorkerLostError(
                    f"{task.job.kind}: workers died again and again over {task.names}. Is there enough memory?"
                )
            if self._losses[known] == 1:
                lot.queue.again([number])
                self._again.append(lot)
            else:
                self._suspects.append((lot, number))
