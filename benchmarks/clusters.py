"""What simulations cost on a cluster: a packet, what packets spare, the bytes that are sent: `-m benchmarks.clusters`.

A local Dask of two processes, so that nothing but the sending differs; ratios are of runs in turns.
"""

import logging
import pickle
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from rbmle import LinRBMLE, LinUCB
from rbmle.problems import LinearProblem, PreparedProblem
from rbmle.simulation import Results, simulate
from rbmle.simulation.cluster import packets
from rbmle.simulation.cluster.dask import DaskCluster

REPEATS = 3


class Counted(DaskCluster):
    """Counts what is sent."""

    def __init__(self, client: Any) -> None:
        super().__init__(client)
        self.packets = self.orders = self.bytes = self.data = 0

    def share(self, parcel: Any) -> Any:
        self.data += len(parcel.content)
        return super().share(parcel)

    def submit(self, data: Any, parcel: Any, orders: list[Any], shard: Any) -> str:
        self.packets += 1
        self.orders += len(orders)
        self.bytes += len(pickle.dumps((parcel.digest, orders, shard)))
        return super().submit(data, parcel, orders, shard)


def counted(client: Any, problem: Any, trials: int, horizon: int) -> tuple[float, Counted]:
    """Seconds of a simulation, and what was sent for it."""
    from rbmle.simulation import carrying

    cluster = Counted(client)
    original, start = carrying.opened, time.perf_counter()

    class Opened:
        def __enter__(self) -> Counted:
            return cluster

        def __exit__(self, *_: object) -> None: ...

    carrying.opened = lambda backend: Opened()  # type: ignore[assignment,misc,return-value]
    try:
        simulate(policies(), problem, horizon=horizon, trials=trials, backend="dask", progress=False)
    finally:
        carrying.opened = original
    return time.perf_counter() - start, cluster


def policies() -> dict[str, Any]:
    """Two quick ones."""
    return {"LinRBMLE": LinRBMLE(n_features=3), "LinUCB": LinUCB(n_features=3)}


def packets_of(client: Any, trials: int = 2000, horizon: int = 100) -> None:
    """Many small tasks, in packets of a second and one by one."""
    problem, usual = LinearProblem([0.3, -0.5, 0.8], n_arms=5, static=False), packets.SECONDS
    times: dict[float, list[float]] = {usual: [], 0.0: []}
    last: dict[float, Counted] = {}
    counted(client, problem, 50, horizon)
    for _ in range(REPEATS):
        for length, found in times.items():
            packets.SECONDS = length
            seconds, last[length] = counted(client, problem, trials, horizon)
            found.append(seconds)
    packets.SECONDS = usual
    start = time.perf_counter()
    simulate(policies(), problem, horizon=horizon, trials=trials, n_jobs=2, progress=False)
    here = time.perf_counter() - start
    one, many = statistics.median(times[usual]), statistics.median(times[0.0])
    for length, label in ((usual, "packets of a second"), (0.0, "one task a packet")):
        found = last[length]
        told = (
            f"{label:<22}{statistics.median(times[length]):7.2f} s  {found.packets:>6} packets  {found.orders:>6} tasks"
        )
        print(f"{told}  {found.bytes / 1e3:8.0f} kB of orders  {found.data / 1e3:6.0f} kB of data, once")
    print(f"{'two threads here':<22}{here:7.2f} s")
    print(f"A packet costs {1e3 * (many - one) / max(1, last[0.0].packets - last[usual].packets):.1f} ms; "
          f"packets are {many / one:.1f} times as fast.")  # fmt: skip


def large_data(client: Any, trials: int = 20, horizon: int = 5000) -> None:
    """A problem of 24 MB: how often it travels."""
    rng = np.random.default_rng(0)
    contexts = rng.standard_normal((trials, horizon, 10, 3))
    problem = PreparedProblem(contexts, rng.standard_normal((trials, horizon, 10)))
    seconds, found = counted(client, problem, trials, horizon)
    size = len(pickle.dumps(problem))
    sent = f"sent {found.data / size:.1f} times to the cluster, which hands it to each worker once"
    orders = f"{found.packets} packets with {found.bytes / 1e3:.0f} kB of orders"
    print(f"A problem of {size / 1e6:.0f} MB, {trials} trials: {sent}; {orders}, {seconds:.2f} s.")


def curves(trials: int = 1000, points: int = 200) -> None:
    """Results on disk, by form."""
    rng = np.random.default_rng(0)
    regret = {name: np.cumsum(rng.random((trials, points)), axis=1) for name in ("a", "b")}
    seconds = {name: rng.random(trials) for name in regret}
    results = Results(np.arange(1, points + 1), regret, seconds, {"policies": {name: {} for name in regret}})
    for form in ("csv", "parquet", "npz"):
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            results.save(folder, form=form)
            written = time.perf_counter() - start
            Results.load(folder)
            size = sum(path.stat().st_size for path in Path(folder).iterdir()) / 1e6
            print(f"{2 * trials:,} curves as {form:<8} {size:6.0f} MB, written in {written:5.2f} s, "
                  f"read in {time.perf_counter() - start - written:5.2f} s")  # fmt: skip


def main() -> None:
    """All of them."""
    from distributed import Client, LocalCluster

    curves()
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "host": "127.0.0.1"}
    with (
        LocalCluster(**options, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL) as cluster,
        Client(cluster) as client,
    ):
        packets_of(client)
        large_data(client)


if __name__ == "__main__":
    main()
