"""Bayes-UCB as the published tables were made."""

from dataclasses import dataclass
from math import inf

from rbmle import kernels
from rbmle.policies.bayes_ucb import BayesUCB
from rbmle.policies.linear import formula


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """m_a + Φ⁻¹(1 − 1/(t (log T)^c)) v_a: the variance where the standard deviation belongs."""
    for a in range(len(mean)):
        scores[a] = -inf if coefficients[0] == -inf else mean[a] + coefficients[0] * variance[a]
    return kernels.normal.first_max(scores)


@dataclass(kw_only=True, eq=False)
class PublishedBayesUCB(BayesUCB):
    """`BayesUCB` with v in place of √v, for comparison with the published tables alone."""

    title = "rising posterior quantile, as published"
    notation = "m + Φ⁻¹(1 − 1/(t (log T)^c)) v"
    source = "tables of Hung, Hsieh, Liu & Kumar 2021"
    formula = index
