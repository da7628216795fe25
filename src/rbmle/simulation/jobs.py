"""Work as jobs: what is not yet stored is run, several at a time, and kept as soon as it is there."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import joblib
from threadpoolctl import threadpool_limits

from rbmle.display.progress import Progress
from rbmle.simulation.outcomes import Outcomes, Piece
from rbmle.simulation.store import Outcome

Play = Callable[[Any, Sequence[Any], bytes], Iterable[Outcome]]


@dataclass(frozen=True, eq=False)
class Job:
    """Outcomes that are made together.

    kind    what is run where, for the progress display
    pieces  by name, in order, what each outcome is found by
    play    takes the data of its batch, the names of the pieces to play, and the state that the piece before them left;
            gives their outcomes in that order
    rule    "each": a piece depends on nothing; "chain": it goes on where the one before it stopped; "whole": times are
            compared, so all pieces are of one run
    cost    a guess of its seconds, for the share done and the time left
    """

    kind: str
    pieces: Mapping[Any, Piece]
    play: Play
    rule: str = "each"
    cost: float = 1e-3

    def todo(self, outcomes: Outcomes, planned: set[str]) -> "Task | None":
        """What of it must be run, beside what is planned already."""
        names = list(self.pieces)
        found = {name: outcomes.find(piece.key) for name, piece in self.pieces.items()}
        missing = [name for name in names if found[name] is None and self.pieces[name].key not in planned]
        if self.rule == "whole" and (missing or len({one.run for one in found.values() if one is not None}) > 1):
            missing = names
        if not missing:
            return None
        planned.update(self.pieces[name].key for name in missing)
        if self.rule != "chain":
            return Task(self, missing, b"")
        first, last = names.index(missing[0]), names.index(missing[-1])
        before = found[names[first - 1]] if first else None
        return Task(self, names[first : last + 1], before.state if before is not None else b"")


class Task(NamedTuple):
    """A job, the names of its pieces that are to be played, and the state to start from."""

    job: Job
    names: list[Any]
    state: bytes


@dataclass(frozen=True, eq=False)
class Batch:
    """Jobs on the same data, loaded when first needed and let go afterwards.

    side_by_side  False where times are measured: one job at a time
    compiled      True where threads do not wait for each other
    """

    jobs: Sequence[Job]
    load: Callable[[], Any]
    free: Callable[[], None] = field(default=lambda: None)
    side_by_side: bool = True
    compiled: bool = True


def carry_out(
    batches: Iterable[Batch], outcomes: Outcomes, progress: Progress, n_jobs: int | None = 1, backend: Any = None
) -> None:
    """Run every job that is not stored. Stopped at any moment and called again, it goes on where it was."""
    keys: set[str] = set()
    planned = [(batch, tasks(batch, outcomes, keys)) for batch in batches]
    progress.expect([(task.job.kind, task.job.cost) for _, todo in planned for task in todo])
    with single_threaded_algebra():
        for batch, todo in planned:
            if not todo:
                continue
            progress.working(f"{todo[0].job.kind} · data")
            data = batch.load()
            workers = limited(n_jobs, len(todo)) if batch.side_by_side else 1
            work = (
                joblib.delayed(played)(number, task.job.play, data, task.names, task.state, os.getpid())
                for number, task in enumerate(todo)
            )
            for number, made, seconds in in_parallel(work, workers, backend, batch.compiled):
                job, names, _ = todo[number]
                outcomes.put([(job.pieces[name], one) for name, one in zip(names, made, strict=True)])
                progress.done(job.kind, seconds)
            del data, work
            batch.free()
            outcomes.flush()


def tasks(batch: Batch, outcomes: Outcomes, planned: set[str]) -> list[Task]:
    """What of a batch must be run, the longest first: the short ones then fill the last gaps."""
    return sorted(filter(None, (job.todo(outcomes, planned) for job in batch.jobs)), key=lambda task: -task.job.cost)


def limited(n_jobs: int | None, most: int) -> int | None:
    """No more workers than there are jobs."""
    return n_jobs if n_jobs is None or n_jobs < 0 else min(n_jobs, most)


def played(
    number: int, play: Play, data: Any, names: list[Any], state: bytes, parent: int
) -> tuple[int, list[Outcome], float]:
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


def load_algebra() -> None:
    """Load the libraries of the compiled code first: a limit reaches only what is loaded."""
    import scipy.linalg  # noqa: F401


def in_parallel(
    work: Iterator[Any], n_jobs: int | None, backend: Any, compiled: bool
) -> Iterable[tuple[int, list[Outcome], float]]:
    """What the jobs gave as they finish; all at the end where a backend cannot do that."""
    options = {"n_jobs": n_jobs, "backend": backend, "prefer": "threads" if compiled else "processes"}
    try:
        parallel = joblib.Parallel(**options, return_as="generator_unordered")
    except ValueError:
        parallel = joblib.Parallel(**options)
    finished: Iterable[tuple[int, list[Outcome], float]] = parallel(work)
    return finished
