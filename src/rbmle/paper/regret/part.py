"""The regret figures and tables of a family: printed beside ours, cell by cell."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rbmle.paper.experiments import same_definition, short_name
from rbmle.paper.part import LETTERS, Finding, Part
from rbmle.paper.plan import Plan
from rbmle.paper.regret.words import agreement, intro, vids_words
from rbmle.paper.settings import Setting
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
from rbmle.simulation import Results
from rbmle.simulation.experiment import Experiment
from rbmle.simulation.outcomes import Outcomes
from rbmle.simulation.paired import signed
from rbmle.simulation.results import QUANTILES, STATISTICS
from rbmle.types import FloatArray

ROWS = {"mean": "Mean", "std": "Std.Dev", **{name: f"Q.{name[1:]}" for name in QUANTILES}}


@dataclass(frozen=True, eq=False)
class RegretPart(Part):
    """One figure of four panels and four tables, for one or both definitions of the methods.

    own      the paper's own method
    tables   numbers of the tables by setting
    printed  numbers of a setting: statistic, then method, then value; regret divided by `scale`
    exact    methods that agree digit for digit; the others draw random numbers of their own and agree statistically
    """

    name: str
    heading: str
    own: str
    tables: Mapping[str, int]
    figure: int
    printed: Mapping[str, Any]
    scale: float
    exact: tuple[str, ...]
    experiment: Callable[..., Experiment]
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
            definition: {s: self.experiment(self.name, s, definition, self.plan) for s in self.settings}
            for definition in ("published", "authors")
        }

    @property
    def experiments(self) -> list[Experiment]:
        """Those that are asked for."""
        wanted = ("published", "authors") if self.variant == "both" else (self.variant,)
        return [each for definition in wanted for each in self.by_definition[definition].values()]

    def results(self, outcomes: Outcomes, definition: str) -> dict[Setting, Results]:
        """Finished experiments of one definition, with the times of one run."""
        experiments = self.by_definition[definition].items()
        return {setting: each.results(outcomes, outcomes.commonest_run(each.keys)) for setting, each in experiments}

    def comparable(self, setting: Setting) -> list[str]:
        """Methods whose numbers can be held against the printed ones: all of the paper's trials, and its definition."""
        if not self.plan.faithful:
            return []
        return same_definition(self.by_definition[self.main][setting], self.by_definition["published"][setting])

    def comparison(self, setting: Setting, results: Results) -> Comparison:
        """Every printed cell of the methods that were run, and ours."""
        statistics, names = results.statistics(), results.policies
        printed = {row: {name: values[name] for name in names} for row, values in self.printed[setting.key].items()}
        ours = {row: {name: statistics[name][row] / self.scale for name in names} for row in printed}
        errors: dict[str, dict[str, float | None]] = {row: {} for row in printed}
        for name in set(names) - set(self.exact):
            found = bootstrap_errors(results.final_regret(name) / self.scale, statistics_of)
            for row, error in zip(STATISTICS, found, strict=True):
                # Both numbers come from 50 trials with their own draws, so the difference varies √2 times as much.
                errors[row][name] = math.sqrt(2) * float(error)
        return compare_cells(printed, ours, 2, errors)

    def finding(self, outcomes: Outcomes) -> Finding:
        """Figure, tables, and how many cells agree."""
        all_results, label = self.results(outcomes, self.main), self.name.replace("-", "_")
        cells, records, tables = Comparison([]), list[dict[str, Any]](), list[Block]()
        for setting, results in all_results.items():
            comparison, comparable = self.comparison(setting, results), self.comparable(setting)
            cells += comparison.only(comparable)
            rows = [row_of(cell, setting, cell.column in comparable) for cell in comparison.cells]
            records += rows
            tables.append(self._table(setting, comparison, comparable, rows))
            tables += vids_words(comparison.only(comparable), setting)
        lines, highlights = agreement(cells, self.exact, "linear" if self.scale > 1 else "GLM", ROWS)
        content: list[Block] = [
            *(f"**{line}**" for line in lines),
            self._figure(all_results),
            intro(self.plan.faithful, self.main, self.exact),
            *tables,
            *self._paired(all_results),
        ]
        trials = {f"{label}_trials": trial_records(all_results, self.main), label: records}
        return Finding(Section(self.heading, content), trials, [f"{self.name}: {line}" for line in lines], highlights)

    def _figure(self, all_results: Mapping[Setting, Results]) -> Panels:
        panels = []
        for letter, (setting, results) in zip(LETTERS, all_results.items(), strict=False):
            panels.append(
                Figure(
                    caption=f"({letter})",
                    drawing=compact(regret_figure(results, title=short_name(setting)), height=4.9),
                    name=f"figure-{self.figure}{letter}",
                    alt=f"Cumulative regret over {results.horizon} rounds, {short_name(setting)}. Lowest median at the "
                    f"end: {', '.join(by_median(results)[:3])}.",
                )
            )
        first = next(iter(all_results.values()))
        return Panels(
            f"Figure {self.figure}. Cumulative regret over {first.horizon:,} rounds and {first.trials} trials: median "
            "with the middle half of the trials as a band; in the legend, the medians at the end.",
            panels,
        )

    def _table(
        self, setting: Setting, comparison: Comparison, comparable: Sequence[str], rows: Sequence[Mapping[str, Any]]
    ) -> Table:
        number = self.tables[setting.key]
        scaled = f", divided by {self.scale:g}" if self.scale != 1 else ""
        how = "methods as published" if self.main == "published" else "methods by their authors' definitions"
        columns = list(dict.fromkeys(cell.column for cell in comparison.cells))
        shown = {(c.row, c.column): c.as_cell() if c.column in comparable else unmarked(c) for c in comparison.cells}
        cells: list[list[Cell | str]] = [
            [name, *(shown[row, column] for column in columns)]
            for row, name in ROWS.items()
            if (row, columns[0]) in shown
        ]
        caption = f"Table {number}. Final cumulative regret{scaled}, {short_name(setting)}, {how}."
        return Table(caption, ["", *columns], cells, f"table-{number:02d}", records=rows)

    def _paired(self, all_results: Mapping[Setting, Results]) -> list[Block]:
        """What the others lose beyond the paper's own method, trial by trial: places say nothing about chance."""
        first = next(iter(all_results.values()))
        names = [name for name in first.policies if name != self.own]
        if self.own not in first.policies or not names:
            return []
        paired = {setting: results.compare(self.own) for setting, results in all_results.items()}
        rows: list[list[Cell | str]] = []
        for name in names:
            cells = [each[name] for each in paired.values()]
            notes = [[f"{signed(c.low)} to {signed(c.high)}", f"worse in {c.worse:.0%}"] for c in cells]
            marks = [Cell(signed(c.mean), "best" if c.clear else "", n) for c, n in zip(cells, notes, strict=True)]
            rows.append([name, *marks])
        return [
            Table(
                f"Final regret minus that of {self.own}, paired over the {first.trials} trials of each setting: mean, "
                "its 95 % interval (Student's t), and the share of trials in which the method lost more. Bold where "
                "the interval excludes zero; elsewhere the order of the two is chance.",
                ["method", *headings(self.settings)],
                rows,
                f"{self.name}-paired",
                records=[
                    {"setting": setting.key, "method": name, "mean": each[name].mean, "low": each[name].low,
                     "high": each[name].high, "worse": each[name].worse}
                    for setting, each in paired.items() for name in names
                ],
            )
        ]  # fmt: skip


def headings(settings: Sequence[Setting]) -> list[str]:
    """For instance "(a) static"."""
    kinds = ["static" if setting.static else "varying" for setting in settings]
    return [f"({letter}) {kind}" for letter, kind in zip(LETTERS, kinds, strict=False)]


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
