"""Differences of final regret within trials: all policies met the same sample paths, so chance cancels."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from rbmle.display.frames import pandas
from rbmle.display.grid import Grid, number
from rbmle.errors import InvalidInputError
from rbmle.types import FloatArray

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Difference:
    """How much more than the reference one policy lost.

    mean       of the differences of final regret over the trials
    low, high  Student's interval around it; infinite with one trial, which says nothing about chance
    worse      the share of trials in which the policy lost more, ties counted half
    """

    policy: str
    mean: float
    low: float
    high: float
    worse: float

    @property
    def clear(self) -> bool:
        """Whether the interval excludes no difference at all."""
        return self.low > 0.0 or self.high < 0.0


@dataclass(frozen=True)
class Paired:
    """Every other policy against one, trial by trial.

    The interval is Student's for the mean of paired differences, with trials − 1 degrees of freedom, at `level` for
    each policy by itself. It is exact for normal differences and for many trials. With few trials and heavy tails (one
    trial in twenty that goes wrong) it is too narrow: `worse` then says what a mean cannot.
    """

    reference: str
    level: float
    trials: int
    differences: Sequence[Difference]

    def __getitem__(self, policy: str) -> Difference:
        found = {each.policy: each for each in self.differences}
        if policy not in found:
            raise InvalidInputError(f"policy must be one of {', '.join(found)}. Got {policy!r}.")
        return found[policy]

    def grid(self) -> Grid:
        """The table, smallest difference first."""
        return Grid(
            f"Final regret minus that of {self.reference}, paired over {self.trials} trials; {self.level:.0%} interval "
            "by Student's t",
            ["policy", "difference", "from", "to", "worse in"],
            [
                [each.policy, *map(signed, (each.mean, each.low, each.high)), f"{each.worse:.0%}"]
                for each in self.differences
            ],
            {(row, 1) for row, each in enumerate(self.differences) if each.clear},
        )

    def to_frame(self) -> "pd.DataFrame":
        """A row per policy as a pandas data frame."""
        frame: pd.DataFrame = pandas().DataFrame([asdict(each) for each in self.differences])
        return frame

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def difference(policy: str, extra: FloatArray, level: float) -> Difference:
    """From the differences (trials,) of a policy to the reference."""
    from scipy.special import stdtrit

    mean, width, count = float(extra.mean()), math.inf, len(extra)
    if count > 1:
        quantile = float(stdtrit(count - 1, 0.5 + level / 2))
        width = quantile * float(extra.std(ddof=1)) / math.sqrt(count)
    worse = float(np.mean((np.sign(extra) + 1) / 2))
    return Difference(policy, mean, mean - width, mean + width, worse)


def signed(value: float) -> str:
    """A difference as text: +1.50, −1.50."""
    return ("+" if value > 0 else "") + number(value).replace("-", "−")
