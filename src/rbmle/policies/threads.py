"""Many decisions on several threads: compiled code that needs no lock of Python's."""

import os
from collections.abc import Callable

from rbmle.types import IntArray

# Multiplications that are worth the start of a thread.
ENOUGH = 2**24


def share_out(work: Callable[[int, int], None], offsets: IntArray, each: int) -> None:
    """work(first, last) for all sets of arms X[offsets[i]:offsets[i+1]], on as many threads as gain from it.

    each: multiplications that an arm takes. What is done does not depend on the number of threads.
    """
    count, total = len(offsets) - 1, int(offsets[-1] - offsets[0]) * each
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = min(usable, count, 1 + total // ENOUGH)
    if threads == 1:
        work(0, count)
        return
    from concurrent.futures import ThreadPoolExecutor  # takes a while to load

    ends = [count * part // threads for part in range(threads + 1)]
    with ThreadPoolExecutor(threads, "rbmle-decides") as pool:
        for _ in pool.map(work, ends[:-1], ends[1:]):
            pass
