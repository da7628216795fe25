"""Figures of an agent: rewards in time, rewards of arms, how late rewards come, arms served against their chances."""

import datetime
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rbmle.display.figures import PALETTE, new_figure
from rbmle.evaluation.kinds import Interval
from rbmle.evaluation.plot import draw_intervals
from rbmle.report.plots import PANEL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rbmle.online.course import Course

WIDE = 1.96
DAY = 86400.0
UNITS = (("seconds", 1.0), ("minutes", 60.0), ("hours", 3600.0), ("days", DAY))
# Arms that a figure shows.
DRAWN = 20


def rewards_figure(course: "Course", size: tuple[float, float] = (7.2, 3.2)) -> "Figure":
    """Mean reward in spans of equally many decisions, with 95 % intervals."""
    figure = new_figure(*size)
    axes = figure.subplots()
    spans = course.in_spans()
    times, means, errors = (np.array([span[place] for span in spans]) for place in (0, 2, 3))
    start, (unit, seconds) = (times[0], unit_of(times[-1] - times[0])) if len(times) else (0.0, UNITS[0])
    axes.errorbar(
        (times - start) / seconds, means, yerr=WIDE * np.nan_to_num(errors), fmt="o-", color=PALETTE[0], ms=4, lw=1.2
    )
    axes.set_xlabel(f"{unit} since {moment(start)}")
    axes.set_ylabel("mean reward")
    plain(axes)
    return figure


def days_figure(days: Sequence[dict[str, Any]], size: tuple[float, float] = (7.2, 3.0)) -> "Figure":
    """Mean reward of each day, and how many rewards were learnt, as bars."""
    figure = new_figure(*size)
    axes = figure.subplots()
    places = np.arange(len(days))
    behind = axes.twinx()
    behind.bar(places, [day["learnt"] for day in days], color="#c8c8c8", width=0.8, zorder=0)
    behind.set_ylabel("rewards learnt (bars)")
    axes.set_zorder(behind.get_zorder() + 1)
    axes.patch.set_visible(False)
    axes.plot(places, [day["mean_reward"] for day in days], "o-", color=PALETTE[0], ms=4, lw=1.4)
    axes.set_ylabel("mean reward (line)")
    step = max(1, math.ceil(len(days) / 8))
    axes.set_xticks(places[::step], [day["day"] for day in days][::step], rotation=30, ha="right", fontsize=8)
    for each in (axes, behind):
        each.spines["top"].set_visible(False)
    return figure


def arms_figure(course: "Course", width: float = 4.6) -> "Figure":
    """Mean reward of each arm with its 95 % interval, the best first."""
    rows = course.by_arm()[:DRAWN]
    figure = new_figure(width, 1.0 + 0.32 * max(2, len(rows)))
    axes = figure.subplots()
    draw_intervals(
        axes,
        [
            (str(arm), mean, None if math.isnan(e) else Interval(mean - WIDE * e, mean + WIDE * e, 0.95, "", ()))
            for arm, _, mean, e in rows
        ],
    )
    axes.set_xlabel("mean reward of the decisions that served it")
    return figure


def shares_figure(arms: Sequence[dict[str, Any]], size: tuple[float, float] = PANEL) -> "Figure":
    """How often each arm was served against how often it should have been, where chance decided."""
    figure = new_figure(*size)
    axes = figure.subplots()
    shown = [each for each in arms if each["spread"] > 0.0]
    expected, served = ([each[name] for each in shown] for name in ("expected", "by_chance"))
    most = max([*expected, *served, 1.0])
    axes.plot([0, most], [0, most], color="#b0b0b0", lw=1.0)
    axes.errorbar(
        expected, served, xerr=[WIDE * each["spread"] for each in shown], fmt="o", color=PALETTE[0], ms=5, lw=1.4
    )
    axes.set_xlabel("expected from the logged chances")
    axes.set_ylabel("times served")
    plain(axes)
    return figure


def delays_figure(course: "Course", wait: float | None, size: tuple[float, float] = PANEL) -> "Figure":
    """The share of rewards that had come after some time; a line at the end of the waiting time."""
    figure = new_figure(*size)
    axes = figure.subplots()
    delays = np.sort(course.delay[~np.isnan(course.delay)])
    unit, seconds = unit_of(float(np.quantile(delays, 0.9)) if len(delays) else 0.0)
    axes.step(delays / seconds, np.arange(1, len(delays) + 1) / max(1, len(delays)), where="post", color=PALETTE[0])
    if wait is not None:
        axes.axvline(wait / seconds, color="#777777", lw=1.0)
    axes.set_ylim(0.0, 1.03)
    axes.set_xlabel(f"{unit} after the decision")
    axes.set_ylabel("share of rewards told")
    plain(axes)
    return figure


def unit_of(seconds: float) -> tuple[str, float]:
    """The unit in which one would say such a time."""
    return next((unit for unit in reversed(UNITS) if seconds >= 2.0 * unit[1]), UNITS[0])


def moment(time: float) -> str:
    """A moment (UTC), to the minute; its seconds where there is no such date."""
    try:
        return f"{datetime.datetime.fromtimestamp(time, datetime.UTC):%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):
        return f"{time:g} s"


def plain(axes: "Axes") -> None:
    """Few lines around, faint ones behind."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(lw=0.5, color="#e5e5e5")
    axes.set_axisbelow(True)
