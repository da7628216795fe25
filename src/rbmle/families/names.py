"""Families by name and as plain data."""

from dataclasses import asdict
from typing import Any

from rbmle.errors import InvalidParameterError, StateFileError
from rbmle.families.base import Family
from rbmle.families.built_in import Gaussian, Logistic, Poisson
from rbmle.families.custom import Custom
from rbmle.families.extended import Extended

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
