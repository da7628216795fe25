"""The online knowledge gradient: what one more observation of an arm is worth."""

from dataclasses import dataclass
from math import inf, sqrt
from typing import Annotated

import numpy as np

from rbmle import kernels
from rbmle.params import Integer, OneOf
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.types import FloatArray


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """m_a + (T−t) σ̃_a f(−|m_a − max_{b≠a} m_b| / σ̃_a), f(z) = zΦ(z) + φ(z), σ̃_a² = σ_a² / (1 + 1/σ_a²).

    σ_a² = v_a, or v_a² as published. A single arm, or one that cannot change its mind, has nothing to gain.
    """
    remaining, published = coefficients[0], coefficients[1] > 0.0
    best, top, second = kernels.normal.best_and_second(mean)
    for a in range(len(mean)):
        other = second if a == best else top
        square = variance[a] * variance[a] if published else variance[a]
        scores[a] = mean[a]
        if square > 0.0 and other > -inf:
            # As written: σ²/√(1 + σ²) is equal in algebra but rounds the ties of t = 1 differently.
            sigma = sqrt(square / (1.0 + 1.0 / square))
            if sigma > 0.0:
                scores[a] += remaining * sigma * kernels.normal.expected_excess(-abs(mean[a] - other) / sigma)
    return kernels.normal.first_max(scores)


@dataclass(kw_only=True, eq=False)
class KnowledgeGradient(LinearPolicy):
    """Play the arm whose mean plus the value of what it would teach, over the rounds that remain, is largest.

    horizon: T, the rounds to be played in all.
    spread:  "std" by its authors; "variance" puts v where the standard deviation belongs, as the published tables did.
    """

    title = "online knowledge gradient"
    notation = "m + (T−t) σ̃ f(−|m − max_other m| / σ̃),  σ̃² = v / (1 + 1/v)"
    source = "Ryzhov, Frazier & Powell 2010; Ryzhov, Powell & Frazier 2012"
    formula = index

    horizon: Annotated[int, Integer(1)]
    spread: Annotated[str, OneOf("std", "variance")] = "std"

    def coefficients(self, rounds: FloatArray) -> FloatArray:
        """Rounds that remain, and which spread."""
        remaining = np.maximum(self.horizon - rounds, 0.0)
        return np.column_stack([remaining, np.full(len(rounds), float(self.spread == "variance"))])
