"""Printed numbers beside ours: which cells agree to the printed decimals, which only statistically, which not.

>>> table = compare_cells({"mean": {"RBMLE": 1.86, "KG": 16.52}}, {"mean": {"RBMLE": 1.8564, "KG": 16.61}}, decimals=2)
>>> table.summary
'1 of 2 cells exact'
>>> [(cell.column, cell.mark) for cell in table.cells]
[('RBMLE', 'exact'), ('KG', 'differs')]
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from rbmle.errors import InvalidInputError
from rbmle.random import generator
from rbmle.report.document import Cell, Mark, Table
from rbmle.types import FloatArray

Numbers: TypeAlias = Mapping[str, Mapping[str, float]]
"""Row, then column, then value, as the tables of the paper are stored."""

CLOSE = 2.0
"""Up to so many standard errors a difference is called close."""


@dataclass(frozen=True)
class ComparedCell:
    """One number, printed and ours. `ours` is None where it was not measured."""

    row: str
    column: str
    printed: float
    ours: float | None
    decimals: int
    standard_error: float | None = None

    @property
    def exact(self) -> bool:
        """Whether ours, rounded as the table is, is what was printed."""
        return self.ours is not None and self.shown(self.ours) == self.shown(self.printed)

    @property
    def difference(self) -> float | None:
        """Ours minus the printed value."""
        return None if self.ours is None else self.ours - self.printed

    @property
    def z_score(self) -> float | None:
        """The difference in standard errors, where there is one."""
        if self.difference is None or self.standard_error is None:
            return None
        if self.standard_error == 0:
            return math.copysign(math.inf, self.difference) if self.difference else 0.0
        return self.difference / self.standard_error

    @property
    def mark(self) -> Mark:
        """How the two compare: exact, close (within two standard errors), differs, or missing."""
        if self.ours is None:
            return "missing"
        if self.exact:
            return "exact"
        return "close" if self.z_score is not None and abs(self.z_score) <= CLOSE else "differs"

    def shown(self, value: float) -> str:
        """A number at the printed decimals; minus zero is zero."""
        text = f"{value:.{self.decimals}f}"
        return text.lstrip("-") if float(text) == 0 else text

    def as_cell(self) -> Cell:
        """Ours, and below it the printed value, the difference, and for a statistical cell its standard error."""
        if self.ours is None or self.difference is None:
            return Cell("–", "missing", [f"printed {_minus(self.shown(self.printed))}"])
        notes = [f"printed {_minus(self.shown(self.printed))}", f"Δ {_signed(self.shown(self.difference))}"]
        if self.z_score is not None and not self.exact:
            notes.append(f"SE {self.shown(self.standard_error or 0.0)}, z {_signed(f'{self.z_score:.1f}')}")
        return Cell(_minus(self.shown(self.ours)), self.mark, notes)

    def record(self) -> dict[str, Any]:
        """All there is to know, in full precision, for a CSV file or a data frame."""
        return {
            "row": self.row,
            "column": self.column,
            "printed": self.printed,
            "ours": self.ours,
            "difference": self.difference,
            "exact": self.exact,
            "standard_error": self.standard_error,
            "z": self.z_score,
            "mark": self.mark,
        }


@dataclass(frozen=True)
class Comparison:
    """All cells of a table, or of several joined with `+`."""

    cells: Sequence[ComparedCell]

    def count(self, mark: Mark) -> int:
        """How many cells have a mark."""
        return sum(cell.mark == mark for cell in self.cells)

    @property
    def summary(self) -> str:
        """For instance "224 of 224 cells exact", and what the others are where they are not plainly different."""
        text = f"{self.count('exact')} of {len(self.cells)} cells exact"
        if self.count("close"):
            text += f", {self.count('close')} within two standard errors"
        if self.count("missing"):
            text += f", {self.count('missing')} not measured"
        return text

    def only(self, columns: Sequence[str]) -> "Comparison":
        """Keep the cells of some columns: the methods that must be exact, say."""
        return Comparison([cell for cell in self.cells if cell.column in columns])

    def table(
        self, caption: str, name: str, row_heading: str = "", row_names: Mapping[str, str] | None = None
    ) -> Table:
        """Lay the cells out as the printed table is, with the full numbers as records of its CSV file."""
        rows = list(dict.fromkeys(cell.row for cell in self.cells))
        columns = list(dict.fromkeys(cell.column for cell in self.cells))
        at = {(cell.row, cell.column): cell.as_cell() for cell in self.cells}
        if len(at) < len(self.cells):
            raise InvalidInputError("one table must hold every row and column once; lay joined comparisons out singly.")
        return Table(
            caption=caption,
            columns=[row_heading, *columns],
            rows=[[(row_names or {}).get(row, row), *(at.get((row, c), Cell("")) for c in columns)] for row in rows],
            name=name,
            records=[cell.record() for cell in self.cells],
        )

    def __add__(self, other: "Comparison") -> "Comparison":
        return Comparison([*self.cells, *other.cells])


def compare_cells(
    printed: Numbers,
    ours: Numbers,
    decimals: int,
    standard_error: Mapping[str, Mapping[str, float | None]] | None = None,
) -> Comparison:
    """Compare every printed cell with ours at the printed decimals.

    standard_error: of the *difference*, for the cells that can only agree statistically. Where the printed number is
        the mean of as many independent trials as ours, that is √2 times the standard error of one of them.

    A row or column of ours that the printed table lacks is an error, for it would be left out in silence.
    """
    for row, values in ours.items():
        unknown = sorted(set(values) - set(printed[row])) if row in printed else [row]
        if unknown:
            raise InvalidInputError(f"ours must hold rows and columns of the printed table. Not there: {unknown}.")
    errors = standard_error or {}
    return Comparison(
        [
            ComparedCell(row, column, value, ours.get(row, {}).get(column), decimals, errors.get(row, {}).get(column))
            for row, values in printed.items()
            for column, value in values.items()
        ]
    )


def bootstrap_errors(
    values: FloatArray, statistics: Callable[[FloatArray], FloatArray], *, draws: int = 1000, seed: int = 0
) -> FloatArray:
    """Return the standard error of each statistic of a sample, by drawing it again and again with replacement.

    `statistics` takes samples of shape (draws, n) and returns (draws, m).
    """
    rng = generator(seed)
    samples = np.asarray(values)[rng.integers(len(values), size=(draws, len(values)))]
    spread: FloatArray = np.std(statistics(samples), axis=0, ddof=1)
    return spread


def _signed(text: str) -> str:
    """+0.12, −0.12 or 0.00."""
    return "+" + text if float(text) > 0 else _minus(text)


def _minus(text: str) -> str:
    return text.replace("-", "−")
