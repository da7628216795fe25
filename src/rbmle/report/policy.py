"""The report of a policy that has learnt."""

from math import sqrt

import numpy as np

from rbmle.display.figures import new_figure
from rbmle.evaluation.evaluation import shown
from rbmle.evaluation.kinds import Interval
from rbmle.evaluation.plot import draw_intervals
from rbmle.policies import Policy
from rbmle.report.document import Block, Facts, Figure, Highlights, Report, Section, Table

WIDE = 1.96
DRAWN = 20
MEANING = (
    "What the model predicts for a context that is 1 in one feature and 0 elsewhere, with its 95 % interval where the "
    "noise of rewards is of size one and the model is right; those that stand out most first."
)


def parameters(policy: Policy) -> list[tuple[str, float, float, float]]:
    """Feature, prediction, and both ends of its interval, for each feature alone; those that stand out most first."""
    mean, variance = policy.model.predict(np.eye(policy.n_features))
    rows = [
        (f"x{place}", float(m), float(m) - WIDE * sqrt(v), float(m) + WIDE * sqrt(v))
        for place, (m, v) in enumerate(zip(mean, np.maximum(variance, 0.0), strict=True))
    ]
    return sorted(rows, key=lambda row: -abs(row[1]) / max(row[3] - row[1], 1e-300))


def policy_report(policy: Policy, log: str, title: str = "What a policy has learnt") -> Report:
    """The report of a policy after `fit`; `write` puts it on disk."""
    content: list[Block] = [Highlights({f"{policy.n_observed:,}": f"rewards learnt, the last from {log}"})]
    rows = parameters(policy)
    figure = new_figure(6.4, 1.0 + 0.3 * max(2, len(rows[:DRAWN])))
    axes = figure.subplots()
    lines = [(name, value, Interval(low, high, 0.95, "", ())) for name, value, low, high in rows[:DRAWN]]
    draw_intervals(axes, [(name, value, found) for name, value, found in lines])
    axes.axvline(0.0, color="#777777", lw=1.0, zorder=0)
    axes.set_xlabel("predicted reward")
    content.append(Figure(MEANING, figure, "features", alt="Predictions with their intervals."))
    table = [[name, shown(value), shown(low), shown(high)] for name, value, low, high in rows]
    content.append(Table(MEANING, ["feature", "predicted reward", "from", "to"], table, "features"))
    settings = {name: repr(value) for name, value in policy.params.items()}
    return Report(
        title=title,
        subtitle=f"{type(policy).__name__}, {policy.n_features} features.",
        sections=[Section("Predictions", content), Section("Settings", [Facts({"policy": repr(policy), **settings})])],
    )
