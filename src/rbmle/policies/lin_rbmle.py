"""LinRBMLE: reward-biased maximum likelihood for linear bandits, the paper's first method."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from rbmle import kernels
from rbmle.params import Schedule, ScheduleLike
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.schedules import Sqrt, evaluate
from rbmle.types import FloatArray


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """m_a + ½ α(t) v_a (Corollary 1)."""
    for a in range(len(mean)):
        scores[a] = mean[a] + 0.5 * coefficients[0] * variance[a]
    return kernels.normal.first_max(scores)


@dataclass(kw_only=True, eq=False)
class LinRBMLE(LinearPolicy):
    """Maximise the likelihood biased by α(t) times the reward of the best arm; for linear rewards that is an index.

    bias: α(t), positive and growing; √t gives regret O(√T log T) (Theorem 2).

    >>> policy = LinRBMLE(n_features=2)
    >>> policy.update([1.0, 0.0], 1.0)
    >>> policy.scores([[1.0, 0.0], [0.0, 1.0]]).round(4)
    array([0.8536, 0.7071])
    """

    title = "reward-biased maximum likelihood"
    notation = "m + ½ α(t) v"
    source = "Hung, Hsieh, Liu & Kumar 2021, Corollary 1"
    formula = index

    bias: Annotated[ScheduleLike, Schedule()] = Sqrt()

    def coefficients(self, rounds: FloatArray) -> FloatArray:
        """α(t)."""
        return np.column_stack([evaluate(self.bias, rounds, "bias")])
