"""Parts of a log on Dask: with the client of the moment if there is one, else with Dask's own threads."""

from collections.abc import Sequence
from typing import Any

from rbmle.errors import RbmleError
from rbmle.evaluation.tasks import Partition, Task, merge, partition_sums


def run(task: Task, parts: Sequence[Partition]) -> Any:
    """The merged sums. Dask reads a part again where a worker was lost."""
    try:
        import dask
    except ModuleNotFoundError as missing:
        raise RbmleError("engine='dask' needs Dask: pip install 'rbmle[dask]'.") from missing
    work = dask.delayed(partition_sums, pure=False)
    shared = dask.delayed(task)
    return merge(list(dask.compute(*(work(shared, part) for part in parts))))
