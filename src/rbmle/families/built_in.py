"""Gaussian, Bernoulli and Poisson rewards."""

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from rbmle import params
from rbmle.errors import InvalidInputError
from rbmle.families.base import GAUSSIAN, LOGISTIC, POISSON, Family, vectorised
from rbmle.params import Flag
from rbmle.types import FloatArray

# Above this mean NumPy cannot draw Poisson numbers.
LARGEST_POISSON_MEAN = 9e18


@dataclass(frozen=True)
class Gaussian(Family):
    """Rewards of unit variance around z: μ(z) = z, b(z) = z²/2."""

    code = GAUSSIAN
    support = "finite"
    self_concordance = 0.0
    kappa = 1.0
    lipschitz = 1.0

    def mean(self, z: Any) -> Any:
        """z."""
        return vectorised(lambda v: v.copy(), z)

    def derivative(self, z: Any) -> Any:
        """1."""
        return vectorised(np.ones_like, z)

    def b(self, z: Any) -> Any:
        """z²/2."""
        return vectorised(lambda v: 0.5 * v * v, z)

    def supports(self, rewards: FloatArray) -> Any:
        """Every finite number."""
        return np.isfinite(rewards)

    def draw(self, rng: np.random.Generator, mean: FloatArray) -> FloatArray:
        """Normal rewards of variance 1."""
        return mean + rng.standard_normal(np.shape(mean))


@dataclass(frozen=True)
class Logistic(Family):
    """Bernoulli rewards: μ(z) = 1/(1 + e⁻ᶻ), b(z) = log(1 + eᶻ).

    fractions: accept rewards between 0 and 1 too (shares of successes, soft labels); the likelihood is then r log μ +
    (1−r) log(1−μ), which is no longer that of a Bernoulli variable but has the same estimate of the mean.
    """

    code = LOGISTIC
    self_concordance = 1.0
    kappa = 0.0
    lipschitz = 0.25

    fractions: Annotated[bool, Flag()] = False

    def __post_init__(self) -> None:
        params.check(self)

    @property
    def support(self) -> str:  # type: ignore[override]
        """The rewards that there are, in words."""
        return "between 0 and 1" if self.fractions else "0 or 1"

    def mean(self, z: Any) -> Any:
        """1/(1 + e⁻ᶻ)."""

        def formula(v: FloatArray) -> FloatArray:
            u = np.exp(-np.abs(v))
            return np.where(v >= 0, 1.0, u) / (1.0 + u)

        return vectorised(formula, z)

    def derivative(self, z: Any) -> Any:
        """μ(1 − μ)."""

        def formula(v: FloatArray) -> FloatArray:
            u = np.exp(-np.abs(v))
            return u / (1.0 + u) ** 2

        return vectorised(formula, z)

    def b(self, z: Any) -> Any:
        """log(1 + eᶻ)."""
        return vectorised(lambda v: np.maximum(v, 0.0) + np.log1p(np.exp(-np.abs(v))), z)

    def supports(self, rewards: FloatArray) -> Any:
        """0 and 1, or all between where fractions are accepted."""
        if self.fractions:
            return (rewards >= 0.0) & (rewards <= 1.0)
        return (rewards == 0.0) | (rewards == 1.0)

    def supports_sums(self, counts: FloatArray, sums: FloatArray) -> Any:
        """From 0 to the count, whole where fractions are not accepted."""
        return (sums >= 0.0) & (sums <= counts) & (self.fractions | (sums == np.floor(sums)))

    def draw(self, rng: np.random.Generator, mean: FloatArray) -> FloatArray:
        """1 with probability `mean`, else 0."""
        return np.asarray(rng.random(np.shape(mean)) < mean, dtype=np.float64)


@dataclass(frozen=True)
class Poisson(Family):
    """Counts: μ(z) = b(z) = eᶻ. Beyond z ≈ 709.78 the mean is infinite; `extended` avoids that."""

    code = POISSON
    support = "a whole number ≥ 0"
    self_concordance = 1.0
    kappa = 0.0
    lipschitz = math.inf

    def mean(self, z: Any) -> Any:
        """eᶻ."""
        with np.errstate(over="ignore"):
            return vectorised(np.exp, z)

    def derivative(self, z: Any) -> Any:
        """eᶻ."""
        return self.mean(z)

    def b(self, z: Any) -> Any:
        """eᶻ."""
        return self.mean(z)

    def supports(self, rewards: FloatArray) -> Any:
        """0, 1, 2, …"""
        return np.isfinite(rewards) & (rewards >= 0.0) & (rewards == np.floor(rewards))

    def supports_sums(self, counts: FloatArray, sums: FloatArray) -> Any:
        """0, 1, 2, …"""
        return self.supports(sums)

    def draw(self, rng: np.random.Generator, mean: FloatArray) -> FloatArray:
        """Poisson numbers."""
        if np.max(mean, initial=0.0) > LARGEST_POISSON_MEAN:
            raise InvalidInputError(f"a Poisson mean must stay below 9e18 to be drawn. Got {np.max(mean):g}.")
        return np.asarray(rng.poisson(np.maximum(mean, 0.0)), dtype=np.float64)
