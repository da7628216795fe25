"""Reports about logs: what policies would have earned, and which of several to switch on."""

from collections.abc import Mapping
from typing import Any

from rbmle.display.grid import Grid
from rbmle.errors import InvalidInputError
from rbmle.evaluation import Evaluation, Selection
from rbmle.evaluation.diagnostics import Diagnostics
from rbmle.evaluation.evaluation import GUESSED, shown
from rbmle.evaluation.plot import calibration_figure, drift_figure
from rbmle.report.document import Block, Bullets, Facts, Figure, Highlights, Panels, Report, Section, Table, slug
from rbmle.report.study import table_of


def evaluation_report(*evaluations: Evaluation, title: str = "What a log says of a policy") -> Report:
    """The report of one evaluation or several; `write` puts it on disk."""
    if not evaluations:
        raise InvalidInputError("evaluation_report needs at least one evaluation. Got none.")
    first = evaluations[0]
    several = len(evaluations) > 1
    sections = [section_of(each, f"{slug(each.target)}-{place}-" if several else "", several)
                for place, each in enumerate(evaluations)]  # fmt: skip
    return Report(
        title=title,
        subtitle=f"{first.log}: {first.n:,} rows, rewards of {shown(first.mean_reward)} per decision on average.",
        notice=GUESSED if any(each.estimated for each in evaluations) else "",
        sections=[*sections, assumptions(evaluations), Section("Settings", [Facts(facts(first.settings))])],
    )


def selection_report(found: Selection, title: str = "Which policy to switch on") -> Report:
    """The report of a selection; `write` puts it on disk."""
    content: list[Block] = [
        Highlights({found.best or "none": "to be switched on" if found.best else "is told apart as better"}),
        Bullets(found.verdict),
        Figure(
            caption="How much more than the logging policy each candidate would have earned per decision. The "
            "intervals hold for all of them together; coloured ones exclude no difference.",
            drawing=found.plot(),
            name="differences",
            alt="; ".join(f"{each.name}: {each.claim}" for each in found.candidates.values()),
        ),
        of_grid(found.summary(), "candidates"),
    ]
    if found.trained:
        content.append(of_grid(found.sweeps(), "sweeps"))
    candidates = [
        section_of(each, f"{slug(name)}-{place}-", named=True, name=name)
        for place, (name, each) in enumerate(found.evaluations.items())
    ]
    return Report(
        title=title,
        subtitle=f"{len(found.candidates)} candidates on {found.n:,} held-out rows of {found.log}.",
        notice=GUESSED if found.estimated else "",
        sections=[
            Section("Answer", content), *candidates, assumptions(tuple(found.evaluations.values())),
            Section("Settings", [Facts(facts(found.settings))]),
        ],
    )  # fmt: skip


def section_of(found: Evaluation, prefix: str, named: bool, name: str = "") -> Section:
    """One evaluation: what it says, the estimates, and whether the log can answer.

    named: whether headings and captions must say which policy is meant
    """
    told = found.estimates[found.headline]
    called = name or found.target
    content: list[Block] = [
        Highlights({shown(told.value): f"reward per decision of {called}, by {told.name}"}),
        Bullets(found.verdict.lines),
        Figure(
            caption="Estimates with their intervals; the line is what the logging policy earned, with its interval.",
            drawing=found.plot(),
            name=f"{prefix}intervals",
            alt="; ".join(f"{each.name} {shown(each.value)}" for each in found.estimates.values()),
        ),
        of_grid(found.summary(), f"{prefix}estimates"),
    ]
    if found.diagnostics is not None:
        content.append(Section(f"Can the log answer for {called}?" if named else "Can the log answer?",
                               diagnostics_of(found, found.diagnostics, prefix)))  # fmt: skip
    return Section(called if named else "Answer", content)


def diagnostics_of(found: Evaluation, known: Diagnostics, prefix: str) -> list[Block]:
    """Weights, probabilities and the course in time."""
    low, high = known.mean_weight_interval()
    told = {
        "rows": f"{known.n:,}",
        "worth so many rows of the target's own": f"{known.effective_size:,.0f}",
        "mean weight, which must be 1": f"{known.mean_weight:.4g} ({low:.4g} to {high:.4g})",
        "weight of the three largest rows": f"{100 * known.largest_share:.2g} %",
        "largest weight": f"{known.largest[0]:.4g}, row {known.largest_rows[0]}" if len(known.largest) else "–",
        "rows that the target would never have served": f"{100 * known.never_served:.3g} %",
        "choices of the target without a chance in the log": "not known"
        if known.unsupported is None
        else f"{100 * known.unsupported:.3g} %",
        "smallest logged chance of an arm served": f"{known.smallest_probability:.3g}",
    }
    panels = []
    if known.bins:
        panels.append(
            Figure("Logged chances of all arms against the shares in which they were served.",
                   calibration_figure(found), f"{prefix}calibration", alt="On the diagonal where they are true.")
        )  # fmt: skip
    if known.spans:
        panels.append(
            Figure("Mean reward of the log, and the estimate, over its time.", drift_figure(found), f"{prefix}drift",
                   alt="Level where nothing changes.")
        )  # fmt: skip
    blocks: list[Block] = [Facts(told)]
    if panels:
        blocks.append(Panels("Whether logged chances are true, and whether rewards changed.", panels))
    return blocks


def assumptions(evaluations: tuple[Evaluation, ...]) -> Section:
    """What each kind of interval needs to be right."""
    needs: dict[tuple[str, str], tuple[str, ...]] = {}
    for each in evaluations:
        for estimate in each.estimates.values():
            for kind, interval in estimate.intervals.items():
                needs.setdefault((estimate.name, kind), interval.assumptions)
    rows = [[name, kind, "; ".join(told)] for (name, kind), told in needs.items()]
    table = Table(
        "What each interval needs to be right.", ["estimator", "interval", "assumes"], rows, "assumptions", "lll"
    )
    return Section("Assumptions", [table] if rows else ["No intervals were asked for."])


def of_grid(grid: Grid, name: str) -> Table:
    """A table of texts as one of a report, its caption kept."""
    return table_of(grid, name, grid.caption)


def facts(settings: Mapping[str, Any]) -> dict[str, str]:
    """What was asked for, as texts."""
    return {
        name: ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        for name, value in settings.items()
        if value is not None
    }
