"""What is simulated on clusters: policies that note who played them, and one that kills its worker once."""

import os
import signal
import time
from collections import Counter
from pathlib import Path

import numpy as np

from rbmle import LinRBMLE, LinTS, LinUCB
from rbmle.problems import LinearProblem
from rbmle.simulation import simulate

PROBLEM = LinearProblem([0.3, -0.5, 0.8], n_arms=6, static=False)
HORIZON, TRIALS = 300, 21


def compiled():
    """Policies of ours: upper bounds in lanes, and one that draws."""
    return {"RBMLE": LinRBMLE(n_features=3), "UCB": LinUCB(n_features=3), "TS": LinTS(n_features=3)}


def equal(one, other):
    """Whether two results are the same to the last bit."""
    return one.policies == other.policies and all(
        one.regret[name].tobytes() == other.regret[name].tobytes() for name in one.policies
    )


class Noted:
    """A policy of somebody else that notes every trial it begins, and takes its time."""

    def __init__(self, notes: Path, seconds: float = 0.0) -> None:
        self.notes, self.seconds = str(notes), seconds

    def reseed(self, seed, trial, *_):
        with Path(self.notes).open("a") as file:
            file.write(f"{trial} {os.getpid()}\n")
        time.sleep(self.seconds)
        self.trial, self.rng = trial, np.random.default_rng([seed, trial])

    def choose(self, contexts):
        return int(self.rng.integers(len(contexts)))

    def update(self, context, reward): ...


class Deadly(Noted):
    """The same, but trial 5 kills the worker it is on, once."""

    def reseed(self, seed, trial, *path):
        super().reseed(seed, trial, *path)
        marker = Path(self.notes).with_name("killed")
        if trial == 5 and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)


class Fatal(Deadly):
    """Trial 5 kills every worker, again and again."""

    def reseed(self, seed, trial, *path):
        Path(self.notes).with_name("killed").unlink(missing_ok=True)
        super().reseed(seed, trial, *path)


class Failing(Noted):
    """The same, but trial 3 is a mistake."""

    def reseed(self, seed, trial, *path):
        super().reseed(seed, trial, *path)
        if trial == 3:
            raise ZeroDivisionError("a mistake of the policy")


def begun(notes):
    """How often each trial was begun."""
    return Counter(int(line.split()[0]) for line in notes.read_text().splitlines())


class Heavy(LinearProblem):
    """A problem with much data, which notes every time that it is unpacked."""

    def __init__(self, notes: Path) -> None:
        super().__init__([0.3, -0.5, 0.8], n_arms=6, static=False)
        self.notes, self.ballast = notes, np.zeros(200_000)

    def __copy__(self):
        return self

    def __reduce__(self):
        return unpacked, (self.notes, self.ballast)


def unpacked(notes, ballast):
    """A heavy problem on a worker."""
    with notes.open("a") as file:
        file.write(f"0 {os.getpid()}\n")
    made = Heavy(notes)
    made.ballast = ballast
    return made


def play(policies, problem=PROBLEM, **options):
    """A simulation of 12 trials."""
    return simulate(policies, problem, **{"horizon": 20, "trials": 12, "progress": False, **options})
