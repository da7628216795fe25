"""The figure of a comparison: regret over rounds, a curve and a band per policy."""

import math
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np

from rbmle.display.figures import LEGEND_HANDLE, LEGEND_LETTER, LEGEND_LINE, look, new_figure
from rbmle.errors import InvalidParameterError
from rbmle.types import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# With more curves than this, bands are drawn fainter, for they lie on each other.
FEW = 8
# Where final regrets differ by more than this, only a logarithmic axis shows all curves.
FAR_APART = 20.0
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


def short(value: float) -> str:
    """A number for a legend."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
