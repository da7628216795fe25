"""The whole study: tune, evaluate, write the report."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import joblib

from rbmle import params
from rbmle.display.progress import Progress
from rbmle.errors import InvalidParameterError, MissingFileError, RbmleError
from rbmle.params import Integer
from rbmle.report import Report, write
from rbmle.simulation.carrying import carry_out
from rbmle.simulation.cluster.opening import named
from rbmle.simulation.engine import require_jobs
from rbmle.simulation.experiment import Experiment, batches
from rbmle.simulation.outcomes import Outcomes
from rbmle.studies.experiments import Found, Trials
from rbmle.studies.forms import REFERENCES, known_methods
from rbmle.studies.page import report
from rbmle.studies.plan import FULL, QUICK, Plan
from rbmle.studies.settings import SETTINGS
from rbmle.studies.words import reading


@dataclass(frozen=True)
class Study:
    """A finished study.

    lines    what it says in short
    skipped  settings that could not be run, and why
    """

    report: Report
    page: Path
    found: Sequence[Found]
    lines: Sequence[str]
    skipped: Sequence[str]
    seconds: float
    new_trials: int
    workers: int


def study(
    settings: Iterable[str] | None = None,
    *,
    methods: Iterable[str] | None = None,
    quick: bool = False,
    trials: int | None = None,
    seed: int = 0,
    output: str | PathLike[str] | None = None,
    jobs: int = -1,
    progress: bool | None = None,
    own: bool = False,
    cluster: str = "local",
    plan: Plan | None = None,
) -> Study:
    """Compare methods over settings and write the report.

    settings: keys of `SETTINGS`; by default all whose data are at hand.
    methods: names; by default all but the costly ones. LinRBMLE and GLMRBMLE always take part.
    quick: fewer trials and rounds: two minutes instead of twenty.
    trials: of the evaluation, 200 unless said otherwise (16 in a quick run); costly settings have a share of them.
    output: folder of the report and of finished trials, which are not run again. "results/study" by default, and
        "results/study-quick" for a quick run.
    own: policies of yours that are imported take part too.
    cluster: "local", or where trials are run: "dask://host:port" or "ray://host:port".
    """
    plan = (plan or (QUICK if quick else FULL)).with_trials(trials)
    params.require("study", "seed", seed, Integer(0))
    require_jobs("study", "jobs", jobs)
    classes = known_methods(None if methods is None else [*REFERENCES.values(), *methods], own)
    folder = (
        Path(output) if output is not None else Path("results") / ("study" if plan.name == "full" else "study-quick")
    )
    backend = named(cluster) or "threading"
    start, workers = time.monotonic(), joblib.effective_n_jobs(jobs)
    parts, skipped = prepared([Trials(SETTINGS[key], plan, classes, seed) for key in chosen(settings)], settings)
    with Outcomes(folder) as outcomes, Progress(progress) as bar:

        def carry(experiments: Iterable[Experiment]) -> None:
            made = batches((each for each in experiments if each.policies), workers)
            carry_out(made, outcomes, bar, jobs, backend)

        carry(each for part in parts for each in (part.tuning, part.untuned))
        carry(part.evaluation(outcomes) for part in parts)
        bar.working("report")
        found = [part.found(outcomes) for part in parts]
        made = report(found, plan, seed)
        return Study(
            made,
            write(made, folder),
            found,
            reading(found),
            skipped,
            time.monotonic() - start,
            len(outcomes.new),
            workers,
        )


def chosen(settings: Iterable[str] | None) -> list[str]:
    """Keys in the order of the report."""
    return in_order(settings, SETTINGS, "study", "settings")


def in_order(asked: Iterable[str] | None, known: Iterable[str], owner: str, name: str) -> list[str]:
    """Those of the known keys that were asked for, all by default, in the order in which they are known."""
    keys = list(known)
    wanted = keys if asked is None else list(asked)
    unknown = [key for key in wanted if key not in keys]
    if unknown or not wanted:
        raise InvalidParameterError(
            f"The {name!r} parameter of {owner} must be some of {', '.join(keys)}. "
            f"Got {repr(unknown[0]) if unknown else 'none'} instead."
        )
    return [key for key in keys if key in wanted]


def prepared(parts: Sequence[Trials], asked: Iterable[str] | None) -> tuple[list[Trials], list[str]]:
    """Settings whose data are at hand, and why the others are not run; one that was asked for must be there."""
    ready, skipped = [], []
    for part in parts:
        try:
            part.problem  # noqa: B018
        except (MissingFileError, RbmleError) as reason:
            if asked is not None:
                raise
            skipped.append(f"{part.setting.key}: {reason}")
        else:
            ready.append(part)
    return ready, skipped
