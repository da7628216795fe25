"""Vowpal Wabbit's formats: dsjson of its decision service, and the text of `cb_explore_adf`.

Both have a cost where we have a reward: one is minus the other. Features are names and values in namespaces; they
become vectors by hashing: a feature adds its value, with a sign, to one of d places.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from typing import IO, Any

import numpy as np

from rbmle.errors import LogError, describe
from rbmle.logs.opening import TextFormat
from rbmle.logs.raw import Reading
from rbmle.logs.rows import Row
from rbmle.logs.text import Line, json_object, lines_of

Feature = tuple[str, float]


def dsjson(n_features: int | None) -> TextFormat:
    """An object per line."""
    columns = ("id", "time", "contexts", "eligible", "arm", "probability", "probabilities", "reward")
    return TextFormat(partial(dsjson_rows, n_features=n_features), without_contexts(columns, n_features))


def cb_text(n_features: int | None) -> TextFormat:
    """Lines of actions, an empty line behind each decision."""
    columns = ("contexts", "eligible", "arm", "probability", "reward")
    return TextFormat(partial(cb_rows, n_features=n_features), without_contexts(columns, n_features))


def without_contexts(columns: Sequence[str], n_features: int | None) -> tuple[str, ...]:
    """The columns that are there."""
    return tuple(name for name in columns if n_features is not None or name != "contexts")


def dsjson_rows(file: IO[str], reading: Reading, source: str, n_features: int | None) -> Iterator[Line]:
    """A row per line; lines of other events (outcomes that were not joined) are left out as bad ones.

    Events may have been thinned out (`pdrop`), all alike: rows have no weights that could make up for anything else.
    """
    thinned: Any = None
    for number, line in lines_of(file, source):
        if line.strip():
            found = json_object(line)
            if not isinstance(found, str) and "_label_cost" in found:
                own = found.get("pdrop", 0.0)
                if thinned is not None and own != thinned:
                    text = f"must be {thinned} as in the events before: rows have no weights. Got {describe(own)}"
                    raise LogError(
                        f"{source}, line {number}, column 'pdrop': {text}.", row=number, column="pdrop", source=source
                    )
                thinned = own
            yield number, found if isinstance(found, str) else decision(found, n_features)


def decision(event: Mapping[str, Any], n_features: int | None) -> Row | str:
    """A row from an event, or what is wrong with it."""
    if event.get("_skipLearn"):
        return "must be a decision that somebody saw. This one was not activated: _skipLearn."
    try:
        actions = [int(a) for a in event["a"]]
        chances = [float(p) for p in event["p" if "p" in event else "_p"]]
        cost = float(event["_label_cost"])
    except (KeyError, TypeError, ValueError) as reason:
        return f"must be a dsjson event with _label_cost, a and p. {type(reason).__name__}: {reason}."
    if sorted(actions) != list(range(1, len(actions) + 1)) or len(chances) != len(actions):
        return f"must have actions a = 1 … K with a chance p each. Got a = {actions} and p = {chances}."
    by_action = [0.0] * len(actions)
    for action, chance in zip(actions, chances, strict=True):
        by_action[action - 1] = chance
    row: dict[str, Any] = {
        "id": event.get("EventId"),
        "time": event.get("Timestamp"),
        "eligible": list(range(len(actions))),
        "arm": actions[0] - 1,
        "probability": event.get("_label_probability", chances[0]),
        "probabilities": by_action,
        "reward": -cost,
    }
    if n_features is not None:
        context = event.get("c", {})
        multi = context.get("_multi") if isinstance(context, dict) else None
        if not isinstance(multi, list) or len(multi) != len(actions):
            return f"must have features of {len(actions)} actions in c._multi."
        shared = list(features({name: value for name, value in context.items() if name != "_multi"}))
        row["contexts"] = [hashed([*shared, *features(each)], n_features) for each in multi]
    return row


def features(value: Any, name: str = "") -> Iterator[Feature]:
    """Names and values: numbers by themselves, text and true as 1 of "name=text", lists by their places."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not str(key).startswith("_"):
                yield from features(inner, f"{name}|{key}" if name else str(key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from features(inner, name if isinstance(inner, Mapping) else f"{name}[{place}]")
    elif isinstance(value, bool | str):
        if value is not False:
            yield f"{name}={value}", 1.0
    elif isinstance(value, int | float):
        yield name, float(value)


def cb_rows(file: IO[str], reading: Reading, source: str, n_features: int | None) -> Iterator[Line]:
    """A row per group of lines, numbered by the first of them."""
    group, start = list[str](), 1
    for number, line in lines_of(file, source):
        if line.strip():
            start = start if group else number
            group.append(line)
        elif group:
            yield start, example(group, n_features)
            group = []
    if group:
        yield start, example(group, n_features)


def example(lines: Sequence[str], n_features: int | None) -> Row | str:
    """A row from the lines of a decision, or what is wrong with them."""
    shared = list[Feature]()
    if lines[0].startswith("shared"):
        shared, lines = list(text_features(lines[0])), lines[1:]
    labels = {place: line.split("|")[0].split()[:1] for place, line in enumerate(lines)}
    labelled = {place: label[0] for place, label in labels.items() if label and ":" in label[0]}
    if len(labelled) != 1:
        return f"must have one action with a label action:cost:probability. Got {len(labelled)} in {len(lines)} lines."
    place, label = labelled.popitem()
    try:
        _, cost, chance = label.split(":")
        row: dict[str, Any] = {"arm": place, "probability": float(chance), "reward": -float(cost)}
    except ValueError:
        return f"must have a label action:cost:probability. Got {label!r}."
    row["eligible"] = list(range(len(lines)))
    if n_features is not None:
        try:
            row["contexts"] = [hashed([*shared, *text_features(line)], n_features) for line in lines]
        except ValueError as reason:
            return f"must have features name or name:value. {reason}."
    return row


def text_features(line: str) -> Iterator[Feature]:
    """The features of a line, such as "|user age:3 new |item a"."""
    for part in line.split("|")[1:]:
        words = part.split()
        space = "" if part[:1].isspace() or not words else words[0]
        for word in words[1:] if space else words:
            name, _, value = word.partition(":")
            yield f"{space.partition(':')[0]}|{name}", float(value) if value else 1.0


def hashed(found: Iterable[Feature], d: int) -> list[float]:
    """A vector of d numbers."""
    vector = np.zeros(d)
    for name, value in found:
        code = int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
        vector[(code >> 1) % d] += value if code & 1 else -value
    return [float(each) for each in vector]
