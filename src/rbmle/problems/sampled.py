"""Problems drawn at random with a parameter θ that stays; rewards by the subclass."""

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from rbmle import params
from rbmle.problems.base import Vector
from rbmle.problems.contexts import ContextLaw
from rbmle.problems.drawn import DrawnProblem
from rbmle.types import FloatArray, IntArray


class SampledProblem(DrawnProblem):
    """Contexts of a law (by default N(0, I) divided by their norm) and a mean that is a function of the context."""

    def __init__(
        self,
        theta: Sequence[float] | FloatArray,
        n_arms: int,
        *,
        static: bool = True,
        contexts: str | ContextLaw = "sphere",
    ) -> None:
        params.require(self, "theta", theta, Vector())
        self.theta = np.array(theta, dtype=np.float64)
        super().__init__(n_arms, len(self.theta), static, contexts)

    @abstractmethod
    def means(self, contexts: FloatArray) -> FloatArray:
        """Mean rewards (B, K) of contexts (B, K, d)."""

    @abstractmethod
    def sample(self, rng: np.random.Generator, means: FloatArray) -> FloatArray:
        """Rewards (B, K) for means (B, K)."""

    def means_in(self, contexts: FloatArray, rounds: IntArray) -> FloatArray:
        """The same in every round."""
        return self.means(contexts)

    def rewards_in(self, rng: np.random.Generator, means: FloatArray, contexts: FloatArray) -> FloatArray:
        """Those of the means, whatever the contexts were."""
        return self.sample(rng, means)
