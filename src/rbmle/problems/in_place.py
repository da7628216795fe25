"""Random numbers of rounds in their place: those of a round are a function of (seed, trial, round) alone."""

import math
from typing import cast

import numpy as np

from rbmle import kernels
from rbmle.types import FloatArray

# Streams of what is drawn once a trial begin here, those of what is drawn in every round at 0.
ONCE = 2**16


class InPlace:
    """The part of a NumPy generator that our laws of contexts and noises use, for rounds start … stop−1 of a trial.

    The first axis of every shape is the rounds. Each call has a stream of its own, in which a round has its place: no
    number depends on how many rounds are drawn, nor on what was drawn before.

    >>> numbers = InPlace(seed=0, trial=0, start=0, stop=3).standard_normal((3, 2))
    >>> bool((InPlace(seed=0, trial=0, start=2, stop=3).standard_normal((1, 2)) == numbers[2:]).all())
    True
    """

    def __init__(self, seed: int, trial: int, start: int, stop: int, stream: int = 0) -> None:
        words = np.random.SeedSequence(seed, spawn_key=(trial,)).generate_state(2)
        self._key = int(words.view(np.int64)[0])
        self._start, self._rounds, self._stream = start, stop - start, stream

    def _place(self, shape: tuple[int, ...]) -> tuple[int, int, int]:
        """Key, stream and first number of the next array."""
        if shape[0] != self._rounds:
            raise ValueError(f"the first axis must be that of {self._rounds} rounds, not of {shape[0]}")
        self._stream += 1
        return self._key, self._stream - 1, self._start * math.prod(shape[1:])

    def standard_normal(self, shape: tuple[int, ...]) -> FloatArray:
        """Standard normal numbers."""
        drawn = np.empty(shape)
        kernels.draw.normals(*self._place(shape), drawn.reshape(-1))
        return drawn

    def random(self, shape: tuple[int, ...]) -> FloatArray:
        """Numbers even on (0, 1)."""
        drawn = np.empty(shape)
        kernels.draw.uniforms(*self._place(shape), drawn.reshape(-1))
        return drawn

    def uniform(self, low: float, high: float, shape: tuple[int, ...]) -> FloatArray:
        """Numbers even on (low, high)."""
        drawn = self.random(shape)
        drawn *= high - low
        drawn += low
        return drawn

    def directions(self, shape: tuple[int, ...], length: float) -> FloatArray:
        """Standard normal vectors along the last axis, divided by their length and made so long."""
        drawn = np.empty(shape)
        kernels.draw.directions(*self._place(shape), length, drawn.reshape(-1, shape[-1]))
        return drawn


def in_place(seed: int, trial: int, start: int, stop: int, stream: int = 0) -> np.random.Generator:
    """The numbers of some rounds, for laws: to their types a generator, of which they use so much and no more."""
    return cast(np.random.Generator, InPlace(seed, trial, start, stop, stream))
