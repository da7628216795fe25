"""Theorem 2 and Theorem 3, term by term."""

import functools
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from rbmle import params
from rbmle.errors import InvalidInputError
from rbmle.inputs import as_numbers, describe
from rbmle.params import Flag, Integer, OneOf, Real, ScheduleLike
from rbmle.schedules import OnePlusLog, Sqrt
from rbmle.theory.pieces import C1, C2, C3, G0, G1, G2, T0, G1_determinant, G2_proved
from rbmle.theory.sums import bias_and_inverse_sum
from rbmle.types import FloatArray

PAPER_BIAS: ScheduleLike = Sqrt()
PAPER_BOOST: ScheduleLike = OnePlusLog()
POSITIVE = Real(0.0, open_low=True)
PROBABILITY = Real(0.0, 1.0, open_low=True, open_high=True)
PER_DOUBLING = 8
"""Horizons tried per doubling when looking for the last one at which a bound is empty."""


class _Bound(ABC):
    """What both theorems share: the sum of the terms, and when it says something."""

    def __post_init__(self) -> None:
        params.check(self)

    @abstractmethod
    def terms(self, horizon: ArrayLike) -> dict[str, FloatArray]:
        """Summands of the bound at each horizon, by name."""

    @overload
    def __call__(self, horizon: float) -> float: ...
    @overload
    def __call__(self, horizon: ArrayLike) -> FloatArray: ...
    def __call__(self, horizon: ArrayLike) -> float | FloatArray:
        """Return the bound at one horizon, or at each of several."""
        total: FloatArray = np.sum(list(self.terms(horizon).values()), axis=0)
        return float(total) if np.ndim(horizon) == 0 else total

    def informative_horizon(self, largest_gap: float, limit: int = 10**15) -> int | float:
        """Find the horizon from which on the bound stays below T · largest_gap, what any policy at all can lose.

        `largest_gap` is the largest difference between two arms' mean rewards. Infinite where the bound is not below at
        `limit`. An earlier horizon may have a bound below too, with some that have not between them and this one.
        """
        first = self._first_horizon()
        steps = max(1, (limit // first).bit_length() - 1) * PER_DOUBLING
        tried = np.unique(np.floor(first * 2.0 ** (np.arange(steps + 1) / PER_DOUBLING)))
        empty = np.flatnonzero(self(tried) >= largest_gap * tried)
        if not len(empty):
            return first
        if empty[-1] == len(tried) - 1:
            return math.inf
        low, high = int(tried[empty[-1]]), int(tried[empty[-1] + 1])
        while high - low > 1:
            candidates = np.unique(np.linspace(low, high, 33).astype(np.int64))
            k = int(np.flatnonzero(self(candidates) >= largest_gap * candidates)[-1])
            low, high = int(candidates[k]), int(candidates[k + 1])
        return high

    @abstractmethod
    def _first_horizon(self) -> int:
        """Return the smallest horizon at which the formula is defined."""


@dataclass(frozen=True, kw_only=True)
class LinearBound(_Bound):
    """Theorem 2: with probability 1 − δ, LinRBMLE's regret after T rounds is at most ``LinearBound(...)(T)``.

    `potential` says which G₁ is used: the "determinant" form, for which the proof holds at every horizon, or the
    "printed" one, which is smaller and wrong where T is not much larger than d.
    """

    n_features: Annotated[int, Integer(1)]
    regularization: Annotated[float, Real(1.0)] = 1.0
    delta: Annotated[float, PROBABILITY] = 0.1
    bias: Annotated[ScheduleLike, params.Schedule()] = PAPER_BIAS
    noise_scale: Annotated[float, Real(0.0)] = 1.0
    potential: Annotated[str, OneOf("determinant", "printed")] = "determinant"

    def terms(self, horizon: ArrayLike) -> dict[str, FloatArray]:
        """Return the three summands.

        `best_arm` is G₀² Σ 1/(2α(t)), the price of underrating the best arm; `played_arm` is √T G₀ G₁, the error of the
        estimate on the arms played; `bias` is ½ α(T) G₁², the exploration bought by the bias.
        """
        T = _horizons(horizon)
        g0 = G0(T, self.delta, d=self.n_features, lam=self.regularization, sigma=self.noise_scale)
        g1 = _potential(T, self.n_features, self.regularization, self.potential)
        alpha, inverse_sum = bias_and_inverse_sum(self.bias, T)
        return {"best_arm": g0**2 * inverse_sum / 2, "played_arm": np.sqrt(T) * g0 * g1, "bias": alpha * g1**2 / 2}

    def _first_horizon(self) -> int:
        return _first_horizon(self.n_features, self.regularization, self.potential)


@dataclass(frozen=True, kw_only=True)
class GLMBound(_Bound):
    """Theorem 3: with probability 1 − δ, GLM-RBMLE's regret after T rounds is at most ``GLMBound(...)(T)``.

    The proof takes L_μ ≥ 1 ≥ κ_μ. A larger L_μ and a smaller κ_μ bound the slopes as well, so a value on the wrong side
    is replaced by 1 (the logistic link has L_μ = ¼). `as_given=True` puts it into the formula as it is, which gives a
    number that the proof does not support.

    `radius` says which G₂ is used: the one that is "proved" for an estimate with regularisation λ and ‖θ*‖ at most
    `theta_norm`, or the "printed" one, which knows neither and is wrong for large λ and for small δ. `potential` is as
    in `LinearBound`.
    """

    n_features: Annotated[int, Integer(1)]
    L_mu: Annotated[float, POSITIVE]
    kappa_mu: Annotated[float, POSITIVE]
    regularization: Annotated[float, Real(1.0)] = 1.0
    delta: Annotated[float, PROBABILITY] = 0.1
    bias: Annotated[ScheduleLike, params.Schedule()] = PAPER_BIAS
    boost: Annotated[ScheduleLike, params.Schedule()] = PAPER_BOOST
    noise_scale: Annotated[float, Real(0.0)] = 1.0
    potential: Annotated[str, OneOf("determinant", "printed")] = "determinant"
    radius: Annotated[str, OneOf("proved", "printed")] = "proved"
    theta_norm: Annotated[float, Real(0.0)] = 1.0
    as_given: Annotated[bool, Flag()] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        params.require(self, "kappa_mu", self.kappa_mu, Real(0.0, self.L_mu, open_low=True))

    @property
    def slopes(self) -> tuple[float, float]:
        """L_μ and κ_μ as they enter the formula."""
        return (self.L_mu, self.kappa_mu) if self.as_given else (max(self.L_mu, 1.0), min(self.kappa_mu, 1.0))

    @functools.cached_property
    def start(self) -> int | float:
        """T₀, the number of first rounds in which the theorem promises nothing."""
        L, kappa = self.slopes
        return T0(self.boost, L_mu=L, kappa_mu=kappa)

    def terms(self, horizon: ArrayLike) -> dict[str, FloatArray]:
        """Return the four summands.

        `start` is T₀, `bias` is C₁ α(T) G₁², `played_arm` is C₂ √T G₁ G₂, and `best_arm` is C₃ G₂² Σ 1/α(t).
        """
        T = _horizons(horizon)
        L, kappa = self.slopes
        g1 = _potential(T, self.n_features, self.regularization, self.potential)
        g2 = self._radius(T, kappa)
        alpha, inverse_sum = bias_and_inverse_sum(self.bias, T)
        return {
            "start": np.full_like(T, self.start),
            "bias": C1(L, kappa) * alpha * g1**2,
            "played_arm": C2(L, kappa) * np.sqrt(T) * g1 * g2,
            "best_arm": C3(L) * g2**2 * inverse_sum,
        }

    def _radius(self, T: FloatArray, kappa: float) -> FloatArray:
        if self.radius == "printed":
            return G2(T, self.delta, d=self.n_features, sigma=self.noise_scale, kappa_mu=kappa)
        return G2_proved(
            T,
            self.delta,
            d=self.n_features,
            lam=self.regularization,
            sigma=self.noise_scale,
            kappa_mu=kappa,
            theta_norm=self.theta_norm,
        )

    def _first_horizon(self) -> int:
        return _first_horizon(self.n_features, self.regularization, self.potential)


def linear_bound(
    horizon: ArrayLike,
    n_features: int,
    regularization: float = 1.0,
    delta: float = 0.1,
    bias: ScheduleLike = PAPER_BIAS,
    **settings: Any,
) -> Any:
    """Theorem 2 at one horizon (a float) or several (an array); more settings, and its terms: `LinearBound`."""
    bound = LinearBound(n_features=n_features, regularization=regularization, delta=delta, bias=bias, **settings)
    return bound(horizon)


def glm_bound(
    horizon: ArrayLike, n_features: int, regularization: float = 1.0, delta: float = 0.1, **settings: Any
) -> Any:
    """Theorem 3 at one horizon (a float) or several (an array); `L_mu`, `kappa_mu` and the rest as in `GLMBound`."""
    return GLMBound(n_features=n_features, regularization=regularization, delta=delta, **settings)(horizon)


def _horizons(horizon: ArrayLike) -> FloatArray:
    T = as_numbers(horizon, "horizon")
    if T.size == 0 or not np.all((T >= 1) & (T <= 1e18) & (np.floor(T) == T)):
        raise InvalidInputError(
            f"horizon must be a whole number of rounds from 1 to 1e18, or several. Got {describe(horizon)}."
        )
    return T


def _first_horizon(d: int, lam: float, potential: str) -> int:
    return max(1, math.ceil(d - lam)) if potential == "printed" else 1


def _potential(T: FloatArray, d: int, lam: float, potential: str) -> FloatArray:
    return (G1 if potential == "printed" else G1_determinant)(T, d=d, lam=lam)
