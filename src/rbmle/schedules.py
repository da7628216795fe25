"""Functions of the round t: the bias α(t) and boost η(t) of the paper, exploration rates, and the like.

A schedule is a small frozen object, so that it prints, compares, and can be saved as plain data. It takes a round or an
array of rounds. Wherever a schedule is expected any callable of t works too.

>>> Sqrt(scale=2.0)(9)
6.0
>>> OnePlusLog()
OnePlusLog(scale=1.0)
"""

import reprlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeVar, overload

import numpy as np

from rbmle import params
from rbmle.errors import InvalidInputError, RbmleError
from rbmle.params import Real
from rbmle.plain import Registry
from rbmle.types import FloatArray

__all__ = ["Constant", "OnePlusLog", "Power", "Schedule", "Sqrt"]

T = TypeVar("T")


class Schedule(ABC):
    """A function of the round t = 1, 2, … with a readable repr."""

    registry: ClassVar[Registry["Schedule"]] = Registry("schedule")

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        Schedule.registry.add(cls)

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
    """Values of a schedule or of any callable of t at the given rounds (n,), and at no others.

    A `Schedule` is asked once with all rounds, any other callable with one round after the other, as an int. What is
    not a finite real number in each of them is an error that names the parameter.
    """
    if isinstance(schedule, Schedule):
        values = asked(lambda: schedule(rounds), name, "")
        if not isinstance(values, np.ndarray) or values.dtype.kind not in "fiub" or values.shape != rounds.shape:
            raise InvalidInputError(
                f"{name} must give one number for each of {len(rounds)} rounds. Got {described(values)} from "
                f"{schedule!r}; its formula takes and returns an array."
            )
        values = values.astype(np.float64, copy=False)
    else:
        values = np.array([number(schedule, int(t), name) for t in rounds], dtype=np.float64)
    if not np.isfinite(values).all():
        bad = int(np.flatnonzero(~np.isfinite(values))[0])
        where = f"{values[bad]} at t = {int(rounds[bad])}"
        raise InvalidInputError(f"{name} must be finite in every round, but is {where}.")
    return values


def number(schedule: params.ScheduleLike, t: int, name: str) -> float:
    """The value of a callable at one round."""
    value = asked(lambda: schedule(t), name, f" at t = {t}")
    if type(value) is np.ndarray and value.ndim == 0:
        value = value[()]
    if isinstance(value, np.timedelta64) or not isinstance(value, int | float | np.integer | np.floating):
        raise InvalidInputError(f"{name} must be a real number in every round, but is {described(value)} at t = {t}.")
    return asked(lambda: float(value), name, f" at t = {t}")


def asked(question: Callable[[], T], name: str, where: str) -> T:
    """The answer, or an error that names the parameter: a user's function may raise anything."""
    try:
        return question()
    except RbmleError:
        raise
    except Exception as reason:
        raise InvalidInputError(f"{name} could not be computed{where}: {reason!r}.") from reason


def described(value: Any) -> str:
    """What a callable returned, in short."""
    return f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else reprlib.repr(value)
