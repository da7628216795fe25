"""Policies over a ridge model with an ensemble of random targets: what they share."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from rbmle.models.ensemble_ridge import EnsembleRidge
from rbmle.params import Integer, Optional, Real
from rbmle.policies.base import Policy
from rbmle.types import FloatArray, IntArray


@dataclass(kw_only=True, eq=False)
class EnsemblePolicy(Policy):
    """A policy over an `EnsembleRidge`.

    members:        M; more stand for the posterior more closely, at O(M d (K + d)) a decision.
    regularization: λ.
    seed:           of the random targets; those of a policy that has learnt stay when it is seeded anew.
    """

    regularization: Annotated[float, Real(0.0, open_low=True)] = 1.0
    members: Annotated[int, Integer(1)] = 10
    seed: Annotated[int | None, Optional(Integer(0))] = 0

    def new_model(self) -> EnsembleRidge:
        """A ridge model with its ensemble that has seen nothing."""
        return EnsembleRidge(
            n_features=self.n_features,
            regularization=self.regularization,
            members=self.members,
            key=self.origin,
        )

    def reseed(self, seed: int, *path: int) -> None:
        """Start the policy's own generator and the ensemble's random numbers anew."""
        super().reseed(seed, *path)
        if hasattr(self, "model"):
            self.model.rekey(self.origin)

    @property
    def merge_is_exact(self) -> bool:
        """Of V and b; the targets of a merged policy have the right law, but are not those of one that saw all."""
        return False

    @property
    @abstractmethod
    def width(self) -> float:
        """By what the members' say is multiplied."""

    @abstractmethod
    def _members(self, count: int) -> IntArray:
        """Whose say counts in each of `count` decisions; -1 for the largest of all."""

    def _scores(self, X: FloatArray, held: None, t: int) -> FloatArray:
        scores: FloatArray = self.model.scores(X, self.width, self._members(1))[0]
        return scores

    def _play(self, contexts: FloatArray, rewards: FloatArray) -> IntArray:
        arms = np.empty(len(rewards), dtype=np.int64)
        self.model.play_ensemble(contexts, rewards, self.width, self._members(len(rewards)), arms)
        return arms
