"""GLM-RBMLE as the published tables were made."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rbmle.errors import InvalidParameterError
from rbmle.policies.glm_rbmle import GLMRBMLE
from rbmle.types import FloatArray, IntArray


@dataclass(kw_only=True, eq=False)
class PublishedGLMRBMLE(GLMRBMLE):
    """`GLMRBMLE` with −½Σ(x_sᵀθ − r_s)² in place of ℓ in the index, for comparison with the published tables alone.

    θ̄ is that of the method. Every arm is solved, in Python's time.
    """

    title = "reward-biased maximum likelihood, generalized linear, as published"
    seconds = 3e-4
    notation = "−½ Σ (x_sᵀθ̄ − r_s)² + η(t) α(t) θ̄ᵀx − ½ λ‖θ̄‖²"
    source = "tables of Hung, Hsieh, Liu & Kumar 2021"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.memory != "exact":
            raise InvalidParameterError(
                f"The 'memory' parameter of PublishedGLMRBMLE must be 'exact'. Got {self.memory!r} instead."
            )

    def _choose(self, X: FloatArray, held: Any, t: int) -> int:
        return int(np.argmax(self._scores(X, held, t)))

    def _solve(self, X: FloatArray, t: int, surrogate: bool = True) -> tuple[FloatArray, FloatArray]:
        return super()._solve(X, t, surrogate=True)

    def _bind(self, X: FloatArray) -> None:
        return None

    def _play_some(self, contexts: FloatArray, rewards: FloatArray, arms: IntArray) -> int:
        for t in range(len(rewards)):
            X = contexts[t] if len(contexts) > 1 else contexts[0]
            arms[t] = self._choose(X, None, self.t)
            self.model.observe(X[arms[t]], rewards[t, arms[t]])
        return len(rewards)
