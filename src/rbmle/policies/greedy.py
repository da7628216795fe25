"""Greedy: the best estimate, always."""

from dataclasses import dataclass

import numpy as np

from rbmle.policies.about import Provenance
from rbmle.policies.formulas import variances
from rbmle.policies.linear import LinearPolicy
from rbmle.types import FloatArray


@dataclass(kw_only=True, eq=False)
class Greedy(LinearPolicy):
    """Play the arm of the largest estimated mean. The first arm starts, for all means are 0 then.

    The baseline that exploration has to beat: contexts that vary often explore enough by themselves. It is
    `EpsilonGreedy(epsilon=Constant(0.0))` without a generator.

    >>> policy = Greedy(n_features=2)
    >>> policy.update([1.0, 0.0], 1.0)
    >>> policy.scores([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
    array([0.5, 0. , 1. ])
    """

    title = "the best estimate, no exploration"
    notation = "m"
    source = "Sutton & Barto 2018, section 2.2"
    kind = "baseline"
    provenance = Provenance(
        defined_by="nobody in particular",
        read="nothing",
        changed="nothing",
        tested_against="the formula in plain NumPy from a dense inverse, round by round",
    )
    formula = variances

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """Variances do not count."""
        return np.zeros((len(rounds), 1))
