"""Exponential families of rewards: p(r | z) ∝ exp(r z − b(z)) with z = xᵀθ, so that E[r] = μ(z) = b'(z).

A family is a small frozen object: it prints, compares, and can be saved as plain data. Its functions take a number or
an array. `extended(S)` is the link of the paper's appendix, μ inside [−S, S] and its tangents outside, which keeps
μ' ≥ κ_μ > 0 on the whole line.

>>> Logistic().mean(0.0)
0.5
>>> family = Logistic().extended(2.0)
>>> family
Extended(base=Logistic(fractions=False), limit=2.0)
>>> round(family.kappa, 4), family.lipschitz
(0.105, 0.25)
>>> get("poisson")
Poisson()
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Annotated, Any, ClassVar, cast

import numpy as np

from rbmle import params
from rbmle.errors import InvalidInputError, InvalidParameterError, StateFileError
from rbmle.params import Flag, Optional, Real
from rbmle.types import FloatArray

# Above this mean NumPy cannot draw Poisson numbers.
LARGEST_POISSON_MEAN = 9e18
# Points at which the derivative of a link without known extremes is examined.
GRID = 20_001


class Family(ABC):
    """A family of rewards: μ, μ', b, and which rewards there are.

    self_concordance  the least c with |μ''| ≤ c μ' (log μ' is c-Lipschitz), or None where none is known; certified
                      bounds of the index need it, methods work without
    kappa, lipschitz  κ_μ = inf μ' and L_μ = sup μ' over the line
    """

    code: ClassVar[int]
    support: ClassVar[str]
    self_concordance: float | None
    kappa: float
    lipschitz: float

    @abstractmethod
    def mean(self, z: Any) -> Any:
        """μ(z), the mean reward at score z."""

    @abstractmethod
    def derivative(self, z: Any) -> Any:
        """μ'(z)."""

    @abstractmethod
    def b(self, z: Any) -> Any:
        """b(z) with b' = μ."""

    @abstractmethod
    def supports(self, rewards: FloatArray) -> Any:
        """Which rewards the family can produce, as booleans."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, mean: FloatArray) -> FloatArray:
        """Rewards with the given means."""

    def log_likelihood(self, z: Any, reward: Any) -> Any:
        """r z − b(z): the log-likelihood up to what does not depend on z, so that its gradient in z is r − μ(z)."""
        return reward * np.asarray(z, dtype=np.float64) - self.b(z)

    def sample(self, rng: np.random.Generator, z: Any) -> Any:
        """Draw a reward at every score z."""
        drawn = self.draw(rng, np.asarray(self.mean(z), dtype=np.float64))
        return float(drawn) if np.ndim(z) == 0 else drawn

    def extended(self, limit: float) -> "Extended":
        """The link μ̃: μ inside [−limit, limit], its tangents outside."""
        return Extended(base=self, limit=limit)

    def require_support(self, rewards: FloatArray | np.float64, name: str = "reward") -> None:
        """Raise InvalidInputError at the first reward that the family cannot produce."""
        values = np.atleast_1d(rewards)
        bad = np.flatnonzero(~np.atleast_1d(self.supports(values)))
        if len(bad):
            where = f" at {name}[{bad[0]}]" if np.ndim(rewards) else ""
            raise InvalidInputError(
                f"{name} must be {self.support} for the family {self!r}. Got {float(values[bad[0]])!r}{where}."
            )


def _vectorised(function: Callable[[FloatArray], FloatArray], z: Any) -> Any:
    values = function(np.asarray(z, dtype=np.float64))
    return float(values) if np.ndim(z) == 0 else values


@dataclass(frozen=True)
class Gaussian(Family):
    """Rewards of unit variance around z: μ(z) = z, b(z) = z²/2."""

    code = 0
    support = "finite"
    self_concordance = 0.0
    kappa = 1.0
    lipschitz = 1.0

    def mean(self, z: Any) -> Any:
        """z."""
        return _vectorised(lambda v: v.copy(), z)

    def derivative(self, z: Any) -> Any:
        """1."""
        return _vectorised(np.ones_like, z)

    def b(self, z: Any) -> Any:
        """z²/2."""
        return _vectorised(lambda v: 0.5 * v * v, z)

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

    code = 1
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

        return _vectorised(formula, z)

    def derivative(self, z: Any) -> Any:
        """μ(1 − μ)."""

        def formula(v: FloatArray) -> FloatArray:
            u = np.exp(-np.abs(v))
            return u / (1.0 + u) ** 2

        return _vectorised(formula, z)

    def b(self, z: Any) -> Any:
        """log(1 + eᶻ)."""
        return _vectorised(lambda v: np.maximum(v, 0.0) + np.log1p(np.exp(-np.abs(v))), z)

    def supports(self, rewards: FloatArray) -> Any:
        """0 and 1, or all between where fractions are accepted."""
        if self.fractions:
            return (rewards >= 0.0) & (rewards <= 1.0)
        return (rewards == 0.0) | (rewards == 1.0)

    def draw(self, rng: np.random.Generator, mean: FloatArray) -> FloatArray:
        """1 with probability `mean`, else 0."""
        return np.asarray(rng.random(np.shape(mean)) < mean, dtype=np.float64)


@dataclass(frozen=True)
class Poisson(Family):
    """Counts: μ(z) = b(z) = eᶻ. Beyond z ≈ 709.78 the mean is infinite; `extended` avoids that."""

    code = 2
    support = "a whole number ≥ 0"
    self_concordance = 1.0
    kappa = 0.0
    lipschitz = math.inf

    def mean(self, z: Any) -> Any:
        """eᶻ."""
        with np.errstate(over="ignore"):
            return _vectorised(np.exp, z)

    def derivative(self, z: Any) -> Any:
        """eᶻ."""
        return self.mean(z)

    def b(self, z: Any) -> Any:
        """eᶻ."""
        return self.mean(z)

    def supports(self, rewards: FloatArray) -> Any:
        """0, 1, 2, …"""
        return np.isfinite(rewards) & (rewards >= 0.0) & (rewards == np.floor(rewards))

    def draw(self, rng: np.random.Generator, mean: FloatArray) -> FloatArray:
        """Poisson numbers."""
        if np.max(mean, initial=0.0) > LARGEST_POISSON_MEAN:
            raise InvalidInputError(f"a Poisson mean must stay below 9e18 to be drawn. Got {np.max(mean):g}.")
        return np.asarray(rng.poisson(np.maximum(mean, 0.0)), dtype=np.float64)


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


@dataclass(frozen=True)
class Extended(Family):
    """The link μ̃: the base family's inside [−limit, limit], its tangents outside (b is quadratic there).

    Rewards and their support are the base family's; where the tangent leaves the range of means, a reward is drawn at
    the nearest mean that exists.
    """

    base: Family
    limit: Annotated[float, Real(0.0, open_low=True)]

    def __post_init__(self) -> None:
        params.check(self)
        if isinstance(self.base, Extended):
            raise InvalidParameterError(f"The 'base' parameter of Extended must be a plain family. Got {self.base!r}.")

    @property
    def code(self) -> int:  # type: ignore[override]
        """The base family's number in the kernels."""
        return self.base.code

    @property
    def support(self) -> str:  # type: ignore[override]
        """The rewards that there are, in words."""
        return self.base.support

    @property
    def self_concordance(self) -> float | None:  # type: ignore[override]
        """The base family's: log μ̃' is constant outside, so no steeper than inside."""
        return self.base.self_concordance

    def _slopes(self) -> FloatArray:
        """μ' at all points where a built-in link has its extremes, on a fine grid for links of users."""
        points = np.linspace(-self.limit, self.limit, GRID if isinstance(self.base, Custom) else 3)
        return cast(FloatArray, self.base.derivative(points))

    @property
    def kappa(self) -> float:  # type: ignore[override]
        """κ_μ = min μ' over [−limit, limit]; for a link of a user the least value on a fine grid."""
        return float(self._slopes().min())

    @property
    def lipschitz(self) -> float:  # type: ignore[override]
        """L_μ = max μ' over [−limit, limit]; for a link of a user the largest value on a fine grid."""
        return float(self._slopes().max())

    def mean(self, z: Any) -> Any:
        """μ inside, μ(±S) + μ'(±S)(z ∓ S) outside."""

        def formula(v: FloatArray) -> FloatArray:
            inside = np.clip(v, -self.limit, self.limit)
            return cast(FloatArray, self.base.mean(inside) + self.base.derivative(inside) * (v - inside))

        return _vectorised(formula, z)

    def derivative(self, z: Any) -> Any:
        """μ' at the nearest point of [−limit, limit]."""
        return self.base.derivative(np.clip(z, -self.limit, self.limit))

    def b(self, z: Any) -> Any:
        """b inside; outside the quadratic that continues it with the tangent as derivative."""

        def formula(v: FloatArray) -> FloatArray:
            inside = np.clip(v, -self.limit, self.limit)
            out = v - inside
            base = self.base
            return cast(FloatArray, base.b(inside) + out * (base.mean(inside) + 0.5 * out * base.derivative(inside)))

        return _vectorised(formula, z)

    def supports(self, rewards: FloatArray) -> Any:
        """What the base family supports."""
        return self.base.supports(rewards)

    def draw(self, rng: np.random.Generator, mean: FloatArray) -> FloatArray:
        """What the base family draws."""
        return self.base.draw(rng, mean)


def _one_by_one(function: Callable[[float], float], z: Any) -> Any:
    if np.ndim(z) == 0:
        return float(function(float(z)))
    values = np.asarray(z, dtype=np.float64)
    return np.array([float(function(float(v))) for v in values.flat]).reshape(values.shape)


_BY_NAME: dict[str, Family] = {"gaussian": Gaussian(), "logistic": Logistic(), "poisson": Poisson()}


def register(family: Custom) -> None:
    """Make a family of your own known by its name: to `get`, and to files that mention it."""
    known = _BY_NAME.get(family.name)
    if known is not None and not isinstance(known, Custom):
        raise InvalidParameterError(f"The name {family.name!r} belongs to the built-in family {known!r}.")
    _BY_NAME[family.name] = family


def get(family: "str | Family") -> Family:
    """The family of a name ("gaussian", "logistic", "poisson", or a registered one); a family is returned as it is."""
    if isinstance(family, Family):
        return family
    if isinstance(family, str) and family in _BY_NAME:
        return _BY_NAME[family]
    names = ", ".join(repr(name) for name in sorted(_BY_NAME))
    raise InvalidParameterError(f"family must be one of {names}, or a Family. Got {family!r}.")


class Known:
    """Constraint of a parameter: a family or the name of one."""

    def holds(self, value: object) -> bool:
        """Tell whether the value is a family or names one."""
        return isinstance(value, Family) or (isinstance(value, str) and value in _BY_NAME)

    def __str__(self) -> str:
        return "a Family or one of " + ", ".join(repr(name) for name in sorted(_BY_NAME))


def to_plain(family: "str | Family") -> Any:
    """Turn a family into plain data for a saved file."""
    if isinstance(family, str):
        return family
    if isinstance(family, Custom):
        if _BY_NAME.get(family.name) != family:
            raise StateFileError(f"{family!r} holds functions; call rbmle.families.register with it before saving.")
        return family.name
    if isinstance(family, Extended):
        return {"family": "Extended", "base": to_plain(family.base), "limit": family.limit}
    return {"family": type(family).__name__, **asdict(family)}  # type: ignore[call-overload]


def from_plain(data: Any) -> "str | Family":
    """Rebuild what `to_plain` wrote: a name stays a name."""
    if isinstance(data, str):
        if data not in _BY_NAME:
            raise StateFileError(f"Unknown family {data!r} in the file; register it before loading.")
        return data
    arguments = dict(data)
    name = arguments.pop("family", None)
    if name == "Extended":
        return Extended(base=get(from_plain(arguments["base"])), limit=arguments["limit"])
    built_in: dict[str, type[Family]] = {"Gaussian": Gaussian, "Logistic": Logistic, "Poisson": Poisson}
    if name not in built_in:
        raise StateFileError(f"Unknown family {name!r} in the file.")
    return built_in[name](**arguments)
