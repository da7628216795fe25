"""Arms drawn from their chances, many sets at a time."""

from rbmle.kernels.compile import compiled
from rbmle.types import FloatArray, IntArray


@compiled
def serve(chances: FloatArray, offsets: IntArray, places: FloatArray, arms: IntArray) -> None:
    """The arm of each set at its place in [0, 1) of all its chances side by side; never one without a chance."""
    for s in range(len(arms)):
        start, stop = offsets[s], offsets[s + 1]
        total = 0.0
        for a in range(start, stop):
            total += chances[a]
        target, below, arm = places[s] * total, 0.0, -1
        for a in range(start, stop):
            if chances[a] > 0.0:
                arm = a - start
                below += chances[a]
                if target < below:
                    break
        arms[s] = arm
