"""What a decision is: the arm, and the chance with which it was served."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias, overload

import numpy as np

from rbmle import kernels
from rbmle.types import FloatArray, IntArray

# How a decision is asked for: the round, None for the policy's own; how many samples; the floor.
Asked: TypeAlias = tuple[int | None, int, float]


@dataclass(frozen=True, eq=False)
class Decision:
    """One decision of `policy.decide`.

    arm            the arm to play
    probability    the chance with which it was served, exactly: one may divide by it
    probabilities  (K,) the chance of every arm; an arm with 0 could not have been served
    t              the round it was taken for
    """

    arm: int
    probability: float
    probabilities: FloatArray
    t: int


@dataclass(frozen=True, eq=False)
class Decisions:
    """Many decisions of `policy.decide_many`, for the same round: a sequence of `Decision`, kept as arrays.

    arm            (N,)
    probability    (N,)
    probabilities  all in one array, those of decision i from offsets[i] to offsets[i+1]
    """

    arm: IntArray
    probability: FloatArray
    probabilities: FloatArray
    offsets: IntArray
    t: int

    def __len__(self) -> int:
        return len(self.arm)

    @overload
    def __getitem__(self, number: int) -> Decision: ...
    @overload
    def __getitem__(self, number: slice) -> list[Decision]: ...
    def __getitem__(self, number: int | slice) -> Decision | list[Decision]:
        """One decision, or some."""
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        i = range(len(self))[number]
        own = self.probabilities[self.offsets[i] : self.offsets[i + 1]]
        return Decision(int(self.arm[i]), float(self.probability[i]), own, self.t)

    def __iter__(self) -> Iterator[Decision]:
        return (self[i] for i in range(len(self)))


def served(rng: np.random.Generator, chances: FloatArray, floor: float, t: int) -> Decision:
    """Serve an arm drawn from `chances` mixed with a share `floor` of uniform ones.

    Where one arm has all the chance nothing is drawn.
    """
    best = int(np.argmax(chances))
    if floor == 0.0 and chances[best] >= 1.0:
        return Decision(best, 1.0, chances, t)
    return served_many(rng, chances, np.array([0, len(chances)], dtype=np.int64), floor, t)[0]


def served_many(rng: np.random.Generator, chances: FloatArray, offsets: IntArray, floor: float, t: int) -> Decisions:
    """Serve an arm of each set, drawn from its part of `chances` mixed with a share `floor` of uniform ones."""
    if floor > 0.0:
        sizes = np.diff(offsets)
        chances = (1.0 - floor) * chances + np.repeat(floor / sizes, sizes)
    arms = np.empty(len(offsets) - 1, dtype=np.int64)
    kernels.serve.serve(chances, offsets, rng.random(len(arms)), arms)
    return Decisions(arms, chances[offsets[:-1] + arms], chances, offsets, t)
