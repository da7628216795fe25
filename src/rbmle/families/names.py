"""Families by name, and how those that are more than their arguments become plain data."""

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

    def __repr__(self) -> str:
        return "Known()"

    def __str__(self) -> str:
        return "a Family or one of " + ", ".join(repr(name) for name in sorted(_BY_NAME))


def registered_name(family: Custom) -> str:
    """The name that a family of functions has in files, where functions cannot stand."""
    if _BY_NAME.get(family.name) != family:
        raise StateFileError(f"{family!r} holds functions; call rbmle.families.register with it before saving.")
    return family.name


def extended(base: "str | Family", limit: float) -> Extended:
    """An extended link from plain data, where its base may be a name."""
    return Extended(base=get(base), limit=limit)


Family.registry.encoders[Custom] = registered_name
Family.registry.decoders[Extended] = extended
