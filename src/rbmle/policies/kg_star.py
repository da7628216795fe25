"""KG*: the knowledge gradient of the best number of further observations."""

from dataclasses import dataclass
from math import ceil, inf, sqrt
from typing import Annotated

import numpy as np

from rbmle import kernels
from rbmle.params import Integer, OneOf, Real
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.types import FloatArray


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """m_a − max_b m_b + (T−t) ν_a, with ν_a the gain of m* further observations; m* by the bounds of Kamiński 2015."""
    remaining, published, noise = coefficients[0], coefficients[1] > 0.0, coefficients[2]
    best, top, second = kernels.normal.best_and_second(mean)
    for a in range(len(mean)):
        gap = mean[a] - (second if a == best else top)
        sigma = variance[a] if published else sqrt(max(variance[a], 0.0))
        scores[a] = mean[a] - top
        if sigma <= 0.0 or gap == inf:
            continue
        r = (gap / sigma) ** 2
        scale = noise / (4.0 * sigma**2)
        low = scale * (-1.0 + r + sqrt(1.0 + 6.0 * r + r**2))
        high = scale * (1.0 + r + sqrt(1.0 + 10.0 * r + r**2))
        if remaining <= low:
            count = remaining
        elif gap == 0.0 or high <= 1.0:
            count = 1.0
        else:
            count = float(ceil((low + high) / 2.0))
        learnt = sqrt((count + 1.0) * sigma**2 / ((noise / sigma) ** 2 + count + 1.0))
        scores[a] += remaining * learnt * kernels.normal.expected_excess(-abs(gap) / (learnt + 1e-8))
    return kernels.normal.first_max(scores)


@dataclass(kw_only=True, eq=False)
class KGStar(LinearPolicy):
    """The knowledge gradient looks one observation ahead; KG* looks as many ahead as pays best per observation.

    horizon: T, the rounds to be played in all.
    noise:   variance of the rewards' noise.
    spread:  "std" by its authors; "variance" puts v where the standard deviation belongs, as the published tables did.
    """

    title = "knowledge gradient of several observations"
    notation = "m − max m + (T−t) s_m f(−|δ| / s_m),  s_m² = (m*+1) v / ((η²/v) + m* + 1)"
    source = "Kamiński 2015"
    formula = index

    horizon: Annotated[int, Integer(1)]
    noise: Annotated[float, Real(0.0, open_low=True)] = 1.0
    spread: Annotated[str, OneOf("std", "variance")] = "std"

    def coefficients(self, rounds: FloatArray) -> FloatArray:
        """Rounds that remain, which spread, and the noise variance."""
        remaining = np.maximum(self.horizon - rounds, 0.0)
        published, ones = float(self.spread == "variance"), np.ones(len(rounds))
        return np.column_stack([remaining, published * ones, self.noise * ones])
