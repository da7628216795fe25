"""Ids: of decisions, which are text, and of arms, which are whatever can be hashed and written as JSON."""

import math
import os
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, TypeAlias
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from rbmle.errors import InvalidInputError, describe

# Ids of the arms that can be served, or a mapping of ids to what is known of each.
Arms: TypeAlias = Sequence[Any] | NDArray[Any] | Mapping[Any, Any]

LONGEST = 255
# Whole numbers that any program can read, and how deep tuples may be nested.
LARGEST, DEEPEST = 2**63 - 1, 8

# Of a random byte, one whose first four bits are 0100 (the version), or whose first two are 10 (the variant): RFC 4122.
VERSION = bytes(0x40 | byte & 0x0F for byte in range(256))
VARIANT = bytes(0x80 | byte & 0x3F for byte in range(256))
# Where digits stand among the 36 characters of an id.
DIGITS = tuple(place for place in range(36) if place not in (8, 13, 18, 23))

# Ids to come. They are drawn many at a time; a process that forks must not share them.
_drawn: list[str] = []
AT_ONCE = 64
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_drawn.clear)


def new_id() -> str:
    """A random id (uuid4)."""
    while True:
        try:
            return _drawn.pop()
        except IndexError:  # asking the system for each would cost more than all the rest
            _drawn.extend(many_ids(AT_ONCE))


def many_ids(count: int) -> list[str]:
    """Random ids, written digit by digit for all of them at once."""
    numbers = bytearray(os.urandom(16 * count))
    numbers[6::16] = numbers[6::16].translate(VERSION)
    numbers[8::16] = numbers[8::16].translate(VARIANT)
    digits, text = numbers.hex().encode(), bytearray(b"-" * 36 * count)
    for i, place in enumerate(DIGITS):
        text[place::36] = digits[i::32]
    together = text.decode()
    return [together[start : start + 36] for start in range(0, 36 * count, 36)]


def as_id(value: Any, name: str = "id") -> str:
    """An id of a decision or of a reward: text of 1 to 255 characters, or a UUID."""
    if type(value) is str and 0 < len(value) <= LONGEST and value.isascii() and "\0" not in value:
        return value
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, str) and 0 < len(value) <= LONGEST and "\0" not in value:
        try:
            value.encode()
        except UnicodeEncodeError:
            pass
        else:
            return str(value)
    hint = " It has an .id: give that." if hasattr(value, "id") else ""
    raise InvalidInputError(
        f"{name} must be text of 1 to {LONGEST} characters, without NUL. Got {describe(value)}.{hint}"
    )


def as_arm(value: Any, name: str = "arm", depth: int = 0) -> Any:
    """The id of an arm: text, a number, or a tuple of such. 1.0 is 1; True, None and NaN are none."""
    if type(value) is str or (type(value) is int and -LARGEST <= value <= LARGEST):
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, tuple) and depth < DEEPEST:
        return tuple(as_arm(each, name, depth + 1) for each in value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InvalidInputError(f"{name} must be text, a number or a tuple of such. Got {describe(value)}.")
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidInputError(f"{name} must be a finite number, where it is one. Got {value}.")
        if not value.is_integer():
            return value
    if isinstance(value, str):
        return str(value)
    if not -LARGEST <= value <= LARGEST:
        raise InvalidInputError(f"{name} must be a number of at most 64 bits, where it is one. Got {describe(value)}.")
    return int(value)


def as_arms(values: Any) -> tuple[Any, ...]:
    """Different ids of arms, at least one."""
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray | dict):
        raise InvalidInputError(f"arms must be a list of ids. Got {describe(values)}.")
    ids = tuple([value if type(value) is str else as_arm(value, "arms") for value in values])
    if not ids:
        raise InvalidInputError("arms must hold at least one id. Got none.")
    if len(set(ids)) < len(ids):
        twice = next(each for i, each in enumerate(ids) if each in ids[:i])
        raise InvalidInputError(f"arms must differ. Got {describe(twice)} twice.")
    return ids


def to_json(arm: Any) -> Any:
    """An id of an arm as JSON has it: tuples as lists."""
    return [to_json(each) for each in arm] if isinstance(arm, tuple) else arm


def from_json(arm: Any) -> Any:
    """What `to_json` was given."""
    return tuple(from_json(each) for each in arm) if isinstance(arm, list) else arm


def place_of(decision: str) -> tuple[int, ...]:
    """Where the random numbers of a decision are, in the tree of an agent's seed: a hash of its id."""
    told = blake2b(decision.encode(), digest_size=16).digest()
    return tuple(int.from_bytes(told[i : i + 4], "little") for i in (0, 4, 8, 12))
