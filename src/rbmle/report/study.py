"""The report of any comparison: who lost how much, how long a decision took, and all settings at the end."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from rbmle.display.grid import Grid, duration, number
from rbmle.report.document import Block, Cell, Facts, Figure, Highlights, Report, Section, Table
from rbmle.report.figures import regret_figure
from rbmle.report.plots import compact
from rbmle.simulation import Results
from rbmle.simulation.results import STATISTICS


def report_for(results: Results, title: str = "Comparison of bandit policies", notice: str = "") -> Report:
    """Assemble the report of a finished comparison; `write` puts it on disk."""
    return Report(
        title=title,
        subtitle=f"{len(results.policies)} policies, {results.trials} trials of {results.horizon:,} rounds each.",
        notice=notice,
        sections=[regret_section(results), time_section(results), settings_section(results.manifest)],
    )


def regret_section(results: Results, heading: str = "Regret", name: str = "regret") -> Section:
    """What the policies lost: the verdict in a sentence, the curves, the statistics."""
    best = results.ranking()[0]
    content: list[Block] = [
        Highlights({number(float(results.final_regret(best).mean())): f"mean final regret of {best}, the lowest"}),
        verdict(results),
        Figure(
            caption="Cumulative regret over the rounds: median over the trials, with the middle half as a band. The "
            "numbers in the legend are the medians at the end.",
            drawing=compact(regret_figure(results)),
            name=f"{name}-curves",
            alt=f"Curves of cumulative regret up to round {results.horizon} of {', '.join(by_median(results))}, "
            "the lowest median at the end first.",
        ),
        statistics_of(results, name=f"{name}-statistics"),
    ]
    if len(results.policies) > 1 and results.trials > 1:
        content.append(paired_of(results, name=f"{name}-differences"))
    return Section(heading, content)


def by_median(results: Results) -> list[str]:
    """Names by median final regret, the best first: the order of the curves, which are medians too."""
    return sorted(results.policies, key=lambda name: float(np.median(results.final_regret(name))))


def verdict(results: Results) -> str:
    """Who is best and by how much, from differences within trials, since all policies saw the same sample paths."""
    order = results.ranking()
    best = order[0]
    text = f"**{best}** has the lowest mean final regret, {number(float(results.final_regret(best).mean()))}"
    if len(order) == 1:
        return text + "."
    second = results.compare(best)[order[1]]
    text += f", followed by **{order[1]}** with {number(float(results.final_regret(order[1]).mean()))}."
    if results.trials < 2:
        return text + " One trial alone says nothing about chance: run more."
    return (
        f"{text} Trial by trial, on the same sample paths, the difference is {number(second.mean)}, between "
        f"{number(second.low)} and {number(second.high)} with 95 % confidence: "
        + ("more than chance explains." if second.clear else "too little to tell the two apart with this many trials.")
    )


def table_of(grid: Grid, name: str, caption: str, records: Sequence[Mapping[str, Any]] | None = None) -> Table:
    """A table of texts as one of a report."""
    rows: list[list[Cell | str]] = [
        [Cell(text, "best" if (place, column) in grid.best else "") for column, text in enumerate(row)]
        for place, row in enumerate(grid.rows)
    ]
    return Table(caption, grid.columns, rows, name, records=records)


def statistics_of(results: Results, name: str) -> Table:
    """Statistics of the final regret, the best policy first, the best value of every column in bold."""
    statistics = results.statistics()
    return table_of(
        results.summary(("mean", "SE", *STATISTICS[1:])),
        name,
        f"Final regret after {results.horizon:,} rounds over {results.trials} trials: mean, its standard error "
        "(SE), standard deviation, quantiles. The lowest of a column is bold.",
        [{"policy": policy, **statistics[policy]} for policy in results.ranking()],
    )


def paired_of(results: Results, name: str) -> Table:
    """Differences to the best policy, trial by trial."""
    paired = results.compare(results.ranking()[0])
    return table_of(
        paired.grid(),
        name,
        f"Final regret minus that of {paired.reference}, trial by trial: mean, its 95 % interval (Student's t, "
        f"{paired.trials} pairs), and the share of trials in which the policy lost more. Bold where the interval "
        "excludes zero.",
        [asdict(each) for each in paired.differences],
    )


def time_section(results: Results, heading: str = "Time", name: str = "time") -> Section:
    """How long a decision took, in itself and in multiples of the fastest."""
    seconds = {policy: time for policy, time in results.seconds_per_decision().items() if not math.isnan(time)}
    fastest = min(seconds.values(), default=0.0)
    order = sorted(seconds, key=seconds.__getitem__)
    rows: list[list[Cell | str]] = [
        [
            policy,
            Cell(duration(seconds[policy]), "best" if seconds[policy] == fastest else ""),
            f"{seconds[policy] / fastest:.1f}" if fastest > 0 else "–",
            f"{1 / seconds[policy]:,.0f}" if seconds[policy] > 0 else "–",
        ]
        for policy in order
    ]
    table = Table(
        caption="Time of a decision, choosing and learning together, averaged over all rounds and timed trials.",
        columns=["policy", "per decision", "× fastest", "decisions per second"],
        rows=rows,
        name=f"{name}-per-decision",
        records=[
            {"policy": policy, "seconds": seconds[policy], "std": float(np.nanstd(results.seconds[policy]))}
            for policy in order
        ],
    )
    words = "Measured inside the run, around the policy alone. Compare the methods with each other, not machines."
    if any(np.isnan(values).any() for values in results.seconds.values()):
        words += " Trials that came from a store were timed in another run and are left out."
    return Section(heading, [words, table])


def settings_section(manifest: Mapping[str, Any], heading: str = "Settings") -> Section:
    """Everything that is needed to run it again: problem, policies, seed, versions, machine."""
    groups = {name: value for name, value in manifest.items() if isinstance(value, Mapping)}
    general = {name: shown(value) for name, value in manifest.items() if name not in groups}
    content: list[Block] = [Facts(general)] if general else []
    for name, group in groups.items():
        content.append(Section(name.capitalize(), [Facts({key: shown(value) for key, value in group.items()})]))
    return Section(heading, content)


def shown(value: Any) -> str:
    """A setting as text: a policy as its constructor would be written, everything else plainly."""
    if isinstance(value, Mapping):
        rest = dict(value)
        label = rest.pop("policy", None)
        inner = ", ".join(f"{key}={shown(item)}" for key, item in rest.items())
        return f"`{label}({inner})`" if label else inner
    if isinstance(value, list | tuple):
        return f"({', '.join(shown(item) for item in value)})"
    return f"{value:g}" if isinstance(value, float) else str(value)
