"""What docstrings say of parameters, and lines of it that fit `help`."""

import functools
import inspect
import re
import textwrap

# To split at hyphens would take most of the time that classes take to explain themselves.
LINES = textwrap.TextWrapper(100, subsequent_indent="    ", break_on_hyphens=False)


def meanings(cls: type) -> dict[str, str]:
    """What the docstrings of a class say of its parameters, `name: what it is`; what it says itself comes first."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        found.update(meanings_in(vars(base).get("__doc__") or ""))
    return found


@functools.cache
def meanings_in(docstring: str) -> dict[str, str]:
    """Of one docstring: a line begins with names, those that follow it and go on are indented."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in inspect.cleandoc(docstring).splitlines():
        begins = re.match(r"(\w+(?:, \w+)*): +(\S.*)$", line)
        if begins:
            names = begins[1].split(", ")
            found.update(dict.fromkeys(names, begins[2]))
        elif names and line.startswith(" "):
            found.update({name: f"{found[name]} {line.strip()}" for name in names})
        else:
            names = []
    return found


@functools.cache
def filled(line: str) -> str:
    """A line in lines; most methods have some parameters in common, and this is most of what explaining them takes."""
    return LINES.fill(line)
