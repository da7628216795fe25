"""Bayes-UCB: a quantile of the posterior that rises with t."""

from dataclasses import dataclass
from math import inf, log
from typing import Annotated, Any

import numpy as np

from rbmle.errors import InvalidParameterError
from rbmle.params import Count, Optional, Real
from rbmle.policies.about import Facts, Provenance
from rbmle.policies.formulas import deviations
from rbmle.policies.linear import LinearPolicy
from rbmle.types import FloatArray

# e to a power beyond this is no float.
LARGEST_EXPONENT = 709.0


@dataclass(kw_only=True, eq=False)
class BayesUCB(LinearPolicy):
    """Play the arm with the largest quantile of level 1 − 1/(t (log T)^c) of its posterior N(m, v).

    c:       exponent of log T; the authors recommend 0.
    horizon: T, needed for c > 0 only.
    """

    title = "rising posterior quantile"
    notation = "m + Φ⁻¹(1 − 1/(t (log T)^c)) √v"
    source = "Kaufmann, Cappé & Garivier 2012"
    kind = "linear: optimistic"
    provenance = Provenance(
        defined_by="Kaufmann, Cappé & Garivier 2012",
        read="no text of theirs: the index as the paper's experiments state it",
        changed="the posterior is the linear model's N(m, v); they have independent arms",
        tested_against="224 printed cells of Tables 1, 3, 4 and 5, digit for digit (together with the six other index "
        "methods) (as published: with v for √v); the formula in plain NumPy from a dense inverse, round by "
        "round",
    )
    formula = deviations

    c: Annotated[float, Real(0.0)] = 0.0
    horizon: Annotated[int | None, Optional(Count())] = None

    @classmethod
    def theory(cls, facts: Facts) -> dict[str, Any]:
        """c = 5, from which on their proof for Bernoulli arms holds; they recommend 0."""
        return {"c": 5.0}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.c > 0 and (self.horizon is None or self.horizon < 2):
            raise InvalidParameterError(
                f"The 'horizon' parameter of {type(self).__name__} must be an int in [2, inf) where c > 0. "
                f"Got {self.horizon!r} instead."
            )

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """The quantile of the round, −∞ at level 0."""
        from scipy.special import ndtri  # takes longer to import than all the rest

        c, T = self.c, self.horizon
        scale = 1.0 if T is None or c == 0.0 else inf if c * log(log(T)) > LARGEST_EXPONENT else log(T) ** c
        with np.errstate(divide="ignore"):  # T = 2 makes little of a large c
            tail = np.maximum(1.0 / (rounds * scale), np.finfo(np.float64).tiny)
        level = np.maximum(1.0 - tail, 0.0)
        return np.column_stack([np.where(level < 1.0, ndtri(level), -ndtri(np.minimum(tail, 1.0)))])
