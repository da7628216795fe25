"""Figures of finished results."""

from typing import TYPE_CHECKING

from rbmle.display.figures import PALETTE, look, new_figure, save_figure
from rbmle.simulation import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PALETTE", "look", "new_figure", "regret_figure", "save_figure"]


def regret_figure(
    results: Results,
    *,
    band: str | None = "quantile",
    log_x: bool = False,
    log_y: bool | None = None,
    title: str | None = None,
) -> "Figure":
    """Regret curves with a band; see `Results.plot`."""
    return results.plot(band=band, log_x=log_x, log_y=log_y, title=title)
