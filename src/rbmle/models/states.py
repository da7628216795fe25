"""Checks of states: what `restore` is given must be something that a model can have learnt."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rbmle.errors import InvalidInputError
from rbmle.inputs import as_numbers, describe, require_finite
from rbmle.types import FloatArray

# Counts are kept as floats in files; beyond this not every whole number is one.
LARGEST_COUNT = 2.0**53
# How far two numbers that should be equal may be apart, relative to the largest: files are written by many machines.
SAME = 1e-9


def read_state(state: Any, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, FloatArray]:
    """The arrays of a state, of these shapes and finite, or an error."""
    if not isinstance(state, Mapping):
        raise InvalidInputError(f"state must be a dict of arrays. Got {describe(state)}.")
    missing = [name for name in shapes if name not in state]
    if missing:
        raise InvalidInputError(f"state must hold {', '.join(shapes)}. Got none of the name {missing[0]!r}.")
    new = {name: as_numbers(state[name], f"state['{name}']") for name in shapes}
    for name, shape in shapes.items():
        if new[name].shape != shape:
            raise InvalidInputError(f"state['{name}'] must have shape {shape}. Got {new[name].shape}.")
        require_finite(np.atleast_1d(new[name]), f"state['{name}']")
    return new


def read_count(values: FloatArray, name: str = "n") -> int:
    """A number of observations."""
    value = float(values.ravel()[0])
    if not (0.0 <= value <= LARGEST_COUNT and value == int(value)):
        raise InvalidInputError(f"state['{name}'] must be a whole number from 0 to 2^53. Got {value!r}.")
    return int(value)


def require_symmetric(matrix: FloatArray, name: str) -> None:
    """Raise unless a matrix is symmetric up to rounding."""
    if np.abs(matrix - matrix.T).max() > SAME * np.abs(matrix).max():
        raise InvalidInputError(f"state['{name}'] must be symmetric. Got entries that differ from their mirror image.")


def require_definite(matrix: FloatArray, name: str) -> None:
    """Raise unless a symmetric matrix is positive definite, up to rounding."""
    require_symmetric(matrix, name)
    size = np.sqrt(np.abs(np.diag(matrix)))
    if not (np.diag(matrix) > 0.0).all():
        raise InvalidInputError(
            f"state['{name}'] must be positive definite. Got {np.diag(matrix).min():g} on its diagonal."
        )
    least = float(np.linalg.eigvalsh(matrix / np.outer(size, size))[0])  # in units in which rounding is alike
    if least < -SAME:
        raise InvalidInputError(f"state['{name}'] must be positive definite. Got a negative direction ({least:g}).")
