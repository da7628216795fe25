"""Ridge models of trials played side by side: eight models' numbers in vector lanes, until they are needed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rbmle import kernels
from rbmle.models.ridge import STRANGE_VARIANCE, RidgeModel
from rbmle.types import FloatArray

if TYPE_CHECKING:
    from rbmle.kernels.linear.index import Bound

LANES = 8  # kernels.eight.LANES, which takes numba to import


class RidgeLanes:
    """Up to eight models that have learnt equally often; lanes beyond them repeat the last one.

    While rounds are played the numbers are here, `ahead` rounds ahead of the models, until `give_back`.
    """

    def __init__(self, models: Sequence[RidgeModel]) -> None:
        self.models = models
        self._rows = rows_of_eight(len(models[0].settle()))
        self._taken, self.ahead = False, 0

    def play(self, bound: "Bound", first: int, X: FloatArray, R: FloatArray, arms: FloatArray) -> int:
        """Choose and learn in rounds, `first` of those with weights; how many were as usual for all lanes.

        Of the next one nothing is learnt, and the models are up to date.
        """
        start, stop = 0, len(arms)
        width, K = len(X) // stop, len(R) // stop
        while start < stop:
            if not self._taken:
                self._take()
            end = start + min(stop - start, self.models[0].left_to_refresh() - self.ahead)
            some = (X[start * width : end * width], R[start * K : end * K], self._rows, arms[start:end])
            done = kernels.linear.lanes.play(bound, first + start, *some, STRANGE_VARIANCE)
            self.ahead += done
            start += done
            if start < end:
                self.give_back()
                return start
            if self.ahead == self.models[0].left_to_refresh():
                self.give_back()
        return stop

    @property
    def t(self) -> int:
        """The round: one plus the number of rewards that each has learnt."""
        return self.models[0].n + self.ahead + 1

    def _take(self) -> None:
        for lane in range(LANES):
            self._rows[:, lane] = self.models[min(lane, len(self.models) - 1)].settle()
        self._taken, self.ahead = True, 0

    def give_back(self) -> None:
        """Let the models know what was learnt."""
        if self._taken:
            kernels.linear.lanes.mirror(self._rows, self.models[0].n_features)
            for lane, model in enumerate(self.models):
                model.adopt(self._rows[:, lane], self.ahead)
        self._taken, self.ahead = False, 0


def rows_of_eight(count: int) -> FloatArray:
    """An array (N, 8) whose rows are lines of the processor's cache: others take two reads each."""
    spare = np.empty(count * LANES + LANES)
    skipped = -spare.ctypes.data // 8 % LANES
    return spare[skipped : skipped + count * LANES].reshape(count, LANES)
