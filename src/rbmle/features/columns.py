"""Columns of what is known about a visitor or an arm, and how each becomes numbers.

All are small frozen objects that can be saved as plain data. `start` is where the numbers of a column begin in a row.
"""

import functools
import hashlib
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from rbmle import params
from rbmle.errors import InvalidInputError, InvalidParameterError, describe
from rbmle.inputs import LARGEST_CONTEXT, NUMBER
from rbmle.params import Integer, OneOf, Real
from rbmle.plain import Registry
from rbmle.types import FloatArray

SCALARS = (str, int, float, bool)


class Column(ABC):
    """Something that is known, by name, and the numbers that stand for it."""

    registry: ClassVar[Registry["Column"]] = Registry("feature column")
    name: str

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        Column.registry.add(cls)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InvalidParameterError(f"The name of a column must be text. Got {describe(self.name)}.")
        params.check(self)

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """What its numbers are called."""

    @functools.cached_property
    def size(self) -> int:
        """How many numbers stand for it."""
        return len(self.names)

    @abstractmethod
    def put(self, value: Any, row: FloatArray, start: int) -> None:
        """Write its numbers into a row of zeros."""

    def fitted(self, values: list[Any]) -> Self:
        """The column with the scale of these values; most have none."""
        return self


@dataclass(frozen=True)
class Number(Column):
    """A number x as (x − center) / scale.

    missing: what stands for None and NaN: "error"; "indicator" puts `center` in its place and 1 into a second number;
        a number stands for itself.
    """

    name: str
    center: Annotated[float, Real()] = 0.0
    scale: Annotated[float, Real(0.0, open_low=True)] = 1.0
    missing: str | float = "error"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.missing not in ("error", "indicator") and not Real().holds(self.missing):
            raise InvalidParameterError(
                f"The 'missing' parameter of Number must be 'error', 'indicator' or a number. "
                f"Got {describe(self.missing)} instead."
            )

    @property
    def names(self) -> tuple[str, ...]:
        """One number, or two with an indicator."""
        return (self.name, f"{self.name} is missing") if self.missing == "indicator" else (self.name,)

    def put(self, value: Any, row: FloatArray, start: int) -> None:
        """Write (x − center) / scale."""
        if is_missing(value):
            if self.missing == "error":
                raise InvalidInputError(
                    f"{self.name} must be a number. It is missing; Number({self.name!r}, missing=...) says what to do."
                )
            if self.missing == "indicator":
                row[start + 1] = 1.0
                return
            value = self.missing
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        try:
            scaled = (float(value) - self.center) / self.scale if isinstance(value, NUMBER) else math.nan
        except OverflowError:  # 10**400
            scaled = math.inf
        if not abs(scaled) <= LARGEST_CONTEXT:
            raise InvalidInputError(f"{self.name} must be a finite number of usual size. Got {describe(value)}.")
        row[start] = scaled

    def fitted(self, values: list[Any]) -> "Number":
        """Centred at the mean of what is there, divided by the standard deviation (1 where that is 0)."""
        for value in values:
            self.put(value, np.zeros(2), 0)
        known = np.array([float(value) for value in values if not is_missing(value)])
        if len(known) == 0:
            raise InvalidInputError(f"{self.name} must be there in some row. It is missing in all {len(values)}.")
        return replace(self, center=float(known.mean()), scale=float(known.std()) or 1.0)


@dataclass(frozen=True)
class Category(Column):
    """One of some values: a number for each, 1 for the one it is.

    unknown: what to do with a value that is not listed: "error", or "zeros".
    missing: what to do with None and NaN: "error", "zeros", or "level" for a number of its own.
    """

    name: str
    values: Sequence[Any]
    unknown: Annotated[str, OneOf("error", "zeros")] = "error"
    missing: Annotated[str, OneOf("error", "zeros", "level")] = "error"

    def __post_init__(self) -> None:
        super().__post_init__()
        values: Any = self.values
        if not isinstance(values, tuple | list) or not values:
            raise InvalidParameterError(f"The values of {self.name} must be a list of them. Got {describe(values)}.")
        object.__setattr__(self, "values", tuple(as_level(value, self.name) for value in values))
        if len(self._places) < len(values):
            raise InvalidParameterError(f"The values of {self.name} must differ. Got {describe(values)}.")

    @functools.cached_property
    def _places(self) -> dict[str, int]:
        return {level_text(value): place for place, value in enumerate(self.values)}

    @property
    def names(self) -> tuple[str, ...]:
        """One for each value."""
        last = (f"{self.name} is missing",) if self.missing == "level" else ()
        return (*(f"{self.name}={value}" for value in self.values), *last)

    def put(self, value: Any, row: FloatArray, start: int) -> None:
        """Write a 1."""
        if is_missing(value):
            if self.missing == "level":
                row[start + len(self.values)] = 1.0
            elif self.missing == "error":
                raise InvalidInputError(
                    f"{self.name} must be there. It is missing; {type(self).__name__}({self.name!r}, ..., "
                    "missing='level') makes that a value of its own."
                )
            return
        place = self._places.get(level_text(as_level(value, self.name)))
        if place is not None:
            row[start + place] = 1.0
        elif self.unknown == "error":
            known = ", ".join(repr(each) for each in self.values[:10]) + (", …" if len(self.values) > 10 else "")
            raise InvalidInputError(
                f"{self.name} must be one of {known}. Got {describe(value)}; unknown='zeros' lets such values pass."
            )


@dataclass(frozen=True)
class Hashed(Column):
    """One of values that nobody can list: a hash of the value says which of `buckets` numbers is 1.

    Two values share a bucket with chance 1/buckets, and are then one to the model. None and NaN are a value too.
    """

    name: str
    buckets: Annotated[int, Integer(1)]

    @property
    def names(self) -> tuple[str, ...]:
        """One for each bucket."""
        return tuple(f"{self.name} in {place}" for place in range(self.buckets))

    def put(self, value: Any, row: FloatArray, start: int) -> None:
        """Write a 1."""
        text = "null" if is_missing(value) else level_text(as_level(value, self.name))
        row[start + bucket(text, self.name, self.buckets)] = 1.0


def is_missing(value: Any) -> bool:
    """None, NaN, or what pandas has in their place."""
    if isinstance(value, float | np.floating):
        return bool(value != value)
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def as_level(value: Any, name: str) -> Any:
    """A value of a category: text, a number or a truth value; a tuple is allowed for the ids of arms."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, tuple):
        return tuple(as_level(each, name) for each in value)
    if not isinstance(value, SCALARS):
        raise InvalidInputError(f"{name} must be text or a number. Got {describe(value)}.")
    return value


def level_text(value: Any) -> str:
    """The one text of a value: 1, True and "1" have three."""
    return json.dumps(value)


@functools.lru_cache(maxsize=100_000)
def bucket(text: str, name: str, buckets: int) -> int:
    """Where a value goes: the same in every process."""
    told = hashlib.blake2b(f"{name}\0{text}".encode(), digest_size=8)
    return int.from_bytes(told.digest(), "little") % buckets


def by_name(columns: Sequence[Column]) -> Mapping[str, Column]:
    """Columns by name; raises where two have one."""
    found = {column.name: column for column in columns}
    if len(found) < len(columns):
        names = [column.name for column in columns]
        twice = sorted({name for name in names if names.count(name) > 1})
        raise InvalidParameterError(f"Columns must have different names. Got {', '.join(twice)} twice.")
    return found
