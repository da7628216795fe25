"""Constraints of hyper-parameters, written beside the parameter, and the one place that checks them.

A parameter is a field of a dataclass with its constraint in the annotation::

    alpha: Annotated[float, Real(0.0)] = 1.0

and `check` raises "The 'alpha' parameter of LinUCB must be a float in [0, inf). Got -1.0 instead."
"""

import functools
import math
import typing
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np

from rbmle.errors import InvalidParameterError


class Constraint(Protocol):
    """What a parameter must be: a test and its wording."""

    def holds(self, value: object) -> bool:
        """Tell whether the value is allowed."""
        ...

    def __str__(self) -> str: ...


@dataclass(frozen=True)
class Real:
    """A finite real number in an interval; each end is closed unless said otherwise."""

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False

    def holds(self, value: object) -> bool:
        """Tell whether the value lies in the interval."""
        if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
            return False
        number = float(value)
        above = number > self.low if self.open_low else number >= self.low
        below = number < self.high if self.open_high else number <= self.high
        return above and below and math.isfinite(number)

    def __str__(self) -> str:
        left = "(" if self.open_low or self.low == -math.inf else "["
        right = ")" if self.open_high or self.high == math.inf else "]"
        return f"a float in {left}{self.low:g}, {self.high:g}{right}"


@dataclass(frozen=True)
class Integer:
    """A whole number, at least `low`."""

    low: int = 0

    def holds(self, value: object) -> bool:
        """Tell whether the value is an integer from `low` on."""
        return isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) >= self.low

    def __str__(self) -> str:
        return f"an int in [{self.low}, inf)"


@dataclass(frozen=True)
class Optional:
    """None, or what the inner constraint says."""

    inner: Constraint

    def holds(self, value: object) -> bool:
        """Tell whether the value is None or allowed by the inner constraint."""
        return value is None or self.inner.holds(value)

    def __str__(self) -> str:
        return f"None or {self.inner}"


class OneOf:
    """One of a few names."""

    def __init__(self, *options: str) -> None:
        self.options = options

    def holds(self, value: object) -> bool:
        """Tell whether the value is one of the names."""
        return isinstance(value, str) and value in self.options

    def __str__(self) -> str:
        return "one of " + ", ".join(repr(option) for option in self.options)


class Flag:
    """True or False."""

    def holds(self, value: object) -> bool:
        """Tell whether the value is a bool."""
        return isinstance(value, bool | np.bool_)

    def __str__(self) -> str:
        return "True or False"


class Schedule:
    """A function of the round: a schedule object or any callable of t."""

    def holds(self, value: object) -> bool:
        """Tell whether the value can be called."""
        return callable(value)

    def __str__(self) -> str:
        return "a schedule such as Sqrt(scale=1.0), or a callable of t"


@functools.cache
def constraints(cls: type) -> dict[str, Constraint]:
    """All constrained parameters of a dataclass, by name."""
    hints = typing.get_type_hints(cls, include_extras=True)
    found: dict[str, Constraint] = {}
    for field in fields(cls):
        for extra in getattr(hints[field.name], "__metadata__", ()):
            if hasattr(extra, "holds"):
                found[field.name] = extra
    return found


def check(owner: Any) -> None:
    """Raise InvalidParameterError for the first parameter of `owner` that breaks its constraint."""
    cls: type = type(owner)
    for name, constraint in constraints(cls).items():
        require(owner, name, getattr(owner, name), constraint)


def require(owner: object, name: str, value: object, constraint: Constraint) -> None:
    """Raise, in the one wording, unless `value` meets `constraint`."""
    if not constraint.holds(value):
        label = owner if isinstance(owner, str) else type(owner).__name__
        raise InvalidParameterError(f"The '{name}' parameter of {label} must be {constraint}. Got {value!r} instead.")


ScheduleLike = Callable[[Any], Any]
