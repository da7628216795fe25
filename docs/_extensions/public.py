"""What of rbmle is public: every name of `__all__`; of a module that has none, its classes."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_origin

import rbmle

# How it is done, not what it does: these may change without a word.
INTERNAL = {"kernels", "cli", "display", "inputs", "files", "plain", "random", "docstrings", "__main__"}
# Parts of packages that people import from by name.
INNER = ("rbmle.paper.published", "rbmle.studies.real", "rbmle.evaluation.estimators", "rbmle.kernels.normal")


@dataclass(frozen=True)
class Name:
    """A public name: where it is found, what kind of thing it is, the thing itself (None: its library is missing)."""

    module: str
    name: str
    kind: str
    thing: Any

    @property
    def path(self) -> str:
        """As one writes it."""
        return f"{self.module}.{self.name}"


def modules() -> list[str]:
    """rbmle itself first, then its public packages and modules."""
    found = [each.name for each in pkgutil.iter_modules(rbmle.__path__) if each.name not in INTERNAL]
    return ["rbmle", *(f"rbmle.{name}" for name in sorted(found) if not name.startswith("_")), *INNER]


def names_of(module_name: str) -> list[Name]:
    """The public names of a module, in the order of their kinds: classes, functions, numbers."""
    module = importlib.import_module(module_name)
    names = getattr(module, "__all__", None) or [
        name for name, thing in vars(module).items()
        if not name.startswith("_") and inspect.isclass(thing) and thing.__module__ == module_name
    ]  # fmt: skip
    found = [describe(module_name, name) for name in names]
    order = {"class": 0, "exception": 1, "function": 2, "data": 3, "module": 4}
    return sorted(found, key=lambda each: order[each.kind])


def describe(module_name: str, name: str) -> Name:
    """One name. An adapter whose library is not installed is a class nevertheless."""
    try:
        thing = getattr(importlib.import_module(module_name), name)
    except ImportError:
        return Name(module_name, name, "class", None)
    if inspect.isclass(thing):
        kind = "exception" if issubclass(thing, BaseException) else "class"
    elif inspect.ismodule(thing):
        kind = "module"
    elif get_origin(thing):  # the name of a type that is made of others
        kind = "data"
    else:
        kind = "function" if callable(thing) and hasattr(thing, "__name__") else "data"
    return Name(module_name, name, kind, thing)


def homes() -> dict[int, str]:
    """For every public thing the one path it is documented under: the first, `rbmle` before its packages."""
    found: dict[int, str] = {}
    for each in everything():
        if each.kind in ("class", "exception", "function") and each.thing is not None:
            found.setdefault(id(each.thing), each.path)
    return found


def everything() -> Iterator[Name]:
    """All public names, some of them more than once."""
    for module in modules():
        yield from names_of(module)
