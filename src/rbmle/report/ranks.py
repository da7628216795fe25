"""The critical-difference diagram: methods on an axis of mean ranks, joined by a bar where they are not told apart."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rbmle.report.figures import PALETTE, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

LINE, TOP, LETTER = 0.24, 0.9, 0.075
"""Inches of a name, of what is above them, and of a letter."""


def critical_difference(
    ranks: Mapping[str, float],
    groups: Sequence[Sequence[str]],
    critical: float,
    *,
    marked: Sequence[str] = (),
    title: str = "",
    width: float = 6.4,
) -> "Drawing":
    """Demšar's diagram: the best on the left; a bar joins methods whose mean ranks are too near to be told apart.

    ranks: mean rank by name, the best first.
    groups: names that a bar joins.
    critical: the difference from which on two are told apart, drawn above the axis.
    marked: names in colour.
    """
    order = list(ranks)
    half = (len(order) + 1) // 2
    bars = 0.35 * len(groups)
    low, high = 1.0, float(max(len(order), 2))
    drawing = new_figure(width, TOP + LINE * (half + bars + 0.4))
    axes = drawing.subplots()
    margin = LETTER * max(map(len, order)) * (high - low) / max(width - 2 * LETTER * max(map(len, order)), 1.0)
    axes.set_xlim(low - margin, high + margin)
    axes.set_ylim(half + bars + 0.6, -2.4)
    axes.axis("off")
    if title:
        axes.set_title(title, loc="left", fontsize=10)
    _axis(axes, low, high)
    axes.plot([low, low + critical], [-1.7, -1.7], color="black", lw=1.6, marker="|", ms=7)
    axes.text(low + critical / 2, -1.85, f"critical difference {critical:.2f}", ha="center", va="bottom", fontsize=8)
    for place, group in enumerate(groups):
        y = 0.35 * (place + 1)
        ends = [ranks[group[0]] - 0.05, ranks[group[-1]] + 0.05]
        axes.plot(ends, [y, y], color="#555555", lw=3.2, solid_capstyle="butt")
    for place, name in enumerate(order):
        left = place < half
        y = bars + 1.0 + (place if left else len(order) - 1 - place)
        edge = low - 0.15 if left else high + 0.15
        color = PALETTE[1] if name in marked else PALETTE[0]
        axes.plot([ranks[name], ranks[name], edge], [0.0, y, y], color=color, lw=0.9)
        axes.plot([ranks[name]], [0.0], "o", color=color, ms=4)
        axes.text(
            edge, y, f"{name}  {ranks[name]:.1f} " if left else f" {ranks[name]:.1f}  {name}", color=color,
            ha="right" if left else "left", va="center", fontsize=8.5,
        )  # fmt: skip
    return drawing


def _axis(axes: "Axes", low: float, high: float) -> None:
    axes.plot([low, high], [0.0, 0.0], color="black", lw=1.0)
    for rank in range(int(low), int(high) + 1):
        axes.plot([rank, rank], [0.0, -0.18], color="black", lw=1.0)
        axes.text(rank, -0.3, str(rank), ha="center", va="bottom", fontsize=8)
