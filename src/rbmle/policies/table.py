"""The numbers of a method that depend on the round, computed some rounds ahead for single decisions."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rbmle.errors import InvalidInputError
from rbmle.schedules import Schedule
from rbmle.types import FloatArray

# Rounds computed at once.
AHEAD = 256


class RoundTable:
    """Rows of numbers (P,) for rounds t, by a function of an array of rounds (B,) that gives (B, P).

    Where a parameter is a function of the user's, it is asked for no round before its time.
    """

    def __init__(self, compute: Callable[[FloatArray], Any], parameters: Mapping[str, Any], owner: str) -> None:
        self._compute, self._owner = compute, owner
        known = (isinstance(value, Schedule) or not callable(value) for value in parameters.values())
        self._ahead = AHEAD if all(known) else 1
        self._rows, self._start = np.empty((0, 0)), 1

    def at(self, t: int) -> FloatArray:
        """The row of one round."""
        row = t - self._start
        if not 0 <= row < len(self._rows):
            self._rows, self._start, row = self._coming(t), t, 0
        now: FloatArray = self._rows[row]
        return now

    def _coming(self, t: int) -> FloatArray:
        try:
            return self.block(t, self._ahead)
        except InvalidInputError:  # of a later round, perhaps
            return self.block(t, 1)

    def block(self, t: int, count: int) -> FloatArray:
        """The rows of rounds t … t+count−1."""
        rounds = np.arange(t, t + count, dtype=np.float64)
        return as_table(self._compute(rounds), count, f"{self._owner}.coefficients")


def as_table(values: Any, count: int, name: str) -> FloatArray:
    """What a method of a policy returned, as compiled code needs it: `count` rows of floats."""
    if type(values) is np.ndarray and values.ndim == 2 and len(values) == count:
        if values.dtype == np.float64 and values.flags.carray:
            return values
        if values.dtype.kind in "fiu":
            return np.array(values, dtype=np.float64, order="C")
    got = f"shape {values.shape} of {values.dtype}" if isinstance(values, np.ndarray) else repr(values)
    raise InvalidInputError(f"{name} must return an array of floats of shape ({count}, ...). Got {got}.")
