"""Figures of evaluations: estimates with their intervals, the largest weights, calibration and drift."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rbmle.display.figures import PALETTE, new_figure
from rbmle.evaluation.kinds import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rbmle.evaluation.evaluation import Evaluation

GUESSED = "probabilities estimated, not logged"
LINE = 0.42
"""Inches of one interval."""


def intervals_figure(evaluation: "Evaluation", width: float = 6.4) -> "Figure":
    """One line per estimator and interval, and the logging policy's mean reward across."""
    rows: list[tuple[str, float, Interval | None]] = []
    for each in evaluation.estimates.values():
        found = list(each.intervals.values())
        rows += [(each.name if len(found) < 2 else f"{each.name}, {one.kind}", each.value, one) for one in found]
        if not found:
            rows.append((each.name, each.value, None))
    figure = new_figure(width, 1.0 + LINE * max(len(rows), 2))
    axes = figure.subplots()
    draw_intervals(axes, rows)
    low, high = evaluation.mean_reward - 1.96 * evaluation.mean_reward_error, 0.0
    high = 2.0 * evaluation.mean_reward - low
    axes.axvspan(low, high, color="#b0b0b0", alpha=0.35, lw=0, zorder=0)
    axes.axvline(evaluation.mean_reward, color="#777777", lw=1.0, zorder=1)
    axes.set_xlabel(f"reward per decision (line: the logging policy, {evaluation.mean_reward:.4g})")
    title(axes, f"{evaluation.target} on {evaluation.n:,} rows", evaluation.estimated)
    return figure


def draw_intervals(axes: "Axes", rows: Sequence[tuple[str, float, Interval | None]]) -> None:
    """Points with bars, the first on top."""
    names = list(dict.fromkeys(name.split(",")[0] for name, _, _ in rows))
    for place, (name, value, found) in enumerate(rows):
        color = PALETTE[names.index(name.split(",")[0]) % len(PALETTE)]
        if found is not None:
            axes.plot([found.low, found.high], [place, place], color=color, lw=2.2, solid_capstyle="butt")
        axes.plot([value], [place], "o", color=color, ms=6)
    axes.set_yticks(range(len(rows)), [name for name, _, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    plain(axes)


def calibration_figure(evaluation: "Evaluation", size: tuple[float, float] = (4.2, 3.4)) -> "Figure":
    """Logged chances against shares served: on the line where probabilities are true."""
    figure = new_figure(*size)
    axes = figure.subplots()
    bins = () if evaluation.diagnostics is None else evaluation.diagnostics.bins
    axes.plot([0, 1], [0, 1], color="#b0b0b0", lw=1.0)
    logged, served = [each.logged for each in bins], [each.served for each in bins]
    width = [1.96 * np.sqrt(max(p * (1 - p), 0.0) / each.arms) for p, each in zip(logged, bins, strict=True)]
    axes.errorbar(logged, served, yerr=width, fmt="o", color=PALETTE[0], ms=5, lw=1.4)
    axes.set_xlabel("logged chance of an arm")
    axes.set_ylabel("share served")
    plain(axes)
    title(axes, "Logged chances", evaluation.estimated)
    return figure


def drift_figure(evaluation: "Evaluation", size: tuple[float, float] = (4.2, 3.4)) -> "Figure":
    """Mean reward of the log and the estimate of the target, over time."""
    figure = new_figure(*size)
    axes = figure.subplots()
    spans = () if evaluation.diagnostics is None else evaluation.diagnostics.spans
    place = np.arange(1, len(spans) + 1)
    for shift, color, name, value, spread in (
        (-0.12, "#777777", "logging policy", "reward", "reward_error"),
        (0.12, PALETTE[0], f"{evaluation.target} (ips)", "estimate", "estimate_error"),
    ):
        y = [getattr(span, value) for span in spans]
        width = [1.96 * getattr(span, spread) for span in spans]
        axes.errorbar(place + shift, y, yerr=width, fmt="o", color=color, ms=4, lw=1.2, label=name)
    axes.set_xlabel("part of the log, in order of time")
    axes.set_ylabel("reward per decision")
    axes.legend(frameon=False, fontsize=8)
    plain(axes)
    title(axes, "Over time", evaluation.estimated)
    return figure


def differences_figure(
    differences: Mapping[str, tuple[float, float, float]], estimated: bool, width: float = 6.4
) -> "Figure":
    """Candidates against the logging policy: (value, low, high) of each; an interval that excludes 0 is in colour."""
    figure = new_figure(width, 1.0 + LINE * max(len(differences), 2))
    axes = figure.subplots()
    axes.axvline(0.0, color="#777777", lw=1.0)
    for place, (value, low, high) in enumerate(differences.values()):
        color = PALETTE[2] if low > 0 else PALETTE[1] if high < 0 else "#777777"
        axes.plot([low, high], [place, place], color=color, lw=2.2, solid_capstyle="butt")
        axes.plot([value], [place], "o", color=color, ms=6)
    axes.set_yticks(range(len(differences)), list(differences))
    axes.set_ylim(len(differences) - 0.5, -0.5)
    axes.set_xlabel("reward per decision, more than the logging policy")
    plain(axes)
    title(axes, "", estimated)
    return figure


def plain(axes: "Axes") -> None:
    """A quiet frame."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", lw=0.5, color="#e5e5e5")
    axes.set_axisbelow(True)


def title(axes: "Axes", text: str, estimated: bool) -> None:
    """A title on the left; where probabilities were estimated every figure says so."""
    words: dict[str, Any] = {"loc": "left", "fontsize": 10}
    axes.set_title(text + (f"\n{GUESSED}" if estimated and text else GUESSED if estimated else ""), **words)
