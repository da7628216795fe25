"""Policies that learn through a model of their own: everything but the choice is the model's."""

from dataclasses import dataclass
from typing import Any, Self

from rbmle.policies.base import Policy
from rbmle.policies.bound import BoundArms
from rbmle.types import FloatArray


@dataclass(kw_only=True, eq=False)
class ModelledPolicy(Policy):
    """A policy with a `model` that has n, observe, observe_many, state, restore and merge."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.model: Any = self.new_model()

    def new_model(self) -> Any:
        """A model that has seen nothing."""
        raise NotImplementedError

    @property
    def n_observed(self) -> int:
        """How many rewards have been learnt."""
        return int(self.model.n)

    def update(self, context: Any, reward: Any) -> None:
        """Learn that an arm with `context` (d,) gave `reward`."""
        self.model.observe(context, reward)

    def update_many(self, contexts: Any, rewards: Any) -> None:
        """Learn n rewards in order: all, or none if one is refused."""
        self.model.observe_many(contexts, rewards)

    def fix_arms(self, contexts: Any) -> BoundArms:
        """Bind the policy to arms (K, d) that stay."""
        return BoundArms(self, contexts)

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays."""
        state: dict[str, FloatArray] = self.model.state()
        return state

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Take over a state that `state` gave."""
        self.model.restore(state)

    def absorb(self, other: Self) -> None:
        """Add what another policy of the same kind and parameters has learnt."""
        self.model.merge(other.model)
