"""Reading a saved state: what cannot be one is refused before anything is changed."""

from collections.abc import Mapping

import numpy as np

from rbmle.errors import InvalidInputError
from rbmle.inputs import as_numbers, describe, require_finite
from rbmle.types import FloatArray

# Counts are kept as floats, which are exact up to here.
LARGEST_COUNT = 2**53
# How far from symmetric, and from inverse to each other, matrices may be, relative to their size.
ASYMMETRY, INVERSION = 1e-9, 1e-2


def require_mapping(state: object) -> None:
    """Arrays by name."""
    if not isinstance(state, Mapping):
        raise InvalidInputError(f"state must be a dict of arrays. Got {describe(state)}.")


def read_state(state: Mapping[str, FloatArray], shapes: Mapping[str, tuple[int, ...]]) -> dict[str, FloatArray]:
    """Copies of the arrays of a state, of these shapes and finite, or an error."""
    require_mapping(state)
    missing = sorted(set(shapes) - set(state))
    if missing:
        raise InvalidInputError(f"state must hold {', '.join(sorted(shapes))}. Missing: {', '.join(missing)}.")
    new = {name: as_numbers(state[name], f"state['{name}']").copy() for name in shapes}
    for name, shape in shapes.items():
        if new[name].shape != shape:
            raise InvalidInputError(f"state['{name}'] must have shape {shape}. Got {new[name].shape}.")
        require_finite(np.atleast_1d(new[name]), f"state['{name}']")
    return new


def length_of(state: Mapping[str, FloatArray], name: str) -> int:
    """How many rows an array of a state has, 0 where it is missing or none: `read_state` then says so."""
    try:
        shape = np.shape(state[name]) if name in state else ()
    except Exception:  # noqa: BLE001 - of a ragged list, or whatever an object's own __array__ raises
        return 0
    return int(shape[0]) if shape else 0


def require_count(n: FloatArray, name: str = "n") -> int:
    """A number of rewards."""
    value = float(n)
    if not (0.0 <= value <= LARGEST_COUNT and value == int(value)):
        raise InvalidInputError(f"state['{name}'] must be a whole number from 0 to 2⁵³. Got {value!r}.")
    return int(value)


def require_positive(values: FloatArray, name: str) -> None:
    """Numbers above 0."""
    if not (values > 0.0).all():
        raise InvalidInputError(f"state['{name}'] must be positive. Got {values.min():g}.")


def require_symmetric(matrix: FloatArray, name: str) -> None:
    """A symmetric matrix, but for rounding."""
    if np.abs(matrix - matrix.T).max() > ASYMMETRY * np.abs(matrix).max():
        raise InvalidInputError(f"state['{name}'] must be symmetric. Got a matrix that is not.")


def require_definite(matrix: FloatArray, name: str) -> None:
    """A symmetric matrix whose eigenvalues are positive."""
    require_symmetric(matrix, name)
    scale = np.sqrt(np.maximum(np.diagonal(matrix), 0.0))
    scale[scale == 0.0] = 1.0
    least = float(np.linalg.eigvalsh(matrix / np.outer(scale, scale)).min())
    if not (np.diagonal(matrix) > 0.0).all() or least < -ASYMMETRY:
        raise InvalidInputError(f"state['{name}'] must be positive definite. Got a matrix that is not.")


def require_inverse(matrix: FloatArray, inverse: FloatArray, names: str) -> None:
    """Two matrices that are inverse to each other, but for rounding."""
    if np.abs(matrix @ inverse - np.eye(len(matrix))).max() > INVERSION:
        raise InvalidInputError(f"state's {names} must be inverse to each other. Got matrices that are not.")
