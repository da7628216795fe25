"""Functions of the round t: the bias α(t) and boost η(t) of the paper, exploration rates, and the like.

A schedule is a small frozen object, so that it prints, compares, and can be saved as plain data. It takes a round or an
array of rounds. Wherever a schedule is expected any callable of t works too.

>>> Sqrt(scale=2.0)(9)
6.0
>>> OnePlusLog()
OnePlusLog(scale=1.0)
"""

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Annotated, Any, ClassVar, overload

import numpy as np

from rbmle import params
from rbmle.errors import InvalidInputError, StateFileError
from rbmle.params import Real
from rbmle.types import FloatArray


class Schedule(ABC):
    """A function of the round t = 1, 2, … with a readable repr."""

    registry: ClassVar[dict[str, type["Schedule"]]] = {}

    def __init_subclass__(cls) -> None:
        Schedule.registry[cls.__name__] = cls

    def __post_init__(self) -> None:
        params.check(self)

    @abstractmethod
    def formula(self, t: FloatArray) -> FloatArray:
        """Value at each round of an array."""

    @overload
    def __call__(self, t: float) -> float: ...
    @overload
    def __call__(self, t: FloatArray) -> FloatArray: ...
    def __call__(self, t: float | FloatArray) -> float | FloatArray:
        """Value at one round or at an array of rounds."""
        values = self.formula(np.asarray(t, dtype=np.float64))
        return float(values) if np.ndim(t) == 0 else values


@dataclass(frozen=True)
class Constant(Schedule):
    """The same value in every round."""

    value: Annotated[float, Real()] = 1.0

    def formula(self, t: FloatArray) -> FloatArray:
        """`value`."""
        return np.full_like(t, self.value)


@dataclass(frozen=True)
class Sqrt(Schedule):
    """scale · √t, the paper's choice of the bias α(t)."""

    scale: Annotated[float, Real(0.0)] = 1.0

    def formula(self, t: FloatArray) -> FloatArray:
        """scale · √t."""
        return self.scale * np.sqrt(t)


@dataclass(frozen=True)
class Power(Schedule):
    """scale · t^exponent."""

    scale: Annotated[float, Real(0.0)] = 1.0
    exponent: Annotated[float, Real()] = 0.5

    def formula(self, t: FloatArray) -> FloatArray:
        """scale · t^exponent."""
        return self.scale * t**self.exponent


@dataclass(frozen=True)
class OnePlusLog(Schedule):
    """1 + scale · log t, the paper's choice of the boost η(t)."""

    scale: Annotated[float, Real(0.0)] = 1.0

    def formula(self, t: FloatArray) -> FloatArray:
        """1 + scale · log t."""
        return 1.0 + self.scale * np.log(t)


def evaluate(schedule: params.ScheduleLike, rounds: FloatArray, name: str) -> FloatArray:
    """Values of a schedule or of any callable of t at the given rounds; not a number is an error that names it."""
    if isinstance(schedule, Schedule):
        return schedule(rounds)
    values = np.array([float(schedule(int(t))) for t in rounds])
    if not np.isfinite(values).all():
        bad = int(np.flatnonzero(~np.isfinite(values))[0])
        where = f"{values[bad]} at t = {int(rounds[bad])}"
        raise InvalidInputError(f"{name} must be finite in every round, but is {where}.")
    return values


def to_plain(schedule: params.ScheduleLike, name: str) -> dict[str, Any]:
    """Turn a schedule into plain data for a saved file."""
    if not isinstance(schedule, Schedule):
        raise StateFileError(
            f"{name}={schedule!r} is a function and cannot be written as plain data. Use a schedule object such as "
            "Sqrt or Power, or derive your own from rbmle.schedules.Schedule."
        )
    return {"schedule": type(schedule).__name__, **asdict(schedule)}  # type: ignore[call-overload]


def from_plain(data: dict[str, Any]) -> Schedule:
    """Rebuild a schedule from what `to_plain` wrote."""
    arguments = dict(data)
    name = arguments.pop("schedule")
    if name not in Schedule.registry:
        raise StateFileError(f"Unknown schedule {name!r} in the file; known: {', '.join(sorted(Schedule.registry))}.")
    return Schedule.registry[name](**arguments)
