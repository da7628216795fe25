"""The fastest look at many numbers, where they come into compiled code."""

from rbmle.kernels.compile import reordered
from rbmle.types import FloatArray


@reordered
def all_within(values: FloatArray, largest: float) -> bool:
    """Whether every number of a contiguous array is finite and at most `largest` in size."""
    outside, flat = 0.0, values.reshape(-1)
    for i in range(len(flat)):
        outside += 0.0 if abs(flat[i]) <= largest else 1.0
    return outside == 0.0
