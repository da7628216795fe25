"""FastCB: inverse gap weighting that explores less where the best arm is good for little; for any model."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from rbmle.errors import InvalidParameterError
from rbmle.params import Real
from rbmle.policies.about import Provenance
from rbmle.policies.square_cb import InverseGaps, SquareCB, SquareCBGLM, index
from rbmle.types import FloatArray


@dataclass(kw_only=True, eq=False)
class RelativeGaps(InverseGaps):
    """What FastCB has over any model: the bounds of rewards."""

    source = "Foster & Krishnamurthy 2021; rule of Pearl"
    kind = "inverse gap weighting"

    reward_low: Annotated[float, Real()] = 0.0
    reward_high: Annotated[float, Real()] = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.reward_low < self.reward_high:
            raise InvalidParameterError(
                f"The 'reward_low' parameter of {type(self).__name__} must be below 'reward_high'. "
                f"Got {self.reward_low!r} and {self.reward_high!r} instead."
            )

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """γ(t) and the bounds of rewards, shape (B, 3)."""
        bounds = np.broadcast_to([float(self.reward_low), float(self.reward_high)], (len(rounds), 2))
        return np.ascontiguousarray(np.hstack([super().coefficients(rounds), bounds]))


@dataclass(kw_only=True, eq=False)
class FastCB(RelativeGaps, SquareCB):
    """SquareCB with gaps seen relative to the best estimated mean; scores are the chances.

        p_a = y/(K y + γ(ŷ_b − ŷ_a)) for a ≠ b = argmax ŷ,   p_b = 1 − Σ_{a≠b} p_a,   y = ŷ_b − low

    ŷ is the ridge estimate held within [low, high]; where y = 0 every arm has 1/K. y ≤ 1 for rewards in [0, 1], so that
    this is never less greedy than SquareCB with the same γ. FastCBGLM is the same over a generalized linear model.

    The rule is that of Pearl (`FastCBExploration`), whose code was read; the paper could not be. γ grows as in
    SquareCB, where Pearl has a constant. Tested against the rule in NumPy and a case worked by hand.

    gamma_scale:    γ₀ of γ = γ₀ (t−1)^ρ. Larger is greedier.
    gamma_exponent: ρ.
    reward_low:     the least reward there is.
    reward_high:    the largest.

    >>> policy = FastCB(n_features=2)
    >>> policy.update([1.0, 0.0], 0.8)
    >>> policy.probabilities([[1.0, 0.0], [0.0, 1.0]]).round(4)  # 0.4/(0.8 + 10 · 0.4)
    array([0.9167, 0.0833])
    """

    title = "inverse gap weighting, relative to the best mean"
    notation = "p_a = y/(Ky + γ(m_b − m_a)),  y = m_b − low"
    provenance = Provenance(
        defined_by="Foster & Krishnamurthy 2021",
        read="the code of Pearl (FastCBExploration); the paper could not be read",
        changed="γ grows as in SquareCB, where Pearl has a constant",
        tested_against="the rule in NumPy, and a case worked by hand",
    )
    formula = index


@dataclass(kw_only=True, eq=False)
class FastCBGLM(RelativeGaps, SquareCBGLM):
    """FastCB over a generalized linear model: ŷ_a = μ(x_aᵀθ̂), held within [low, high]. Scores are the chances.

    See FastCB for the rule, where it is from and what was changed.

    gamma_scale:    γ₀ of γ = γ₀ (t−1)^ρ. Larger is greedier.
    gamma_exponent: ρ.
    reward_low:     the least reward there is.
    reward_high:    the largest.

    >>> policy = FastCBGLM(n_features=2)
    >>> policy.update_many([[1.0, 0.0], [0.0, 1.0]], [1.0, 0.0])
    >>> policy.probabilities([[1.0, 0.0], [0.0, 1.0]]).round(3)  # 0.599/(1.198 + 10√2 · 0.198)
    array([0.85, 0.15])
    """

    title = "inverse gap weighting, relative to the best mean of a generalized linear estimate"
    notation = "p_a = y/(Ky + γ(ŷ_b − ŷ_a)),  ŷ = μ(xᵀθ̂),  y = ŷ_b − low"
    provenance = FastCB.provenance
