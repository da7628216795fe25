"""How rewards scatter around their mean. The paper's claim is for any sub-Gaussian noise; all of these are.

>>> as_noise("uniform")
Uniform(half_width=1.7320508075688772)
"""

import math
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from rbmle import params
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.params import Optional, Real
from rbmle.plain import Registry, is_ours
from rbmle.problems.base import Problem, Vector
from rbmle.types import FloatArray


class Noise(ABC):
    """A distribution of rewards given their means."""

    registry: ClassVar[Registry["Noise"]] = Registry("noise", called=lambda cls: str(cls.name))
    name: ClassVar[str]
    limit: float = math.inf

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        Noise.registry.add(cls)

    def __post_init__(self) -> None:
        params.check(self)

    @abstractmethod
    def rewards(self, rng: np.random.Generator, means: FloatArray) -> FloatArray:
        """One reward for each mean, independent of each other."""

    def rewards_at(self, rng: np.random.Generator, means: FloatArray, contexts: FloatArray) -> FloatArray:
        """The same where it depends on contexts (B, K, d), or (1, K, d) where arms stay. Here: it does not."""
        return self.rewards(rng, means)

    def objection(self, n_arms: int, n_features: int) -> str | None:
        """Why this cannot be the noise of that many arms and features. Here: it can."""
        return None

    @property
    def in_place(self) -> bool:
        """Whether it asks `rng` for no more than `InPlace` has, as all of ours do: then rounds are drawn alone."""
        return is_ours(type(self))

    @property
    def params(self) -> dict[str, Any]:
        """Name and numbers, as plain data."""
        return {"name": self.name, **asdict(self)}  # type: ignore[call-overload]


@dataclass(frozen=True)
class Gaussian(Noise):
    """Normal with standard deviation `scale`: scale-sub-Gaussian."""

    name: ClassVar[str] = "gaussian"
    scale: Annotated[float, Real(0.0)] = 1.0

    def rewards(self, rng: np.random.Generator, means: FloatArray) -> FloatArray:
        """Mean + scale · N(0, 1)."""
        values = rng.standard_normal(means.shape)
        if self.scale != 1.0:
            values *= self.scale
        values += means
        return values


@dataclass(frozen=True)
class Uniform(Noise):
    """Even on [−half_width, half_width]: (half_width/√3)-sub-Gaussian. The default has variance 1."""

    name: ClassVar[str] = "uniform"
    half_width: Annotated[float, Real(0.0)] = math.sqrt(3.0)

    def rewards(self, rng: np.random.Generator, means: FloatArray) -> FloatArray:
        """Mean + U(−half_width, half_width)."""
        return means + rng.uniform(-self.half_width, self.half_width, means.shape)


@dataclass(frozen=True)
class Rademacher(Noise):
    """+scale or −scale, each half of the time: scale-sub-Gaussian."""

    name: ClassVar[str] = "rademacher"
    scale: Annotated[float, Real(0.0)] = 1.0

    def rewards(self, rng: np.random.Generator, means: FloatArray) -> FloatArray:
        """Mean ± scale."""
        return means + np.where(rng.random(means.shape) < 0.5, self.scale, -self.scale)


@dataclass(frozen=True)
class BoundedReward(Noise):
    """The reward itself is +bound or −bound, with chances that give the right mean (clicks, wins and losses).

    P(+bound) = ½ (1 + mean/bound), so means must lie in [−bound, bound]. A reward in [−bound, bound] is
    bound-sub-Gaussian around its mean (Hoeffding's lemma), though its variance bound² − mean² depends on the arm.
    """

    name: ClassVar[str] = "bounded"
    bound: Annotated[float, Real(0.0, open_low=True)] = 1.0

    @property
    def limit(self) -> float:  # type: ignore[override]
        """The largest mean there can be."""
        return self.bound

    def rewards(self, rng: np.random.Generator, means: FloatArray) -> FloatArray:
        """±bound."""
        plus = rng.random(means.shape) < 0.5 * (1.0 + means / self.bound)
        return np.where(plus, self.bound, -self.bound)


@dataclass(frozen=True)
class ArmNoise(Noise):
    """Normal with a standard deviation for every arm: (largest of the scales)-sub-Gaussian.

    scales: one number for each arm in its order, or one for all.
    """

    name: ClassVar[str] = "by_arm"
    scales: Annotated[tuple[float, ...], Vector(0.0)] = (1.0,)

    def rewards(self, rng: np.random.Generator, means: FloatArray) -> FloatArray:
        """Mean + scale of the arm · N(0, 1)."""
        return means + rng.standard_normal(means.shape) * np.asarray(self.scales, dtype=np.float64)

    def objection(self, n_arms: int, n_features: int) -> str | None:
        """There is not one scale for every arm."""
        return None if len(self.scales) in (1, n_arms) else f"with 1 scale or one for each of {n_arms} arms"


@dataclass(frozen=True)
class ContextNoise(Noise):
    """Normal with a standard deviation that depends on the direction of the context: high-sub-Gaussian.

    σ(x) = low + (high − low) |uᵀx| / (‖u‖ ‖x‖): `low` across u, `high` along it; at x = 0 it is `low`.

    direction: u, one number for each feature; None for the first feature alone.
    """

    name: ClassVar[str] = "by_context"
    low: Annotated[float, Real(0.0)] = 0.1
    high: Annotated[float, Real(0.0)] = 1.0
    direction: Annotated[tuple[float, ...] | None, Optional(Vector())] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.low > self.high or (self.direction is not None and not np.any(self.direction)):
            raise InvalidParameterError(
                "The parameters of ContextNoise must be low ≤ high and a direction that is not 0. "
                f"Got {self!r} instead."
            )

    def scales(self, contexts: FloatArray) -> FloatArray:
        """σ(x) of contexts (…, K, d): (…, K)."""
        u = np.zeros(contexts.shape[-1])
        u[0] = 1.0
        if self.direction is not None:
            u = np.asarray(self.direction, dtype=np.float64)
        along = np.abs(contexts @ u)
        whole = np.linalg.norm(contexts, axis=-1) * np.linalg.norm(u)
        share = np.divide(along, whole, out=np.zeros_like(along), where=whole > 0.0)
        scales: FloatArray = self.low + (self.high - self.low) * np.minimum(share, 1.0)
        return scales

    def rewards(self, rng: np.random.Generator, means: FloatArray) -> FloatArray:
        """Cannot be told from means alone."""
        raise InvalidInputError("rewards with ContextNoise depend on contexts: call rewards_at(rng, means, contexts).")

    def rewards_at(self, rng: np.random.Generator, means: FloatArray, contexts: FloatArray) -> FloatArray:
        """Mean + σ(x) · N(0, 1)."""
        return means + rng.standard_normal(means.shape) * self.scales(contexts)

    def objection(self, n_arms: int, n_features: int) -> str | None:
        """The direction is not one of that many features."""
        good = self.direction is None or len(self.direction) == n_features
        return None if good else f"with a direction of {n_features} features"


def as_noise(noise: str | Noise, owner: object = "problem") -> Noise:
    """A noise object; a name stands for the default of its kind."""
    if isinstance(noise, Noise):
        return noise
    if isinstance(noise, str) and noise in Noise.registry:
        return Noise.registry[noise]()
    label = owner if isinstance(owner, str) else type(owner).__name__
    names = ", ".join(repr(name) for name in Noise.registry)
    raise InvalidParameterError(
        f"The 'noise' parameter of {label} must be one of {names}, or a noise object such as Gaussian(scale=0.5). "
        f"Got {noise!r} instead."
    )


def require_noise(problem: Problem, name: str, noise: Noise, norm: float, radius: float, off: float = 0.0) -> None:
    """Raise where a noise does not fit a problem's sizes, or cannot have all of its means.

    name: of the parameter of that norm; with contexts up to `radius` its means reach to norm · radius, and to `off`
        more where they are not linear.
    """
    label = type(problem).__name__
    objection = noise.objection(problem.n_arms, problem.n_features)
    if objection is not None:
        raise InvalidParameterError(f"The 'noise' parameter of {label} must be one {objection}. Got {noise!r} instead.")
    if norm * radius + off > noise.limit:
        raise InvalidParameterError(
            f"The '{name}' parameter of {label} must have a norm of at most {max(noise.limit - off, 0.0) / radius:g} "
            f"with {noise!r} and contexts of norm up to {radius:g}, or some mean cannot be reached. "
            f"Got norm {norm:g} instead."
        )
