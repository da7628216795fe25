"""From docstrings as this library writes them to what Sphinx reads.

Ours are plain text: a paragraph; `name: what it is` or columns of names and meanings; indented blocks that keep their
columns; examples. Single backticks are code.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

NAMES = r"\*{0,2}[\w.\[\]]+(?:, \*{0,2}[\w.\[\]]+)*"
MEANING = re.compile(rf"^({NAMES}):\s+(\S.*)$")
COLUMNS = re.compile(rf"^({NAMES}) {{2,}}(\S.*)$")
# What types are called in signatures: the last part of their names (ours stay whole, to be linked), words for arrays.
WORDS = {
    r"<(?:built-in )?function (\w+)[^>]*>": r"\1",
    r"<[^<>]*>": "...",
    r"(?<![\w.])~?(?!rbmle\.)(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_])": "",
    "~": "",
    r"ndarray\[tuple\[Any, \.\.\.\], dtype\[float64\]\]": "FloatArray",
    r"ndarray\[tuple\[Any, \.\.\.\], dtype\[int64\]\]": "IntArray",
    r"Sequence\[float\] \| FloatArray": "ArrayLike",
    r"str \| PathLike(?:\[str\])?": "Path",
}


def restructured(text: str) -> str:
    """A docstring of ours as reStructuredText."""
    return "\n\n".join(convert(block) for block in blocks(text)) + "\n"


def blocks(text: str) -> Iterator[list[str]]:
    """Paragraphs; a change of kind ends one too."""
    block: list[str] = []
    for line in text.splitlines():
        if not line.strip():
            if block:
                yield block
            block = []
            continue
        starts = bool(MEANING.match(line) or COLUMNS.match(line))
        if starts and block and not any(MEANING.match(each) or COLUMNS.match(each) for each in block) \
                and not block[0].startswith((">>>", "=", " ")):  # fmt: skip
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def convert(block: list[str]) -> str:
    """One block, by its kind."""
    first = block[0]
    if first.startswith(">>>"):
        return "\n".join(block)
    if first.startswith(" "):
        return "::\n\n" + "\n".join(block)
    if first.startswith("="):
        return table(block)
    if MEANING.match(first) or COLUMNS.match(first):
        return meanings(block)
    if first.endswith("::"):
        return escaped(first[:-1]) + "\n" + "\n".join(block[1:])
    return "\n".join(escaped(line) for line in block)


def table(block: list[str]) -> str:
    """A simple table: columns must stay where they are, so it is kept as it is typed."""
    return "::\n\n" + "\n".join("    " + line for line in block)


def meanings(block: list[str]) -> str:
    """Names and what they mean, as a list of definitions."""
    found: list[tuple[str, list[str]]] = []
    for line in block:
        named = None if line.startswith(" ") else MEANING.match(line) or COLUMNS.match(line)
        if named:
            found.append((named[1], [named[2]]))
        else:
            found[-1][1].append(line.strip())
    return "\n\n".join(f"``{name}``\n    {escaped(' '.join(words))}" for name, words in found)


def escaped(line: str) -> str:
    """Text in which only backticks have a meaning."""
    parts = re.split(r"(`[^`]+`)", line)
    return "".join(f"``{part.strip('`')}``" if k % 2 else re.sub(r"([*|\\]|_\b|_$)", r"\\\1", part)
                   for k, part in enumerate(parts))  # fmt: skip


def on_docstring(app: "Sphinx", what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Sphinx hands over lines and takes them back."""
    lines[:] = restructured("\n".join(lines)).splitlines()


def on_signature(
    app: "Sphinx", what: str, name: str, thing: Any, options: Any, arguments: str | None, result: str | None
) -> tuple[str | None, str | None]:
    """Shorter types; none for the parameters of a method, which its table explains."""
    from rbmle.policies import Policy

    if isinstance(thing, type) and issubclass(thing, Policy):
        from dataclasses import MISSING, fields

        given = [each.name + ("" if each.default is MISSING else f"={each.default!r}") for each in fields(thing)]
        return f"(*, {', '.join(given)})" if given else "()", None
    return short(arguments), short(result)


def short(text: str | None) -> str | None:
    """A signature without what only a type checker wants to know."""
    if text is None:
        return None
    for long, name in WORDS.items():
        text = re.sub(long, name, text)
    return text


def setup(app: "Sphinx") -> dict[str, bool]:
    """Two events of autodoc."""
    app.connect("autodoc-process-docstring", on_docstring)
    app.connect("autodoc-process-signature", on_signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
