"""LinUCB: a confidence bound of constant width."""

from dataclasses import dataclass
from math import log, sqrt
from typing import Annotated, Any

import numpy as np

from rbmle.params import Real
from rbmle.policies.about import Facts, Provenance, Tuning, half_decades
from rbmle.policies.formulas import deviations
from rbmle.policies.linear import LinearPolicy
from rbmle.types import FloatArray


@dataclass(kw_only=True, eq=False)
class LinUCB(LinearPolicy):
    """Play the largest upper confidence bound, α standard deviations above the estimate.

    alpha: width of the bound in standard deviations.

    >>> LinUCB(n_features=2, alpha=2.0).scores([[1.0, 0.0], [0.0, 3.0]])
    array([2., 6.])
    """

    title = "upper confidence bound of constant width"
    notation = "m + α √v"
    source = "Li, Chu, Langford & Schapire 2010; Chu, Li, Reyzin & Schapire 2011"
    kind = "linear: optimistic"
    provenance = Provenance(
        defined_by="Li, Chu, Langford & Schapire 2010; Chu, Li, Reyzin & Schapire 2011",
        read="no text of theirs: the index as the paper's experiments state it; the theorem's α from memory",
        changed="one parameter for all arms (their disjoint form is the same with block contexts)",
        tested_against="224 printed cells of Tables 1, 3, 4 and 5, digit for digit (together with the six other index "
        "methods); the formula in plain NumPy from a dense inverse, round by round",
    )
    tuning = Tuning("alpha", half_decades(0.01, 10.0), 1.0, symbol="α")
    formula = deviations

    alpha: Annotated[float, Real(0.0)] = 1.0

    @classmethod
    def theory(cls, facts: Facts) -> dict[str, Any]:
        """α = S + σ √(2 log(2TK/δ)), λ = 1: with σ = ½, S = 1 (rewards in [0, 1]) the 1 + √(½ log(2TK/δ)) of 2011."""
        width = facts.noise * sqrt(2.0 * log(2.0 * facts.horizon * facts.n_arms / facts.delta))
        return {"alpha": facts.norm_bound + width}

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """α in every round."""
        return np.full((len(rounds), 1), float(self.alpha))
