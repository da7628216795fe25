"""What is evaluated on clusters, targets that kill the worker they are read on, and a look at who listens where."""

import os
import signal
from pathlib import Path

import numpy as np

NAMES = ("ips", "snips", "dr", "sndr", "clipped-ips")
KINDS = ("asymptotic", "bootstrap", "kl")
OPTIONS = {"estimators": NAMES, "intervals": KINDS, "clip": 3.0, "reward_range": (0.0, 1.0), "replicates": 100}
LOOPBACK = {"127.0.0.1", "::1", "::ffff:127.0.0.1"}


class Softmax:
    """A target with chances for all arms."""

    def __call__(self, batch):
        scores = np.exp(2.0 * batch.cube[:, :, 0])
        return scores / scores.sum(axis=1, keepdims=True)


class Deadly(Softmax):
    """The same, but the first to read row 1600 kills the worker it is on, once.

    victim: what the command line of the process to be killed has in it: the reading process or one it descends from.
    """

    def __init__(self, marker: Path, victim: str) -> None:
        self.marker, self.victim = marker, victim

    def __call__(self, batch):
        import psutil  # Dask brings it

        if 1600 in batch.rows and not self.marker.exists():
            here = psutil.Process()
            found = next(each for each in (here, *here.parents()) if self.victim in " ".join(each.cmdline()))
            self.marker.write_text(str(found.pid))
            os.kill(found.pid, signal.SIGKILL)
        return super().__call__(batch)


def numbers(found):
    """All numbers of an evaluation."""
    rows = []
    for each in found.estimates.values():
        rows += [each.value, each.standard_error, *each.difference]
        for one in each.intervals.values():
            rows += [one.low, one.high]
    return np.array(rows)


def listening():
    """Addresses that this process and its descendants listen on."""
    import psutil

    here = psutil.Process()
    found = set()
    for each in (here, *here.children(recursive=True)):
        try:
            found |= {one.laddr.ip for one in each.net_connections("inet") if one.status == psutil.CONN_LISTEN}
        except psutil.NoSuchProcess:
            continue
    return found
