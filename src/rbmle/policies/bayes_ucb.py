"""Bayes-UCB: a quantile of the posterior that rises with t."""

from dataclasses import dataclass
from math import inf, log, sqrt
from typing import Annotated

import numpy as np

from rbmle import kernels
from rbmle.errors import InvalidParameterError
from rbmle.params import Integer, Optional, Real
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.types import FloatArray


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """m_a + Φ⁻¹(1 − 1/(t (log T)^c)) √v_a. At level 0 every index is −∞."""
    quantile = coefficients[0]
    for a in range(len(mean)):
        if quantile == -inf:
            scores[a] = -inf
        else:
            scores[a] = mean[a] + quantile * sqrt(max(variance[a], 0.0))
    return kernels.normal.first_max(scores)


@dataclass(kw_only=True, eq=False)
class BayesUCB(LinearPolicy):
    """Play the arm with the largest quantile of level 1 − 1/(t (log T)^c) of its posterior N(m, v).

    c:       exponent of log T; the authors recommend 0.
    horizon: T, needed for c > 0 only.
    """

    title = "rising posterior quantile"
    notation = "m + Φ⁻¹(1 − 1/(t (log T)^c)) √v"
    source = "Kaufmann, Cappé & Garivier 2012"
    formula = index

    c: Annotated[float, Real(0.0)] = 0.0
    horizon: Annotated[int | None, Optional(Integer(1))] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.c > 0 and (self.horizon is None or self.horizon < 2):
            raise InvalidParameterError(
                "The 'horizon' parameter of BayesUCB must be an int in [2, inf) where c > 0. "
                f"Got {self.horizon!r} instead."
            )

    def coefficients(self, rounds: FloatArray) -> FloatArray:
        """The quantile of the round."""
        from scipy.special import ndtri  # takes longer to import than all the rest

        scale = log(self.horizon) ** self.c if self.horizon is not None and self.c > 0 else 1.0
        level = np.maximum(1.0 - 1.0 / (rounds * scale), 0.0)
        return np.column_stack([ndtri(level)])
