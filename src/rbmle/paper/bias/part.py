"""The authors' question of bias: regret of LinRBMLE for α(t) = c·t^p, against the choice √t."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rbmle.display.grid import number
from rbmle.paper.experiments import experiment, short_name
from rbmle.paper.part import LETTERS, Finding, Part
from rbmle.paper.plan import Plan
from rbmle.paper.settings import Setting
from rbmle.policies import LinRBMLE, Policy
from rbmle.report import Block, Cell, Figure, Panels, Section, Table, bias_sweep
from rbmle.schedules import Constant, Power
from rbmle.simulation import Results
from rbmle.simulation.experiment import Experiment
from rbmle.simulation.outcomes import Outcomes
from rbmle.types import FloatArray

CHOSEN = (1.0, 0.5)
GREEDY = "no bias"


@dataclass(frozen=True, eq=False)
class BiasPart(Part):
    """LinRBMLE with every bias of a grid, and with none, in every linear setting."""

    plan: Plan

    @cached_property
    def grid(self) -> list[tuple[float, float]]:
        """(c, p)."""
        return [(c, p) for c in self.plan.bias_scales for p in self.plan.bias_exponents]

    @cached_property
    def experiments(self) -> list[Experiment]:
        """One per setting; only the final regret is kept."""
        plan = self.plan
        return [
            experiment("bias", setting, self._policies(setting), plan.linear_horizon, plan.bias_trials, record=1)
            for setting in plan.linear
        ]

    def _policies(self, setting: Setting) -> dict[str, Policy]:
        d = len(setting.theta)
        grid = {name_of(c, p): LinRBMLE(n_features=d, bias=Power(scale=c, exponent=p)) for c, p in self.grid}
        return {**grid, GREEDY: LinRBMLE(n_features=d, bias=Constant(0.0))}

    def finding(self, outcomes: Outcomes) -> Finding:
        """A curve per c over p, and the best of the grid beside √t."""
        plan, records, figures = self.plan, list[dict[str, Any]](), list[Figure]()
        rows: list[list[Cell | str]] = []
        greedy = list[str]()
        for letter, setting, each in zip(LETTERS, plan.linear, self.experiments, strict=False):
            results = each.results(outcomes)
            greedy.append(f"({letter}) {'static' if setting.static else 'varying'} {without_bias(results)}")
            final = {name: results.final_regret(name) for name in results.policies}
            means = np.array([[final[name_of(c, p)].mean() for p in plan.bias_exponents] for c in plan.bias_scales])
            title = short_name(setting)
            figures.append(
                Figure(
                    caption=f"({letter})",
                    drawing=bias_sweep(plan.bias_exponents, plan.bias_scales, means, chosen=CHOSEN, title=title),
                    name=f"bias-{letter}",
                    alt=f"Mean final regret over the exponent p for several c, {title}.",
                )
            )
            rows.append(
                [
                    f"({letter})\u00a0{'static' if setting.static else 'varying'}",
                    *best_beside_chosen(self.grid, final),
                ]
            )
            for c, p in self.grid:
                values = final[name_of(c, p)]
                records.append(
                    {
                        "setting": setting.key, "c": c, "p": p, "mean": float(values.mean()),
                        "std": float(values.std()), "largest": float(values.max()),
                    }
                )  # fmt: skip
        line = self.verdict(records)
        table = Table(
            "The paper's bias √t beside the best of the grid, by mean and by the worst of the trials.",
            ["setting", "√t: mean", "√t: worst", "best mean", "at (c, p)", "best worst", "at (c, p)"],
            rows,
            "bias",
            records=records,
        )
        content: list[Block] = [
            f"{line} Theorem 2 holds for any bias that grows; √t balances its terms.",
            Panels(
                f"Mean final regret of LinRBMLE with α(t) = c·t^p over {plan.linear_horizon:,} rounds and "
                f"{plan.bias_trials} trials; the ring is the paper's choice.",
                figures,
            ),
            table,
            f"**Is a bias needed at all?** Mean regret without any bias (greedy: α = 0), less that with √t, paired "
            f"over {plan.bias_trials} trials, with its 95 % interval by Student's t: {'; '.join(greedy)}. An interval "
            "that holds zero does not tell the two apart; on varying contexts, which explore by themselves, that is "
            "so for good where the interval is narrow.",
        ]
        return Finding(Section("Which bias? A sweep over α(t) = c·t^p", content), {"bias": records}, [f"bias: {line}"])

    def verdict(self, records: Sequence[dict[str, Any]]) -> str:
        """How far √t is from the best of the grid."""
        ratios, worst = [], []
        for setting in dict.fromkeys(record["setting"] for record in records):
            of_setting = [record for record in records if record["setting"] == setting]
            chosen = next(record for record in of_setting if (record["c"], record["p"]) == CHOSEN)
            ratios.append(chosen["mean"] / min(record["mean"] for record in of_setting))
            worst.append(chosen["largest"] / min(record["largest"] for record in of_setting))
        return (
            f"With √t the mean regret is {min(ratios):.1f} to {max(ratios):.1f} times that of the best of "
            f"{len(self.grid)} choices (known only afterwards), and the worst trial {min(worst):.1f} to "
            f"{max(worst):.1f} times the best worst."
        )


def without_bias(results: Results) -> str:
    """What greedy loses beyond the paper's choice, in words."""
    extra = results.compare(name_of(*CHOSEN))[GREEDY]
    return f"{number(extra.mean)} [{number(extra.low)}, {number(extra.high)}]"


def name_of(c: float, p: float) -> str:
    """A policy of the grid."""
    return f"{c:g}·t^{p:g}"


def best_beside_chosen(grid: Sequence[tuple[float, float]], final: dict[str, FloatArray]) -> list[str]:
    """Mean and worst of the choice, and the best of each with its place on the grid."""
    mean = {point: float(final[name_of(*point)].mean()) for point in grid}
    worst = {point: float(final[name_of(*point)].max()) for point in grid}
    best_mean, best_worst = min(mean, key=mean.__getitem__), min(worst, key=worst.__getitem__)
    return [
        f"{mean[CHOSEN]:,.1f}",
        f"{worst[CHOSEN]:,.1f}",
        f"{mean[best_mean]:,.1f}",
        f"({best_mean[0]:g}, {best_mean[1]:g})",
        f"{worst[best_worst]:,.1f}",
        f"({best_worst[0]:g}, {best_worst[1]:g})",
    ]
