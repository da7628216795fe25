"""Why an arm: what the policy knows of each, and what it makes of it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rbmle.display.grid import Grid
from rbmle.online.fold import State
from rbmle.types import FloatArray


@dataclass(frozen=True, eq=False)
class Explanation:
    """What stands behind a decision, for each of K arms.

    mean         (K,) the reward that is expected
    width        (K,) the standard deviation of that estimate, in units of the reward's noise
    bias         (K,) what the method adds to the mean: index − mean; NaN where its index is of another kind
    index        (K,) what the arms are compared by; of a method that samples, one draw
    probability  (K,) the chance of each
    """

    arms: tuple[Any, ...]
    mean: FloatArray
    width: FloatArray
    bias: FloatArray
    index: FloatArray
    probability: FloatArray

    @property
    def table(self) -> Grid:
        """All as a table."""
        names = ("mean", "width", "bias", "index", "probability")
        rows = [[str(arm), *(f"{getattr(self, name)[i]:.4g}" for name in names)] for i, arm in enumerate(self.arms)]
        return Grid("What the policy makes of each arm", ("arm", *names), rows)

    def __str__(self) -> str:
        return str(self.table)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def explained(state: State, X: FloatArray, ids: tuple[Any, ...] | None) -> Explanation:
    """What the policy makes of arms X (K, d)."""
    policy, floor, K = state.policy, state.rules.floor, len(X)
    mean, variance = policy.model.predict(X)
    index = policy.scores(X)
    chances = (1.0 - floor) * policy.probabilities(X, samples=state.rules.samples) + floor / K
    arms = tuple(range(K)) if ids is None else ids
    width = np.sqrt(np.maximum(variance, 0.0))
    return Explanation(arms, mean, width, index - mean, index, chances)
