"""Rows of data in an order of each trial's own, a function of (seed, trial)."""

import numpy as np

from rbmle import params
from rbmle.errors import InvalidInputError
from rbmle.params import Integer
from rbmle.random import generator
from rbmle.types import IntArray


class Shuffled:
    """N rows. Where a trial is longer than the data, each pass has an order of its own."""

    n_rows: int
    horizon: int | None
    _order: tuple[tuple[int, int, int], IntArray] | None = None

    def rows(self, seed: int, trial: int, start: int, stop: int) -> IntArray:
        """The rows of the data that are shown in rounds start … stop−1 of a trial."""
        for name, value in (("seed", seed), ("trial", trial), ("start", start)):
            params.require("rounds", name, value, Integer(0))
        params.require("rounds", "stop", stop, Integer(start + 1))
        if self.horizon is not None and stop > self.horizon:
            raise InvalidInputError(f"rounds must lie between 0 and {self.horizon}. Got {start!r} to {stop!r}.")
        N, parts = self.n_rows, []
        for turn in range(start // N, (stop - 1) // N + 1):
            order = self._shuffled(seed, trial, turn)
            parts.append(order[max(start - turn * N, 0) : stop - turn * N])
        return np.concatenate(parts)

    def _shuffled(self, seed: int, trial: int, turn: int) -> IntArray:
        """The order of one pass; the last one is kept, because blocks that follow each other share it."""
        key, last = (seed, trial, turn), self._order  # read once: another thread may replace it meanwhile
        if last is not None and last[0] == key:
            return last[1]
        order = generator(seed, trial, turn).permutation(self.n_rows)
        self._order = key, order
        return order
