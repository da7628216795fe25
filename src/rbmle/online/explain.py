"""Why an arm: what the policy knows of each, and what it makes of it."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rbmle.display.grid import Grid
from rbmle.errors import InvalidInputError
from rbmle.online.decision import KIND, contexts_of, of_event
from rbmle.online.fold import State
from rbmle.online.ids import from_json
from rbmle.online.journal.base import Event, Journal
from rbmle.types import FloatArray


@dataclass(frozen=True, eq=False)
class Explanation:
    """What the policy makes of each of K arms, as it is now.

    mean         (K,) the reward that is expected
    width        (K,) the standard deviation of that estimate, in units of the reward's noise
    bias         (K,) what the method adds to the mean: index − mean; NaN where its index is of another kind
    index        (K,) what the arms are compared by; of a method that samples, one draw
    probability  (K,) the chance of each
    served       the arm that was served, where it is a decision that was explained
    """

    arms: tuple[Any, ...]
    mean: FloatArray
    width: FloatArray
    bias: FloatArray
    index: FloatArray
    probability: FloatArray
    served: Any = None

    @property
    def table(self) -> Grid:
        """All as a table."""
        names = ("mean", "width", "bias", "index", "probability")
        rows = [[str(arm), *(f"{getattr(self, name)[i]:.4g}" for name in names)] for i, arm in enumerate(self.arms)]
        if self.served is not None:
            rows[self.arms.index(self.served)][0] += " (served)"
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


def decided(journal: Journal, name: str) -> Event:
    """The event of the decision of an id."""
    found = [event for event in journal.about(name) if event.kind == KIND]
    if not found:
        raise InvalidInputError(f"id must be that of a decision in the journal. Got {name!r}.")
    return found[0]


def explained_again(state: State, event: Event) -> Explanation:
    """What the policy makes, now, of the arms of a decision that was taken."""
    ids = event.data.get("arms")
    told = explained(state, contexts_of(event).copy(), None if ids is None else tuple(map(from_json, ids)))
    return replace(told, served=of_event(event).arm)
