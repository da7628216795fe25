"""Means that no linear model has: bounded perturbations of xᵀθ that depend on the context, the same in every run.

>>> Ripple(size=0.2).at(np.zeros((1, 2, 3))).shape
(1, 2)
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from rbmle import params, plain
from rbmle.errors import InvalidParameterError
from rbmle.params import Integer, Real
from rbmle.plain import Registry
from rbmle.random import generator
from rbmle.types import FloatArray


class Misspecification(ABC):
    """A function of the context, at most `size` in absolute value, that is added to the mean."""

    registry: ClassVar[Registry["Misspecification"]] = Registry("misspecification")
    size: float

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        Misspecification.registry.add(cls)

    def __post_init__(self) -> None:
        params.check(self)

    @abstractmethod
    def at(self, contexts: FloatArray) -> FloatArray:
        """What is added to the means (B, K) of contexts (B, K, d)."""

    @property
    def params(self) -> Any:
        """Name and numbers, as plain data."""
        return plain.to_plain(self, strict=False)


@dataclass(frozen=True)
class Ripple(Misspecification):
    """size · cos(frequency · uᵀx + φ): waves across the contexts.

    u, even on the unit sphere, and φ, even on [0, 2π), are drawn from `seed`: they belong to the problem, and no trial
    or seed of a simulation changes them. With a frequency close to 0 the ripple is a constant, with one far above 1
    there is hardly anything of it that a linear model could learn.
    """

    size: Annotated[float, Real(0.0)] = 0.1
    frequency: Annotated[float, Real(0.0)] = 10.0
    seed: Annotated[int, Integer(0)] = 0

    def at(self, contexts: FloatArray) -> FloatArray:
        """The wave at every arm."""
        rng = generator(self.seed)
        phase = rng.uniform(0.0, 2.0 * math.pi)
        u = rng.standard_normal(contexts.shape[-1])
        waves: FloatArray = np.cos(self.frequency / np.linalg.norm(u) * (contexts @ u) + phase)
        return self.size * waves


def as_misspecification(value: float | Misspecification | None, owner: object) -> Misspecification | None:
    """None where means are linear; a number stands for a Ripple of that size."""
    if value is None or isinstance(value, Misspecification):
        return value
    if Real(0.0).holds(value):
        return Ripple(size=float(value))
    raise InvalidParameterError(
        f"The 'misspecification' parameter of {type(owner).__name__} must be None, a float in [0, inf) or an object "
        f"such as Ripple(size=0.1). Got {value!r} instead."
    )
