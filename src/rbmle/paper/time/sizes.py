"""The time of a decision for many sizes: ours, and plain NumPy beside it on the same sample paths, one at a time."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rbmle.paper.plan import Timing
from rbmle.paper.settings import SEED
from rbmle.paper.work import Batch, Job
from rbmle.policies import Policy
from rbmle.problems.base import Problem
from rbmle.random import generator
from rbmle.simulation.manifest import describe
from rbmle.simulation.players import PythonPlayer
from rbmle.simulation.store import Outcome, Store
from rbmle.simulation.trial import run_trial

OURS, PLAIN = "ours", "plain"
# Seconds of a decision of d = 100, K = 100: only for the share done and the time left.
COSTS = {OURS: 1e-4, PLAIN: 2e-3}


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
    def jobs(self) -> dict[tuple[int, int], dict[str, dict[str, list[Job]]]]:
        """By size, then method, then ours or plain: one per trial."""
        return {size: self._jobs_of(*size) for size in self.timing.sizes}

    @property
    def batches(self) -> list[Batch]:
        """One per size."""
        return [
            Batch([job for rows in by_name.values() for row in rows.values() for job in row], _bound(self._load, size),
                  side_by_side=False)
            for size, by_name in self.jobs.items()
        ]  # fmt: skip

    def seconds(self, store: Store) -> list[dict[str, Any]]:
        """A record per size and method: mean and standard deviation over trials of the time of a decision."""
        records = []
        for (d, K), by_name in self.jobs.items():
            for name, rows in by_name.items():
                record: dict[str, Any] = {"d": d, "K": K, "method": name}
                for kind, jobs in rows.items():
                    times = np.array([store.get(job.key).seconds for job in jobs])
                    record |= {f"{kind}_mean": float(times.mean()), f"{kind}_std": float(times.std())}
                    record[f"{kind}_trials"] = len(times)
                record["ratio"] = record["plain_mean"] / record["ours_mean"]
                records.append(record)
        return records

    def _load(self, size: tuple[int, int]) -> Problem:
        d, K = size
        theta = generator(SEED, d, K).standard_normal(d)
        return self.problem((theta / np.linalg.norm(theta)).tolist(), K)

    def _jobs_of(self, d: int, K: int) -> dict[str, dict[str, list[Job]]]:
        timing, jobs = self.timing, dict[str, dict[str, list[Job]]]()
        for name, policy in self.policies(d, K, timing.rounds).items():
            rounds = {OURS: timing.rounds, PLAIN: timing.plain_rounds}
            trials = {OURS: timing.trials, PLAIN: timing.plain_trials}
            if name in self.slow:
                rounds, trials = (dict.fromkeys(rounds, number) for number in (timing.slow_rounds, timing.slow_trials))
            jobs[name] = {
                kind: [self._job(kind, name, policy, d, K, rounds[kind], trial) for trial in range(trials[kind])]
                for kind in (OURS, PLAIN)
            }
        return jobs

    def _job(self, kind: str, name: str, policy: Policy, d: int, K: int, rounds: int, trial: int) -> Job:
        settings = {"kind": f"{self.part}, {kind}", "d": d, "K": K, "rounds": rounds, "seed": SEED, "name": name}
        settings |= {"policy": describe(policy), "trial": trial}
        cost = COSTS[kind] * rounds * (d * K / 1e4) * (30 if name in self.slow else 1)
        label = name if kind == OURS else f"{name}, plain NumPy"

        def play(problem: Problem, _: Outcome | None) -> Outcome:
            if kind == OURS:
                # The first rounds are played twice, so that nobody's clock runs while code is compiled.
                done = run_trial({name: policy}, problem, rounds, trial, SEED, np.array([rounds]))
                return Outcome(*done[name])
            return self._play_plain(name, problem, rounds, trial)

        return Job(self.part, f"d = {d}, K = {K}", label, settings, play, cost)

    def _play_plain(self, name: str, problem: Problem, rounds: int, trial: int) -> Outcome:
        path = problem.rounds(SEED, trial, 0, rounds)
        policy = self.plain(name, problem.n_features, self.timing.rounds, trial)
        arms, seconds = PythonPlayer(name, policy, problem).play(path, time.thread_time)
        means = path.mean_rewards[0]
        return Outcome(np.array([np.sum(means.max() - means[arms])]), seconds / rounds)


def _bound(load: Callable[[tuple[int, int]], Problem], size: tuple[int, int]) -> Callable[[], Problem]:
    return lambda: load(size)
