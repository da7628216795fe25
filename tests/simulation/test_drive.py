"""Packets on a cluster that is no other process: what is sent, kept, lost and sent again."""

import pickle
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rbmle import LinTS, LinUCB
from rbmle.display.progress import Progress
from rbmle.errors import InvalidInputError, InvalidParameterError, RbmleError, WorkerLostError
from rbmle.problems import LinearProblem
from rbmle.simulation import carrying, simulate
from rbmle.simulation.cluster import opening, work
from rbmle.simulation.cluster.drive import Drive, Lost
from rbmle.simulation.cluster.packets import MOST, Clock, Queue
from rbmle.simulation.cluster.shards import Shard
from rbmle.simulation.jobs import Batch, Job, Task, tasks
from rbmle.simulation.outcomes import Outcomes, Piece
from rbmle.simulation.store import Outcome, Store


class Here:
    """A cluster of this process. `fate` may lose a packet: before it is played, or after its shard was written."""

    def __init__(self, fate: Callable[[list[int]], Lost | None] = lambda numbers: None, slots: int = 2) -> None:
        self.fate, self.count = fate, slots
        self.flying: deque[tuple[int, Any]] = deque()
        self.sent: list[list[int]] = []
        self.shared: list[bytes] = []
        self.most = 0
        self.closed = False

    def slots(self) -> int:
        return self.count

    def share(self, parcel: work.Parcel) -> bytes:
        self.shared.append(parcel.content)
        return parcel.content

    def submit(self, data: bytes, parcel: work.Parcel, orders: list[work.Order], shard: Shard | None) -> int:
        self.sent.append([order.number for order in orders])
        self.flying.append((len(self.sent), pickle.dumps((data, parcel.digest, orders, shard))))
        self.most = max(self.most, len(self.flying))
        return len(self.sent)

    def answer(self) -> tuple[int, Any]:
        name, packet = self.flying.popleft()
        data, digest, orders, shard = pickle.loads(packet)
        lost = self.fate([order.number for order in orders])
        return name, lost if lost is not None else work.play_packet(lambda: data, digest, orders, shard)

    def close(self) -> None:
        self.closed = True


def simple(data: Any, names: Any, state: bytes) -> list[Outcome]:
    return [Outcome(data * name, 1.0, state) for name in names]


def slow(data: Any, names: Any, state: bytes) -> list[Outcome]:
    time.sleep(0.4)
    return simple(data, names, state)


def batch(count: int, first: int = 0, play: Any = simple, stored: bool = True) -> Batch:
    jobs = [
        Job("job", {n: Piece.of({"name": n}) if stored else Piece(f"only here {n}", None)}, play)
        for n in range(first, first + count)
    ]
    return Batch(jobs, np.ones(3).copy)


def drive(cluster: Here, path: Path | None, *batches: Batch, n_jobs: int | None = None) -> dict[str, Outcome]:
    with Outcomes(path) as outcomes, Progress(False) as bar:
        planned = [(each, tasks(each, outcomes, set())) for each in batches]
        Drive(cluster, planned, outcomes, bar, n_jobs).run()
        assert cluster.closed
        return {
            key: outcomes.get(key) for each in batches for job in each.jobs for key in [job.pieces[min(job.pieces)].key]
        }


def test_packets_hold_many_quick_tasks_and_data_go_once_for_each_batch() -> None:
    cluster = Here()
    found = drive(cluster, None, batch(300), batch(200, 300))
    assert [int(one.regret[0]) for one in found.values()] == list(range(500))
    assert len(cluster.shared) == 2
    assert len(cluster.sent) < 100 and max(map(len, cluster.sent)) > 10
    assert sorted(chain.from_iterable(cluster.sent)) == sorted([*range(300), *range(200)])


@pytest.mark.parametrize(("n_jobs", "most"), [(1, 1), (3, 3), (None, 8), (-1, 8), (-3, 4), (-9, 2)])
def test_n_jobs_is_how_many_are_on_their_way(n_jobs: int | None, most: int) -> None:
    cluster = Here(slots=4)
    drive(cluster, None, batch(200), n_jobs=n_jobs)
    assert cluster.most == most


def test_packets_last_about_a_second_and_shrink_at_the_end() -> None:
    clock = Clock()
    todo = [Task(Job("job", {n: Piece(f"{n}", None)}, simple, cost=2.0), [n], b"") for n in range(100)]
    queue = Queue(todo, clock)
    assert queue.packet(4) == [0], "nobody knows how long it takes"
    clock.learn(todo[0], 0.1)
    sizes = []
    while queue:
        sizes.append(len(queue.packet(4)))
    assert sizes[:2] == [10, 10] or sizes[:2] == [9, 9]
    assert sizes[-1] == 1 and sum(sizes) == 99 and sizes == sorted(sizes, reverse=True)
    clock.learn(todo[0], 0.3)
    assert clock.seconds("job", 2.0) == pytest.approx(0.2) and clock.seconds("other", 1.0) is None
    assert MOST > 1000


@pytest.mark.parametrize("data", [False, True])
def test_what_was_lost_is_sent_again(data: bool) -> None:
    lost: list[list[int]] = []

    def fate(numbers: list[int]) -> Lost | None:
        if 7 in numbers and len(lost) < 2:
            lost.append(numbers)
            return Lost(data)
        return None

    cluster = Here(fate)
    found = drive(cluster, None, batch(20))
    assert [int(one.regret[0]) for one in found.values()] == list(range(20))
    assert len(lost) == 2 and lost[1] == [7], "the second time by itself"
    assert len(cluster.shared) == (3 if data else 1)


def test_what_kills_its_workers_is_named_and_the_rest_is_kept(tmp_path: Path) -> None:
    with pytest.raises(WorkerLostError, match=r"job: workers died again and again over \[4\]. Is there enough memory"):
        drive(Here(lambda numbers: Lost() if 4 in numbers else None), tmp_path, batch(12))
    with Store(tmp_path) as store:
        kept = len(store)
    assert 9 <= kept <= 11
    again = Here()
    drive(again, tmp_path, batch(12))
    assert sum(map(len, again.sent)) == 12 - kept


def test_a_shard_outlives_its_worker(tmp_path: Path) -> None:
    played = []

    class Dying(Here):
        """Plays a packet, and is gone before it answers."""

        def answer(self) -> tuple[int, Any]:
            name, packet = self.flying[0]
            _, _, orders, _ = pickle.loads(packet)
            answer = super().answer()
            played.append([order.number for order in orders])
            return name, Lost() if len(played) == 2 else answer[1]

    cluster = Dying()
    drive(cluster, tmp_path, batch(10))
    assert sorted(chain.from_iterable(played)) == list(range(10)), "nothing was played twice"
    assert not (tmp_path / "trials.shards").exists()
    drive(Dying(), None, batch(5, stored=False))


def test_whoever_opens_the_store_takes_shards_over(tmp_path: Path) -> None:
    shards = tmp_path / "trials.shards"
    with Store(shards / "other.sqlite") as other:
        other.put("key", {}, Outcome(np.ones(2), 1.0))
    (shards / "broken.sqlite").write_text("no database " * 100)
    with Store(tmp_path) as store:
        assert store.get("key").regret.tolist() == [1.0, 1.0]
        assert [path.name for path in shards.iterdir()] == ["broken.sqlite"]
    with Store(tmp_path) as store:
        assert "key" in store


def test_a_worker_that_does_not_see_the_folder_or_cannot_write_goes_without(tmp_path: Path) -> None:
    with Shard(str(tmp_path / "elsewhere"), "sign", "one").opened() as kept:
        kept.put(["key"], [Outcome(np.ones(1), 1.0)])
        assert kept.find(["key"]) is None
    (tmp_path / "sign").touch()
    with Shard(str(tmp_path), "sign", "one").opened() as kept:
        kept.put(["key"], [Outcome(np.ones(1), 1.0)])
        assert kept.find(["key", "other"]) is None and kept.find(None) is None
        [found] = kept.find(["key"]) or []
        assert found.regret.tolist() == [1.0]
        kept._store._file.close()  # type: ignore[union-attr]
        kept.put(["more"], [Outcome(np.ones(1), 1.0)])
        time.sleep(0.35)
        kept.put(["even more"], [Outcome(np.ones(1), 1.0)])
        assert kept.find(["other"]) is None


def test_simulations_are_the_same_bit_for_bit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    policies = {"UCB": LinUCB(n_features=2), "TS": LinTS(n_features=2)}
    problem = LinearProblem([0.6, -0.3], n_arms=4, static=False)
    options = {"horizon": 60, "trials": 11, "log": True}
    alone = simulate(policies, problem, **options)
    for workers in (1, 3):
        cluster = Here(slots=workers)
        monkeypatch.setattr(opening, "opened", lambda backend: backend)
        monkeypatch.setattr(carrying, "opened", lambda backend, cluster=cluster: Entered(cluster))
        found = simulate(policies, problem, backend="dask", store=tmp_path / str(workers), **options)
        assert cluster.sent
        for name in policies:
            assert found.regret[name].tobytes() == alone.regret[name].tobytes()
            assert found.logs[name].rewards.tobytes() == alone.logs[name].rewards.tobytes()


class Entered:
    def __init__(self, cluster: Here) -> None:
        self.cluster = cluster

    def __enter__(self) -> Here:
        return self.cluster

    def __exit__(self, *_: object) -> None: ...


def test_times_that_are_compared_are_measured_here(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Here()
    monkeypatch.setattr(carrying, "opened", lambda backend: Entered(cluster))
    timed = Batch(batch(3).jobs, np.ones(3).copy, side_by_side=False)
    with Outcomes() as outcomes, Progress(False) as bar:
        carrying.carry_out([timed, batch(2, 3)], outcomes, bar, None, "dask")
        assert len(outcomes.new) == 5
    assert sorted(chain.from_iterable(cluster.sent)) == [0, 1]


def test_what_cannot_be_sent_is_said() -> None:
    pytest.importorskip("cloudpickle")
    with pytest.raises(InvalidInputError, match="must be such as can be sent"):
        work.Parcel.of((each for each in ()).__next__, [])


def test_addresses() -> None:
    assert opening.named(None) is opening.named("local") is None
    assert opening.named("dask://host:8786") == "dask://host:8786"
    for wrong in ("nowhere", "dask://", "spark://host:1", "tcp://host:1"):
        with pytest.raises(InvalidParameterError, match="must be local, dask://host:port or ray://host:port"):
            opening.named(wrong)
    with opening.opened("loky") as none:
        assert none is None
    with pytest.raises(InvalidParameterError, match="A cluster must be 'dask'"), opening.opened("tcp://host:1"):
        pass


@pytest.mark.parametrize("kind", ["dask", "ray"])
def test_a_cluster_that_is_not_installed_or_not_there_is_said(kind: str) -> None:
    with pytest.raises(RbmleError, match="is not installed: pip install|needs a client of Dask|needs Ray"):
        simulate([LinUCB(n_features=2)], LinearProblem([0.6, -0.3], 4), horizon=5, trials=1, backend=kind)


class Dies:
    """Ends the process that it is first played in."""

    def __init__(self, path: str) -> None:
        self.path = path

    def choose(self, contexts: Any) -> int:
        import os

        try:
            Path(self.path).unlink()
            os._exit(1)
        except FileNotFoundError:
            return 0

    def update(self, context: Any, reward: float) -> None: ...


@pytest.mark.long
def test_a_process_of_this_machine_that_dies_costs_its_trials_alone(tmp_path: Path) -> None:
    path = tmp_path / "alive"
    path.touch()
    problem = LinearProblem([0.6, -0.3], 4)
    found = simulate({"own": Dies(str(path))}, problem, horizon=5, trials=4, n_jobs=2, backend="loky")
    assert found.trials == 4 and not path.exists()


def test_processes_that_die_before_anything_is_done_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def breaking(work: Any, options: dict[str, Any]) -> Any:
        calls.append([arguments[0] for _, arguments, _ in work])
        if len(calls) == 1:
            yield calls[-1][0], [Outcome(np.ones(1), 1.0)], 0.1
        raise BrokenProcessPool("killed")

    monkeypatch.setattr(carrying, "in_parallel", breaking)
    with Outcomes() as outcomes, Progress(False) as bar, pytest.raises(WorkerLostError, match="died 3 times in a row"):
        carrying.carry_out([batch(3)], outcomes, bar, 2, "loky")
    assert [len(each) for each in calls] == [3, 2, 2]
