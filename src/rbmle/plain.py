"""Objects as plain data and back: policies, schedules, families and noises, each under a name that is its alone.

Ours are called "rbmle.Sqrt", whichever of our files they stand in; a class of somebody else's is called by its module,
"package.module.Sqrt". A file that says one never gets the other.

>>> from rbmle.schedules import Power
>>> to_plain(Power(exponent=0.3))
{'schedule': 'rbmle.Power', 'arguments': {'scale': 1.0, 'exponent': 0.3}}
>>> from_plain(to_plain(Power(exponent=0.3)))
Power(scale=1.0, exponent=0.3)
"""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

from rbmle.errors import StateFileError

T = TypeVar("T")


class Registry(dict[str, type[T]]):
    """Classes of one kind by the name to show: the short one, or the qualified one where a class before has the short.

    Ours come first wherever they are defined. A class that is defined again (in a notebook, say) takes its own place.
    `unlisted` holds those that files may name but lists do not show: they come under their qualified names.

    kind:   what they are, in one word.
    called: the short name of a class.
    """

    def __init__(self, kind: str, called: Callable[[Any], str] = lambda cls: str(cls.__name__)) -> None:
        super().__init__()
        self.kind, self.called = kind, called
        self.unlisted: dict[str, type[T]] = {}
        # For classes that are not simply the arguments of a dataclass: to plain data, and from named plain data.
        self.encoders: dict[type, Callable[[Any], Any]] = {}
        self.decoders: dict[type, Callable[..., Any]] = {}
        KINDS[kind] = self

    def add(self, cls: type[T], *, listed: bool = True) -> None:
        """Make a class known."""
        name, short = self.name_of(cls), self.called(cls)
        for known in (self, self.unlisted):
            for key in [key for key, other in known.items() if self.name_of(other) == name]:
                del known[key]
        before = self.get(short)
        if not listed:
            self.unlisted[name] = cls
        elif before is None:
            self[short] = cls
        elif is_ours(cls):
            self[short], self[self.name_of(before)] = cls, before
        else:
            self[name] = cls

    def name_of(self, cls: type[T]) -> str:
        """The name of a class that no other has."""
        return f"rbmle.{self.called(cls)}" if is_ours(cls) else f"{cls.__module__}.{cls.__qualname__}"

    def find(self, name: Any) -> type[T]:
        """The class of a qualified or a short name; raises StateFileError where there is none, or more than one."""
        if not isinstance(name, str):
            raise StateFileError(f"The name of a {self.kind} must be text. Got {name!r}.")
        if name in self:
            return self[name]
        everyone = [*self.values(), *self.unlisted.values()]
        found = [cls for cls in everyone if self.name_of(cls) == name]
        module, _, short = name.rpartition(".")
        if not found and module in ("", "__main__"):
            # What was started as a program is "__main__" there and has a name of its own elsewhere.
            found = [cls for cls in everyone if self.called(cls) == short and not (module and is_ours(cls))]
        if not found:
            hint = "" if module == "rbmle" else f" Import {module or 'the module that defines it'} first."
            raise StateFileError(f"Unknown {self.kind} {name!r}.{hint} Known: {', '.join(sorted(self))}.")
        if len(found) > 1:
            names = " or ".join(sorted(self.name_of(cls) for cls in found))
            raise StateFileError(f"The {self.kind} {name!r} may be {names}.")
        return found[0]


# Every kind of thing that plain data may name.
KINDS: dict[str, Registry[Any]] = {}


def is_ours(cls: type) -> bool:
    """Whether a class belongs to rbmle itself."""
    return cls.__module__.split(".")[0] == "rbmle"


def to_plain(value: Any, name: str = "value", *, strict: bool = True) -> Any:
    """JSON data of a parameter, from which `from_plain` makes it anew; `name` is for messages.

    What has no plain form raises StateFileError; with `strict=False` it is described instead, for people to read.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        items = [to_plain(item, f"{name}[{i}]", strict=strict) for i, item in enumerate(value)]
        return {"tuple": items} if strict and isinstance(value, tuple) else items
    registry = getattr(type(value), "registry", None)
    if isinstance(registry, Registry):
        if type(value) in registry.encoders:
            return registry.encoders[type(value)](value)
        if is_dataclass(value):
            names = [field.name for field in fields(value) if field.init]
            arguments = {key: to_plain(getattr(value, key), f"{name}.{key}", strict=strict) for key in names}
            return {registry.kind: registry.name_of(type(value)), "arguments": arguments}
    if not strict:
        return described(value)
    if callable(value) and not isinstance(registry, Registry):
        raise StateFileError(
            f"{name}={value!r} is a function and cannot be written as plain data. Use a schedule object such as "
            "Sqrt or Power, or derive your own from rbmle.schedules.Schedule."
        )
    hint = " Make its class a dataclass." if isinstance(registry, Registry) else ""
    raise StateFileError(f"{name}={value!r} cannot be written as plain data.{hint}")


def described(value: Any) -> Any:
    """Arrays and mappings as lists and dicts, a function by its name, anything else by its repr."""
    if isinstance(value, np.ndarray):
        return to_plain(value.tolist(), strict=False)
    if isinstance(value, dict):
        return {str(key): to_plain(item, strict=False) for key, item in value.items()}
    if callable(value) and hasattr(value, "__qualname__"):  # its repr holds an address
        return str(value.__qualname__)
    return repr(value)


def from_plain(data: Any) -> Any:
    """What `to_plain` was given, or what version 0.1 wrote; raises StateFileError where the data say nothing known."""
    if isinstance(data, list):
        return [from_plain(item) for item in data]
    if not isinstance(data, dict):
        return data
    if set(data) == {"tuple"} and isinstance(data["tuple"], list):
        return tuple(from_plain(item) for item in data["tuple"])
    kind = next((kind for kind in KINDS if kind in data), None)
    if kind is None:
        raise StateFileError(
            f"Plain data must name one of {', '.join(KINDS)}. Got only {', '.join(data) or 'nothing'}."
        )
    arguments = {key: item for key, item in data.items() if key != kind}
    if set(arguments) == {"arguments"} and isinstance(arguments["arguments"], dict):
        arguments = arguments["arguments"]  # version 0.1 had them beside the name
    cls = KINDS[kind].find(data[kind])
    try:
        return KINDS[kind].decoders.get(cls, cls)(**{key: from_plain(item) for key, item in arguments.items()})
    except TypeError as reason:
        raise StateFileError(f"{data[kind]!r} does not take these arguments: {reason}.") from reason
