"""Intervals drawn with letters, for a terminal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.measure import Measurement
    from rich.text import Text

# Letters of a drawing, and the fewest that still show something.
WIDTH, LEAST = 32, 8


@dataclass(frozen=True)
class Span:
    """A cell of a table of rich that draws an interval in whatever room the numbers beside it leave."""

    value: float
    low: float
    high: float
    ends: tuple[float, float]
    mark: float | None = None

    def __rich_measure__(self, console: "Console", options: "ConsoleOptions") -> "Measurement":
        from rich.measure import Measurement

        return Measurement(0, WIDTH).with_maximum(options.max_width)

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "Iterator[Text]":
        from rich.text import Text

        width = min(options.max_width, WIDTH)
        yield Text(drawn(self.value, self.low, self.high, self.ends, self.mark, width) if width >= LEAST else "")


def drawn(
    value: float,
    low: float,
    high: float,
    ends: tuple[float, float],
    mark: float | None = None,
    width: int = WIDTH,
) -> str:
    """An interval on an axis from ends[0] to ends[1], the value in it and a line at `mark`.

    >>> print(drawn(0.5, 0.25, 0.75, (0.0, 1.0), mark=0.0).rstrip())
    ┊       ├───────●──────┤
    >>> drawn(0.5, 0.5, 0.5, (0.0, 1.0)).strip()
    '●'
    """
    letters = [" "] * width
    if mark is not None and ends[0] <= mark <= ends[1]:
        letters[place(mark, ends, width)] = "┊"
    if isfinite(low) and isfinite(high):
        first, last = place(low, ends, width), place(high, ends, width)
        letters[first : last + 1] = "─" * (last - first + 1)
        letters[first], letters[last] = "├" if low >= ends[0] else "─", "┤" if high <= ends[1] else "─"
    if isfinite(value):
        letters[place(value, ends, width)] = "●"
    return "".join(letters)


def place(value: float, ends: tuple[float, float], width: int) -> int:
    """Where a value stands on the axis; beyond it, at its end."""
    share = (value - ends[0]) / (ends[1] - ends[0]) if ends[1] > ends[0] else 0.5
    return round(min(max(share, 0.0), 1.0) * (width - 1))


def axis(values: Sequence[float]) -> tuple[float, float]:
    """An axis on which all of these lie, with a little room."""
    known = [each for each in values if isfinite(each)]
    if not known:
        return 0.0, 1.0
    room = 0.05 * (max(known) - min(known)) or 0.5
    return min(known) - room, max(known) + room
