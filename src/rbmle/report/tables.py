"""Tables of finished results for a terminal."""

from rich import box
from rich.table import Table
from rich.text import Text

from rbmle.simulation import Results
from rbmle.simulation.results import QUANTILES

STATISTICS = ("mean", "std", *QUANTILES)


def statistics_table(results: Results, title: str | None = None) -> Table:
    """Final regret and time per decision of every policy, the best first and marked in every column."""
    statistics, seconds = results.statistics(), results.seconds_per_decision()
    table = Table(
        title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1)
    )
    table.add_column("policy", no_wrap=True)
    for column in (*STATISTICS, "time"):
        table.add_column(column, justify="right", no_wrap=True)
    best = {column: min(row[column] for row in statistics.values()) for column in STATISTICS}
    fastest = min(seconds.values())
    for place, name in enumerate(results.ranking()):
        cells = [marked(number(statistics[name][c]), statistics[name][c] == best[c]) for c in STATISTICS]
        time = marked(duration(seconds[name]), seconds[name] == fastest)
        table.add_row(Text(name, style="bold" if place == 0 else ""), *cells, time)
    return table


def marked(text: str, is_best: bool) -> Text:
    """The best of a column is green, and underlined for those who do not see colours."""
    return Text(text, style="bold green underline" if is_best else "")


def number(value: float) -> str:
    """Two decimals, as the paper prints, as long as they mean something."""
    return f"{value:.2f}" if abs(value) < 10_000 else f"{value:,.0f}"


def duration(seconds: float) -> str:
    """A time in the unit one would say it in."""
    for unit, size in (("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3)):
        if seconds < 999.5 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"
