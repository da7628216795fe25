"""Policies that learn through a model of their own: everything but the choice is the model's."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

from rbmle.policies.base import FixedArms, Policy
from rbmle.policies.bound import BoundArms
from rbmle.types import FloatArray


class Model(Protocol):
    """What a model must offer."""

    @property
    def n(self) -> int:
        """How many rewards have been learnt."""
        ...

    def observe(self, context: Any, reward: Any) -> None:
        """Learn one reward."""
        ...

    def observe_many(self, contexts: Any, rewards: Any) -> None:
        """Learn several rewards: all, or none if one is refused."""
        ...

    def merge(self, other: Self) -> None:
        """Learn all that another model has learnt."""
        ...

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays."""
        ...

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Take over a state."""
        ...


M = TypeVar("M", bound=Model)


@dataclass(kw_only=True, eq=False)
class ModelledPolicy(Policy, Generic[M]):
    """A policy that learns through its `model`, which `new_model` makes."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.model: M = self.new_model()

    @abstractmethod
    def new_model(self) -> M:
        """A model that has seen nothing."""

    @property
    def n_observed(self) -> int:
        """How many rewards have been learnt."""
        return self.model.n

    def update(self, context: Any, reward: Any) -> None:
        """Learn that an arm with `context` (d,) gave `reward`."""
        self.model.observe(context, reward)

    def update_many(self, contexts: Any, rewards: Any) -> None:
        """Learn n rewards in order: all, or none if one is refused."""
        self.model.observe_many(contexts, rewards)

    def fix_arms(self, contexts: Any) -> FixedArms:
        """Bind the policy to arms (K, d) that stay."""
        return BoundArms(self, contexts)

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays."""
        return self.model.state()

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Take over a state that `state` gave."""
        self.model.restore(state)

    def absorb(self, other: Self) -> None:
        """Add what another policy of the same kind and parameters has learnt."""
        self.model.merge(other.model)
