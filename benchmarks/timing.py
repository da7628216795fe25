"""Timing side by side: contenders take turns in short bursts, and the fastest burst of each counts."""

import time
from collections.abc import Callable, Mapping

from rich.console import Console
from rich.table import Table

Contender = tuple[Callable[[], object], int]


def best_seconds(
    contenders: Mapping[str, Contender], turns: int = 7, clock: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """Seconds per decision of each contender (a function and the decisions one call takes), measured in turns.

    A shared machine slows down and recovers within seconds; taking turns lets every contender meet the quiet moments.
    """
    best = dict.fromkeys(contenders, float("inf"))
    for run, _ in contenders.values():
        run()  # compile and warm up
    for _ in range(turns):
        for name, (run, decisions) in contenders.items():
            start = clock()
            run()
            best[name] = min(best[name], (clock() - start) / decisions)
    return best


def show(title: str, seconds: Mapping[str, float], reference: str, target: str = "") -> None:
    """Print seconds per decision and how many times as long as the reference each contender takes."""
    table = Table(title=title, title_justify="left", caption=target or None, caption_justify="left")
    table.add_column("contender")
    table.add_column("per decision", justify="right")
    table.add_column(f"times {reference}", justify="right")
    for name, value in sorted(seconds.items(), key=lambda item: item[1]):
        table.add_row(name, readable(value), f"{value / seconds[reference]:.2f}")
    Console().print(table)


def readable(seconds: float) -> str:
    """Seconds in a unit that suits them."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.2f} {unit}"
    return f"{seconds * 1e9:.0f} ns"
