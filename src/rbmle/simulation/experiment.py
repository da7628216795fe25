"""Policies on one problem: the work that there is to do, and the results once it is done."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from os import PathLike
from typing import Any, NamedTuple

import joblib
import numpy as np

from rbmle import params
from rbmle.display.progress import Progress
from rbmle.errors import InvalidParameterError
from rbmle.params import Integer
from rbmle.policies.base import Policy
from rbmle.policies.lanes import may_go_side_by_side
from rbmle.problems.base import Problem
from rbmle.simulation.carrying import carry_out
from rbmle.simulation.identity import Unstorable, identity
from rbmle.simulation.jobs import Batch, Job, Play
from rbmle.simulation.log import TrialLog
from rbmle.simulation.manifest import manifest
from rbmle.simulation.outcomes import Outcomes, Piece
from rbmle.simulation.players import Candidate
from rbmle.simulation.results import Results
from rbmle.simulation.side_by_side import FEWEST, TOGETHER
from rbmle.simulation.store import Outcome
from rbmle.simulation.trial import run_trials
from rbmle.types import IntArray

# Points of a regret curve unless chosen otherwise.
POINTS = 200
# Seconds of a decision of what others wrote; and up to which a policy is quick.
OTHERS, QUICK = 2e-5, 4e-6
# Seconds of a trial of one policy that is a job of its own.
LONG = 1.0


class Source(NamedTuple):
    """Where a problem comes from.

    name      of the data, the same for experiments on the same
    settings  for the manifest, plain data
    identity  all that its rounds depend on, plain data; None where that cannot be told
    load      makes it when it is needed, `free` lets it go
    """

    name: Any
    settings: Mapping[str, Any]
    identity: Any
    load: Callable[[], Problem]
    free: Callable[[], None] = lambda: None


@dataclass(frozen=True, eq=False)
class Experiment:
    """Policies by name, `trials` trials of `horizon` rounds each.

    kind    what the progress display calls it
    rounds  (from 1) at which regret is noted
    chains  by name, how to play the trials of those that share one stream of random numbers, trial after trial
    """

    policies: Mapping[str, Candidate]
    source: Source
    horizon: int
    trials: int
    seed: int
    rounds: IntArray
    log: bool = False
    kind: str = "trials"
    chains: Mapping[str, Play] = field(default_factory=dict)

    @cached_property
    def identities(self) -> "dict[str, Any | Unstorable]":
        """What each policy is as plain data, or why that cannot be told."""
        return {name: identity_or_reason(policy) for name, policy in self.policies.items()}

    @cached_property
    def pieces(self) -> dict[str, list[Piece]]:
        """By policy, what the outcome of each trial is found by."""
        return {name: [self._piece(name, trial) for trial in range(self.trials)] for name in self.policies}

    @property
    def keys(self) -> list[str]:
        """Of all outcomes."""
        return [piece.key for row in self.pieces.values() for piece in row]

    def jobs(self, workers: int = 1) -> list[Job]:
        """A trial with all policies is a job, for they share its sample path; and so is every chain.

        Where trials of a policy can be played side by side, some trials of it and of all quick policies are one job.
        Slow policies, beside which drawing the path again is nothing, have jobs of their own.
        """
        jobs, others = list[Job](), {name: each for name, each in self.policies.items() if name not in self.chains}
        groups, quick = groups_of(self.trials, workers), dict[str, Candidate]()
        if groups and any(map(may_go_side_by_side, others.values())):
            quick = {name: each for name, each in others.items() if self._is_quick(name)}
        play = partial(play_trials, self._rules(quick))
        for trials in groups if quick else []:
            cost = len(trials) * self.horizon * sum(map(self._cost, quick))
            pieces = {(trial, name): self.pieces[name][trial] for trial in trials for name in quick}
            jobs.append(Job(self.kind, pieces, play, cost=cost))
        for alone in self._shares({name: each for name, each in others.items() if name not in quick}):
            cost, play = self.horizon * sum(map(self._cost, alone)), partial(play_trials, self._rules(alone))
            for trial in range(self.trials):
                pieces = {(trial, name): self.pieces[name][trial] for name in alone}
                jobs.append(Job(self.kind, pieces, play, cost=cost))
        for name, play_chain in self.chains.items():
            cost = self.horizon * self.trials * self._cost(name)
            jobs.append(
                Job(f"{self.kind} · {name}", dict(enumerate(self.pieces[name])), play_chain, rule="chain", cost=cost)
            )
        return jobs

    def run(
        self,
        store: str | PathLike[str] | None = None,
        n_jobs: int | None = 1,
        backend: Any = None,
        progress: bool | None = None,
    ) -> Results:
        """Play what is not stored, and say what came out."""
        with Outcomes(store) as outcomes, Progress(progress) as bar:
            carry_out(batches([self], joblib.effective_n_jobs(n_jobs)), outcomes, bar, n_jobs, backend)
            return self.results(outcomes)

    def results(self, outcomes: Outcomes, run: str | None = None) -> Results:
        """What the finished trials found. Seconds are those of one run, by default the present one; others are NaN."""
        run = outcomes.run if run is None else run
        found = {name: [outcomes.get(piece.key) for piece in row] for name, row in self.pieces.items()}
        logs = {}
        if self.log:
            rows = {
                name: zip(*(TrialLog.unpacked(one.state) for one in row), strict=True) for name, row in found.items()
            }
            logs = {name: TrialLog(*map(np.stack, columns)) for name, columns in rows.items()}
        return Results(
            self.rounds,
            {name: np.array([one.regret for one in row]) for name, row in found.items()},
            {name: np.array([one.seconds if one.run == run else np.nan for one in row]) for name, row in found.items()},
            manifest(self.policies, self.source.settings, self.horizon, self.trials, self.seed),
            logs,
        )

    def _shares(self, policies: Mapping[str, Candidate]) -> list[dict[str, Candidate]]:
        """Policies whose trials are played together: those that take more than a second each by themselves."""
        slow = [name for name in policies if self.horizon * self._cost(name) > LONG]
        rest = {name: each for name, each in policies.items() if name not in slow}
        return [*({name: policies[name]} for name in slow), *([rest] if rest else [])]

    def _rules(self, policies: Mapping[str, Candidate]) -> "Rules":
        return Rules(policies, self.horizon, self.seed, self.rounds, self.log)

    def _is_quick(self, name: str) -> bool:
        """Whether some trials of a policy are a job soon done."""
        policy = self.policies[name]
        by_decide = self.log and not may_go_side_by_side(policy)
        return isinstance(policy, Policy) and self._cost(name) <= QUICK and not by_decide

    def _cost(self, name: str) -> float:
        policy = self.policies[name]
        return policy.seconds if isinstance(policy, Policy) else OTHERS

    def _piece(self, name: str, trial: int) -> Piece:
        policy = None if self.source.identity is None else self.identities[name]
        if policy is None or isinstance(policy, Unstorable):
            return Piece(f"{id(self)} {name} {trial}", None)
        settings = {
            "problem": self.source.identity,
            "policy": policy,
            "name": name,  # decides the random numbers of the policy
            "seed": self.seed,
            "trial": trial,
            "horizon": self.horizon,
            "rounds": hashlib.sha256(self.rounds.astype("<i8").tobytes()).hexdigest()[:16],
            "log": self.log,
            "chained": name in self.chains,
        }
        return Piece.of(settings)


def groups_of(trials: int, workers: int) -> list[list[int]]:
    """Trials to be played side by side, as many groups as keep all workers busy; none where those are too small."""
    groups = workers * -(-trials // (TOGETHER * workers))
    parts = np.array_split(np.arange(trials), groups) if trials // groups >= FEWEST else []
    return [part.tolist() for part in parts]


def batches(experiments: Iterable[Experiment], workers: int = 1) -> list[Batch]:
    """The work of experiments; those on the same data are run together, so that large data are made once."""
    by_data: dict[Any, list[Experiment]] = {}
    for each in experiments:
        by_data.setdefault(each.source.name, []).append(each)
    return [
        Batch(
            [job for each in same for job in each.jobs(workers)],
            same[0].source.load,
            same[0].source.free,
            compiled=all(isinstance(policy, Policy) for each in same for policy in each.policies.values()),
        )
        for same in by_data.values()
    ]


class Rules(NamedTuple):
    """What all trials of an experiment have in common: light enough to be sent to a worker with each of them."""

    policies: Mapping[str, Candidate]
    horizon: int
    seed: int
    rounds: IntArray
    log: bool


def play_trials(rules: Rules, problem: Problem, names: Sequence[tuple[int, str]], _: bytes = b"") -> list[Outcome]:
    """Some of the policies in some trials, in the order of the names."""
    wanted: dict[int, list[str]] = {}
    for trial, name in names:
        wanted.setdefault(trial, []).append(name)
    alike: dict[tuple[str, ...], list[int]] = {}
    for trial, chosen in wanted.items():
        alike.setdefault(tuple(chosen), []).append(trial)
    made: dict[tuple[int, str], Outcome] = {}
    for same, trials in alike.items():
        for trial, done in zip(trials, _played(rules, problem, trials, same), strict=True):
            made |= {(trial, name): outcome for name, outcome in done.items()}
    return [made[name] for name in names]


def _played(rules: Rules, problem: Problem, trials: Sequence[int], names: Sequence[str]) -> list[dict[str, Outcome]]:
    policies = {name: rules.policies[name] for name in names}
    done = run_trials(policies, problem, rules.horizon, trials, rules.seed, rules.rounds, rules.log)
    return [
        {
            name: Outcome(regret, seconds, b"" if noted is None else noted.packed())
            for name, (regret, seconds, noted) in row.items()
        }
        for row in done
    ]


def identity_or_reason(thing: Any) -> Any:
    """Plain data, or the reason why there is none."""
    try:
        return identity(thing)
    except Unstorable as reason:
        return reason


def recorded_rounds(record: int | Sequence[int] | IntArray | None, horizon: int) -> IntArray:
    """The rounds (from 1, ascending) at which regret is noted; the horizon is always among them."""
    if record is None:
        record = POINTS
    if isinstance(record, int | np.integer):
        params.require("simulate", "record", record, Integer(1))
        chosen = np.rint(np.geomspace(1, horizon, int(record))).astype(np.int64)
    else:
        chosen = np.asarray(record)
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or chosen.size == 0:
            raise InvalidParameterError(
                f"The 'record' parameter of simulate must be an int or a sequence of rounds. Got {record!r} instead."
            )
        if chosen.min() < 1 or chosen.max() > horizon:
            raise InvalidParameterError(
                f"The 'record' parameter of simulate must hold rounds from 1 to {horizon}. Got {chosen.min()} to "
                f"{chosen.max()} instead."
            )
    return np.union1d(chosen.astype(np.int64), [horizon])
