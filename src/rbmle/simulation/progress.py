"""A bar for long runs: trials done and time left, on a terminal."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def tracked(items: Iterable[T], total: int, show: bool | None) -> Iterator[T]:
    """Pass the items on and show how many there have been; None shows only on a terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)  # stdout is for results
    if not (console.is_terminal if show is None else show):
        yield from items
        return
    columns = (
        TextColumn("trials"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"),
        TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=console.is_terminal) as bar:
        task = bar.add_task("trials", total=total)
        for item in items:
            bar.advance(task)
            yield item
