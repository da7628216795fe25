"""Parts of a log on Spark, with the session of the moment."""

import pickle
from collections.abc import Iterator, Sequence
from typing import Any

from rbmle.errors import InvalidInputError, RbmleError
from rbmle.evaluation.tasks import Partition, Task, merge, partition_sums


def run(task: Task, parts: Sequence[Partition]) -> Any:
    """The merged sums. Spark reads a part again where an executor was lost."""
    try:
        from pyspark import cloudpickle
        from pyspark.sql import SparkSession
    except ModuleNotFoundError as missing:
        raise RbmleError("engine='spark' needs Spark: pip install 'rbmle[spark]', and Java.") from missing
    session = SparkSession.getActiveSession()
    if session is None:
        raise InvalidInputError("engine='spark' needs an active SparkSession: make one first.")
    context = session.sparkContext
    # cloudpickle takes functions of a notebook along, which pickle, Spark's own choice here, would look for in vain.
    shared = context.broadcast(cloudpickle.dumps(task))
    rows = context.parallelize([cloudpickle.dumps(part) for part in parts], max(len(parts), 1))

    def sums_of(some: Iterator[bytes]) -> Iterator[bytes]:
        for each in some:
            part = pickle.loads(each)
            yield pickle.dumps((part.place, partition_sums(pickle.loads(shared.value), part)))

    found = sorted((pickle.loads(each) for each in rows.mapPartitions(sums_of).collect()), key=lambda each: each[0])
    shared.unpersist()
    return merge([sums for _, sums in found])
