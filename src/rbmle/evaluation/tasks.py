"""Work over a log in parts: `partition_sums` reads a part where it lies, `merge` puts what came out together.

That pair is all that another engine needs; `evaluate` and `fit` of Dask and Spark are made of it, and so is the loop of
one machine.
"""

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, Self

from rbmle.errors import InvalidInputError
from rbmle.logs import Log
from rbmle.logs.parts import Part


class Partition(NamedTuple):
    """A part of a log, and its place among all."""

    place: int
    part: Part


class Sums(Protocol):
    """What came out of a part: it can be pickled, and added to what came out of the parts before."""

    def merge(self, other: Self) -> None:
        """Take in what came out of the next part."""
        ...


class Task(Protocol):
    """Something to be done with every part of a log; it can be pickled."""

    def of(self, partition: Partition) -> Any:
        """The sums of a part."""
        ...


def partitions(log: Log) -> list[Partition]:
    """The parts of a log."""
    return [Partition(place, part) for place, part in enumerate(log.parts)]


def partition_sums(task: Task, partition: Partition) -> Any:
    """Read a part of a log and return its sums, which can be pickled and sent."""
    return task.of(partition)


def merge(sums: Sequence[Any]) -> Any:
    """Put the sums of all parts together, in the order of the parts: the order decides the last bits.

    What is given stays as it is. It may be read-only, as whatever comes out of Ray's shared memory.
    """
    if not sums:
        raise InvalidInputError("merge needs the sums of at least one part. Got none.")
    whole = copy.deepcopy(sums[0])
    for each in sums[1:]:
        whole.merge(each)
    return whole
