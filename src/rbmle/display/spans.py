"""Intervals drawn with letters, for a terminal."""

from collections.abc import Sequence
from math import isfinite

WIDTH = 32


def drawn(value: float, low: float, high: float, ends: tuple[float, float], mark: float | None = None) -> str:
    """An interval on an axis from ends[0] to ends[1], the value in it and a line at `mark`.

    >>> print(drawn(0.5, 0.25, 0.75, (0.0, 1.0), mark=0.0).rstrip())
    ┊       ├───────●──────┤
    >>> drawn(0.5, 0.5, 0.5, (0.0, 1.0)).strip()
    '●'
    """
    letters = [" "] * WIDTH
    if mark is not None and ends[0] <= mark <= ends[1]:
        letters[place(mark, ends)] = "┊"
    if isfinite(low) and isfinite(high):
        first, last = place(low, ends), place(high, ends)
        letters[first : last + 1] = "─" * (last - first + 1)
        letters[first], letters[last] = "├" if low >= ends[0] else "─", "┤" if high <= ends[1] else "─"
    if isfinite(value):
        letters[place(value, ends)] = "●"
    return "".join(letters)


def place(value: float, ends: tuple[float, float]) -> int:
    """Where a value stands on the axis; beyond it, at its end."""
    share = (value - ends[0]) / (ends[1] - ends[0]) if ends[1] > ends[0] else 0.5
    return round(min(max(share, 0.0), 1.0) * (WIDTH - 1))


def axis(values: Sequence[float]) -> tuple[float, float]:
    """An axis on which all of these lie, with a little room."""
    known = [each for each in values if isfinite(each)]
    if not known:
        return 0.0, 1.0
    room = 0.05 * (max(known) - min(known)) or 0.5
    return min(known) - room, max(known) + room
