"""IDS: deterministic information-directed sampling, without a prior."""

from dataclasses import dataclass
from math import inf, log, log1p, sqrt
from typing import Annotated, Any

import numpy as np

from rbmle import kernels
from rbmle.params import Real
from rbmle.policies.about import Facts, Provenance, Tuning, half_decades
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.types import FloatArray


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """−Δ̂_a² / I_a with Δ̂_a = max_b(m_b + β s_b) − (m_a − β s_a) and I_a = ½ log(1 + v_a).

    β = σ √(log(det V / det λI) + 2 log(1/δ)) + √λ S, the confidence set of Abbasi-Yadkori et al. 2011. V holds contexts
    alone, so that σ² v_a is the variance of the mean: against noise of variance σ² the information is free of σ.
    """
    noise, log_odds, prior = coefficients[0], coefficients[1], coefficients[2]
    beta = noise * sqrt(volume[0] + log(volume[1]) + log_odds) + prior
    optimum = -inf
    for a in range(len(mean)):
        optimum = max(optimum, mean[a] + beta * sqrt(max(variance[a], 0.0)))
    for a in range(len(mean)):
        gap = optimum - (mean[a] - beta * sqrt(max(variance[a], 0.0)))
        information = 0.5 * log1p(max(variance[a], 0.0))
        if information > 0.0:
            scores[a] = -(gap**2) / information
        else:
            scores[a] = 0.0 if gap == 0.0 else -inf
    return kernels.normal.first_max(scores)


@dataclass(kw_only=True, eq=False)
class IDS(LinearPolicy):
    """Play the arm with the least squared regret (as it may be at worst) per bit of information.

    This is the deterministic information-directed sampling of Kirschner & Krause: one arm, not a mixture of two.
    Rewards, noise and bound in other units give the same choices.

    delta: chance that the confidence set fails.
    noise: σ, the scale of sub-Gaussian noise.
    bound: S, the largest norm θ may have.
    """

    title = "frequentist information-directed sampling"
    notation = "argmin Δ̂² / I,  Δ̂ = max(m + β√v) − (m − β√v),  I = ½ log(1 + v)"
    source = "Kirschner & Krause 2018"
    kind = "linear: information and knowledge"
    provenance = Provenance(
        defined_by="Kirschner & Krause 2018, deterministic form",
        read="no text of theirs: the index as the paper cites it; the confidence set of Abbasi-Yadkori et al. 2011 "
        "is standard",
        changed="noise is the same for all arms",
        tested_against="the formula in plain NumPy from a dense inverse, round by round; invariance under other units",
    )
    tuning = Tuning("noise", half_decades(0.01, 3.0), 1.0, symbol="σ")
    formula = index

    delta: Annotated[float, Real(0.0, 1.0, open_low=True, open_high=True)] = 0.1
    noise: Annotated[float, Real(0.0, open_low=True)] = 1.0
    bound: Annotated[float, Real(0.0)] = 1.0

    @classmethod
    def theory(cls, facts: Facts) -> dict[str, Any]:
        """σ, S and δ of the confidence set."""
        return {"noise": facts.noise, "bound": facts.norm_bound, "delta": facts.delta}

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """σ, 2 log(1/δ) and √λ S."""
        row = [self.noise, 2.0 * log(1.0 / self.delta), sqrt(self.regularization) * self.bound]
        return np.tile(row, (len(rounds), 1))
