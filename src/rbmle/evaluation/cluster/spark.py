"""Parts of a log on Spark, with the session of the moment."""

import pickle
from collections.abc import Iterator, Sequence
from typing import Any

from rbmle.errors import InvalidInputError, RbmleError
from rbmle.evaluation.tasks import Partition, Task, merge, partition_sums


def run(task: Task, parts: Sequence[Partition]) -> Any:
    """The merged sums. Spark reads a part again where an executor was lost."""
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError as missing:
        raise RbmleError("engine='spark' needs Spark: pip install 'rbmle[spark]', and Java.") from missing
    session = SparkSession.getActiveSession()
    if session is None:
        raise InvalidInputError("engine='spark' needs an active SparkSession: make one first.")
    context = session.sparkContext
    shared = context.broadcast(task)
    rows = context.parallelize(list(parts), max(len(parts), 1))

    def sums_of(some: Iterator[Partition]) -> Iterator[bytes]:
        for part in some:
            yield pickle.dumps((part.place, partition_sums(shared.value, part)))

    found = sorted((pickle.loads(each) for each in rows.mapPartitions(sums_of).collect()), key=lambda each: each[0])
    shared.unpersist()
    return merge([sums for _, sums in found])
