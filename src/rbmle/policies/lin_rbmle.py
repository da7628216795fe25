"""LinRBMLE: reward-biased maximum likelihood for linear bandits, the paper's first method."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Literal, cast

import numpy as np

from rbmle.errors import InvalidParameterError
from rbmle.models.ridge import RidgeModel
from rbmle.models.scaled_ridge import ScaledRidge
from rbmle.params import FunctionOfRound, Optional, Real, ScheduleLike
from rbmle.policies.about import Facts, Provenance, Tuning, half_decades
from rbmle.policies.formulas import variances
from rbmle.policies.linear import LinearPolicy
from rbmle.schedules import Sqrt, evaluate
from rbmle.types import FloatArray


@dataclass(kw_only=True, eq=False)
class LinRBMLE(LinearPolicy):
    """Maximise the likelihood biased by α(t) times the reward of the best arm; for linear rewards that is an index.

    bias: α(t), positive and growing; √t gives regret O(√T log T) (Theorem 2), for contexts and rewards of size 1. Or
        "auto", for data in units of their own, whose scales are then learnt; see the guide "How much to explore".
    regularization: λ. 1 unless said otherwise; with "auto" 0.1, since features then have their sizes learnt.

    With bias="auto" features are divided by their sizes S and α(t) = σ̂ √(t/d_eff), from what was observed:

        S_i    the root mean square of x_i where it is not 0, times the root of how many features a context has: scaled
               contexts have a mean square norm of 1. A feature never seen takes the size of the value at hand, so that
               an arm that shows it is as unknown as can be, 1/λ, in any unit
        σ̂²     (Σ r² − bᵀθ̂)/n, what the model did not foresee of a reward
        d_eff  d − λ tr V⁻¹, the number of directions that were seen

    S, σ̂ and d_eff are renewed at n = 1, 2, 4, 8, … rewards, from sums that take every reward into account, and when
    policies are merged. Other units of a feature, of all contexts or of rewards change no decision.

    >>> policy = LinRBMLE(n_features=2)
    >>> policy.update([1.0, 0.0], 1.0)
    >>> policy.scores([[1.0, 0.0], [0.0, 1.0]]).round(4)
    array([0.8536, 0.7071])
    >>> untuned = LinRBMLE(n_features=2, bias="auto")
    >>> untuned.update_many([[1000.0, 0.1], [2000.0, 0.0], [0.0, 0.3]], [5.0, 9.0, 1.0])
    >>> untuned.choose([[1500.0, 0.0], [0.0, 0.2]])
    0
    """

    title = "reward-biased maximum likelihood"
    notation = "m + ½ α(t) v"
    source = "Hung, Hsieh, Liu & Kumar 2021, Corollary 1"
    kind = "linear: reward-biased"
    provenance = Provenance(
        defined_by="Hung, Hsieh, Liu & Kumar 2021, Algorithm 1 and Corollary 1",
        read="the paper's text and appendix",
        changed="nothing by default; bias='auto' is ours: scales and the size of the bias follow the data",
        tested_against="224 printed cells of Tables 1, 3, 4 and 5, digit for digit (together with the six other index "
        "methods); the formula in plain NumPy from a dense inverse, round by round",
        primary=True,
    )
    tuning = Tuning("bias", half_decades(0.01, 10.0), 1.0, Sqrt, "c of α(t) = c √t")
    variants = MappingProxyType({"LinRBMLE auto": {"bias": "auto"}})
    formula = variances

    regularization: Annotated[float, Optional(Real(0.0, open_low=True))] = cast(float, None)
    bias: Annotated[ScheduleLike | Literal["auto"], FunctionOfRound(auto=True)] = Sqrt()

    @classmethod
    def theory(cls, facts: Facts) -> dict[str, Any]:
        """α(t) = √t and λ = 1, for which Theorem 2 is stated: the defaults."""
        return {}

    def __post_init__(self) -> None:
        if self.bias == "auto" and self.forgetting is not None:
            raise InvalidParameterError(
                "The 'forgetting' parameter of LinRBMLE must be None with bias='auto', whose scales are those of all "
                f"rewards. Got {self.forgetting!r} instead."
            )
        if cast(float | None, self.regularization) is None:
            self.regularization = 0.1 if isinstance(self.bias, str) else 1.0
        super().__post_init__()

    def new_model(self) -> RidgeModel:
        """A ridge model that has seen nothing; one that learns scales where the bias asks for it."""
        if not isinstance(self.bias, str):
            return super().new_model()
        return ScaledRidge(n_features=self.n_features, regularization=self.regularization)

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """½ α(t), the weight of v (Corollary 1)."""
        if isinstance(self.bias, str):
            return np.column_stack([0.5 * (self.model.bias_factor * np.sqrt(rounds))])
        return np.column_stack([0.5 * evaluate(self.bias, rounds, "bias")])

    @property
    def merge_is_exact(self) -> bool:
        """Whether a merged policy knows what one would that had learnt everything; with "auto" from the next 2^k on.

        A policy that was merged has just renewed its scales, one that saw everything did so at the last power of two.
        """
        return super().merge_is_exact and not isinstance(self.bias, str)

    @property
    def _steady(self) -> bool:
        return not isinstance(self.bias, str)
