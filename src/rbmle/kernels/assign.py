"""Copying numbers from array to array."""

from rbmle.kernels.compile import compiled
from rbmle.types import FloatArray


@compiled
def assign(target: FloatArray, values: FloatArray) -> None:
    """``target[:] = values`` of equal lengths. numba's own compiles all about texts too, for an error it may raise."""
    for i in range(len(target)):
        target[i] = values[i]
