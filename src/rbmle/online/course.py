"""How it went: a few numbers per decision, in arrays, for figures and tables."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rbmle.online.decision import KIND
from rbmle.online.history import Outcome
from rbmle.online.ids import from_json
from rbmle.online.journal.base import Event, Journal
from rbmle.online.rules import Rules
from rbmle.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Course:
    """The n decisions that a journal still has, in its order.

    arms         ids; `arm` has their places in it
    time         (n,) when each was decided
    probability  (n,) the chance with which its arm was served
    closed       (n,) whether nothing more is awaited
    reward       (n,) what it earned; NaN where that is not known or nothing
    delay        (n,) seconds until its first reward was told; NaN where none was
    last         the last decision's event
    """

    arms: tuple[Any, ...]
    arm: IntArray
    time: FloatArray
    probability: FloatArray
    closed: BoolArray
    reward: FloatArray
    delay: FloatArray
    last: Event | None

    @property
    def learnable(self) -> BoolArray:
        """(n,) decisions that are closed with a reward, before the first that is still open: later ones are those whose
        reward came early, which are not like the others."""
        frontier = self.time[~self.closed].min(initial=np.inf)
        known: BoolArray = self.closed & ~np.isnan(self.reward) & (self.time < frontier)
        return known

    def by_arm(self) -> list[tuple[Any, int, float, float]]:
        """(arm, n, mean, standard error) of the rewards of each arm, the best mean first."""
        arm, values, size = self.arm[self.learnable], self.reward[self.learnable], len(self.arms)
        n = np.bincount(arm, minlength=size)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.bincount(arm, values, size) / n
            errors = np.sqrt(np.bincount(arm, (values - means[arm]) ** 2, size) / (n - 1) / n)
        rows = [(self.arms[k], int(n[k]), float(means[k]), float(errors[k])) for k in np.flatnonzero(n)]
        return sorted(rows, key=lambda row: -row[2])

    def in_spans(self, count: int = 24) -> list[tuple[float, int, float, float]]:
        """(time, n, mean, standard error) of the rewards in spans of equally many decisions, in order of time."""
        order = np.argsort(self.time[self.learnable], kind="stable")
        times, rewards = self.time[self.learnable][order], self.reward[self.learnable][order]
        parts = np.array_split(np.arange(len(times)), max(1, min(count, len(times) // 10)))
        return [
            (float(times[part].mean()), len(part), float(rewards[part].mean()), error_of(rewards[part]))
            for part in parts
            if len(part)
        ]


def error_of(values: FloatArray) -> float:
    """The standard error of a mean; NaN for one value."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def course_of(journal: Journal, rules: Rules) -> Course:
    """Read a whole journal."""
    places: dict[Any, int] = {}
    numbers: list[tuple[int, float, float]] = []
    outcomes: list[Outcome] = []
    delays: list[float] = []
    by_id: dict[str, int] = {}
    last = None
    for event in journal.events():
        name = event.subject
        if name is None or event.kind == "begin":
            continue
        if event.kind == KIND:
            data, K = event.data, event.data["K"]
            index, ids = data["arm"], data.get("arms")
            arm = index if ids is None else from_json(ids[index])
            p = float(np.frombuffer(event.body, offset=len(event.body) - 8 * K)[index])
            by_id[name], last = len(numbers), event
            numbers.append((places.setdefault(arm, len(places)), event.time, p))
            outcomes.append(Outcome(rules))
            delays.append(float("nan"))
        place = by_id.get(name)
        if place is not None:
            if event.kind == "reward" and not outcomes[place].known:
                delays[place] = event.time - numbers[place][1]
            outcomes[place].apply(event)
    arm_numbers, times, chances = np.array(numbers).reshape(len(numbers), 3).T
    return Course(
        tuple(places), arm_numbers.astype(np.int64), times, chances,
        np.array([each.closed for each in outcomes], dtype=bool),
        np.array([each.reward if each.closed and each.reward is not None else np.nan for each in outcomes]),
        np.array(delays), last,
    )  # fmt: skip
