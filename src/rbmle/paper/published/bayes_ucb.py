"""Bayes-UCB as the published tables were made."""

from dataclasses import dataclass

from rbmle.policies.bayes_ucb import BayesUCB
from rbmle.policies.formulas import variances


@dataclass(kw_only=True, eq=False)
class PublishedBayesUCB(BayesUCB):
    """`BayesUCB` with v in place of √v, for comparison with the published tables alone."""

    title = "rising posterior quantile, as published"
    notation = "m + Φ⁻¹(1 − 1/(t (log T)^c)) v"
    source = "tables of Hung, Hsieh, Liu & Kumar 2021"
    formula = variances
