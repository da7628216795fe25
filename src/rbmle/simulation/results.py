"""What a comparison found: regret curves, times, and the statistics of the paper."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from rbmle.errors import InvalidInputError, RbmleError
from rbmle.types import FloatArray, IntArray

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

QUANTILES = {"q10": 0.10, "q25": 0.25, "q50": 0.50, "q75": 0.75, "q90": 0.90, "q95": 0.95}


@dataclass(eq=False)
class Results:
    """The outcome of `simulate`.

    rounds    (R,) the rounds, from 1, at which regret was noted; the last is the horizon
    regret    by policy: (trials, R) cumulative pseudo-regret, counted in mean rewards
    seconds   by policy: (trials,) seconds per decision (choose + update)
    manifest  settings, seed, versions and machine, as plain data
    """

    rounds: IntArray
    regret: dict[str, FloatArray]
    seconds: dict[str, FloatArray]
    manifest: dict[str, Any]

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
        """Mean time of a decision (choose + update) by policy."""
        return {name: float(self.seconds[name].mean()) for name in self.policies}

    def table(self) -> Iterator[tuple[str, int, int, float]]:
        """Tidy rows (policy, trial, round, regret)."""
        rounds = self.rounds.tolist()
        for name, curves in self.regret.items():
            for trial, curve in enumerate(curves.tolist()):
                for at, value in zip(rounds, curve, strict=True):
                    yield name, trial, at, value

    def to_frame(self) -> "pd.DataFrame":
        """The tidy table as a pandas data frame."""
        frame: pd.DataFrame = pandas().DataFrame(self.table(), columns=["policy", "trial", "round", "regret"])
        return frame

    def statistics_frame(self) -> "pd.DataFrame":
        """The statistics as a pandas data frame, one row per policy, with the seconds per decision."""
        frame: pd.DataFrame = pandas().DataFrame.from_dict(self.statistics(), orient="index")
        frame.index.name = "policy"
        frame["seconds"] = self.seconds_per_decision()
        return frame

    def save(self, path: str | PathLike[str]) -> None:
        """Write results.csv, seconds.csv and manifest.json into a folder; `Results.load` reads them back exactly."""
        from rbmle.simulation.storage import save

        save(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Results":
        """Read what `save` wrote."""
        from rbmle.simulation.storage import load

        return load(path)

    def plot(
        self,
        path: str | PathLike[str] | None = None,
        *,
        band: str | None = "quantile",
        log_x: bool = False,
        log_y: bool | None = None,
        title: str | None = None,
    ) -> "Figure":
        """Regret curves with a band, as a matplotlib figure.

        path: where to write it; the ending decides: .png, .svg or .pdf.
        band: "quantile" (median, and 25 % to 75 % of the trials), "std" (mean ± one standard deviation), "error" (mean
            ± one standard error) or None (mean alone).
        log_y: a logarithmic regret axis; by default only where the policies are far apart.
        """
        from rbmle.simulation.plot import regret_curves, save_figure

        figure = regret_curves(self.rounds, self.regret, band=band, log_x=log_x, log_y=log_y, title=title)
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
        return Results(self.rounds, {**self.regret, **other.regret}, {**self.seconds, **other.seconds}, manifest)

    def __add__(self, other: "Results") -> "Results":
        return self.combine(other)

    def __str__(self) -> str:
        columns = ["mean", "std", *QUANTILES]
        width = max(6, *(len(name) for name in self.policies))
        lines = [f"Final regret after {self.horizon} rounds, {self.trials} trials"]
        lines.append(f"{'policy':<{width}}" + "".join(f"{column:>10}" for column in columns) + f"{'ns/round':>12}")
        statistics, seconds = self.statistics(), self.seconds_per_decision()
        for name in self.ranking():
            numbers = "".join(f"{statistics[name][column]:>10.2f}" for column in columns)
            lines.append(f"{name:<{width}}{numbers}{1e9 * seconds[name]:>12,.0f}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Results({', '.join(self.policies)}: {self.trials} trials × {self.horizon} rounds)"


def pandas() -> Any:
    """The pandas module, or an error that says how to get it."""
    try:
        import pandas
    except ModuleNotFoundError as missing:
        raise RbmleError("Data frames need pandas: pip install 'rbmle[report]'.") from missing
    return pandas
