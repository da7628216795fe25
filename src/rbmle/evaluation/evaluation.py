"""What an evaluation found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any

from rbmle.display.frames import pandas
from rbmle.display.grid import Grid
from rbmle.errors import InvalidInputError
from rbmle.evaluation.diagnostics import Diagnostics
from rbmle.evaluation.finishing import Estimate
from rbmle.evaluation.kinds import KINDS, Interval
from rbmle.evaluation.verdict import Verdict, verdict

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

PREFERRED = ("dr", "sndr", "snips", "replay", "ips", "clipped-ips", "dm")
GUESSED = "The log has no probabilities; they were estimated from it, and everything here rests on that guess."


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """What a policy would have earned, by a log that another one wrote.

    log, target     what they are called
    n               rows used; `skipped` says which were not, and why
    estimates       by estimator: value, standard_error, intervals, difference to the logging policy
    mean_reward     of the logging policy, `mean_reward_error` its standard error
    diagnostics     of weights and probabilities; None where a learning policy was replayed
    estimated       whether the log had no probabilities, so that they were estimated
    adaptive        whether the logging policy learnt from the log while it wrote it; None: nobody said
    notes           what else is to be known
    settings        what was asked for, plain data
    """

    log: str
    target: str
    n: int
    estimates: Mapping[str, Estimate]
    mean_reward: float
    mean_reward_error: float
    diagnostics: Diagnostics | None = None
    skipped: Mapping[str, int] = field(default_factory=dict)
    estimated: bool = False
    adaptive: bool | None = None
    notes: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    def estimate(self, name: str) -> Estimate:
        """All about one estimator."""
        if name not in self.estimates:
            raise InvalidInputError(f"estimator must be one of {', '.join(self.estimates)}. Got {name!r}.")
        return self.estimates[name]

    def value(self, name: str) -> float:
        """What the target would have earned per decision, by one estimator."""
        return self.estimate(name).value

    def standard_error(self, name: str) -> float:
        """Its standard error, for independent rows."""
        return self.estimate(name).standard_error

    def interval(self, name: str, kind: str | None = None) -> Interval:
        """The interval of an estimator: the first that was asked for, or one by its kind."""
        found = self.estimate(name).intervals
        if not found:
            kinds = [each for each in KINDS if name in KINDS[each].suits]
            raise InvalidInputError(f"{name!r} has no interval here. There are intervals={', '.join(kinds)} for it.")
        if kind is None:
            return next(iter(found.values()))
        if kind not in found:
            raise InvalidInputError(f"kind must be one of {', '.join(found)} for {name!r}. Got {kind!r}.")
        return found[kind]

    def difference(self, name: str) -> Interval:
        """The interval for how much more than the logging policy the target would have earned."""
        found = self.estimate(name).difference
        if found is None:
            raise InvalidInputError(f"{name!r} has no difference to the logging policy.")
        return found

    @property
    def headline(self) -> str:
        """The estimator whose answer is told first."""
        return next((name for name in PREFERRED if name in self.estimates), next(iter(self.estimates)))

    @property
    def verdict(self) -> Verdict:
        """What all of this says, in plain language."""
        counts = {
            why: f"{count:,} row{' was' if count == 1 else 's were'}" for why, count in self.skipped.items() if count
        }
        told = tuple(f"{count} left out: {why}." for why, count in counts.items())
        guess = (GUESSED,) if self.estimated else ()
        return verdict(self.estimates, self.headline, self.diagnostics, self.adaptive, (*guess, *self.notes, *told))

    def to_frame(self) -> "pd.DataFrame":
        """A row per estimator and interval, as a pandas data frame."""
        rows = []
        for each in self.estimates.values():
            for found in each.intervals.values() or (None,):
                rows.append(
                    {
                        "target": self.target,
                        "estimator": each.name,
                        "value": each.value,
                        "standard_error": each.standard_error,
                        "interval": None if found is None else found.kind,
                        "low": None if found is None else found.low,
                        "high": None if found is None else found.high,
                        "level": None if found is None else found.level,
                        "n": self.n,
                        "estimated_probabilities": self.estimated,
                        "assumptions": "" if found is None else "; ".join(found.assumptions),
                    }
                )
        frame: pd.DataFrame = pandas().DataFrame(rows)
        return frame

    def summary(self) -> Grid:
        """Estimates with their intervals, and the logging policy's own mean reward."""
        rows = [["logging policy", shown(self.mean_reward), shown(self.mean_reward_error), "", "", ""]]
        for each in self.estimates.values():
            for place, found in enumerate(each.intervals.values() or (None,)):
                cells = ["", "", ""] if place else [each.name, shown(each.value), shown(each.standard_error)]
                ends = ["–", "–", ""] if found is None else [shown(found.low), shown(found.high), found.kind]
                rows.append([*cells, *ends])
        level = next(
            (f"{100 * found.level:g} %" for each in self.estimates.values() for found in each.intervals.values()), ""
        )
        guess = ", probabilities estimated" if self.estimated else ""
        caption = f"Reward per decision of {self.target} from {self.n:,} rows of {self.log}{guess}"
        columns = ["estimator", "value", "SE", f"from ({level})" if level else "from", "to", "interval"]
        return Grid(caption, columns, rows, {(row, 0) for row, cells in enumerate(rows) if cells[0] == self.headline})

    def plot(self, path: str | PathLike[str] | None = None) -> "Figure":
        """Estimates with their intervals, as a matplotlib figure; `path` is where to write it."""
        from rbmle.display.figures import save_figure
        from rbmle.evaluation.plot import intervals_figure

        figure = intervals_figure(self)
        if path is not None:
            save_figure(figure, path)
        return figure

    def __str__(self) -> str:
        return f"{self.summary()}\n\n{self.verdict}"

    def _repr_html_(self) -> str:
        from html import escape

        lines = "".join(f"<p>{escape(line)}</p>" for line in self.verdict.lines)
        return self.summary()._repr_html_() + lines

    def __repr__(self) -> str:
        told = self.estimates[self.headline]
        numbers = f"{told.name} {told.value:.4g} ± {told.standard_error:.2g}, n={self.n}"
        return f"Evaluation({self.target} on {self.log}: {numbers})"


def shown(value: float) -> str:
    """Four digits."""
    return "–" if value != value else f"{value:.4g}"
