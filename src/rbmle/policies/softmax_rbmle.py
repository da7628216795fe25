"""SoftmaxRBMLE: arms drawn with chances that grow with LinRBMLE's index, in closed form."""

from dataclasses import dataclass
from math import exp
from typing import Annotated, Any

import numpy as np

from rbmle import kernels
from rbmle.errors import InvalidInputError
from rbmle.params import FunctionOfRound, Integer, Optional, ScheduleLike
from rbmle.policies.about import Provenance, Tuning, half_decades
from rbmle.policies.base import Policy
from rbmle.policies.formulated import one_uniform
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.schedules import Sqrt, evaluate
from rbmle.types import FloatArray


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """m_a + ½ α(t) v_a, LinRBMLE's index; the arm is drawn with chances ∝ exp(index/τ) by one uniform number."""
    K = len(mean)
    for a in range(K):
        scores[a] = mean[a] + 0.5 * coefficients[0] * variance[a]
    best, total = kernels.normal.first_max(scores), 0.0
    weights = np.empty(K)
    for a in range(K):
        weights[a] = exp((scores[a] - scores[best]) / coefficients[1])
        total += weights[a]
    left = draws[0] * total
    for a in range(K):
        left -= weights[a]
        if left < 0.0:
            return a
    return best  # rounding has left something over


@dataclass(kw_only=True, eq=False)
class SoftmaxRBMLE(LinearPolicy):
    """Draw arm a with probability ∝ exp(λ (m_a + ½ λ v_a)), λ = α(t): a softmax of LinRBMLE's indices.

    The posterior N(θ̂, V⁻¹) tilted by exp(λ max_a θᵀx_a) is a mixture over arms with these weights, each times the
    chance that its arm is best (Feel-Good Thompson sampling of the current round alone); here the second factor is left
    out, which leaves probabilities in closed form, O(K). λ is both LinRBMLE's bias, for an index m + ½ α v, and how
    sharply the best index is preferred: the temperature of the softmax is τ = 1/α(t) unless said otherwise.

    The weights of the mixture are tested against Monte Carlo, the probabilities against their definition. Nobody has
    published the method as far as we know; it has no guarantee.

    bias:        α(t), positive and growing.
    temperature: τ(t), positive; None for 1/α(t).

    `scores` are the indices; the arm is drawn, so that it need not be the best of them.

    >>> policy = SoftmaxRBMLE(n_features=2)
    >>> policy.update([1.0, 0.0], 1.0)  # means ½ and 0, variances ½ and 1; λ = √2
    >>> policy.probabilities([[1.0, 0.0], [0.0, 1.0]]).round(4)  # log-weights √2/2 + ½ and 1
    array([0.5516, 0.4484])
    """

    title = "softmax of RBMLE's indices"
    notation = "p ∝ exp((m + ½ α v)/τ),  τ = 1/α(t)"
    source = "here; after Zhang 2021 (Feel-Good Thompson sampling)"
    kind = "linear: reward-biased"
    provenance = Provenance(
        defined_by="here, after Zhang 2021",
        read="the abstract, and code of a benchmark of the method of 2021 by others (SarahLiaw)",
        changed="the tilt is that of the current round alone, and the chance that an arm is best is left out",
        tested_against="the weights of the mixture by Monte Carlo; the chances by their definition and by served "
        "frequencies (chi-square)",
    )
    tuning = Tuning("bias", half_decades(0.003, 3.0), 1.0, Sqrt, "c of α(t) = c √t")
    formula = index
    random = True

    bias: Annotated[ScheduleLike, FunctionOfRound()] = Sqrt()
    temperature: Annotated[ScheduleLike | None, Optional(FunctionOfRound())] = None
    seed: Annotated[int | None, Optional(Integer(0))] = 0

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """α(t) and τ(t)."""
        alpha = evaluate(self.bias, rounds, "bias")
        name, values = "bias", alpha
        if self.temperature is not None:
            name, values = "temperature", evaluate(self.temperature, rounds, "temperature")
        bad = np.flatnonzero(values <= 0.0)
        if len(bad):
            raise InvalidInputError(f"{name} must be positive. Got {values[bad[0]]} at t = {int(rounds[bad[0]])}.")
        return np.column_stack([alpha, 1.0 / alpha if self.temperature is None else values])

    draws = one_uniform

    def _chances(self, X: FloatArray, held: Any, t: int, samples: int) -> FloatArray:
        scores = self._scores(X, held, t)
        weights = np.exp((scores - scores.max()) / self._numbers(t)[1])
        chances: FloatArray = weights / weights.sum()
        return chances

    _chances_many = Policy._chances_many  # a set at a time
