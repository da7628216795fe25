"""AugmentedRBMLE: the biased likelihood of RBMLE, maximised inside of a confidence set."""

from dataclasses import dataclass
from math import log, sqrt
from typing import Annotated, Any

import numpy as np

from rbmle import kernels
from rbmle.params import FunctionOfRound, Real, ScheduleLike
from rbmle.policies.about import Facts, Provenance, Tuning, half_decades
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.policies.oful import radius_terms
from rbmle.schedules import Sqrt, evaluate
from rbmle.types import FloatArray


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """m_a + s v_a − s² v_a/(2α), s = min(α, ρ/√v_a): ½αv_a while s = α, and ρ√v_a − ρ²/(2α) from there on."""
    alpha = coefficients[0]
    rho = sqrt(coefficients[1] + coefficients[2] * max(volume[0] + log(volume[1]), 0.0))
    for a in range(len(mean)):
        v = max(variance[a], 0.0)
        if alpha * sqrt(v) <= rho:
            scores[a] = mean[a] + 0.5 * alpha * v
        else:
            scores[a] = mean[a] + rho * (sqrt(v) - 0.5 * rho / alpha)
    return kernels.normal.first_max(scores)


@dataclass(kw_only=True, eq=False)
class AugmentedRBMLE(LinearPolicy):
    """LinRBMLE whose biased estimate must not leave the confidence set of OFUL: the smaller optimism of the two.

    For every arm θ maximises the likelihood biased towards it, where ‖θ − θ̂‖_V ≤ ρ (½‖θ − θ̂‖²_V ≤ β² with β² = ½ρ²):

        index = max { xᵀθ − ‖θ − θ̂‖²_V / (2α(t)) : ‖θ − θ̂‖_V ≤ ρ },   ρ² = σ² (2 log(1/δ) + log(det V / det λI)) + λ S²

    ρ is the "amm" radius of `OFUL`. On the path θ̂ + s V⁻¹x the set ends at s = ρ/√v, so that s = min(α(t), ρ/√v) and
    the index is m + sv − s²v/(2α). Where α√v ≤ ρ for all arms it is LinRBMLE's; for α → ∞ it is OFUL's.

    Mete, Singh & Kumar do this for linear quadratic control. Its form for bandits is ours and has no guarantee that was
    published; the index is tested against a constrained optimiser.

    bias:       α(t), positive and growing.
    noise:      σ, the scale of sub-Gaussian noise.
    norm_bound: S ≥ ‖θ*‖.
    delta:      δ, the chance that θ* is not in the set in some round.

    >>> policy = AugmentedRBMLE(n_features=2, bias=lambda t: 10.0, norm_bound=0.5)
    >>> rho = (2 * np.log(1 / 0.05) + 0.25) ** 0.5  # 2.5; 10 √v is 1 and 10
    >>> np.allclose(policy.scores([[0.1, 0.0], [0.0, 1.0]]), [10 / 2 * 0.1**2, rho - rho**2 / 20])
    True
    """

    title = "biased likelihood inside of a confidence set"
    notation = "m + s v − s² v / 2α,  s = min(α(t), ρ_t/√v)"
    source = "after Mete, Singh & Kumar 2022 (for control); for bandits here"
    kind = "linear: reward-biased"
    provenance = Provenance(
        defined_by="Mete, Singh & Kumar 2022 for linear quadratic control; for bandits here",
        read="the abstract",
        changed="everything but the idea: the set is OFUL's, the problem a bandit",
        tested_against="a constrained optimiser (SLSQP); LinRBMLE where the set does not bind, OFUL for large α",
    )
    tuning = Tuning("bias", half_decades(0.003, 3.0), 1.0, Sqrt, "c of α(t) = c √t")
    formula = index

    bias: Annotated[ScheduleLike, FunctionOfRound()] = Sqrt()
    noise: Annotated[float, Real(0.0, open_low=True)] = 1.0
    norm_bound: Annotated[float, Real(0.0, open_low=True)] = 1.0
    delta: Annotated[float, Real(0.0, 1.0, open_low=True, open_high=True)] = 0.05

    @classmethod
    def theory(cls, facts: Facts) -> dict[str, Any]:
        """σ, S and δ of the set."""
        return {"noise": facts.noise, "norm_bound": facts.norm_bound, "delta": facts.delta}

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """α(t); ρ² less what the determinant adds; and σ²."""
        terms = radius_terms(
            "amm", self.noise, self.norm_bound, self.delta, self.regularization, self.n_features, rounds
        )
        return np.column_stack([evaluate(self.bias, rounds, "bias"), terms[:, :2]])
