"""The regret bounds of the paper: Theorem 2 (LinRBMLE) and Theorem 3 (GLM-RBMLE), as pure functions of the horizon.

=========  ====================================================================================
symbol     meaning
=========  ====================================================================================
T, t       horizon, round; wherever a horizon is taken an array of horizons gives the curve
d, λ       dimension of the contexts, regularisation (the theorems assume λ ≥ 1, ‖x‖ ≤ 1, ‖θ*‖ ≤ 1)
δ, σ       the bound may fail with probability δ; the noise is σ-sub-Gaussian
α(t), η(t) bias and boost of the index
L_μ, κ_μ   largest and smallest slope of the link μ
=========  ====================================================================================

Both proofs use α(t) ≤ α(T), so a bias that falls somewhere is refused.

>>> round(linear_bound(30000, n_features=3, delta=0.1))
22813
>>> [round(value) for value in linear_bound([100, 10000], n_features=3)]
[648, 11926]
"""

import functools
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from rbmle import params, schedules
from rbmle.errors import InvalidInputError
from rbmle.inputs import as_numbers, describe
from rbmle.params import Flag, Integer, OneOf, Real, ScheduleLike
from rbmle.schedules import OnePlusLog, Sqrt
from rbmle.types import FloatArray

EXACT_ROUNDS = 1 << 20
"""Σ 1/α(t) is added round by round up to here; beyond, the rest is an integral that is right to about 1e-12."""

LARGEST_ROUND = 1e300
"""T₀ beyond this is reported as infinite: no run gets there, and powers of it would overflow."""

PAPER_BIAS: ScheduleLike = Sqrt()
PAPER_BOOST: ScheduleLike = OnePlusLog()
POSITIVE = Real(0.0, open_low=True)
PROBABILITY = Real(0.0, 1.0, open_low=True, open_high=True)


def G0(t: FloatArray, delta: float, *, d: int, lam: float, sigma: float) -> FloatArray:
    """σ √(d log((λ+t)/(λδ))) + √λ: radius of the confidence ellipsoid of the ridge estimate (before Theorem 2)."""
    width: FloatArray = np.sqrt(d * np.log((lam + t) / (lam * delta)))
    return sigma * width + math.sqrt(lam)


def G1(t: FloatArray, *, d: int, lam: float) -> FloatArray:
    """√(2d log((λ+t)/d)) as printed: bounds the root of the sum of all variances. Needs λ + t ≥ d."""
    if np.any(lam + t < d):
        raise InvalidInputError(
            f"horizon must be at least {math.ceil(d - lam)} here, because the printed G1(t) = √(2d log((λ+t)/d)) needs "
            f"λ + t ≥ d. Got {float(np.min(t)):g} with d = {d} and λ = {lam:g}. potential='determinant' has no limit."
        )
    root: FloatArray = np.sqrt(2 * d * np.log((lam + t) / d))
    return root


def G1_determinant(t: FloatArray, *, d: int, lam: float) -> FloatArray:
    """√(2d log(1 + t/(dλ))): what the lemma cited for G₁ gives (Abbasi-Yadkori et al. 2011, Lemma 11), for every t.

    The printed G₁ has (λ+t)/d where this has (dλ+t)/(dλ). At λ = 1 and d > 1 the printed one is the smaller of the two,
    visibly so while t is not much larger than d, and therefore a little too optimistic there.
    """
    root: FloatArray = np.sqrt(2 * d * np.log1p(t / (d * lam)))
    return root


def G2(t: FloatArray, delta: float, *, d: int, sigma: float, kappa_mu: float) -> FloatArray:
    """(σ/κ_μ) √(d/2 log(1+2t/d) + log(1/δ)): radius of the confidence set of the GLM estimate (before Theorem 3)."""
    width: FloatArray = np.sqrt(d / 2 * np.log1p(2 * t / d) + math.log(1 / delta))
    return sigma / kappa_mu * width


def T0(boost: ScheduleLike, *, L_mu: float, kappa_mu: float) -> int | float:
    """min{t : L_μ³ / (2 κ_μ² η(t)) < ½}, the rounds in which Theorem 3 promises nothing; infinite beyond 1e300.

    Found by doubling and bisection, for η grows. With η(t) = 1 + log t it is about exp(L_μ³/κ_μ² − 1).
    """

    def reached(t: int) -> bool:
        eta = float(schedules.evaluate(boost, np.array([float(t)]), "boost")[0])
        if eta <= 0:
            raise InvalidInputError(f"boost must be positive in every round, but is {eta:g} at t = {t:g}.")
        return L_mu**3 / (2 * kappa_mu**2 * eta) < 0.5

    last_miss, first_hit = 0, 1
    while not reached(first_hit):
        last_miss, first_hit = first_hit, 2 * first_hit
        if first_hit > LARGEST_ROUND:
            return math.inf
    while first_hit - last_miss > 1:
        middle = (last_miss + first_hit) // 2
        if reached(middle):
            first_hit = middle
        else:
            last_miss = middle
    return first_hit


def C1(L_mu: float, kappa_mu: float) -> float:
    """2 L_μ⁴/κ_μ⁴ + 1/κ_μ²."""
    return 2 * L_mu**4 / kappa_mu**4 + 1 / kappa_mu**2


def C2(L_mu: float, kappa_mu: float) -> float:
    """2 L_μ³/κ_μ² + L_μ/κ_μ."""
    return 2 * L_mu**3 / kappa_mu**2 + L_mu / kappa_mu


def C3(L_mu: float) -> float:
    """L_μ²/2."""
    return L_mu**2 / 2


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
        """Find the smallest horizon T at which the bound is below T · largest_gap, what any policy at all can lose.

        `largest_gap` is the largest difference between two arms' mean rewards. Infinite if there is none up to `limit`.
        The ratio of bound to horizon must fall where it crosses the gap, as it does with α(t) = √t.
        """
        first = self._first_horizon()
        doublings = first * 2 ** np.arange(max(1, (limit // first).bit_length()))
        below = np.flatnonzero(self(doublings) < largest_gap * doublings)
        if not len(below):
            return math.inf
        high = int(doublings[below[0]])
        low = int(doublings[below[0] - 1]) if below[0] else high - 1
        while high - low > 1:
            candidates = np.unique(np.linspace(low + 1, high, 33).astype(np.int64))
            k = int(np.argmax(self(candidates) < largest_gap * candidates))
            low, high = int(candidates[k - 1]) if k else low, int(candidates[k])
        return high

    @abstractmethod
    def _first_horizon(self) -> int:
        """Return the smallest horizon at which the formula is defined."""


@dataclass(frozen=True, kw_only=True)
class LinearBound(_Bound):
    """Theorem 2: with probability 1 − δ, LinRBMLE's regret after T rounds is at most ``LinearBound(...)(T)``."""

    n_features: Annotated[int, Integer(1)]
    regularization: Annotated[float, Real(1.0)] = 1.0
    delta: Annotated[float, PROBABILITY] = 0.1
    bias: Annotated[ScheduleLike, params.Schedule()] = PAPER_BIAS
    noise_scale: Annotated[float, Real(0.0)] = 1.0
    potential: Annotated[str, OneOf("printed", "determinant")] = "printed"

    def terms(self, horizon: ArrayLike) -> dict[str, FloatArray]:
        """Return the three summands.

        `best_arm` is G₀² Σ 1/(2α(t)), the price of underrating the best arm; `played_arm` is √T G₀ G₁, the error of the
        estimate on the arms played; `bias` is ½ α(T) G₁², the exploration bought by the bias.
        """
        T = _horizons(horizon)
        g0 = G0(T, self.delta, d=self.n_features, lam=self.regularization, sigma=self.noise_scale)
        g1 = _potential(T, self.n_features, self.regularization, self.potential)
        alpha, inverse_sum = _bias(self.bias, T)
        return {"best_arm": g0**2 * inverse_sum / 2, "played_arm": np.sqrt(T) * g0 * g1, "bias": alpha * g1**2 / 2}

    def _first_horizon(self) -> int:
        return _first_horizon(self.n_features, self.regularization, self.potential)


@dataclass(frozen=True, kw_only=True)
class GLMBound(_Bound):
    """Theorem 3: with probability 1 − δ, GLM-RBMLE's regret after T rounds is at most ``GLMBound(...)(T)``.

    The proof takes L_μ ≥ 1 ≥ κ_μ. A larger L_μ and a smaller κ_μ bound the slopes as well, so a value on the wrong side
    is replaced by 1 (the logistic link has L_μ = ¼). `as_given=True` puts it into the formula as it is, which gives a
    number that the proof does not support.
    """

    n_features: Annotated[int, Integer(1)]
    L_mu: Annotated[float, POSITIVE]
    kappa_mu: Annotated[float, POSITIVE]
    regularization: Annotated[float, Real(1.0)] = 1.0
    delta: Annotated[float, PROBABILITY] = 0.1
    bias: Annotated[ScheduleLike, params.Schedule()] = PAPER_BIAS
    boost: Annotated[ScheduleLike, params.Schedule()] = PAPER_BOOST
    noise_scale: Annotated[float, Real(0.0)] = 1.0
    potential: Annotated[str, OneOf("printed", "determinant")] = "printed"
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
        g2 = G2(T, self.delta, d=self.n_features, sigma=self.noise_scale, kappa_mu=kappa)
        alpha, inverse_sum = _bias(self.bias, T)
        return {
            "start": np.full_like(T, self.start),
            "bias": C1(L, kappa) * alpha * g1**2,
            "played_arm": C2(L, kappa) * np.sqrt(T) * g1 * g2,
            "best_arm": C3(L) * g2**2 * inverse_sum,
        }

    def _first_horizon(self) -> int:
        return _first_horizon(self.n_features, self.regularization, self.potential)


def linear_bound(
    horizon: ArrayLike,
    n_features: int,
    regularization: float = 1.0,
    delta: float = 0.1,
    bias: ScheduleLike = PAPER_BIAS,
    noise_scale: float = 1.0,
) -> Any:
    """Theorem 2 at one horizon (a float) or several (an array); `LinearBound` gives its terms too."""
    return LinearBound(
        n_features=n_features, regularization=regularization, delta=delta, bias=bias, noise_scale=noise_scale
    )(horizon)


def glm_bound(
    horizon: ArrayLike,
    n_features: int,
    regularization: float = 1.0,
    delta: float = 0.1,
    *,
    L_mu: float,
    kappa_mu: float,
    bias: ScheduleLike = PAPER_BIAS,
    boost: ScheduleLike = PAPER_BOOST,
    noise_scale: float = 1.0,
) -> Any:
    """Theorem 3 at one horizon (a float) or several (an array); `GLMBound` gives its terms too."""
    return GLMBound(
        n_features=n_features,
        regularization=regularization,
        delta=delta,
        L_mu=L_mu,
        kappa_mu=kappa_mu,
        bias=bias,
        boost=boost,
        noise_scale=noise_scale,
    )(horizon)


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


def _bias(bias: ScheduleLike, T: FloatArray) -> tuple[FloatArray, FloatArray]:
    """α(T) and Σ_{t ≤ T} 1/α(t) at each horizon."""
    flat = T.reshape(-1)
    if flat.max() > EXACT_ROUNDS and not isinstance(bias, schedules.Schedule):
        raise InvalidInputError(
            f"horizon must be at most {EXACT_ROUNDS} with a bias that is a plain function, computed in every round. "
            f"Got {flat.max():g}. Use a schedule such as Sqrt or Power."
        )
    last = int(min(flat.max(), EXACT_ROUNDS))
    alpha = schedules.evaluate(bias, np.arange(1.0, last + 1), "bias")
    _require_rising(alpha, np.arange(1.0, last + 1))
    sums = np.cumsum(1 / alpha)
    exact = np.minimum(flat, last).astype(np.int64) - 1
    at_end, inverse_sum = alpha[exact], sums[exact]
    if flat.max() > last:
        far = np.unique(flat[flat > last])
        ends, rest = _beyond(bias, far)
        place = np.searchsorted(far, flat[flat > last])
        at_end[flat > last] = ends[place]
        inverse_sum[flat > last] += rest[place]
    return at_end.reshape(T.shape), inverse_sum.reshape(T.shape)


def _beyond(bias: ScheduleLike, far: FloatArray) -> tuple[FloatArray, FloatArray]:
    """α(T) and Σ 1/α(t) over EXACT_ROUNDS < t ≤ T at rising horizons; the sum as ∫ 1/α over log t, block by block."""
    doublings = EXACT_ROUNDS * 2.0 ** np.arange(0, math.ceil(math.log2(far[-1] / EXACT_ROUNDS)))
    edges = np.unique(np.concatenate([doublings, far])) + 0.5
    nodes, weights = np.polynomial.legendre.leggauss(12)
    left, right = np.log(edges[:-1, None]), np.log(edges[1:, None])
    t = np.exp((left + right) / 2 + (right - left) / 2 * nodes)
    blocks = (right - left)[:, 0] / 2 * ((t / bias(t)) @ weights)
    ends = bias(far)
    _require_rising(np.concatenate([bias(np.array([float(EXACT_ROUNDS)])), ends]), np.append(EXACT_ROUNDS, far))
    return ends, np.cumsum(blocks)[np.searchsorted(edges[1:], far + 0.5)]


def _require_rising(alpha: FloatArray, rounds: FloatArray) -> None:
    bad = np.flatnonzero(~(alpha > 0) | (np.diff(alpha, prepend=alpha[0]) < 0))
    if len(bad):
        raise InvalidInputError(
            f"bias must be positive and must not fall from round to round, as the theorems assume. It is "
            f"{alpha[bad[0]]:g} at t = {int(rounds[bad[0]])}" + (f", after {alpha[bad[0] - 1]:g}." if bad[0] else ".")
        )
