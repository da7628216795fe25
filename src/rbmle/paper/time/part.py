"""Time against regret in four panels, and the time of a decision for growing sizes: ours, plain NumPy, printed."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rbmle.display.grid import duration
from rbmle.paper.experiments import short_name
from rbmle.paper.part import LETTERS, Finding, Part
from rbmle.paper.plan import Plan
from rbmle.paper.settings import TRIALS, Setting
from rbmle.paper.time.sizes import TimeStudy
from rbmle.report import Block, Cell, Figure, Panels, Section, Table, time_against_regret
from rbmle.simulation.experiment import Experiment
from rbmle.simulation.jobs import Batch
from rbmle.simulation.outcomes import Outcomes


@dataclass(frozen=True)
class Printed:
    """Printed seconds: label of a row for (d, K), its values, and their unit in seconds."""

    label: Callable[[int, int], str]
    mean: Mapping[str, Mapping[str, float]]
    mean_unit: float
    std: Mapping[str, Mapping[str, float]] | None = None
    std_unit: float = 1.0


@dataclass(frozen=True, eq=False)
class TimePart(Part):
    """A figure of four panels over regret experiments, and tables over a study of sizes.

    all_trials  use all trials of the regret experiments in the figure; otherwise a few, so that the part is quick alone
    """

    part: str
    heading: str
    figure: int
    tables: Sequence[int]
    plan: Plan
    settings: Sequence[Setting]
    definition: str
    experiment: Callable[..., Experiment]
    study: TimeStudy
    printed: Printed
    all_trials: bool
    few: int = 4
    remark: str = ""

    @cached_property
    def experiments(self) -> list[Experiment]:
        """Of the figure."""
        trials = TRIALS if self.all_trials else self.few
        return [self.experiment(self.part, s, self.definition, self.plan, trials) for s in self.settings]

    @property
    def batches(self) -> list[Batch]:
        """Of the tables."""
        return self.study.batches

    def finding(self, outcomes: Outcomes) -> Finding:
        """Figure and tables."""
        records = self.study.seconds(outcomes)
        for record in records:
            label = self.printed.label(record["d"], record["K"])
            record["printed_mean"] = self.printed.mean[label][record["method"]] * self.printed.mean_unit
            if self.printed.std is not None:
                record["printed_std"] = self.printed.std[label][record["method"]] * self.printed.std_unit
        ratio, hero = self._ratio(records)
        line = f"{hero} decides {ratio:,.0f} times as fast as plain NumPy (median over the sizes)."
        content: list[Block] = [self._figure(outcomes), self._words(), self._table(records, "mean", self.tables[0])]
        if self.printed.std is not None:
            content.append(self._table(records, "std", self.tables[1]))
        return Finding(
            Section(self.heading, content),
            {self.part.replace("-", "_"): records},
            [f"{self.part}: {line}"],
            {f"{ratio:,.0f}×": f"faster decisions of {hero} than plain NumPy, median over the sizes of Table "
             f"{self.tables[0]}"},
        )  # fmt: skip

    def _ratio(self, records: Sequence[Mapping[str, Any]]) -> tuple[float, str]:
        hero = records[0]["method"]
        return statistics.median(record["ratio"] for record in records if record["method"] == hero), hero

    def _words(self) -> str:
        timing = self.study.timing
        text = (
            "Choosing and learning together, static contexts, processor time of one core. **Plain** computes "
            f"everything anew in every round{self.remark}. Both run in this process on the same sample paths, one at a "
            "time; the printed seconds are from another machine, so the ratio of plain to ours is what to read. Ours: "
            f"{timing.trials} trials of {timing.rounds} rounds, binding the arms included; plain: "
            f"{timing.plain_trials} of {timing.plain_rounds}."
        )
        if self.study.slow:
            names = " and ".join(sorted(self.study.slow))
            text += (
                f" {names}, whose decisions take equally long in every round: {timing.slow_trials} of "
                f"{timing.slow_rounds} for both."
            )
        return text + " Methods by their authors' definitions."

    def _figure(self, outcomes: Outcomes) -> Panels:
        panels = []
        for letter, setting, each in zip(LETTERS, self.settings, self.experiments, strict=False):
            results = each.results(outcomes, outcomes.commonest_run(each.keys))
            regret = {name: float(results.final_regret(name).mean()) for name in results.policies}
            drawing = time_against_regret(results.seconds_per_decision(), regret, title=short_name(setting))
            panels.append(
                Figure(
                    caption=f"({letter})",
                    drawing=drawing,
                    name=f"figure-{self.figure}{letter}",
                    alt=f"Seconds per decision against mean final regret, {short_name(setting)}.",
                )
            )
        how = "as published" if self.definition == "published" else "by their authors' definitions"
        count = self.experiments[0].trials
        return Panels(
            f"Figure {self.figure}. Time of a decision against mean final regret, methods {how}, {count} trials of "
            f"{self.experiments[0].horizon:,} rounds. The nearer to the lower left, the better.",
            panels,
        )

    def _table(self, records: Sequence[Mapping[str, Any]], which: str, number: int) -> Table:
        methods = list(dict.fromkeys(record["method"] for record in records))
        rows: list[list[Cell | str]] = []
        for d, K in self.study.timing.sizes:
            row: list[Cell | str] = [f"d = {d}, K = {K}".replace(" ", "\u00a0")]
            by_name = {r["method"]: r for r in records if (r["d"], r["K"]) == (d, K)}
            best = min(by_name[name][f"ours_{which}"] for name in methods)
            for name in methods:
                record = by_name[name]
                notes = [f"{kind} {duration(record[f'{kind}_{which}'])}" for kind in ("plain", "printed")]
                if which == "mean":
                    notes.insert(1, f"{times(record['ratio'])} ours")
                ours = record[f"ours_{which}"]
                row.append(Cell(duration(ours), "best" if ours == best else "", notes))
            rows.append(row)
        what = "Average time" if which == "mean" else "Standard deviation over trials of the time"
        caption = f"Table {number}. {what} of a decision: ours, plain, printed. The fastest of ours in a row is bold."
        return Table(caption, ["", *methods], rows, f"table-{number:02d}", records=records)


def times(ratio: float) -> str:
    """A ratio in as many digits as mean something."""
    return f"{ratio:.2g}×" if ratio < 10 else f"{ratio:,.0f}×"
