"""Who goes through the parts of a log: this process, a cluster, or a function of the caller's own."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from rbmle.display.progress import Progress
from rbmle.errors import InvalidParameterError
from rbmle.evaluation.tasks import Partition, Task, partition_sums

Run: TypeAlias = Callable[[Task, Sequence[Partition]], Any]
Engine: TypeAlias = str | Run | None
# A guess, only for the share done and the time left.
SECONDS = 0.1


def runner(engine: Engine, progress: bool | None) -> Run:
    """A function that gives the merged sums of all parts."""
    if engine is None:
        return Local(progress)
    if engine == "dask":
        from rbmle.evaluation.cluster.dask import run as dask

        return dask
    if engine == "spark":
        from rbmle.evaluation.cluster.spark import run as spark

        return spark
    if callable(engine):
        return engine
    raise InvalidParameterError(
        "The 'engine' parameter must be None for this process, 'dask', 'spark', or a function of a task and partitions "
        f"that returns the merged sums. Got {engine!r} instead."
    )


class Local:
    """One part after the other, here."""

    def __init__(self, progress: bool | None) -> None:
        self.progress = progress

    def __call__(self, task: Task, parts: Sequence[Partition]) -> Any:
        """The merged sums."""
        import time

        whole: Any = None
        with Progress(self.progress) as bar:
            bar.expect([("reading the log", SECONDS)] * len(parts))
            for part in parts:
                start = time.perf_counter()
                sums = partition_sums(task, part)
                if whole is None:
                    whole = sums
                else:
                    whole.merge(sums)
                bar.done("reading the log", time.perf_counter() - start)
        return whole
