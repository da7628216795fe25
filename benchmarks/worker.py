"""One version of rbmle at work: reads lines of JSON, does what they ask and answers in a line each; see `against`.

`{"make": row}` prepares a row and does it once, `{"time": row, "repeats": n}` returns the seconds of n fresh pieces of
its work, and the end of input ends the process.
"""

import gc
import json
import os
import resource
import sys
import time
from collections.abc import Callable

from threadpoolctl import threadpool_limits

import rbmle
from benchmarks.rows import MORE, ROWS, Work


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")  # what compiled code or a library prints must not be taken for an answer
    os.dup2(2, 1)
    made: dict[str, Callable[[], Work]] = {}
    print(json.dumps({"source": rbmle.__file__}), file=answers, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if "make" in asked:
            made.clear()  # one row at a time: the prepared histories are large
            made[asked["make"]] = (ROWS | MORE)[asked["make"]].make()
            taken = seconds(made[asked["make"]], 1)
            taken = seconds(made[asked["make"]], 1)
        else:
            taken = seconds(made[asked["time"]], asked["repeats"])
        print(json.dumps({"seconds": taken}), file=answers, flush=True)


def processor_time() -> float:
    """Seconds of this process and of those it waited for: the machine is shared, and waiting says nothing of us."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def seconds(work: Callable[[], Work], repeats: int) -> float:
    """Of so many fresh pieces of work, their preparation and the collection of garbage left out."""
    gc.collect()
    gc.disable()
    total = 0.0
    for _ in range(repeats):
        task = work()
        start = processor_time()
        task()
        total += processor_time() - start
    gc.enable()
    return total


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
