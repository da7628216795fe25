"""Figures that a replication needs beside the regret curves, all drawn to stay legible on a phone and in the dark."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rbmle.display.figures import LEGEND_HANDLE, LEGEND_LETTER, LEGEND_LINE
from rbmle.display.grid import duration
from rbmle.report.figures import look, new_figure
from rbmle.types import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure as Drawing

PANEL = (4.2, 3.4)
"""Inches of a figure that stands beside others in `Panels`."""

MARKERS = "osD^vP*X<>hd"
LINES_WITHIN = 3
"""So many lines of a legend fit into the height asked for."""
WIDE_RANGE = 30.0
"""From this ratio of largest to smallest on, an axis is logarithmic."""


def compact(drawing: "Drawing", width: float = 5.6, height: float = 4.4, columns: int = 3) -> "Drawing":
    """Give a figure of one plot a shape for a narrow column: less wide, with the legend below, however long it is."""
    axes = drawing.axes[0]
    legend = axes.get_legend()
    if legend is not None:
        legend.remove()
    labels = axes.get_legend_handles_labels()[1]
    longest = LEGEND_HANDLE + LEGEND_LETTER * max(map(len, labels), default=0)
    columns = max(1, min(columns, int(width / longest)))
    lines = -(-len(labels) // columns)
    drawing.set_size_inches(width, height + LEGEND_LINE * max(0, lines - LINES_WITHIN))
    _legend_below(drawing, axes, columns)
    return drawing


def time_against_regret(
    seconds: Mapping[str, float], regret: Mapping[str, float], *, title: str = "", size: tuple[float, float] = PANEL
) -> "Drawing":
    """One point per policy, time of a decision against mean final regret: the nearer to the lower left, the better."""
    drawing, axes = _plot(size, title)
    regret = {name: value for name, value in regret.items() if not math.isnan(seconds[name])}
    seconds = {name: seconds[name] for name in regret}
    for k, name in enumerate(regret):
        axes.plot(
            [seconds[name]], [regret[name]], MARKERS[k % len(MARKERS)], label=name, color=look(k)["color"], ms=7, ls=""
        )
    axes.set_xscale("log")
    _log_ticks(axes.xaxis, list(seconds.values()), duration)
    if _scale(axes.set_yscale, axes.set_ylim, list(regret.values())):
        _log_ticks(axes.yaxis, list(regret.values()))
    axes.set_xlabel("time per decision")
    axes.set_ylabel("mean final regret")
    axes.margins(0.08)
    _legend_below(drawing, axes, 3)
    return drawing


def bound_over_regret(
    rounds: IntArray | FloatArray,
    regret: FloatArray,
    bounds: Mapping[str, FloatArray],
    *,
    title: str = "",
    size: tuple[float, float] = PANEL,
) -> "Drawing":
    """Measured regret, shape (trials, R), under one or more bounds, both axes logarithmic.

    The curve is the median over the trials, the band reaches from the least to the largest, so a trial above a bound
    would show.
    """
    drawing, axes = _plot(size, title)
    floor = max(float(regret[regret > 0].min(initial=np.inf)), 1e-3) if (regret > 0).any() else 1e-3
    shown = np.maximum(regret, floor)  # a logarithmic axis has no zero
    axes.plot(rounds, np.median(shown, axis=0), label="measured, median", lw=1.6, **look(0))
    axes.fill_between(rounds, shown.min(axis=0), shown.max(axis=0), color=look(0)["color"], alpha=0.18, lw=0)
    for k, (name, curve) in enumerate(bounds.items(), start=1):
        axes.plot(rounds, curve, label=name, lw=1.6, color=look(k)["color"], ls="--")
    axes.set_xscale("log")
    axes.set_yscale("log")
    _log_ticks(axes.xaxis, [float(rounds[0]), float(rounds[-1])])
    _log_ticks(axes.yaxis, [float(shown.min()), *(float(np.max(curve)) for curve in bounds.values())])
    axes.set_xlabel("round")
    axes.set_ylabel("cumulative regret")
    _legend_below(drawing, axes, 2)
    return drawing


def bias_sweep(
    exponents: Sequence[float],
    scales: Sequence[float],
    regret: FloatArray,
    *,
    chosen: tuple[float, float] = (1.0, 0.5),
    title: str = "",
    size: tuple[float, float] = PANEL,
) -> "Drawing":
    """Mean final regret for a bias α(t) = c·t^p: a curve over p for every c; `chosen` (c, p) is ringed.

    `regret` has shape (scales, exponents).
    """
    drawing, axes = _plot(size, title)
    for k, (scale, row) in enumerate(zip(scales, regret, strict=True)):
        axes.plot(exponents, row, marker=MARKERS[k % len(MARKERS)], ms=4, lw=1.4, label=f"c = {scale:g}", **look(k))
    if chosen[0] in scales and chosen[1] in exponents:
        value = regret[list(scales).index(chosen[0]), list(exponents).index(chosen[1])]
        ring: dict[str, Any] = {"mfc": "none", "mec": "#000000", "mew": 1.4, "ls": "", "ms": 13}
        axes.plot([chosen[1]], [value], "o", label=f"c = {chosen[0]:g}, p = {chosen[1]:g}", **ring)
    if _scale(axes.set_yscale, axes.set_ylim, regret.ravel().tolist()):
        _log_ticks(axes.yaxis, regret.ravel().tolist())
    axes.set_xlabel("exponent p")
    axes.set_ylabel("mean final regret")
    _legend_below(drawing, axes, 3)
    return drawing


def sensitivity(
    curves: Mapping[str, tuple[FloatArray, FloatArray]], *, title: str = "", size: tuple[float, float] = PANEL
) -> "Drawing":
    """A curve per method: mean final regret over its tuned parameter, in multiples of its default; both logarithmic."""
    drawing, axes = _plot(size, title)
    for k, (name, (values, regret)) in enumerate(curves.items()):
        axes.plot(
            values, regret, marker=MARKERS[k % len(MARKERS)], ms=4, lw=2.2 if k == 0 else 1.3, label=name, **look(k)
        )
    axes.axvline(1.0, color="#b0b0b0", lw=1.0, zorder=0)
    every = [float(value) for _, regret in curves.values() for value in regret]
    axes.set_xscale("log")
    _log_ticks(axes.xaxis, [float(value) for values, _ in curves.values() for value in values])
    if _scale(axes.set_yscale, axes.set_ylim, every):
        _log_ticks(axes.yaxis, every)
    axes.set_xlabel("parameter ÷ its default")
    axes.set_ylabel("mean final regret")
    _legend_below(drawing, axes, 3)
    return drawing


def _plot(size: tuple[float, float], title: str) -> "tuple[Drawing, Axes]":
    drawing = new_figure(*size)
    axes = drawing.subplots()
    axes.set_title(title, loc="left", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(lw=0.5, color="#e5e5e5")
    axes.set_axisbelow(True)
    return drawing, axes


def _scale(set_scale: Any, set_limits: Any, values: Sequence[float]) -> bool:
    """Choose a logarithmic axis, or one from zero; tells which."""
    if min(values) > 0 and max(values) > WIDE_RANGE * min(values):
        set_scale("log")
        return True
    set_limits(bottom=0.0, top=1.1 * max(values) or 1.0)
    return False


def _log_ticks(axis: "Axis", values: Sequence[float], shown: Callable[[float], str] = "{:,g}".format) -> None:
    """Label powers of ten, or where there are hardly any also their doubles and fives, in plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

    positive = [value for value in values if value > 0]
    decades = math.log10(max(positive) / min(positive)) if positive else 0.0
    digits: tuple[float, ...] = (1.0,) if decades > 1.5 else (1.0, 2.0, 5.0) if decades > 0.6 else (*range(1, 10),)
    axis.set_major_locator(LogLocator(subs=digits))
    axis.set_major_formatter(FuncFormatter(lambda value, _: shown(value)))
    axis.set_minor_formatter(NullFormatter())
    if decades > 3:  # dozens of ticks that nobody counts, and that take long to draw
        axis.set_minor_locator(NullLocator())


def _legend_below(drawing: "Drawing", axes: "Axes", columns: int) -> None:
    lines, labels = axes.get_legend_handles_labels()
    drawing.legend(lines, labels, loc="outside lower center", ncols=columns, frameon=False, fontsize=8.5)
