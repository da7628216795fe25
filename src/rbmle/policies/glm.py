"""What policies over a generalized linear model share: learning, state, merging."""

from dataclasses import dataclass
from typing import Annotated, Any, Self

from rbmle.errors import InvalidInputError
from rbmle.families import Family, Known
from rbmle.models.glm import GLMModel
from rbmle.params import OneOf, Real
from rbmle.policies.base import Policy
from rbmle.types import FloatArray


@dataclass(kw_only=True, eq=False)
class GLMPolicy(Policy):
    """A policy over a GLMModel.

    family: of the rewards, a name ("logistic", "poisson", "gaussian") or a `rbmle.families.Family`.
    regularization: λ of the estimate.
    memory: "exact" keeps the history, identical contexts as one row; "online" keeps O(d²), see GLMModel.
    """

    family: Annotated[str | Family, Known()] = "logistic"
    regularization: Annotated[float, Real(0.0, open_low=True)] = 1.0
    memory: Annotated[str, OneOf("exact", "online")] = "exact"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.model = GLMModel(
            n_features=self.n_features,
            family=self.family,
            regularization=self.regularization,
            memory=self.memory,
        )

    @property
    def n_observed(self) -> int:
        """How many rewards have been learnt."""
        return self.model.n

    def update(self, context: Any, reward: Any) -> None:
        """Learn that an arm with `context` (d,) gave `reward`."""
        self.model.observe(context, reward)

    def update_many(self, contexts: Any, rewards: Any) -> None:
        """Learn n rewards at once: all, or none if one is refused."""
        self.model.observe_many(contexts, rewards)

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays."""
        return self.model.state()

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Take over a state that `state` gave."""
        self.model.restore(state)

    def absorb(self, other: Self) -> None:
        """Add what another policy of the same kind has learnt."""
        if other is self:
            raise InvalidInputError("merge needs another policy. Got the policy itself.")
        self.model.merge(other.model)
