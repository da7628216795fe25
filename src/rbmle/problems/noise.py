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
from rbmle.errors import InvalidParameterError
from rbmle.params import Real
from rbmle.plain import Registry
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
