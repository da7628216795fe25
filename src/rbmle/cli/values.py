"""Values as people write them: numbers in a row, `Sqrt(scale=2.0)`. Parsed, never executed."""

import ast
import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from rbmle.errors import InvalidParameterError
from rbmle.problems.noise import Noise
from rbmle.schedules import Schedule


def numbers(text: str, name: str) -> list[float]:
    """Numbers separated by commas or blanks."""
    try:
        return [float(part) for part in text.replace(",", " ").split()]
    except ValueError as reason:
        raise InvalidParameterError(f"{name} must be numbers such as -0.3,0.5,0.8. Got {text!r}.") from reason


def listed(text: str | None) -> list[str] | None:
    """Names separated by commas."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def call(text: str) -> tuple[str, list[Any], dict[str, Any]]:
    """The parts of `Name(1.0, scale=2.0)`; a bare name has no arguments."""
    refused = InvalidParameterError(f"Cannot read {text!r}: write a name such as Sqrt, or Sqrt(scale=2.0).")
    try:
        node = ast.parse(text.strip(), mode="eval").body
        if isinstance(node, ast.Name):
            return node.id, [], {}
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            raise refused
        values = [literal(value) for value in node.args]
        named = {str(word.arg): literal(word.value) for word in node.keywords if word.arg is not None}
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError) as reason:
        raise refused from reason
    if len(named) < len(node.keywords):  # **something
        raise refused
    return node.func.id, values, named


def literal(node: ast.expr) -> Any:
    """A plain value; what is written as a call, such as a schedule, stays text, within a list too."""
    if isinstance(node, ast.List):
        return [literal(each) for each in node.elts]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        text = ast.unparse(node)
        call(text)  # or it is refused
        return text
    return ast.literal_eval(node)


def construct(kind: str, known: Mapping[str, type[Any]], name: str, values: list[Any], named: dict[str, Any]) -> Any:
    """An object of one of the known classes."""
    if name not in known:
        raise InvalidParameterError(f"Unknown {kind} {name!r}.{suggestion(name, known)}")
    try:
        return known[name](*values, **named)
    except TypeError as reason:
        raise InvalidParameterError(f"{name} does not take these arguments: {reason}.") from reason


def schedule(value: Any) -> Any:
    """A schedule from text, from a table such as {schedule = "Sqrt", scale = 2.0}, or from a plain number."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return construct("schedule", Schedule.registry, "Constant", [float(value)], {})
    if isinstance(value, Mapping):
        named = dict(value)
        return construct("schedule", Schedule.registry, str(named.pop("schedule", "")), [], named)
    return construct("schedule", Schedule.registry, *call(str(value)))


def noise(value: Any) -> Noise:
    """A noise from its name ("uniform"), from text ("Uniform(half_width=1)") or from a table {name = …, …}."""
    known = {cls.__name__: cls for cls in Noise.registry.values()} | Noise.registry
    if isinstance(value, Mapping):
        named = dict(value)
        parts: tuple[str, list[Any], dict[str, Any]] = (str(named.pop("name", "")), [], named)
    else:
        parts = call(str(value))
    made: Noise = construct("noise", known, *parts)
    return made


def suggestion(name: str, known: Iterable[str]) -> str:
    """What may have been meant, or all there is."""
    names = list(known)
    by_lower = {each.lower(): each for each in names}
    close = difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.5)
    if close:
        return f" Did you mean {' or '.join(by_lower[each] for each in close)}?"
    return f" Known: {', '.join(names)}."
