"""The whole study: find out what is missing, run it, and say what came out."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import joblib

from rbmle import params
from rbmle.display.frames import pandas
from rbmle.display.progress import Progress
from rbmle.errors import InvalidParameterError
from rbmle.paper.names import names_section
from rbmle.paper.part import Finding, Record
from rbmle.paper.parts import PARTS
from rbmle.paper.plan import FULL, QUICK, VARIANTS, Plan
from rbmle.paper.regret.differences import differences
from rbmle.paper.regret.part import RegretPart
from rbmle.paper.settings import SEED
from rbmle.params import OneOf
from rbmle.report import Facts, Highlights, Report, Section, settings_section, write
from rbmle.simulation.carrying import carry_out
from rbmle.simulation.cluster.opening import named
from rbmle.simulation.engine import require_jobs
from rbmle.simulation.experiment import batches
from rbmle.simulation.manifest import machine, versions
from rbmle.simulation.outcomes import Outcomes

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Study:
    """A finished study."""

    report: Report
    page: Path
    records: Mapping[str, list[Record]]
    lines: list[str]
    seconds: float
    new_trials: int
    workers: int

    def frames(self) -> "dict[str, pd.DataFrame]":
        """All results as data frames, by name."""
        return {name: pandas().DataFrame(list(rows)) for name, rows in self.records.items()}


def run(
    parts: str | Iterable[str] | None = None,
    *,
    quick: bool = False,
    variant: str = "both",
    out: str | PathLike[str] | None = None,
    jobs: int = -1,
    progress: bool | None = None,
) -> "dict[str, pd.DataFrame]":
    """Run the paper's experiments and write the report; returns all results as data frames, by name.

    parts: names of `rbmle.paper.parts.PARTS`, such as "linear-regret"; all by default.
    quick: fewer trials, rounds and sizes: a minute instead of half an hour.
    variant: methods as "published", by their own "authors", or "both".
    out: folder of the report and of finished trials, which are not run again. "results/paper" by default, and
        "results/paper-quick" for a quick run.
    jobs: trials at a time; -1 for one per core. Regret does not depend on it.
    progress: as in `simulate`.
    """
    return study(parts, quick=quick, variant=variant, out=out, jobs=jobs, progress=progress).frames()


def study(
    parts: str | Iterable[str] | None = None,
    *,
    quick: bool = False,
    variant: str = "both",
    out: str | PathLike[str] | None = None,
    jobs: int = -1,
    progress: bool | None = None,
    cluster: str = "local",
    plan: Plan | None = None,
) -> Study:
    """As `run`, with everything there is to know about the outcome.

    cluster: "local", or where trials are run: "dask://host:port" or "ray://host:port"; times are measured here.
    """
    plan = plan or (QUICK if quick else FULL)
    wanted = chosen(parts)
    params.require("run", "variant", variant, OneOf(*VARIANTS))
    require_jobs("run", "jobs", jobs)
    folder = Path(out) if out is not None else Path("results") / ("paper" if plan is FULL else f"paper-{plan.name}")
    start, backend = time.monotonic(), named(cluster) or "threading"
    made = {name: PARTS[name](plan, variant, wanted) for name in wanted}
    workers = joblib.effective_n_jobs(jobs)
    with Outcomes(folder) as outcomes, Progress(progress) as bar:
        experiments = batches((each for part in made.values() for each in part.experiments), workers)
        others = [batch for part in made.values() for batch in part.batches]
        # Threads, for the data are large and stay where they are.
        carry_out([*experiments, *others], outcomes, bar, jobs, backend)
        bar.working("report")
        findings = {name: part.finding(outcomes) for name, part in made.items()}
        both = [part for part in made.values() if isinstance(part, RegretPart)]
        if both:
            findings["differences"] = differences(both, outcomes)
        report = assembled(findings, plan, variant, workers)
        return Study(
            report,
            write(report, folder),
            {name: list(rows) for finding in findings.values() for name, rows in finding.records.items()},
            [line for finding in findings.values() for line in finding.lines],
            time.monotonic() - start,
            len(outcomes.new),
            workers,
        )


def chosen(parts: str | Iterable[str] | None) -> list[str]:
    """Names of parts in the order of the report."""
    names = list(PARTS) if parts is None else [parts] if isinstance(parts, str) else list(parts)
    for name in names:
        params.require("run", "parts", name, OneOf(*PARTS))
    if not names:
        raise InvalidParameterError("The 'parts' parameter of run must name at least one part. Got none.")
    return [name for name in PARTS if name in names]


def assembled(findings: Mapping[str, Finding], plan: Plan, variant: str, workers: int) -> Report:
    """One report of all findings, settings at the end."""
    highlights: dict[str, str] = {}
    for finding in findings.values():
        for number, meaning in finding.highlights.items():
            highlights[number] = f"{highlights[number]}; {meaning}" if number in highlights else meaning
    sections = [finding.section for finding in findings.values()]
    if highlights:
        sections.insert(0, Section("In short", [Highlights(highlights)]))
    return Report(
        title="Reward-biased maximum likelihood estimation for linear stochastic bandits, run again",
        subtitle="Every table and figure of Hung, Hsieh, Liu and Kumar (AAAI 2021) beside the numbers of this run.",
        notice=plan.notice,
        sections=[*sections, names_section(), settings(plan, variant, workers)],
    )


def settings(plan: Plan, variant: str, workers: int) -> Section:
    """Everything needed to run it again."""
    facts: dict[str, Any] = {
        "linear": f"{plan.linear_trials} trials of {plan.linear_horizon:,} rounds, d = 3, K = 10, unit Gaussian noise",
        "generalized linear": f"{plan.glm_trials} trials of {plan.glm_horizon:,} rounds, d = 5, K = 10, logistic",
        "definitions": {"both": "as published and by the authors"}.get(variant, variant),
        "seed": f"{SEED}, NumPy's legacy generator for the sample paths",
        "trials at a time": str(workers),
    }
    rest = settings_section({"versions": versions(), "machine": machine()})
    return Section("Settings, versions and machine", [Facts(facts), *rest.content])
