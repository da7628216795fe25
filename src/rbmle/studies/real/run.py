"""The study of real data: tune, play, write the report. Finished trials are kept, as they are everywhere."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from rbmle import params
from rbmle.display.progress import Progress
from rbmle.errors import InvalidParameterError, RbmleError
from rbmle.params import Integer
from rbmle.problems import Problem
from rbmle.report import Report, write
from rbmle.simulation.carrying import carry_out
from rbmle.simulation.engine import require_jobs
from rbmle.simulation.experiment import Experiment, Source, batches, identity_or_reason, recorded_rounds
from rbmle.simulation.manifest import settings_of
from rbmle.simulation.outcomes import Outcomes
from rbmle.studies.experiments import form_name, grid_name, seeds
from rbmle.studies.real.entrants import BASELINE, REFERENCE, Entrant, entrants
from rbmle.studies.real.found import Found
from rbmle.studies.real.page import report
from rbmle.studies.real.reading import reading
from rbmle.studies.real.sets import SETS, RealSet
from rbmle.studies.real.timing import seconds_per_decision
from rbmle.studies.run import in_order

TRIALS, TUNING_TRIALS, ROUNDS, POINTS = 20, 4, 1000, 40


@dataclass(frozen=True)
class RealData:
    """A finished study.

    found    what each set showed
    lines    what it says in short
    skipped  libraries and sets that are not here, and why
    """

    report: Report
    page: Path
    found: list[Found]
    lines: list[str]
    skipped: list[str]
    seconds: float
    new_trials: int


@dataclass(frozen=True, eq=False)
class Plays:
    """The trials of one set."""

    real: RealSet
    problem: Problem
    methods: Mapping[str, Entrant]
    rounds: int
    trials: int
    tuning_trials: int
    seed: int

    @property
    def horizon(self) -> int:
        """Rounds of a trial: all rows, or as many as are asked for."""
        return min(self.rounds, self.problem.horizon or self.rounds)

    def untuned(self) -> Experiment:
        """All methods as they come."""
        policies = {
            form_name(name, "default"): each.make(self.real, self.problem, None) for name, each in self.methods.items()
        }
        return self._experiment(policies, self.trials, seeds(self.seed)[0], "as they come")

    def tuning(self) -> Experiment:
        """Every value of every dial, on seeds that are not played again."""
        policies = {
            grid_name(name, value): each.make(self.real, self.problem, value)
            for name, each in self.methods.items()
            for value in each.values
        }
        return self._experiment(policies, self.tuning_trials, seeds(self.seed)[1], "tuning")

    def chosen(self, outcomes: Outcomes) -> dict[str, float]:
        """By method, the value of least mean regret."""
        experiment = self.tuning()
        if not experiment.policies:
            return {}
        results = experiment.results(outcomes)
        regret = {name: float(results.final_regret(name).mean()) for name in results.policies}
        return {
            name: min(each.values, key=lambda value: regret[grid_name(name, value)])
            for name, each in self.methods.items()
            if each.values
        }

    def tuned(self, outcomes: Outcomes) -> Experiment:
        """What tuning chose, on the seeds that count."""
        policies = {
            form_name(name, "tuned"): self.methods[name].make(self.real, self.problem, value)
            for name, value in self.chosen(outcomes).items()
        }
        return self._experiment(policies, self.trials, seeds(self.seed)[0], "tuned")

    def found(self, outcomes: Outcomes) -> Found:
        """What came out."""
        results = None
        for experiment in (self.untuned(), self.tuned(outcomes)):
            if experiment.policies:
                part = experiment.results(outcomes)
                results = part if results is None else results + part
        if results is None:
            raise InvalidParameterError("The 'methods' parameter of real_data must name a method. Got none.")
        times = seconds_per_decision(self.real, self.problem, self.methods, self.rounds, self.seed)
        return Found(self.real, self.problem, self.methods, results, self.chosen(outcomes), times)

    def _experiment(self, policies: dict[str, Any], trials: int, seed: int, kind: str) -> Experiment:
        source = Source(
            (self.real.key, seed), settings_of(self.problem), identity_or_reason(self.problem), lambda: self.problem
        )
        rounds = recorded_rounds(np.linspace(1, self.horizon, POINTS).astype(np.int64), self.horizon)
        return Experiment(
            policies, source, self.horizon, trials, seed, np.unique(rounds), kind=f"{self.real.key} · {kind}"
        )


def real_data(
    sets: Iterable[str] | None = None,
    *,
    methods: Iterable[str] | None = None,
    trials: int = TRIALS,
    tuning_trials: int = TUNING_TRIALS,
    rounds: int = ROUNDS,
    seed: int = 0,
    output: str | PathLike[str] = Path("results") / "real-data",
    jobs: int = -1,
    progress: bool | None = None,
) -> RealData:
    """Play our methods and those of other libraries on real data, and write the report.

    sets: keys of `SETS`; by default all whose packages are installed.
    methods: names of `entrants()`; by default all whose libraries are installed. LinRBMLE auto and Uniform always play.
    trials: shuffles of a set, the same for all methods.
    tuning_trials: shuffles for each value of what is tuned, others than those.
    rounds: of a trial at most; a set with fewer rows is played through once.
    output: folder of the report and of finished trials: a run that was stopped goes on where it was.
    """
    for name, value in (("trials", trials), ("tuning_trials", tuning_trials), ("rounds", rounds)):
        params.require("real_data", name, value, Integer(2))
    params.require("real_data", "seed", seed, Integer(0))
    require_jobs("real_data", "jobs", jobs)
    start, workers, folder = time.monotonic(), joblib.effective_n_jobs(jobs), Path(output)
    taking_part, skipped = installed(methods)
    parts = []
    for key in wanted(sets):
        try:
            problem = SETS[key].make()
        except RbmleError as reason:
            if sets is not None:
                raise
            skipped.append(f"{key}: {reason}")
        else:
            sizes = int(rounds), int(trials), int(tuning_trials), int(seed)
            parts.append(Plays(SETS[key], problem, taking_part, *sizes))
    with Outcomes(folder) as outcomes, Progress(progress) as bar:

        def carry(experiments: Iterable[Experiment]) -> None:
            made = batches((each for each in experiments if each.policies), workers)
            carry_out(made, outcomes, bar, workers)

        carry(each for part in parts for each in (part.untuned(), part.tuning()))
        carry(part.tuned(outcomes) for part in parts)
        bar.working("times and report")
        found = [part.found(outcomes) for part in parts]
        made = report(found, skipped, int(tuning_trials), int(seed))
        page = write(made, folder)
        return RealData(made, page, found, reading(found), skipped, time.monotonic() - start, len(outcomes.new))


def installed(methods: Iterable[str] | None) -> tuple[dict[str, Entrant], list[str]]:
    """Those that can take part, and why others cannot; one that was asked for must be there."""
    every = entrants()
    asked = None if methods is None else {REFERENCE, BASELINE, *methods}
    unknown = sorted(set(asked or ()) - set(every))
    if unknown:
        raise InvalidParameterError(
            f"The 'methods' parameter of real_data must be some of {', '.join(every)}. Got {unknown[0]!r} instead."
        )
    some = {name: each for name, each in every.items() if asked is None or name in asked}
    absent = {name: each for name, each in some.items() if not each.here}
    if asked is not None and absent:
        name, each = next(iter(absent.items()))
        raise RbmleError(f"{name} needs {each.module}: pip install {each.library}.")
    reasons = [f"{name}: {each.library} is not installed" for name, each in absent.items()]
    return {name: each for name, each in some.items() if each.here}, reasons


def wanted(sets: Iterable[str] | None) -> list[str]:
    """Keys in the order of the report."""
    return in_order(sets, SETS, "real_data", "sets")
