"""A page of the reference for every public package, from its docstrings."""

import importlib
import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import get_origin

from house_style import restructured
from public import Name, homes, modules, names_of

from rbmle.policies import Policy

INHERITED = "object, tuple, dict, str, Enum, StrEnum, ValueError, Exception, BaseException, Protocol, ABC, UserWarning"
# What a type is made of is told in as many characters at most.
READABLE = 250
DIRECTIVE = {"class": "autoclass", "exception": "autoexception", "function": "autofunction"}


def write_reference(folder: Path) -> None:
    """All pages, and the list of them."""
    known = homes()
    for module in modules():
        (folder / f"{module}.md").write_text(page(module, known), encoding="utf-8")


def page(module: str, known: dict[int, str]) -> str:
    """What a package says of itself, a table of its names, then each of them."""
    text = restructured(inspect.cleandoc(importlib.import_module(module).__doc__ or ""))
    names = [each for each in names_of(module) if each.kind != "module"]
    here = [each for each in names if is_here(each, known)]
    parts = [f"# {module}", rst(text), overview(names, known), *(entry(each) for each in here)]
    return "\n\n".join(parts) + "\n"


def is_here(each: Name, known: dict[int, str]) -> bool:
    """Whether this page is the place of a name; a method has a page of its own."""
    return not is_method(each.thing) and known.get(id(each.thing), each.path) == each.path


def is_method(thing: object) -> bool:
    """Whether it is one of our methods."""
    return (
        isinstance(thing, type) and issubclass(thing, Policy) and bool(thing.kind)
        and thing.__module__.startswith("rbmle.policies.")
    )  # fmt: skip


def overview(names: list[Name], known: dict[int, str]) -> str:
    """A row for every name, with the first sentence of its docstring."""
    rows = [f"| {{py:obj}}`{each.name} <{known.get(id(each.thing), each.path)}>` | {summary(each)} |" for each in names]
    return "\n".join(["| name | what it is |", "|---|---|", *rows])


def summary(each: Name) -> str:
    """The first line of a docstring, as Markdown."""
    if each.kind == "data":
        return "a type" if get_origin(each.thing) else "a constant"
    line = (inspect.getdoc(each.thing) or "").partition("\n")[0] if each.thing is not None else "needs its library"
    return line.replace("|", r"\|").replace("*", r"\*").replace("<", r"\<").replace("$", r"\$")


def entry(each: Name) -> str:
    """The directive that Sphinx fills; of data only the name is known, and what it holds."""
    if each.kind == "data":
        return rst(f".. py:data:: {each.path}\n\n   {held(each.thing)}")
    lines = [f".. {DIRECTIVE[each.kind]}:: {each.path}"]
    if each.kind == "class":
        lines += ["   :members:"]
        if not each.module.startswith("rbmle.adapters"):  # what they have of their libraries is told there
            lines += [f"   :inherited-members: {INHERITED}"]
    return rst("\n".join(lines))


def held(thing: object) -> str:
    """What a constant holds, in a line of reStructuredText."""
    if isinstance(thing, Mapping):
        return f"By name: {', '.join(f'``{key}``' for key in thing)}."
    if isinstance(thing, tuple | list):
        return (
            f"{len(thing)} of these: "
            + ", ".join(f"``{getattr(part, '__name__', repr(part))}``" for part in thing)
            + "."
        )
    if get_origin(thing) and len(repr(thing)) > READABLE:
        return "A union of many types; what it stands for is said above."
    return f"``{thing!r}``"


def rst(text: str) -> str:
    """A part of a page in reStructuredText."""
    return f"````{{eval-rst}}\n{text}\n````"
