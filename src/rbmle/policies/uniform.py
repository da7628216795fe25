"""Uniform: every arm alike, the yardstick of all others and a sound way to collect a log."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from rbmle.params import Integer, Optional
from rbmle.policies.about import Provenance
from rbmle.policies.formulated import one_uniform
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.types import FloatArray, IntArray


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
    kind = "baseline"
    rewards = ("gaussian", "logistic", "poisson")
    provenance = Provenance(
        defined_by="folklore",
        read="folklore, defined in a line",
        changed="nothing",
        tested_against="served frequencies by chi-square",
    )
    formula = index
    random = True

    seed: Annotated[int | None, Optional(Integer(0))] = 0

    draws = one_uniform

    def _chances(self, X: FloatArray, held: Any, t: int, samples: int) -> FloatArray:
        return np.full(len(X), 1.0 / len(X))

    def _chances_many(self, X: FloatArray, offsets: IntArray, t: int, samples: int) -> FloatArray:
        sizes = np.diff(offsets)
        return np.repeat(1.0 / sizes, sizes)
