"""The report of any comparison: who lost how much, how long a decision took, and all settings at the end."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from rbmle.report.document import Block, Cell, Facts, Figure, Highlights, Report, Section, Table
from rbmle.report.figures import regret_figure
from rbmle.report.plots import compact
from rbmle.report.tables import STATISTICS, duration
from rbmle.simulation import Results


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
    return Section(heading, content)


def by_median(results: Results) -> list[str]:
    """Names by median final regret, the best first: the order of the curves, which are medians too."""
    return sorted(results.policies, key=lambda name: float(np.median(results.final_regret(name))))


def verdict(results: Results) -> str:
    """Who is best and by how much, from differences within trials, since all policies saw the same sample paths."""
    order = results.ranking()
    best = order[0]
    final = results.final_regret(best)
    text = f"**{best}** has the lowest mean final regret, {number(float(final.mean()))}"
    if len(order) == 1:
        return text + "."
    extra = results.final_regret(order[1]) - final
    text += f", followed by **{order[1]}** with {number(float(results.final_regret(order[1]).mean()))}."
    if results.trials < 2:
        return text + " One trial alone says nothing about chance: run more."
    error = float(extra.std(ddof=1)) / math.sqrt(results.trials)
    clear = float(extra.mean()) > 2 * error
    return (
        f"{text} Trial by trial, on the same sample paths, the difference is {number(float(extra.mean()))} with a "
        f"standard error of {number(error)}: "
        + ("more than chance explains." if clear else "too little to tell the two apart with this many trials.")
    )


def statistics_of(results: Results, name: str, caption: str = "") -> Table:
    """Statistics of the final regret, the best policy first, the best value of every column in bold."""
    statistics = results.statistics()
    best = {column: min(row[column] for row in statistics.values()) for column in STATISTICS}
    rows: list[list[Cell | str]] = []
    for policy in results.ranking():
        row = statistics[policy]
        cells = [Cell(number(row[c]), "best" if row[c] == best[c] else "") for c in STATISTICS]
        error = row["std"] / math.sqrt(max(results.trials - 1, 1))
        rows.append([policy, *cells[:1], number(error), *cells[1:]])
    return Table(
        caption=caption
        or f"Final regret after {results.horizon:,} rounds over {results.trials} trials: mean, its standard error "
        "(SE), standard deviation, quantiles. The lowest of a column is bold.",
        columns=["policy", STATISTICS[0], "SE", *STATISTICS[1:]],
        rows=rows,
        name=name,
        records=[{"policy": policy, **statistics[policy]} for policy in results.ranking()],
    )


def time_section(results: Results, heading: str = "Time", name: str = "time") -> Section:
    """How long a decision took, in itself and in multiples of the fastest."""
    seconds = results.seconds_per_decision()
    fastest = min(seconds.values())
    order = sorted(results.policies, key=lambda policy: seconds[policy])
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
        caption="Time of a decision, choosing and learning together, averaged over all rounds and trials.",
        columns=["policy", "per decision", "× fastest", "decisions per second"],
        rows=rows,
        name=f"{name}-per-decision",
        records=[
            {"policy": policy, "seconds": seconds[policy], "std": float(np.std(results.seconds[policy]))}
            for policy in order
        ],
    )
    return Section(
        heading,
        ["Measured inside the run, around the policy alone. Compare the methods with each other, not machines.", table],
    )


def settings_section(manifest: Mapping[str, Any], heading: str = "Settings") -> Section:
    """Everything that is needed to run it again: problem, policies, seed, versions, machine."""
    groups = {name: value for name, value in manifest.items() if isinstance(value, Mapping)}
    general = {name: shown(value) for name, value in manifest.items() if name not in groups}
    content: list[Block] = [Facts(general)] if general else []
    for name, group in groups.items():
        content.append(Section(name.capitalize(), [Facts({key: shown(value) for key, value in group.items()})]))
    return Section(heading, content)


def number(value: float) -> str:
    """Two decimals, as the paper prints, as long as they mean something."""
    return f"{value:.2f}" if abs(value) < 10_000 else f"{value:,.0f}"


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
