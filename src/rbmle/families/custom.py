"""Families that users bring."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from rbmle import params
from rbmle.errors import InvalidInputError
from rbmle.families.base import CUSTOM, Family
from rbmle.params import Flag, Optional, Real
from rbmle.types import FloatArray


@dataclass(frozen=True)
class Custom(Family):
    """A family of your own: μ, μ' and b as functions of one number, written so that numba can compile them.

    A function that numba cannot compile works too, at Python speed. One that raises, or gives no number, where the
    estimate needs it, ends in a `ConvergenceError` that says so. With `self_concordance`, the least c such that
    |μ''| ≤ c μ', arms are pruned as for the built-in families; without it every arm is solved. To save and load
    policies of the family, `register` it first.

    >>> exponential = Custom(name="exponential", mu=lambda z: -1.0 / z,
    ...                      dmu=lambda z: 1.0 / z**2, potential=lambda z: -np.log(-z))
    >>> exponential.mean(-2.0), exponential
    (0.5, Custom('exponential'))
    """

    code = CUSTOM

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

    def supports_sums(self, counts: FloatArray, sums: FloatArray) -> Any:
        """From `low` to `high` times the count, up to rounding; whole if the family is of integers."""
        slack = 1e-9 * (np.abs(sums) + 1.0)
        low = np.where(counts > 0.0, self.low * np.maximum(counts, 1.0), 0.0) - slack
        high = np.where(counts > 0.0, self.high * np.maximum(counts, 1.0), 0.0) + slack
        whole = np.floor(sums) == sums if self.integers else True
        return np.isfinite(sums) & (sums >= low) & (sums <= high) & whole

    def trouble(self, scores: FloatArray) -> str:
        """Which of the functions raises or gives no number at one of the scores, and how; "" where none does.

        In compiled code such a value is NaN: an exception cannot pass through it.
        """
        for name in ("mu", "dmu", "potential"):
            for z in map(float, scores):
                try:
                    value = float(getattr(self, name)(z))
                except Exception as reason:  # noqa: BLE001  the user's own, told in the user's error
                    return f"the function '{name}' of {self!r} raised {reason!r} at z = {z:g}"
                if math.isnan(value):
                    return f"the function '{name}' of {self!r} gave nan at z = {z:g}"
        return ""

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
