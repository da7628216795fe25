"""What a selection found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rbmle.display.frames import pandas
from rbmle.display.grid import Grid
from rbmle.errors import InvalidInputError
from rbmle.evaluation.evaluation import GUESSED, Evaluation, shown
from rbmle.evaluation.verdict import brief, percent
from rbmle.policies import Policy

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Claim: TypeAlias = Literal["better", "worse", "not told apart"]


@dataclass(frozen=True)
class Candidate:
    """A candidate on the held-out part.

    value       what it would have earned per decision
    difference  to the logging policy, with its standard error
    low, high   of the difference; the intervals of all candidates hold together
    """

    name: str
    value: float
    difference: float
    standard_error: float
    low: float
    high: float

    @property
    def claim(self) -> Claim:
        """What can be said of it, with all others in mind."""
        return "better" if self.low > 0.0 else "worse" if self.high < 0.0 else "not told apart"


@dataclass(frozen=True)
class Trained:
    """A policy of a sweep on the training part: mean reward of its replay, how many rows were kept, whether it won."""

    value: float
    standard_error: float
    n: int
    chosen: bool


@dataclass(frozen=True, eq=False, repr=False)
class Selection:
    """Policies compared on one log.

    candidates   those judged on the held-out part, by name
    trained      sweeps on the training part, by name
    evaluations  all about each candidate on the held-out part
    policies     candidates that are policies, as they were judged: learnt from the training part
    """

    log: str
    estimator: str
    candidates: Mapping[str, Candidate]
    trained: Mapping[str, Trained]
    evaluations: Mapping[str, Evaluation]
    policies: Mapping[str, Policy]
    level: float
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Candidate:
        if name not in self.candidates:
            raise InvalidInputError(f"candidate must be one of {', '.join(self.candidates)}. Got {name!r}.")
        return self.candidates[name]

    @property
    def best(self) -> str | None:
        """The candidate of the largest value among those that are better than the logging policy; None if none is."""
        better = [each for each in self.candidates.values() if each.claim == "better"]
        return max(better, key=lambda each: each.value).name if better and self.answers else None

    @property
    def distinguishable(self) -> list[str]:
        """The candidates that are told apart from the logging policy."""
        return [each.name for each in self.candidates.values() if each.claim != "not told apart"]

    @property
    def tuned(self) -> list[str]:
        """The policies that won their sweeps."""
        return [name for name, each in self.trained.items() if each.chosen]

    @property
    def answers(self) -> bool:
        """Whether the log can answer for at least one candidate."""
        return any(each.verdict.grade != "cannot answer" for each in self.evaluations.values())

    @property
    def n(self) -> int:
        """How many rows candidates were judged on."""
        return next(iter(self.evaluations.values())).n

    @property
    def estimated(self) -> bool:
        """Whether the log had no probabilities."""
        return any(each.estimated for each in self.evaluations.values())

    @property
    def verdict(self) -> list[str]:
        """What all of this says, in plain language."""
        lines, first = [], next(iter(self.evaluations.values()))
        if self.best is not None:
            won = self[self.best]
            lines.append(
                f"Switch to {won.name}: {brief(won.difference)} more per decision than the logging policy "
                f"({brief(won.low)} to {brief(won.high)}, {percent(self.level)} for all candidates together)."
            )
        else:
            lines.append("No candidate is told apart from the logging policy as better: keep it, or log more.")
        for word in ("worse", "not told apart"):
            names = [name for name, each in self.candidates.items() if each.claim == word]
            if names and not (word == "not told apart" and self.best is None and len(names) == len(self.candidates)):
                verb = {"worse": "earned less", "not told apart": "not told apart from the logging policy"}[word]
                lines.append(f"{', '.join(names)}: {verb}.")
        for name in self.tuned:
            lines.append(f"{name} won its sweep on the training part ({self.trained[name].n:,} rows of its replay).")
        for name, each in self.evaluations.items():
            if each.verdict.grade == "cannot answer":
                lines.append(f"{name}: {' '.join(each.verdict.lines[:2])}")
        if self.estimated:
            lines.append(GUESSED)
        if first.adaptive:
            lines.append("The policy that wrote the log learnt from it: these intervals are not proved for such logs.")
        return lines

    def summary(self) -> Grid:
        """Candidates, the largest value first."""
        order = sorted(self.candidates.values(), key=lambda each: -each.value)
        logged = next(iter(self.evaluations.values())).mean_reward
        rows = [
            [each.name, shown(each.value), shown(each.difference), shown(each.low), shown(each.high), each.claim]
            for each in order
        ]
        rows.append(["logging policy", shown(logged), "", "", "", ""])
        guess = ", probabilities estimated" if self.estimated else ""
        caption = f"Reward per decision by {self.estimator}, {self.n:,} held-out rows of {self.log}{guess}"
        columns = [
            "candidate",
            "value",
            "more",
            f"from ({100 * self.level:g} %, all)",
            "to",
            "against the logging policy",
        ]
        return Grid(caption, columns, rows, {(row, 0) for row, each in enumerate(order) if each.name == self.best})

    def sweeps(self) -> Grid:
        """Policies of sweeps on the training part."""
        order = sorted(self.trained.items(), key=lambda item: -item[1].value)
        rows = [[name, shown(each.value), shown(each.standard_error), f"{each.n:,}"] for name, each in order]
        best = {(row, 0) for row, (_, each) in enumerate(order) if each.chosen}
        return Grid("Replays on the training part", ["policy", "reward per decision", "SE", "rows kept"], rows, best)

    def to_frame(self) -> "pd.DataFrame":
        """A row per candidate, as a pandas data frame."""
        from dataclasses import asdict

        rows = [{**asdict(each), "claim": each.claim, "n": self.n} for each in self.candidates.values()]
        frame: pd.DataFrame = pandas().DataFrame(rows)
        return frame

    def plot(self, path: str | PathLike[str] | None = None) -> "Figure":
        """Differences to the logging policy with their intervals; `path` is where to write the figure."""
        from rbmle.display.figures import save_figure
        from rbmle.evaluation.plot import differences_figure

        found = {name: (each.difference, each.low, each.high) for name, each in self.candidates.items()}
        figure = differences_figure(found, self.estimated)
        if path is not None:
            save_figure(figure, path)
        return figure

    def __str__(self) -> str:
        parts = [str(self.summary()), *([str(self.sweeps())] if self.trained else []), "\n".join(self.verdict)]
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        from html import escape

        lines = "".join(f"<p>{escape(line)}</p>" for line in self.verdict)
        sweeps = self.sweeps()._repr_html_() if self.trained else ""
        return self.summary()._repr_html_() + sweeps + lines

    def __repr__(self) -> str:
        return f"Selection({len(self.candidates)} candidates on {self.log}: best {self.best})"
