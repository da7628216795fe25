"""Constraints of hyper-parameters, written beside the parameter, and the one place that checks them.

A parameter is a field of a dataclass with its constraint in the annotation::

    alpha: Annotated[float, Real(0.0)] = 1.0

and `check` raises "The 'alpha' parameter of LinUCB must be a float in [0, inf). Got -1.0 instead."

A class derived from `Frozen` keeps its parameters for life: they are checked once, and what was built from them (arrays
of that many features, say) goes on fitting them.
"""

import functools
import inspect
import math
import re
import types
import typing
from abc import ABCMeta
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Annotated, Any, Protocol

import numpy as np

from rbmle.docstrings import filled, meanings
from rbmle.errors import FrozenParameterError, InvalidParameterError, describe

__all__ = ["Constraint", "Flag", "FunctionOfRound", "Integer", "OneOf", "Optional", "Real", "ScheduleLike"]

# Python's and NumPy's integers among them, but none to us.
NO_NUMBERS = (bool, np.timedelta64)


class Constraint(Protocol):
    """What a parameter must be: a test and its wording."""

    def holds(self, value: object) -> bool:
        """Tell whether the value is allowed."""
        ...

    def __str__(self) -> str: ...


class Shown:
    """A repr without the fields left at their defaults, so that signatures in `help` stay short."""

    def __repr__(self) -> str:
        told = []
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if field.default is MISSING or value != field.default:
                told.append(f"{field.name}={value!r}")
        return f"{type(self).__name__}({', '.join(told)})"


@dataclass(frozen=True, repr=False)
class Real(Shown):
    """A finite real number in an interval; each end is closed unless said otherwise."""

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False

    def holds(self, value: object) -> bool:
        """Tell whether the value lies in the interval."""
        if isinstance(value, NO_NUMBERS) or not isinstance(value, int | float | np.integer | np.floating):
            return False
        try:
            number = float(value)
        except OverflowError:  # an int beyond all floats
            return False
        above = number > self.low if self.open_low else number >= self.low
        below = number < self.high if self.open_high else number <= self.high
        return above and below and math.isfinite(number)

    def __str__(self) -> str:
        left = "(" if self.open_low or self.low == -math.inf else "["
        right = ")" if self.open_high or self.high == math.inf else "]"
        return f"a float in {left}{self.low:g}, {self.high:g}{right}"


@dataclass(frozen=True, repr=False)
class Integer(Shown):
    """A whole number, at least `low`."""

    low: int = 0

    def holds(self, value: object) -> bool:
        """Tell whether the value is an integer from `low` on."""
        return not isinstance(value, NO_NUMBERS) and isinstance(value, int | np.integer) and int(value) >= self.low

    def __str__(self) -> str:
        return f"an int in [{self.low}, inf)"


@dataclass(frozen=True, repr=False)
class Count(Integer):
    """A whole number that a float can tell from the next one, at least `low`, at most `high`."""

    low: int = 1
    high: int = 2**53

    def holds(self, value: object) -> bool:
        """Tell whether the value is an integer from `low` to `high`."""
        return super().holds(value) and value <= self.high  # type: ignore[operator]

    def __str__(self) -> str:
        return f"an int in [{self.low}, {self.high}]"


@dataclass(frozen=True, repr=False)
class Optional(Shown):
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

    def __repr__(self) -> str:
        return f"OneOf({', '.join(repr(option) for option in self.options)})"


@dataclass(frozen=True)
class Flag:
    """True or False."""

    def holds(self, value: object) -> bool:
        """Tell whether the value is a bool."""
        return isinstance(value, bool | np.bool_)

    def __str__(self) -> str:
        return "True or False"


@dataclass(frozen=True)
class FunctionOfRound:
    """A schedule object or any callable of the round t; or "auto", where a method knows what to do then."""

    auto: bool = False

    def holds(self, value: object) -> bool:
        """Tell whether the value can be called."""
        return callable(value) or (self.auto and isinstance(value, str) and value == "auto")

    def __str__(self) -> str:
        return "a schedule such as Sqrt(scale=1.0), or a callable of t" + (", or 'auto'" if self.auto else "")


Schedule = FunctionOfRound  # its name in 0.1, which policies of users import


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
        raise InvalidParameterError(
            f"The '{name}' parameter of {label} must be {constraint}. Got {describe(value)} instead."
        )


class Freezing(ABCMeta):
    """Marks an object as complete once its constructor, those of its subclasses included, has returned.

    A hook in a constructor or in `__post_init__` would come too early: a subclass goes on after calling it.
    """

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        """Build the object, then mark it."""
        built = super().__call__(*arguments, **named)
        object.__setattr__(built, "_complete", True)
        return built

    def __setattr__(cls, name: str, value: Any) -> None:
        """Have the constructor that a dataclass is given say in `help` what its parameters are."""
        if name == "__init__" and not hasattr(value, "__signature__"):  # which it brings along to another process
            explain(cls, value)
        super().__setattr__(name, value)

    @property
    def __signature__(cls) -> inspect.Signature:
        """The constructor's: `help` would show the arguments of `__call__` instead."""
        whole = inspect.signature(cls.__init__)  # type: ignore[misc]
        return whole.replace(parameters=list(whole.parameters.values())[1:])


class Frozen(metaclass=Freezing):
    """A dataclass whose fields cannot be assigned after construction; its other attributes can.

    Unlike `@dataclass(frozen=True)` it asks nothing of subclasses, which may be plain dataclasses and may assign fields
    in `__post_init__`. Copies and unpickled objects are as frozen as what they were made from.
    """

    _complete = False

    def __setattr__(self, name: str, value: Any) -> None:
        if name in parameter_names(type(self)) and self._complete:
            raise self._refused(name)
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        if name in parameter_names(type(self)) and self._complete:
            raise self._refused(name)
        object.__delattr__(self, name)

    def _refused(self, name: str) -> FrozenParameterError:
        label = type(self).__name__
        return FrozenParameterError(
            f"The '{name}' parameter of {label} cannot be changed after construction, for what was learnt depends on "
            f"it. Build a new policy: {label}(**{{**policy.params, {name!r}: ...}})."
        )


class Words(str):
    """A type as people say it, which signatures show without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def explain(cls: type, constructor: Any) -> None:
    """A signature without constraints, and below it what each parameter means and must be."""
    told, lines = meanings(cls), []
    whole = inspect.signature(constructor)
    shown = []
    for each in whole.parameters.values():
        shown.append(each.replace(annotation=in_words(each.annotation)))
        rules = [str(extra) for extra in getattr(each.annotation, "__metadata__", ()) if hasattr(extra, "holds")]
        if each.name in told or rules:
            text = told.get(each.name, "").rstrip(".")
            text = ". ".join(filter(None, [text, *(f"Must be {rule}" for rule in rules)]))
            lines.append(filled(f"{each.name}: {text}."))
    constructor.__signature__ = whole.replace(parameters=shown)
    constructor.__doc__ = "\n".join(lines)


def in_words(hint: Any) -> Any:
    """A type by the last parts of its names, without the constraint that comes with it."""
    if hint is inspect.Parameter.empty:
        return hint
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        inner = in_words(parts[0])
        return Words(f"{inner} | None" if isinstance(parts[1], Optional) and "None" not in inner else inner)
    if origin is typing.Literal:
        return Words(" | ".join(map(repr, parts)))
    if origin in (typing.Union, types.UnionType):
        return Words(" | ".join(map(in_words, parts)))
    if hint == ScheduleLike:
        return Words("ScheduleLike")
    plain = hint if isinstance(hint, str) else inspect.formatannotation(hint)
    return Words(re.sub(r"\b(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_])", "", plain).replace("NoneType", "None"))


@functools.cache
def parameter_names(cls: type) -> frozenset[str]:
    """The names of a dataclass's fields."""
    return frozenset(field.name for field in fields(cls)) if is_dataclass(cls) else frozenset()


def undeclared(cls: type) -> list[str]:
    """Parameters that a class annotates but does not have, because it or a base of its lacks `@dataclass`.

    Its constructor would take none of them and go on with the defaults of the class above.
    """
    found = []
    for base in cls.__mro__:
        if is_dataclass(cls) and "__dataclass_fields__" not in vars(base) and base.__module__ != "builtins":
            for name, hint in inspect.get_annotations(base).items():
                if not name.startswith("_") and not is_class_variable(hint) and name not in parameter_names(cls):
                    found.append(name)
    return found


def is_class_variable(hint: Any) -> bool:
    """Whether an annotation, which may be text, is a ClassVar."""
    if isinstance(hint, str):
        return hint.split("[")[0].split(".")[-1] == "ClassVar"
    return hint is typing.ClassVar or typing.get_origin(hint) is typing.ClassVar


ScheduleLike = Callable[[Any], Any]
