"""The numbers of a method that depend on the round, computed some rounds ahead for single decisions."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rbmle.errors import InvalidInputError
from rbmle.inputs import describe
from rbmle.schedules import Schedule
from rbmle.types import FloatArray

# Rounds computed at once.
AHEAD = 256


class RoundTable:
    """Rows of numbers (P,) for rounds t, by a function of an array of rounds (B,) that gives (B, P).

    Where a parameter is a function of the user's, it is asked for no round before its time; and numbers that depend on
    what was learnt too (not `steady`) are computed every time.
    """

    def __init__(
        self, compute: Callable[[FloatArray], FloatArray], parameters: Mapping[str, Any], steady: bool = True
    ) -> None:
        self._compute, self._steady = compute, steady
        known = (isinstance(value, Schedule) or not callable(value) for value in parameters.values())
        self._ahead = AHEAD if steady and all(known) else 1
        self._rows, self._start = np.empty((0, 0)), 1

    def at(self, t: int) -> FloatArray:
        """The row of one round."""
        row = t - self._start
        if not (0 <= row < len(self._rows) and self._steady):
            self._rows, self._start, row = self.coming(t), t, 0
        now: FloatArray = self._rows[row]
        return now

    def coming(self, t: int) -> FloatArray:
        """The rows of round t and of some to come."""
        try:
            return self.block(t, self._ahead)
        except InvalidInputError:  # of a later round, perhaps
            return self.block(t, 1)

    def block(self, t: int, count: int) -> FloatArray:
        """The rows of rounds t … t+count−1."""
        rounds = np.arange(t, t + count, dtype=np.float64)
        return self._compute(rounds)


class WeightTable:
    """The two weights of a bound for rounds t and a number of arms, from the rows of a table."""

    def __init__(self, table: RoundTable, weights: Callable[[FloatArray, int], FloatArray]) -> None:
        self._table, self._compute = table, weights
        self._pairs: list[list[float]] = []
        self._start, self._n_arms = 1, 0

    def at(self, t: int, n_arms: int) -> list[float]:
        """Outer and inner of a round."""
        row = t - self._start
        if n_arms != self._n_arms or not 0 <= row < len(self._pairs):
            self._pairs = checked_weights(self._compute, self._table.coming(t), n_arms).tolist()
            self._start, self._n_arms, row = t, n_arms, 0
        return self._pairs[row]


def checked_weights(
    compute: Callable[[FloatArray, int], FloatArray], coefficients: FloatArray, n_arms: int
) -> FloatArray:
    """The two weights of a bound (B, 2) from coefficients (B, P), as compiled code needs them."""
    return require_table(compute(coefficients, n_arms), (len(coefficients), 2), "The weights of a bound")


def require_table(values: Any, shape: tuple[int | None, int | None], name: str) -> FloatArray:
    """What a method of a policy returned, as compiled code needs it; None stands for any size."""
    plain = type(values) is np.ndarray and values.dtype == np.float64 and values.flags.carray
    fits = plain and values.shape == shape  # the common case first
    if not fits and isinstance(values, np.ndarray) and values.ndim == 2:
        fits = shape in (values.shape, (len(values), None), (None, None))
    if fits and (plain or values.dtype.kind in "fiu"):
        table: FloatArray = values if plain else np.array(values, dtype=np.float64, order="C")
        return table
    got = f"shape {values.shape} of {values.dtype}" if isinstance(values, np.ndarray) else describe(values)
    wanted = ", ".join("..." if size is None else str(size) for size in shape)
    raise InvalidInputError(f"{name} must be an array of floats ({wanted}). Got {got}.")
