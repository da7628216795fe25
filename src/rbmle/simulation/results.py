"""What a comparison found: regret curves, times, and the statistics of the paper."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from rbmle import params
from rbmle.display.frames import pandas
from rbmle.display.grid import Grid, duration, number
from rbmle.errors import InvalidInputError
from rbmle.params import Real
from rbmle.simulation.log import TrialLog
from rbmle.simulation.paired import Paired, difference
from rbmle.types import FloatArray, IntArray

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

QUANTILES = {"q10": 0.10, "q25": 0.25, "q50": 0.50, "q75": 0.75, "q90": 0.90, "q95": 0.95}
STATISTICS = ("mean", "std", *QUANTILES)


@dataclass(eq=False)
class Results:
    """The outcome of `simulate`.

    rounds    (R,) the rounds, from 1, at which regret was noted; the last is the horizon
    regret    by policy: (trials, R) cumulative pseudo-regret, counted in mean rewards
    seconds   by policy: (trials,) seconds per decision (choose + update), NaN for trials that came from a store
    manifest  settings, seed, versions and machine, as plain data
    logs      by policy, if it was asked for: arms, chances and rewards, (trials, T) each
    """

    rounds: IntArray
    regret: dict[str, FloatArray]
    seconds: dict[str, FloatArray]
    manifest: dict[str, Any]
    logs: dict[str, TrialLog] = field(default_factory=dict)

    @property
    def policies(self) -> list[str]:
        """Names, in the order given."""
        return list(self.regret)

    @property
    def trials(self) -> int:
        """How many trials there were."""
        return len(next(iter(self.regret.values())))

    @property
    def horizon(self) -> int:
        """The last round."""
        return int(self.rounds[-1])

    def final_regret(self, policy: str) -> FloatArray:
        """Regret at the horizon, one per trial."""
        if policy not in self.regret:
            raise InvalidInputError(f"policy must be one of {', '.join(self.policies)}. Got {policy!r}.")
        last: FloatArray = self.regret[policy][:, -1]
        return last

    def ranking(self) -> list[str]:
        """Names by mean final regret, the best first."""
        return sorted(self.policies, key=lambda name: float(self.final_regret(name).mean()))

    def statistics(self) -> dict[str, dict[str, float]]:
        """Statistics of the final regret over the trials, as the paper prints them: std with ddof = 0."""
        table = {}
        for name in self.policies:
            final = self.final_regret(name)
            levels = np.quantile(final, list(QUANTILES.values()))
            table[name] = {"mean": float(final.mean()), "std": float(final.std())}
            table[name] |= dict(zip(QUANTILES, levels.tolist(), strict=True))
        return table

    def seconds_per_decision(self) -> dict[str, float]:
        """Mean time of a decision (choose + update) by policy, over the trials that were timed; NaN if none was."""
        timed = {name: values[~np.isnan(values)] for name, values in self.seconds.items()}
        return {name: float(timed[name].mean()) if len(timed[name]) else math.nan for name in self.policies}

    def compare(self, policy: str, *, level: float = 0.95) -> Paired:
        """Differences of final regret of every other policy to this one, paired over the trials, with intervals.

        level: of Student's interval for the mean difference.
        """
        params.require("compare", "level", level, Real(0.0, 1.0, open_low=True, open_high=True))
        own = self.final_regret(policy)
        others = [
            difference(name, self.final_regret(name) - own, float(level)) for name in self.ranking() if name != policy
        ]
        return Paired(policy, float(level), self.trials, others)

    def log(self, policy: str) -> dict[str, Any]:
        """What a policy played, as columns: trial, round (from 1), arm, probability (NaN if not known), reward.

        There with `simulate(..., log=True)`; `pandas.DataFrame(results.log(name))` makes a frame of it.
        """
        self.final_regret(policy)  # says which names there are
        if policy not in self.logs:
            raise InvalidInputError("log needs results of simulate(..., log=True). These were made without.")
        arms, chances, rewards = self.logs[policy]
        trials, horizon = arms.shape
        return {
            "trial": np.repeat(np.arange(trials), horizon),
            "round": np.tile(np.arange(1, horizon + 1), trials),
            "arm": arms.ravel(),
            "probability": chances.ravel(),
            "reward": rewards.ravel(),
        }

    def table(self) -> Iterator[tuple[str, int, int, float]]:
        """Tidy rows (policy, trial, round, regret)."""
        rounds = self.rounds.tolist()
        for name, curves in self.regret.items():
            for trial, curve in enumerate(curves.tolist()):
                for at, value in zip(rounds, curve, strict=True):
                    yield name, trial, at, value

    def to_frame(self) -> "pd.DataFrame":
        """The tidy table as a pandas data frame, with the method (class) of each policy and a column per parameter."""
        frame: pd.DataFrame = pandas().DataFrame(self.table(), columns=["policy", "trial", "round", "regret"])
        described: Mapping[str, Mapping[str, Any]] = self.manifest.get("policies", {})
        told = {name: {"method": None, **described.get(name, {})} for name in self.policies}
        for row in told.values():
            row["method"] = row.pop("policy", None)
        for column in dict.fromkeys(column for row in told.values() for column in row):
            label = f"{column} (parameter)" if column in ("trial", "round", "regret") else column
            frame[label] = frame["policy"].map({name: row.get(column) for name, row in told.items()})
        return frame

    def statistics_frame(self) -> "pd.DataFrame":
        """The statistics as a pandas data frame, one row per policy, with the seconds per decision."""
        frame: pd.DataFrame = pandas().DataFrame.from_dict(self.statistics(), orient="index")
        frame.index.name = "policy"
        frame["seconds"] = self.seconds_per_decision()
        return frame

    def save(self, path: str | PathLike[str], *, form: str = "csv") -> None:
        """Write results.csv, seconds.csv, manifest.json (and log.csv) into a folder; `load` reads them back exactly.

        form: "csv"; "parquet", the same tables as binary columns, where pyarrow is; or "npz", without it. Both are
            smaller and many times faster, for sweeps of many thousand trials.
        """
        from rbmle.simulation.storage import save

        save(self, path, form)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Results":
        """Read what `save` wrote."""
        from rbmle.simulation.storage import load

        return load(path)

    def plot(
        self,
        path: str | PathLike[str] | None = None,
        *,
        ax: "Axes | None" = None,
        band: str | None = "quantile",
        log_x: bool = False,
        log_y: bool | None = None,
        title: str | None = None,
    ) -> "Figure":
        """Regret curves with a band, as a matplotlib figure, which a notebook shows.

        path: where to write it; the ending decides: .png, .svg or .pdf.
        ax: axes of your own to draw into; their figure is returned.
        band: "quantile" (median, and 25 % to 75 % of the trials), "std" (mean ± one standard deviation), "error" (mean
            ± one standard error) or None (mean alone).
        log_y: a logarithmic regret axis; by default only where the policies are far apart.
        """
        from rbmle.display.figures import save_figure
        from rbmle.simulation.plot import regret_curves

        figure = regret_curves(self.rounds, self.regret, ax=ax, band=band, log_x=log_x, log_y=log_y, title=title)
        if path is not None:
            save_figure(figure, path)
        return figure

    def combine(self, other: "Results") -> "Results":
        """Both comparisons in one: other policies on the same problem, seed, horizon and trials."""
        for key in ("problem", "seed", "horizon", "trials"):
            mine, theirs = self.manifest.get(key), other.manifest.get(key)
            if mine != theirs:
                raise InvalidInputError(f"combine needs results of the same {key}. Got {mine} and {theirs}.")
        if not np.array_equal(self.rounds, other.rounds):
            raise InvalidInputError("combine needs results recorded at the same rounds.")
        both = set(self.regret) & set(other.regret)
        if both:
            raise InvalidInputError(f"combine needs policies of different names. Both have {', '.join(sorted(both))}.")
        policies: Mapping[str, Any] = {**self.manifest.get("policies", {}), **other.manifest.get("policies", {})}
        manifest = {**self.manifest, "policies": dict(policies)}
        seconds, logs = {**self.seconds, **other.seconds}, {**self.logs, **other.logs}
        return Results(self.rounds, {**self.regret, **other.regret}, seconds, manifest, logs)

    def __add__(self, other: "Results") -> "Results":
        return self.combine(other)

    def summary(self, columns: Sequence[str] = (*STATISTICS, "time")) -> Grid:
        """Final regret in a table, the best policy first, the lowest of a column marked.

        columns: of "mean", "SE" (the standard error of the mean), "std", the quantiles, "time" (of a decision).
        """
        table, seconds, order = self.statistics(), self.seconds_per_decision(), self.ranking()
        for name in order:
            table[name] |= {"SE": table[name]["std"] / math.sqrt(max(self.trials - 1, 1)), "time": seconds[name]}
        rows = [
            [name, *((duration if column == "time" else number)(table[name][column]) for column in columns)]
            for name in order
        ]
        lowest = {column: np.nanmin([*(table[name][column] for name in order), np.inf]) for column in columns}
        best = {
            (row, place)
            for row, name in enumerate(order)
            for place, column in enumerate(columns, start=1)
            if column != "SE" and table[name][column] == lowest[column]
        }
        caption = f"Final regret after {self.horizon} rounds, {self.trials} trials"
        return Grid(caption, ["policy", *columns], rows, best)

    def __str__(self) -> str:
        return str(self.summary())

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def __repr__(self) -> str:
        return f"Results({', '.join(self.policies)}: {self.trials} trials × {self.horizon} rounds)"
