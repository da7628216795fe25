"""Generators from seeds: an integer at the edges, a generator inside, never the global state."""

import copy
import random
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from rbmle.errors import InvalidParameterError


def generator(seed: int, *path: int) -> np.random.Generator:
    """The generator of a place in a tree of seeds, such as (seed, trial, block): same place, same numbers."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=path)))


def state_of(rng: np.random.Generator) -> dict[str, Any]:
    """The state of a generator as plain data."""
    return dict(rng.bit_generator.state)


def from_state(state: dict[str, Any]) -> np.random.Generator:
    """A generator that goes on from a state."""
    if state.get("bit_generator") != "PCG64":
        raise InvalidParameterError(f"a generator state must be of PCG64. Got {state.get('bit_generator')!r}.")
    rng = generator(0)
    setattr(rng.bit_generator, "state", state)  # noqa: B010 - NumPy's annotation knows only its own type here
    return rng


def fresh_seed() -> int:
    """A seed that nobody chose, from the system's own randomness; short enough for every file format."""
    return secrets.randbits(62)


def twin_of(rng: np.random.Generator) -> np.random.Generator:
    """A generator that will draw the same."""
    if type(rng) is not np.random.Generator or type(rng.bit_generator) is not np.random.PCG64:
        return copy.deepcopy(rng)
    twin = np.random.Generator(np.random.PCG64(0))
    twin.bit_generator.state = rng.bit_generator.state
    return twin


@contextmanager
def python_random_kept() -> Iterator[None]:
    """Leave Python's global generator as it was: some libraries draw from it when they are first imported."""
    state = random.getstate()
    try:
        yield
    finally:
        random.setstate(state)
