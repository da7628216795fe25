"""CSV as everybody reads it: floats that read back exactly, and no text that a spreadsheet would run as a formula."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

# A cell that begins like this is a formula to a spreadsheet; the apostrophe marks those that were made harmless.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")


def to_csv(columns: Sequence[str], table: Iterable[Sequence[Any]]) -> bytes:
    """A CSV file with a header."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(harmless, columns))
    writer.writerows([harmless(cell) for cell in row] for row in table)
    return text.getvalue().encode()


def from_csv(content: bytes, *, plain: bool = False) -> Iterator[list[str]]:
    """The rows below the header, as `to_csv` was given them; `plain` where texts were written as they are."""
    reader = csv.reader(io.StringIO(content.decode(), newline=""))
    next(reader)
    yield from reader if plain else ([cell.removeprefix("'") for cell in row] for row in reader)


def harmless(cell: Any) -> Any:
    """A text that starts like a formula gets an apostrophe in front; numbers, also as text, are left alone."""
    if not isinstance(cell, str) or not cell.startswith(FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell
