"""Reading ahead: the next batches are fetched while somebody works on this one."""

from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

# Batches that wait at most: enough to smooth out uneven work, few enough to stay small.
DEPTH = 2


def ahead(items: Iterable[T], depth: int = DEPTH) -> Generator[T]:
    """The same items in the same order, taken from their source by a thread of its own.

    An error of the source is raised where its item would have come.

    >>> list(ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    source, end = iter(items), object()
    with ThreadPoolExecutor(1, "rbmle-reads-ahead") as thread:
        coming = deque(thread.submit(next, source, end) for _ in range(depth))
        while (item := coming.popleft().result()) is not end:
            coming.append(thread.submit(next, source, end))
            yield item  # type: ignore[misc]
