"""A small table of texts: the same for `print`, a notebook, a terminal and a report."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Grid:
    """Texts in rows; the first column names them. `best` holds the (row, column) that stand out."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    best: Collection[tuple[int, int]] = frozenset()

    def __str__(self) -> str:
        widths = [max(map(len, column)) for column in zip(self.columns, *self.rows, strict=True)]
        lines = [self.caption]
        for row in (self.columns, *self.rows):
            rest = "".join(f"  {text:>{width}}" for text, width in zip(row[1:], widths[1:], strict=True))
            lines.append(f"{row[0]:<{widths[0]}}{rest}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(text)}</th>" for text in self.columns)
        body = ""
        for number, row in enumerate(self.rows):
            cells = [f"<th>{escape(row[0])}</th>"]
            for place, text in enumerate(row[1:], start=1):
                shown = f"<b>{escape(text)}</b>" if (number, place) in self.best else escape(text)
                cells.append(f'<td style="text-align: right">{shown}</td>')
            body += f"<tr>{''.join(cells)}</tr>"
        caption = f'<caption style="text-align: left">{escape(self.caption)}</caption>'
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def number(value: float) -> str:
    """Two decimals, as the paper prints, as long as they mean something; a dash where there is no number."""
    if math.isnan(value):
        return "–"
    return f"{value:.2f}" if abs(value) < 10_000 else f"{value:,.0f}"


def duration(seconds: float) -> str:
    """A time in the unit one would say it in; a dash where none was taken."""
    if math.isnan(seconds):
        return "–"
    for unit, size in (("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3)):
        if seconds < 999.5 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"
