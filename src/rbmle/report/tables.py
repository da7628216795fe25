"""Tables of finished results for a terminal."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from rbmle.display.grid import Grid, duration
from rbmle.simulation import Results
from rbmle.simulation.results import STATISTICS

__all__ = ["STATISTICS", "duration", "grid_table", "statistics_table"]

LEAVE_OUT = ("q25", "q75", "q95", "q10", "q90", "std", "q50")


def statistics_table(results: Results, title: str | None = None, width: int | None = None) -> Table:
    """Final regret and time per decision of every policy, the best first and marked in every column.

    width: characters there are; quantiles are left out until the table fits.
    """
    columns: Sequence[str] = (*STATISTICS, "time")
    table = grid_table(results.summary(columns), title)
    for name in LEAVE_OUT:
        if width is None or Console(width=10_000).measure(table).maximum <= width:
            break
        columns = [column for column in columns if column != name]
        table = grid_table(results.summary(columns), title)
    return table


def grid_table(grid: Grid, title: str | None = None) -> Table:
    """Any table of texts. The best is green, and underlined for those who do not see colours."""
    table = Table(
        title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=0, show_edge=False
    )
    for place, column in enumerate(grid.columns):
        table.add_column(column, justify="right" if place else "left", no_wrap=True)
    for number, row in enumerate(grid.rows):
        marks = ["bold green underline" if (number, place) in grid.best else "" for place in range(len(row))]
        table.add_row(*(Text(text, style=mark) for text, mark in zip(row, marks, strict=True)))
    return table
