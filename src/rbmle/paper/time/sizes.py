"""The time of a decision for many sizes: ours, and plain NumPy beside it on the same sample paths, one at a time."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from rbmle.paper.plan import Timing
from rbmle.paper.settings import SEED
from rbmle.policies import Policy
from rbmle.problems.base import Problem
from rbmle.random import generator
from rbmle.simulation.identity import identity
from rbmle.simulation.jobs import Batch, Job
from rbmle.simulation.outcomes import Outcomes, Piece
from rbmle.simulation.players import PythonPlayer
from rbmle.simulation.store import Outcome
from rbmle.simulation.trial import run_trial

OURS, PLAIN = "ours", "plain"
# Seconds of a decision of d = 100, K = 100: only for the share done and the time left.
COSTS = {OURS: 1e-4, PLAIN: 2e-3}


class Run(NamedTuple):
    """One method in one trial, by our code or in plain NumPy."""

    method: str
    kind: str
    trial: int
    rounds: int


@dataclass(frozen=True, eq=False)
class TimeStudy:
    """Policies of a size by `policies(d, K, horizon)`, the same in plain code by `plain(name, d, horizon, seed)`."""

    part: str
    timing: Timing
    policies: Callable[[int, int, int], Mapping[str, Policy]]
    plain: Callable[[str, int, int, int], Any]
    problem: Callable[[list[float], int], Problem]
    slow: frozenset[str] = frozenset()

    @cached_property
    def jobs(self) -> dict[tuple[int, int], Job]:
        """One per size: its times are compared with each other, so all are taken in one run."""
        return {size: self._job(*size) for size in self.timing.sizes}

    @property
    def batches(self) -> list[Batch]:
        """One per size."""
        return [Batch([job], partial(self._load, *size), side_by_side=False) for size, job in self.jobs.items()]

    def seconds(self, outcomes: Outcomes) -> list[dict[str, Any]]:
        """A record per size and method: mean and standard deviation over trials of the time of a decision."""
        records = []
        for (d, K), job in self.jobs.items():
            for name in dict.fromkeys(run.method for run in job.pieces):
                record: dict[str, Any] = {"d": d, "K": K, "method": name}
                for kind in (OURS, PLAIN):
                    pieces = [piece for run, piece in job.pieces.items() if run[:2] == (name, kind)]
                    times = np.array([outcomes.get(piece.key).seconds for piece in pieces])
                    record |= {f"{kind}_mean": float(times.mean()), f"{kind}_std": float(times.std())}
                    record[f"{kind}_trials"] = len(times)
                record["ratio"] = record["plain_mean"] / record["ours_mean"]
                records.append(record)
        return records

    def runs(self, name: str) -> list[Run]:
        """How often and how long a method is timed."""
        timing = self.timing
        lengths = {OURS: (timing.rounds, timing.trials), PLAIN: (timing.plain_rounds, timing.plain_trials)}
        if name in self.slow:
            lengths = dict.fromkeys(lengths, (timing.slow_rounds, timing.slow_trials))
        return [Run(name, kind, trial, rounds) for kind, (rounds, trials) in lengths.items() for trial in range(trials)]

    def _load(self, d: int, K: int) -> Problem:
        theta = generator(SEED, d, K).standard_normal(d)
        return self.problem((theta / np.linalg.norm(theta)).tolist(), K)

    def _job(self, d: int, K: int) -> Job:
        policies = self.policies(d, K, self.timing.rounds)
        pieces, cost = dict[Run, Piece](), 0.0
        for name, policy in policies.items():
            about = {"kind": self.part, "d": d, "K": K, "seed": SEED, "policy": identity(policy)}
            for run in self.runs(name):
                pieces[run] = Piece.of({**about, **run._asdict()})
                cost += COSTS[run.kind] * run.rounds * (d * K / 1e4) * (30 if name in self.slow else 1)
        return Job(f"{self.part} · d = {d}, K = {K}", pieces, partial(self._play, policies), "whole", cost)

    def _play(
        self, policies: Mapping[str, Policy], problem: Problem, runs: Sequence[Run], _: bytes
    ) -> Iterator[Outcome]:
        for run in runs:
            if run.kind == PLAIN:
                yield self._play_plain(run, problem)
                continue
            # The first rounds are played twice, so that nobody's clock runs while code is compiled.
            done = run_trial(
                {run.method: policies[run.method]}, problem, run.rounds, run.trial, SEED, np.array([run.rounds])
            )
            yield Outcome(*done[run.method][:2])

    def _play_plain(self, run: Run, problem: Problem) -> Outcome:
        path = problem.rounds(SEED, run.trial, 0, run.rounds)
        policy = self.plain(run.method, problem.n_features, self.timing.rounds, run.trial)
        arms, seconds, _ = PythonPlayer(run.method, policy).play(path, time.thread_time)
        return Outcome(np.array([path.regret(arms).sum()]), seconds / run.rounds)
