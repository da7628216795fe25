"""A policy's own generator: made when first asked for, and left alone by whoever only looks."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

import numpy as np

from rbmle.random import generator, twin_of


class Drawing:
    """The part of a policy that draws random numbers.

    random: whether decisions draw any.
    seed: of the policy's own generator: the same seed, the same draws. None draws a fresh one, which reads back.
    """

    random: ClassVar[bool] = False

    def reseed(self, seed: int, *path: int) -> None:
        """Start the policy's own generator anew."""
        self.origin: tuple[int, ...] = (int(seed), *path)
        self._rng: np.random.Generator | None = None

    @property
    def rng(self) -> np.random.Generator:
        """The policy's own generator, made when first asked for: most policies never do."""
        if self._rng is None:
            self._rng = generator(*self.origin)
        return self._rng

    @rng.setter
    def rng(self, rng: np.random.Generator) -> None:
        self._rng = rng

    @contextmanager
    def _looking_ahead(self) -> Iterator[None]:
        """Draw from a copy of the generator meanwhile."""
        if not self.random:
            yield
            return
        mine = self.rng
        self.rng = twin_of(mine)
        try:
            yield
        finally:
            self.rng = mine
