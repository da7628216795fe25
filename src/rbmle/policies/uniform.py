"""Uniform: every arm alike, the yardstick of all others and a sound way to collect a log."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from rbmle.inputs import as_contexts, require_finite
from rbmle.params import Integer
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.types import FloatArray


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """0 for every arm; an arm is drawn, all alike."""
    scores[:] = 0.0
    return int(draws[0] * len(mean))


@dataclass(kw_only=True, eq=False)
class Uniform(LinearPolicy):
    """Play any arm, all alike. It still learns, so that its log can start another method."""

    title = "every arm alike"
    notation = "any arm with probability 1/K"
    source = "baseline"
    formula = index
    random = True

    seed: Annotated[int, Integer(0)] = 0

    def draws(self, rng: np.random.Generator, count: int) -> FloatArray:
        """Which arm."""
        return rng.random((count, 1))

    def probabilities(self, contexts: Any) -> FloatArray:
        """1/K for each arm."""
        X = as_contexts(contexts, self.n_features)
        require_finite(X, "contexts")
        return np.full(len(X), 1.0 / len(X))
