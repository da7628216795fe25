"""What a report is made of: sections of paragraphs, tables and figures, as plain data.

A writer of reports assembles these in reading order; how they look on a page, in Markdown or in LaTeX is decided
elsewhere. Text may hold `code`, **strong** and *emphasised* words (see `inline`), and nothing else is interpreted.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from rbmle.errors import InvalidInputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

Mark: TypeAlias = Literal["", "exact", "close", "differs", "missing", "best"]

SYMBOLS: dict[Mark, str] = {"": "", "exact": "✓", "close": "≈", "differs": "≠", "missing": "∅", "best": ""}
MEANINGS: dict[Mark, str] = {
    "exact": "equal to the printed value at the printed decimals",
    "close": "within two standard errors of the printed value",
    "differs": "differs from the printed value",
    "missing": "not measured here",
}


@dataclass(frozen=True)
class Cell:
    """One cell of a table: its text, how it compares, and below it smaller lines of notes."""

    text: str
    mark: Mark = ""
    notes: Sequence[str] = ()

    @property
    def symbol(self) -> str:
        """The mark as a sign, so that nobody needs to see colours."""
        return SYMBOLS[self.mark]

    @property
    def meaning(self) -> str:
        """The mark in words."""
        return MEANINGS.get(self.mark, "")


@dataclass(frozen=True)
class Table:
    """A table whose first column names the rows.

    name     file name of its CSV and LaTeX versions, without ending
    align    "l", "r" or "c" per column; unless given, the first is left and the others are right
    records  rows of the CSV file where they should hold more than the cells show
    """

    kind: ClassVar[str] = "table"

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell | str]]
    name: str
    align: str = ""
    records: Sequence[Mapping[str, Any]] | None = None

    def __post_init__(self) -> None:
        _require_name(self.name)
        for row in self.rows:
            if len(row) != len(self.columns):
                raise InvalidInputError(
                    f"rows of table {self.name!r} must have {len(self.columns)} cells, one per column. Got {len(row)}."
                )
        if self.align and (len(self.align) != len(self.columns) or set(self.align) - set("lrc")):
            raise InvalidInputError(f"align of table {self.name!r} must be l, r or c per column. Got {self.align!r}.")

    @property
    def cells(self) -> list[list[Cell]]:
        """All cells, plain texts included."""
        return [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in self.rows]

    @property
    def alignment(self) -> str:
        """One letter per column."""
        return self.align or "l" + "r" * (len(self.columns) - 1)

    @property
    def legend(self) -> list[tuple[str, str, str]]:
        """(mark, symbol, meaning) of the marks that occur."""
        used = {cell.mark for row in self.cells for cell in row}
        return [(mark, SYMBOLS[mark], meaning) for mark, meaning in MEANINGS.items() if mark in used]


@dataclass(frozen=True)
class Figure:
    """A matplotlib figure with its caption; `alt` says in words what it shows to those who do not see it."""

    kind: ClassVar[str] = "figure"

    caption: str
    drawing: "Drawing"
    name: str
    alt: str = ""

    def __post_init__(self) -> None:
        _require_name(self.name)


@dataclass(frozen=True)
class Panels:
    """Small figures side by side where there is room, one below the other on a phone, under one caption."""

    kind: ClassVar[str] = "panels"

    caption: str
    figures: Sequence[Figure]


@dataclass(frozen=True)
class Bullets:
    """A list of short sentences."""

    kind: ClassVar[str] = "bullets"

    items: Sequence[str]


@dataclass(frozen=True)
class Facts:
    """Names and their values: settings, versions, the machine."""

    kind: ClassVar[str] = "facts"

    items: Mapping[str, str]


@dataclass(frozen=True)
class Highlights:
    """A few numbers that are the result, each with what it means: {"224 of 224": "printed cells are exact"}."""

    kind: ClassVar[str] = "highlights"

    items: Mapping[str, str]


@dataclass(frozen=True)
class Section:
    """A heading and what follows it, in reading order; sections may hold sections."""

    kind: ClassVar[str] = "section"

    heading: str
    content: Sequence["Block"]


Block: TypeAlias = str | Table | Figure | Panels | Bullets | Facts | Highlights | Section


@dataclass(frozen=True)
class Report:
    """A whole report. `notice` is shown at the top, for instance that the numbers come from a shortened run."""

    title: str
    sections: Sequence[Section]
    subtitle: str = ""
    notice: str = ""

    def __post_init__(self) -> None:
        for what, names in (("tables", [t.name for t in self.tables]), ("figures", [f.name for f in self.figures])):
            twice = sorted(name for name, count in Counter(names).items() if count > 1)
            if twice:
                raise InvalidInputError(f"{what} of a report must have different names. Twice: {', '.join(twice)}.")

    @property
    def tables(self) -> list[Table]:
        """All tables, in reading order."""
        return [block for block in _walk(self.sections) if isinstance(block, Table)]

    @property
    def figures(self) -> list[Figure]:
        """All figures, in reading order."""
        return [block for block in _walk(self.sections) if isinstance(block, Figure)]


def slug(text: str) -> str:
    """A heading as an anchor or file name: small letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "part"


def _walk(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Section):
            yield from _walk(block.content)
        elif isinstance(block, Panels):
            yield from block.figures


def _require_name(name: str) -> None:
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", name):
        raise InvalidInputError(
            f"name must be of small letters, digits, '-' and '_', for it becomes a file name. Got {name!r}."
        )
