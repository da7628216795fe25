"""How a model forgets: rewards lose weight with every later one, or leave after some rounds.

>>> Discount(0.5).effective(1), Discount(0.5).effective(2), Discount(0.5).effective(1000)
(1.0, 1.5, 2.0)
>>> Window(500).effective(1000)
500.0
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import log
from typing import Annotated, Any, ClassVar, Self, overload

import numpy as np

from rbmle import params
from rbmle.params import Flag, Integer, Real
from rbmle.plain import Registry
from rbmle.types import FloatArray

OPEN = Real(0.0, open_low=True)


class Forgetting(params.Shown, ABC):
    """What is left of a reward after later ones. Rewards age by the order in which they arrive, not by a clock."""

    registry: ClassVar[Registry["Forgetting"]] = Registry("forgetting")

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        Forgetting.registry.add(cls)

    def __post_init__(self) -> None:
        params.check(self)

    @abstractmethod
    def weights(self, counts: "FloatArray") -> "FloatArray":
        """The sum of the weights of n rewards, for each n of an array."""

    @abstractmethod
    def squares(self, counts: "FloatArray") -> "FloatArray":
        """The sum of their squares."""

    @overload
    def effective(self, n: float) -> float: ...
    @overload
    def effective(self, n: "FloatArray") -> "FloatArray": ...
    def effective(self, n: "float | FloatArray") -> "float | FloatArray":
        """How many rewards the model remembers after n of them: the sum of their weights."""
        found = self.weights(np.asarray(n, dtype=np.float64))
        return float(found) if np.ndim(n) == 0 else found


@dataclass(frozen=True, repr=False)
class Discount(Forgetting):
    """Every reward weighs γ times what it weighed before the next one came.

    gamma: γ, between 0 and 1; 1/(1 − γ) rewards are remembered.
    sandwich: take xᵀV⁻¹ṼV⁻¹x for the variance of an arm, as D-LinUCB does, Ṽ = λI + Σ γ^2(n−s) x_s x_sᵀ, in place of
        xᵀV⁻¹x. It is what the noise of discounted rewards leaves in xᵀθ̂, and never the larger of the two.

    >>> Discount.theory(n_features=2, horizon=6000, variation=5.4142)
    Discount(gamma=0.9941174...)
    """

    gamma: Annotated[float, Real(0.0, 1.0, open_low=True, open_high=True)]
    sandwich: Annotated[bool, Flag()] = False

    @classmethod
    def theory(cls, *, n_features: int, horizon: int, variation: float, **more: Any) -> Self:
        """γ = 1 − (B_T/(dT))^⅔ of Russac, Vernade & Cappé 2019; `variation` is B_T = Σ ‖θ_t+1 − θ_t‖."""
        return cls(1.0 - min(require_theory(cls, n_features, horizon, variation) ** (2.0 / 3.0), 0.5), **more)

    def weights(self, counts: "FloatArray") -> "FloatArray":
        """(1 − γⁿ)/(1 − γ)."""
        found: FloatArray = np.expm1(counts * log(self.gamma)) / (self.gamma - 1.0)
        return found

    def squares(self, counts: "FloatArray") -> "FloatArray":
        """(1 − γ²ⁿ)/(1 − γ²)."""
        found: FloatArray = np.expm1(2.0 * counts * log(self.gamma)) / (self.gamma**2 - 1.0)
        return found


@dataclass(frozen=True, repr=False)
class Window(Forgetting):
    """The last rewards count, all alike; those before them are forgotten.

    length: how many.

    >>> Window.theory(n_features=2, horizon=6000, variation=5.4142)
    Window(length=169)
    """

    length: Annotated[int, Integer(1)]

    @classmethod
    def theory(cls, *, n_features: int, horizon: int, variation: float) -> Self:
        """τ = (dT/B_T)^⅔, rounded down, of Cheung, Simchi-Levi & Zhu 2019."""
        return cls(max(1, int(require_theory(cls, n_features, horizon, variation) ** (-2.0 / 3.0))))

    def weights(self, counts: "FloatArray") -> "FloatArray":
        """n, at most the length."""
        return np.minimum(counts, float(self.length))

    def squares(self, counts: "FloatArray") -> "FloatArray":
        """The same: weights are 1."""
        return self.weights(counts)


class Forgets:
    """None, or a way to forget."""

    def holds(self, value: object) -> bool:
        """Tell whether the value is one."""
        return value is None or isinstance(value, Discount | Window)

    def __str__(self) -> str:
        return "None, Discount(gamma) or Window(length)"

    def __repr__(self) -> str:
        return "Forgets()"


def require_theory(cls: type, n_features: int, horizon: int, variation: float) -> float:
    """B_T/(dT), from numbers that can be such."""
    name = f"{cls.__name__}.theory"
    params.require(name, "n_features", n_features, Integer(1))
    params.require(name, "horizon", horizon, Integer(1))
    params.require(name, "variation", variation, OPEN)
    return float(variation) / (int(n_features) * int(horizon))
