"""Policies over a generalized linear model: what they share."""

import warnings
from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np

from rbmle import kernels
from rbmle.errors import ConvergenceError, InvalidParameterError, SlowMemoryWarning
from rbmle.families import Family, Known
from rbmle.models.forgetting import Forgets, Forgetting
from rbmle.models.forgetting_glm import ForgettingGLM
from rbmle.models.glm import GLMModel
from rbmle.params import OneOf, Real
from rbmle.policies.base import Policy
from rbmle.policies.table import RoundTable
from rbmle.types import FloatArray, IntArray

# Rounds of a block for which room is made at once.
BLOCK = 1024
# Numbers in the distinct contexts of exact memory from which on a decision takes long enough to say so.
MANY = 200_000


@dataclass(kw_only=True, eq=False)
class GLMPolicy(Policy):
    """A policy over a generalized linear model.

    family: of the rewards: "logistic" (0 and 1), "poisson" (counts), "gaussian", or a `rbmle.families.Family`.
    """

    rewards: ClassVar[tuple[str, ...]] = ("logistic", "poisson")
    seconds = 7e-6

    family: Annotated[str | Family, Known()] = "logistic"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._numbers = RoundTable(self._coefficients, self.params)
        self._warned = False

    def _coefficients(self, rounds: FloatArray) -> FloatArray:
        return self.coefficients(self.effective_rounds(rounds))

    def effective_rounds(self, rounds: "FloatArray") -> "FloatArray":
        """What schedules take for t; with forgetting, how many rewards are remembered once the round has its own."""
        return rounds

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """The numbers of the method that depend on the round: shape (B, P) for rounds t of shape (B,)."""
        return np.empty((len(rounds), 0))

    def _play(self, contexts: FloatArray, rewards: FloatArray) -> IntArray:
        arms = np.empty(len(rewards), dtype=np.int64)
        self.model.family.require_support(rewards.ravel(), "rewards")
        for start in range(0, len(rewards), BLOCK):
            part = slice(start, min(start + BLOCK, len(rewards)))
            now = contexts[part] if len(contexts) > 1 else contexts
            if self._play_some(now, rewards[part], arms[part]) < part.stop - start:
                raise self._unsolved()
        return arms

    @abstractmethod
    def _play_some(self, contexts: FloatArray, rewards: FloatArray, arms: IntArray) -> int:
        """Play rounds, contexts (B, K, d) or (1, K, d) where arms stay; how many went well."""

    def _warn_if_slow(self) -> None:
        """Say once that exact memory has grown."""
        if not self._warned and self.model.memory == "exact" and self.model.n_rows * self.n_features > MANY:
            self._warned = True
            instead = 'memory="online" takes' if "memory" in self.params else 'Methods with memory="online" take'
            warnings.warn(
                f"{type(self).__name__} keeps {self.model.n_rows} distinct contexts of {self.n_features} features, "
                f"and every decision goes through all of them. {instead} the same time whatever was learnt.",
                SlowMemoryWarning,
                stacklevel=4,
            )

    def _unsolved(self) -> ConvergenceError:
        why: Any = self.model.trouble() or "contexts, weights or regularization are too extreme for double precision"
        return ConvergenceError(
            f"A decision of {self!r} could not be solved in round {self.t} to the tolerance: {why}."
        )


@dataclass(kw_only=True, eq=False)
class ForgettingPolicy(GLMPolicy):
    """A policy over a generalized linear model that may forget.

    forgetting: None, Discount(γ) or Window(length), for rewards that drift: see the guide "Rewards that drift".
    """

    forgetting: Annotated[Forgetting | None, Forgets()] = field(default=None, metadata={"quiet": True})

    def _exact_model(self, regularization: float = 1.0) -> GLMModel:
        """The history, identical contexts as one row, with the weights that forgetting leaves."""
        size: dict[str, Any] = {"n_features": self.n_features, "family": self.family, "regularization": regularization}
        return GLMModel(**size) if self.forgetting is None else ForgettingGLM(**size, forgetting=self.forgetting)

    def _require_not(self, name: str, value: str) -> None:
        """Raise where a parameter asks for something that cannot forget."""
        if self.forgetting is not None and getattr(self, name) == value:
            raise InvalidParameterError(
                f"The 'forgetting' parameter of {type(self).__name__} must be None with {name}={value!r}. "
                f"Got {self.forgetting!r} instead."
            )

    @property
    def merge_is_exact(self) -> bool:
        """Histories are added; one that forgets is not merged."""
        return self.forgetting is None

    def effective_rounds(self, rounds: "FloatArray") -> "FloatArray":
        """What schedules take for t; with forgetting, how many rewards are remembered once the round has its own."""
        return rounds if self.forgetting is None else self.forgetting.effective(rounds)


@dataclass(kw_only=True, eq=False)
class RegularizedGLM(ForgettingPolicy):
    """A policy over the regularised estimate of a generalized linear model.

    regularization: λ of the penalty ½λ‖θ‖², which the estimate pays.
    memory: "exact" keeps the history, identical contexts as one row; "online" keeps a bounded part of it, see GLMModel.
        A decision over many distinct contexts takes long with exact memory, and a warning says so once.
    """

    regularization: Annotated[float, Real(0.0, open_low=True)] = 1.0
    memory: Annotated[str, OneOf("exact", "online")] = "exact"

    def __post_init__(self) -> None:
        self._require_not("memory", "online")
        super().__post_init__()

    def new_model(self) -> GLMModel:
        """A model of the family that has seen nothing."""
        if self.forgetting is not None:
            return self._exact_model(self.regularization)
        return GLMModel(
            n_features=self.n_features,
            family=self.family,
            regularization=self.regularization,
            memory=self.memory,
        )

    @property
    def merge_is_exact(self) -> bool:
        """With exact memory; with online memory two quadratics are added."""
        return super().merge_is_exact and self.memory == "exact"

    def _estimate(self) -> FloatArray:
        """θ̂ from the data alone, not from where the last search ended, so that every path to the data agrees."""
        model = self.model
        if self.memory == "online":
            estimate: FloatArray = model.curvature()[0]
            return estimate
        theta = np.zeros(self.n_features)
        good, _ = kernels.glm.newton.estimate(model.problem(), theta, model.scratch())
        if not good:
            raise self._unsolved()
        return theta
