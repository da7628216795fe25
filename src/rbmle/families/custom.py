"""Families that users bring."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from rbmle import params
from rbmle.errors import InvalidInputError
from rbmle.families.base import Family
from rbmle.params import Flag, Optional, Real
from rbmle.types import FloatArray


@dataclass(frozen=True)
class Custom(Family):
    """A family of your own: μ, μ' and b as functions of one number, written so that numba can compile them.

    A function that numba cannot compile works too, at Python speed. With `self_concordance`, the least c such that
    |μ''| ≤ c μ', arms are pruned as for the built-in families; without it every arm is solved. To save and load
    policies of the family, `register` it first.

    >>> exponential = Custom(name="exponential", mu=lambda z: -1.0 / z,
    ...                      dmu=lambda z: 1.0 / z**2, potential=lambda z: -np.log(-z))
    >>> exponential.mean(-2.0), exponential
    (0.5, Custom('exponential'))
    """

    code = 3

    name: str
    mu: Callable[[float], float]
    dmu: Callable[[float], float]
    potential: Callable[[float], float]
    self_concordance: Annotated[float | None, Optional(Real(0.0))] = None
    kappa: Annotated[float, Real(0.0)] = 0.0
    lipschitz: float = math.inf
    low: float = -math.inf
    high: float = math.inf
    integers: Annotated[bool, Flag()] = False
    sampler: Callable[[np.random.Generator, FloatArray], FloatArray] | None = None

    def __post_init__(self) -> None:
        params.check(self)

    @property
    def support(self) -> str:  # type: ignore[override]
        """The rewards that there are, in words."""
        kind = "a whole number" if self.integers else "a finite number"
        return f"{kind} from {self.low:g} to {self.high:g}"

    def mean(self, z: Any) -> Any:
        """The function `mu`."""
        return _one_by_one(self.mu, z)

    def derivative(self, z: Any) -> Any:
        """The function `dmu`."""
        return _one_by_one(self.dmu, z)

    def b(self, z: Any) -> Any:
        """The function `potential`."""
        return _one_by_one(self.potential, z)

    def supports(self, rewards: FloatArray) -> Any:
        """Numbers from `low` to `high`, whole ones if the family is of integers."""
        whole = np.floor(rewards) == rewards if self.integers else True
        return np.isfinite(rewards) & (rewards >= self.low) & (rewards <= self.high) & whole

    def draw(self, rng: np.random.Generator, mean: FloatArray) -> FloatArray:
        """What the `sampler` draws."""
        if self.sampler is None:
            raise InvalidInputError(f"{self!r} has no sampler, so no rewards can be drawn from it.")
        return np.asarray(self.sampler(rng, mean), dtype=np.float64)

    def __repr__(self) -> str:
        return f"Custom({self.name!r})"


def _one_by_one(function: Callable[[float], float], z: Any) -> Any:
    if np.ndim(z) == 0:
        return float(function(float(z)))
    values = np.asarray(z, dtype=np.float64)
    return np.array([float(function(float(v))) for v in values.flat]).reshape(values.shape)
