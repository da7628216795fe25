"""The figure of a comparison: regret over rounds, a curve and a band per policy."""

import math
from collections.abc import Collection, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rbmle.errors import InvalidParameterError, RbmleError
from rbmle.types import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe & Ito's colours, told apart with every common kind of colour blindness; past them the line style changes too.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
STYLES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
# Inches of a legend: its sample of a curve, a letter, a line. With many or long names they decide the size of a figure.
LEGEND_HANDLE, LEGEND_LETTER, LEGEND_LINE = 0.5, 0.068, 0.185
# With more curves than this, bands are drawn fainter, for they lie on each other.
FEW = 8
# Where final regrets differ by more than this, only a logarithmic axis shows all curves.
FAR_APART = 20.0
ENDINGS = (".png", ".svg", ".pdf")
BANDS = {
    "quantile": "median, band: middle half of the trials",
    "std": "mean, band: ± one standard deviation",
    "error": "mean, band: ± one standard error",
    None: "mean",
}


def regret_curves(
    rounds: IntArray,
    regret: Mapping[str, FloatArray],
    *,
    ax: "Axes | None" = None,
    band: str | None = "quantile",
    log_x: bool = False,
    log_y: bool | None = None,
    title: str | None = None,
) -> "Figure":
    """Cumulative regret of every policy, (trials, R) each. See `Results.plot` for the axes and the bands."""
    if band not in BANDS:
        names = ", ".join(repr(name) for name in BANDS)
        raise InvalidParameterError(f"The 'band' parameter of plot must be one of {names}. Got {band!r} instead.")
    axes = roomy_axes(regret) if ax is None else ax
    looks = {name: look(number) for number, name in enumerate(regret)}
    curves = {name: centre_and_band(values, band) for name, values in regret.items()}
    for name in sorted(curves, key=lambda name: -float(curves[name][0][-1])):  # the legend reads as the curves end
        centre, low, high = curves[name]
        axes.plot(rounds, centre, label=f"{name}  {short(float(centre[-1]))}", lw=1.6, **looks[name])
        if band is not None:
            axes.fill_between(
                rounds, low, high, color=looks[name]["color"], alpha=0.12 * min(1.0, FEW / len(curves)), lw=0
            )
    if log_x:
        axes.set_xscale("log")
    ends = [float(centre[-1]) for centre, _, _ in curves.values()]
    if log_y is None:
        log_y = min(ends) > 0.0 and max(ends) > FAR_APART * min(ends)
    if log_y and min(ends) > 0.0:
        axes.set_yscale("log")
        axes.set_ylim(bottom=min(ends) / (30.0 if log_x else 4.0))
        axes.yaxis.set_major_formatter("{x:g}")
    else:
        axes.set_ylim(bottom=0.0)
    axes.set_xlim(rounds[0], rounds[-1])
    axes.set_xlabel("round")
    axes.set_ylabel("cumulative regret")
    axes.set_title(title or "", loc="left", fontsize=10)
    axes.text(1.0, 1.015, BANDS[band], transform=axes.transAxes, ha="right", va="bottom", fontsize=7.5, color="#666666")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", lw=0.5, color="#e5e5e5")
    axes.set_axisbelow(True)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8.5, handlelength=2.2)
    figure: Figure = axes.figure.canvas.figure  # through figures within figures
    return figure


def roomy_axes(names: Collection[str]) -> "Axes":
    """Axes of a new figure that has room for all names beside the plot."""
    longest = LEGEND_HANDLE + LEGEND_LETTER * (max(map(len, names)) + len("  1,000"))
    return new_figure(max(7.2, 4.6 + longest), max(4.0, 0.5 + LEGEND_LINE * len(names))).subplots()


def centre_and_band(values: FloatArray, band: str | None) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The curve drawn, and the lower and upper edge of its band."""
    if band == "quantile":
        low, centre, high = np.quantile(values, [0.25, 0.5, 0.75], axis=0)
        return centre, low, high
    centre, width = values.mean(axis=0), values.std(axis=0)
    if band == "error":
        width = width / math.sqrt(len(values))
    elif band is None:
        width = np.zeros_like(centre)
    return centre, np.maximum(centre - width, 0.0), centre + width


def look(number: int) -> dict[str, Any]:
    """Colour and line style of the n-th policy: the same in every figure of a study."""
    return {"color": PALETTE[number % len(PALETTE)], "ls": STYLES[number // len(PALETTE) % len(STYLES)]}


def short(value: float) -> str:
    """A number for a legend."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def new_figure(width: float = 7.2, height: float = 4.0) -> "Figure":
    """An empty figure that belongs to no window and no global state."""
    try:
        from rbmle.simulation.drawing import Drawing
    except ModuleNotFoundError as missing:
        raise RbmleError("Figures need matplotlib: pip install 'rbmle[plot]'.") from missing
    return Drawing(figsize=(width, height), layout="constrained")


def save_figure(figure: "Figure", path: str | PathLike[str]) -> None:
    """Write a figure; the ending decides the format. Text stays text in SVG and PDF."""
    import matplotlib

    target = Path(path)
    check_ending(target)
    keep_text: dict[Any, Any] = {"svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "rbmle"}
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with matplotlib.rc_context(keep_text):
            figure.savefig(target, dpi=200)
    except OSError as reason:
        raise RbmleError(f"The figure cannot be written to {target}: {reason.strerror or reason}.") from reason


def check_ending(path: str | PathLike[str]) -> None:
    """Raise unless the ending is one of a figure."""
    if Path(path).suffix.lower() not in ENDINGS:
        raise InvalidParameterError(
            f"The 'path' parameter of plot must end in one of {', '.join(ENDINGS)}. Got {str(path)!r} instead."
        )
