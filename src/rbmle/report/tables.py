"""Tables of finished results for a terminal."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from rbmle.simulation import Results
from rbmle.simulation.results import QUANTILES

STATISTICS = ("mean", "std", *QUANTILES)
LEAVE_OUT = ("q25", "q75", "q95", "q10", "q90", "std", "q50")


def statistics_table(results: Results, title: str | None = None, width: int | None = None) -> Table:
    """Final regret and time per decision of every policy, the best first and marked in every column.

    width: characters there are; quantiles are left out until the table fits.
    """
    table = regret_table(results, STATISTICS, title)
    for number in range(1, len(LEAVE_OUT) + 1):
        if width is None or Console(width=10_000).measure(table).maximum <= width:
            break
        table = regret_table(results, [c for c in STATISTICS if c not in LEAVE_OUT[:number]], title)
    return table


def regret_table(results: Results, columns: Sequence[str], title: str | None) -> Table:
    """The table with the given statistics as columns."""
    statistics, seconds = results.statistics(), results.seconds_per_decision()
    table = Table(
        title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=0, show_edge=False
    )
    table.add_column("policy", no_wrap=True)
    for column in (*columns, "time"):
        table.add_column(column, justify="right", no_wrap=True)
    best = {column: min(row[column] for row in statistics.values()) for column in columns}
    decimals = 2 if max(row[column] for row in statistics.values() for column in columns) < 1000 else 1
    fastest = min(seconds.values())
    for place, name in enumerate(results.ranking()):
        values = [statistics[name][column] for column in columns]
        cells = [marked(f"{v:.{decimals}f}", v == best[c]) for v, c in zip(values, columns, strict=True)]
        time = marked(duration(seconds[name]), seconds[name] == fastest)
        table.add_row(Text(name, style="bold" if place == 0 else ""), *cells, time)
    return table


def marked(text: str, is_best: bool) -> Text:
    """The best of a column is green, and underlined for those who do not see colours."""
    return Text(text, style="bold green underline" if is_best else "")


def duration(seconds: float) -> str:
    """A time in the unit one would say it in."""
    for unit, size in (("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3)):
        if seconds < 999.5 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"
