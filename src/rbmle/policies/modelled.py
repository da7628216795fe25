"""Policies that learn through a model of their own: everything but the choice is the model's."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from rbmle.policies.base import Policy, one_hot
from rbmle.policies.bound import BoundArms
from rbmle.types import FloatArray, IntArray

M = TypeVar("M")


@dataclass(kw_only=True, eq=False)
class ModelledPolicy(Policy, Generic[M]):
    """A policy that learns through its `model`, which `new_model` makes."""

    def _scores(self, X: FloatArray, held: Any, t: int) -> FloatArray:
        return self.scores(X)

    def _play(self, contexts: FloatArray, rewards: FloatArray) -> IntArray:
        return self.play(contexts, rewards)

    def fix_arms(self, contexts: Any) -> Any:
        """Bind the policy to arms (K, d) that stay."""
        return BoundArms(self, contexts)

    def _one_hot(self, arm: int, n_arms: int) -> FloatArray:
        return one_hot(arm, n_arms)
