"""LinUCB: a confidence bound of constant width."""

from dataclasses import dataclass
from math import sqrt
from typing import Annotated

import numpy as np

from rbmle import kernels
from rbmle.params import Real
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.types import FloatArray


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """m_a + α √v_a."""
    for a in range(len(mean)):
        scores[a] = mean[a] + coefficients[0] * sqrt(max(variance[a], 0.0))
    return kernels.normal.first_max(scores)


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
    formula = index

    alpha: Annotated[float, Real(0.0)] = 1.0

    def coefficients(self, rounds: FloatArray) -> FloatArray:
        """α in every round."""
        return np.full((len(rounds), 1), float(self.alpha))
