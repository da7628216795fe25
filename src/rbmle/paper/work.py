"""The trials that a report needs, as jobs; those not yet stored are run, several at a time."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rbmle.paper.progress import Progress
from rbmle.simulation.engine import single_threaded_algebra
from rbmle.simulation.store import Outcome, Store, key_of


@dataclass(frozen=True, eq=False)
class Job:
    """One trial of one policy.

    settings  plain data, everything that its outcome depends on
    play      takes the data of its batch, and the outcome of the job before it
    before    the job whose generator this one goes on with, where trials share one
    cost      a guess of its seconds, for the share done and the time left
    """

    part: str
    where: str
    policy: str
    settings: Mapping[str, Any]
    play: Callable[[Any, Outcome | None], Outcome]
    cost: float = 1e-3
    before: "Job | None" = None

    @cached_property
    def key(self) -> str:
        """Its name in the store."""
        return key_of(self.settings)


@dataclass(frozen=True, eq=False)
class Batch:
    """Jobs on the same data, loaded when first needed and let go afterwards. Times are measured one job at a time."""

    jobs: Sequence[Job]
    load: Callable[[], Any]
    free: Callable[[], None] = field(default=lambda: None)
    side_by_side: bool = True


def carry_out(batches: Iterable[Batch], store: Store, workers: int, progress: Progress) -> None:
    """Run every job that is not in the store. Stopped at any moment and called again, it goes on where it was."""
    missing = [(batch, _missing(batch, store)) for batch in batches]
    progress.expect([job for _, jobs in missing for job in jobs])
    with single_threaded_algebra():
        for batch, jobs in missing:
            if not jobs:
                continue
            progress.loading(jobs[0])
            data = batch.load()
            _run(jobs, data, store, workers if batch.side_by_side else 1, progress)
            del data
            batch.free()
            store.flush()


def merged(batches: Iterable[Batch], names: Iterable[Any]) -> list[Batch]:
    """Batches with the same name become one, so that large data are made once; a job asked for twice is run once."""
    by_name: dict[Any, list[Batch]] = {}
    for name, batch in zip(names, batches, strict=True):
        by_name.setdefault(name, []).append(batch)
    result = []
    for same in by_name.values():
        jobs = {job.key: job for batch in same for job in batch.jobs}
        result.append(Batch(list(jobs.values()), same[0].load, same[0].free, same[0].side_by_side))
    return result


def worker_count(jobs: int) -> int:
    """How many trials are run at a time: `jobs`, or as many as there are cores, less those spared by a negative one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return jobs if jobs > 0 else max(1, cores + 1 + jobs)


def _missing(batch: Batch, store: Store) -> list[Job]:
    # The longest first: the short ones then fill the last gaps.
    return sorted((job for job in batch.jobs if job.key not in store), key=lambda job: -job.cost)


def _run(jobs: Sequence[Job], data: Any, store: Store, workers: int, progress: Progress) -> None:
    """Run all jobs and keep each outcome as soon as it is there."""
    here = {job.key for job in jobs}
    ready = [job for job in reversed(jobs) if job.before is None or job.before.key not in here]
    then = {job.before.key: job for job in jobs if job.before is not None}
    running: dict[Future[Outcome], Job] = {}

    def keep(future: Future[Outcome]) -> Job:
        job = running.pop(future)
        store.put(job.key, job.settings, future.result())
        progress.done(job)
        return job

    with ThreadPoolExecutor(workers) as pool:
        try:
            while ready or running:
                while ready and len(running) < workers:
                    job = ready.pop()
                    earlier = store.get(job.before.key) if job.before is not None else None
                    running[pool.submit(job.play, data, earlier)] = job
                    progress.started(job)
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    job = keep(future)
                    if job.key in then:
                        ready.append(then[job.key])
        except KeyboardInterrupt:
            # A trial cannot be stopped halfway, so what is running is waited for and kept.
            progress.working("stopping after the trials that are running")
            for future in wait(running).done:
                keep(future)
            raise
