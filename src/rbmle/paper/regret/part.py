"""The regret figures and tables of a family: printed beside ours, cell by cell."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rbmle.paper.experiment import Experiment, same_definition, short_name
from rbmle.paper.part import Finding
from rbmle.paper.plan import Plan
from rbmle.paper.settings import Setting
from rbmle.paper.work import Batch
from rbmle.report import (
    Block,
    Cell,
    ComparedCell,
    Comparison,
    Figure,
    Panels,
    Section,
    Table,
    bootstrap_errors,
    compact,
    compare_cells,
    regret_figure,
)
from rbmle.report.study import by_median
from rbmle.report.tables import STATISTICS
from rbmle.simulation import Results
from rbmle.simulation.results import QUANTILES
from rbmle.simulation.store import Store
from rbmle.types import FloatArray

LETTERS = "abcd"
ROWS = {"mean": "Mean", "std": "Std.Dev", **{name: f"Q.{name[1:]}" for name in QUANTILES}}


@dataclass(frozen=True)
class Kind:
    """What is particular to the linear or the generalized linear half of the paper.

    printed  numbers of a setting: statistic, then method, then value
    scale    printed values are regret divided by this
    exact    methods that agree digit for digit; the others draw random numbers of their own and agree statistically
    """

    part: str
    heading: str
    tables: Mapping[str, int]
    figure: int
    printed: Mapping[str, Any]
    scale: float
    exact: tuple[str, ...]
    experiment: Callable[..., Experiment]


@dataclass(frozen=True, eq=False)
class RegretPart:
    """One figure of four panels and four tables, for one or both definitions of the methods."""

    kind: Kind
    plan: Plan
    settings: Sequence[Setting]
    variant: str

    @property
    def main(self) -> str:
        """The definition whose numbers stand in the tables."""
        return "authors" if self.variant == "authors" else "published"

    @cached_property
    def by_definition(self) -> dict[str, dict[Setting, Experiment]]:
        """Experiments as published and by the authors, whether asked for or not."""
        return {
            definition: {s: self.kind.experiment(self.kind.part, s, definition, self.plan) for s in self.settings}
            for definition in ("published", "authors")
        }

    @property
    def experiments(self) -> list[Experiment]:
        """Those that are asked for."""
        wanted = ("published", "authors") if self.variant == "both" else (self.variant,)
        return [each for definition in wanted for each in self.by_definition[definition].values()]

    @property
    def batches(self) -> list[Batch]:
        """Nothing but experiments."""
        return []

    def results(self, store: Store, definition: str) -> dict[Setting, Results]:
        """Finished experiments of one definition."""
        return {setting: each.results(store) for setting, each in self.by_definition[definition].items()}

    def comparable(self, setting: Setting) -> list[str]:
        """Methods whose numbers can be held against the printed ones: all of the paper's trials, and its definition."""
        if not self.plan.faithful:
            return []
        ours = self.by_definition[self.main][setting]
        return same_definition(ours, self.by_definition["published"][setting])

    def comparison(self, setting: Setting, results: Results) -> Comparison:
        """Every printed cell of the methods that were run, and ours."""
        kind, statistics = self.kind, results.statistics()
        printed = {
            row: {name: values[name] for name in results.policies} for row, values in kind.printed[setting.key].items()
        }
        ours = {row: {name: statistics[name][row] / kind.scale for name in results.policies} for row in printed}
        errors: dict[str, dict[str, float | None]] = {row: {} for row in printed}
        for name in set(results.policies) - set(kind.exact):
            found = bootstrap_errors(results.final_regret(name) / kind.scale, statistics_of)
            for row, error in zip(STATISTICS, found, strict=True):
                # Both numbers come from 50 trials with their own draws, so the difference varies √2 times as much.
                errors[row][name] = math.sqrt(2) * float(error)
        return compare_cells(printed, ours, 2, errors)

    def finding(self, store: Store) -> Finding:
        """Figure, tables, and how many cells agree."""
        kind, all_results = self.kind, self.results(store, self.main)
        cells, records, tables = Comparison([]), list[dict[str, Any]](), list[Block]()
        for setting, results in all_results.items():
            comparison, comparable = self.comparison(setting, results), self.comparable(setting)
            cells += comparison.only(comparable)
            rows = [row_of(cell, setting, cell.column in comparable) for cell in comparison.cells]
            records += rows
            tables.append(self._table(setting, comparison, comparable, rows))
        lines, highlights = self.verdict(cells)
        intro = "Each cell shows our number, below it the printed one and the difference."
        if self.plan.faithful and self.main == "published":
            intro += (
                f" {', '.join(kind.exact)} must agree to the printed digit; for the others, which draw random numbers "
                "of their own, the standard error (SE) of the difference is given, by bootstrap over the trials."
            )
        elif self.plan.faithful:
            intro += " Methods by their authors' definitions, which for some are not those of the printed numbers."
        trials = {
            f"{kind.part}-trials".replace("-", "_"): trial_records(all_results, self.main),
            kind.part.replace("-", "_"): records,
        }
        content: list[Block] = [*(f"**{line}**" for line in lines), self._figure(all_results), intro, *tables]
        return Finding(Section(kind.heading, content), trials, [f"{kind.part}: {line}" for line in lines], highlights)

    def verdict(self, cells: Comparison) -> tuple[list[str], dict[str, str]]:
        """How many cells agree, in words."""
        kind = self.kind
        if not cells.cells:
            return [], {}
        exact, rest = cells.only(kind.exact), Comparison([c for c in cells.cells if c.column not in kind.exact])
        score = f"{exact.count('exact')} of {len(exact.cells)}"
        wrong = [c for c in exact.cells if c.mark != "exact"]
        line = f"{score} exact cells"
        if wrong:
            shown = ", ".join(f"{c.column} {ROWS[c.row]}" for c in wrong[:6])
            line += f"; wrong: {shown}{' …' if len(wrong) > 6 else ''}"
        lines = [line + "."]
        if rest.cells:
            near = rest.count("exact") + rest.count("close")
            names = " and ".join(dict.fromkeys(c.column for c in rest.cells))
            lines.append(f"{near} of {len(rest.cells)} cells of {names} within two standard errors of the printed.")
        return lines, {score: f"{'linear' if kind.scale > 1 else 'GLM'} regret cells equal the printed digits"}

    def _figure(self, all_results: Mapping[Setting, Results]) -> Panels:
        kind, panels = self.kind, []
        for letter, (setting, results) in zip(LETTERS, all_results.items(), strict=False):
            panels.append(
                Figure(
                    caption=f"({letter})",
                    drawing=compact(regret_figure(results, title=short_name(setting)), height=4.9),
                    name=f"figure-{kind.figure}{letter}",
                    alt=f"Cumulative regret over {results.horizon} rounds, {short_name(setting)}. Lowest median at the "
                    f"end: {', '.join(by_median(results)[:3])}.",
                )
            )
        first = next(iter(all_results.values()))
        return Panels(
            f"Figure {kind.figure}. Cumulative regret over {first.horizon:,} rounds and {first.trials} trials: median "
            "with the middle half of the trials as a band; in the legend, the medians at the end.",
            panels,
        )

    def _table(
        self, setting: Setting, comparison: Comparison, comparable: Sequence[str], rows: Sequence[Mapping[str, Any]]
    ) -> Table:
        kind, number = self.kind, self.kind.tables[setting.key]
        scaled = f", divided by {kind.scale:g}" if kind.scale != 1 else ""
        how = "methods as published" if self.main == "published" else "methods by their authors' definitions"
        table = comparison.table(
            f"Table {number}. Final cumulative regret{scaled}, {short_name(setting)}, {how}.",
            f"table-{number:02d}",
            row_names=ROWS,
        )
        shown = {(c.row, c.column): c.as_cell() if c.column in comparable else unmarked(c) for c in comparison.cells}
        columns = table.columns[1:]
        cells: list[list[Cell | str]] = [
            [name, *(shown[row, column] for column in columns)]
            for row, name in ROWS.items()
            if any(c.row == row for c in comparison.cells)
        ]
        return Table(table.caption, table.columns, cells, table.name, records=rows)


def statistics_of(samples: FloatArray) -> FloatArray:
    """The statistics of the tables for samples of shape (draws, n): (draws, 8)."""
    levels = np.quantile(samples, list(QUANTILES.values()), axis=1)
    return np.column_stack([samples.mean(axis=1), samples.std(axis=1), *levels])


def unmarked(cell: ComparedCell) -> Cell:
    """Both numbers without a verdict, where they are not comparable."""
    return Cell(cell.shown(cell.ours or 0.0), "", [f"printed {cell.shown(cell.printed)}"])


def row_of(cell: ComparedCell, setting: Setting, comparable: bool) -> dict[str, Any]:
    """A cell as a row of a data frame."""
    record = {"setting": setting.key, "statistic": cell.row, "method": cell.column} | {
        name: value for name, value in cell.record().items() if name not in ("row", "column")
    }
    return record if comparable else record | {"exact": False, "z": None, "mark": "not comparable"}


def trial_records(all_results: Mapping[Setting, Results], definition: str) -> list[dict[str, Any]]:
    """Final regret and seconds per decision of every trial."""
    return [
        {
            "setting": setting.key, "method": name, "definition": definition, "trial": trial,
            "regret": float(regret), "seconds": float(seconds),
        }
        for setting, results in all_results.items()
        for name in results.policies
        for trial, (regret, seconds) in enumerate(
            zip(results.final_regret(name), results.seconds[name], strict=True)
        )
    ]  # fmt: skip
