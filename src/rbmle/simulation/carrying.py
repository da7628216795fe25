"""Jobs carried out: here, several at a time, or on a cluster; every outcome is kept as soon as it is there."""

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

import joblib
from threadpoolctl import threadpool_limits

from rbmle.display.progress import Progress
from rbmle.errors import WorkerLostError
from rbmle.simulation.cluster.drive import Drive
from rbmle.simulation.cluster.opening import opened
from rbmle.simulation.cluster.work import load_algebra
from rbmle.simulation.jobs import Batch, Play, Task, tasks
from rbmle.simulation.outcomes import Outcomes
from rbmle.simulation.store import Outcome

# How often in a row processes may die before anything is finished.
ATTEMPTS = 3

Done = tuple[int, list[Outcome], float]


def carry_out(
    batches: Iterable[Batch], outcomes: Outcomes, progress: Progress, n_jobs: int | None = 1, backend: Any = None
) -> None:
    """Run every job that is not stored. Stopped at any moment and called again, it goes on where it was.

    Where times are compared, jobs are run here even if there is a cluster: one machine, one after the other.
    """
    keys: set[str] = set()
    planned = [(batch, todo) for batch in batches if (todo := tasks(batch, outcomes, keys))]
    progress.expect([(task.job.kind, task.job.cost) for _, todo in planned for task in todo])
    with single_threaded_algebra(), opened(backend if planned else None) as cluster:
        here = [(batch, todo) for batch, todo in planned if cluster is None or not batch.side_by_side]
        if cluster is not None:
            away = [(batch, todo) for batch, todo in planned if batch.side_by_side]
            Drive(cluster, away, outcomes, progress, n_jobs).run()
        for batch, todo in here:
            progress.working(f"{todo[0].job.kind} · data")
            data = batch.load()
            workers = limited(n_jobs, len(todo)) if batch.side_by_side else 1
            options = {"n_jobs": workers, "backend": None if cluster is not None else backend,
                       "prefer": "threads" if batch.compiled else "processes"}  # fmt: skip
            for number, made, seconds in locally(todo, data, options):
                outcomes.put(list(zip(todo[number].pieces, made, strict=True)))
                progress.done(todo[number].job.kind, seconds)
            del data
            batch.free()
            outcomes.flush()


def limited(n_jobs: int | None, most: int) -> int | None:
    """No more workers than there are jobs."""
    return n_jobs if n_jobs is None or n_jobs < 0 else min(n_jobs, most)


def locally(todo: Sequence[Task], data: Any, options: dict[str, Any]) -> Iterator[Done]:
    """What the jobs gave, as they finish. Where a process dies, what was not finished is run again."""
    left, attempts = dict(enumerate(todo)), 0
    while left:
        work = (
            joblib.delayed(played)(number, task.job.play, data, task.names, task.state, os.getpid())
            for number, task in list(left.items())
        )
        try:
            for done in in_parallel(work, options):
                del left[done[0]]
                attempts = 0
                yield done
        except BrokenProcessPool as reason:
            attempts += 1
            if attempts == ATTEMPTS:
                raise WorkerLostError(
                    f"Processes died {ATTEMPTS} times in a row before any trial was finished: {reason}"
                ) from reason


def played(number: int, play: Play, data: Any, names: list[Any], state: bytes, parent: int) -> Done:
    """One job with its number and seconds; in a worker process the linear algebra is limited too, for good."""
    if os.getpid() != parent:
        load_algebra()
        threadpool_limits(1)
    start = time.monotonic()
    return number, list(play(data, names, state)), time.monotonic() - start


@contextmanager
def single_threaded_algebra() -> Iterator[None]:
    """Let BLAS use one thread: trials keep the cores busy, and sums are added in the same order everywhere."""
    load_algebra()
    with threadpool_limits(1):
        yield


def in_parallel(work: Iterator[Any], options: dict[str, Any]) -> Iterable[Done]:
    """What the jobs gave as they finish; all at the end where a backend cannot do that."""
    try:
        parallel = joblib.Parallel(**options, return_as="generator_unordered")
    except ValueError:
        parallel = joblib.Parallel(**options)
    finished: Iterable[Done] = parallel(work)
    return finished
