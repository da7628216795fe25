"""Whether looking at few of very many arms pays, and the bounds that allow it: see kernels.linear.lazy."""

from typing import TYPE_CHECKING

import numpy as np

from rbmle import kernels
from rbmle.types import FloatArray

if TYPE_CHECKING:
    from rbmle.kernels.linear.columns import Columns
    from rbmle.kernels.linear.lazy import Bounds

# From so many arms on a scan of bounds is much less than a pass over all features.
VERY_MANY = 2000
# Rounds between two looks at whether bounds would pay: at first, at most; and rounds of usual drift they must outlast.
SOONEST, LATEST, OUTLAST = 16, 64, 4
# Shares of all arms: near enough to the best for bounds to begin, and looked at in a round when they end.
FEW, TOO_MANY = 12, 3
# What a round counts for in the average of arms looked at; and after how many rounds bounds have been worth it.
NEWEST, WORTH_IT = 0.05, 256


class RidgeBounds:
    """Bounds on what is known of very many arms; `held` while they, and not means and variances, are kept up to date.

    What decides is counts of arms, never time: the same rounds give the same arms on every machine.
    """

    def __init__(self, contexts: FloatArray) -> None:
        K = len(contexts)
        self._bounds, self._lost = np.zeros((3, K)), np.zeros(2)
        self._squares = np.einsum("ij,ij->i", contexts, contexts, dtype=np.float64)
        self._found = np.empty(K // TOO_MANY, dtype=np.int64)
        self._hot, self._wait = np.zeros(kernels.linear.lazy.LOOKED, dtype=np.int64), SOONEST
        self.held = False
        self.drop()

    def drop(self) -> None:
        """Forget all bounds: the model did more than learn a reward of an arm."""
        self.held, self._rounds, self._before = False, 0, 0.0

    def _known(self, held: "Columns") -> "Bounds":
        return kernels.linear.lazy.Bounds(self._bounds, self._squares, self._lost, held.drift, self._hot, self._found)

    def best(self, held: "Columns", weights: tuple[float, float, bool]) -> int:
        """The arm of the largest index, or −1 where too many could be that."""
        arm, looked, lazy = -1, 0, kernels.linear.lazy
        if float(held.theta @ held.theta) <= self._largest:
            arm, looked = lazy.choose(held, self._known(held), lazy.Weights(*weights))
        self._looked += NEWEST * (looked - self._looked)
        self._rounds += 1
        if arm < 0 or self._looked > len(self._squares) / TOO_MANY:
            self._wait = SOONEST if self._rounds > WORTH_IT else min(LATEST, 2 * self._wait)
            self.drop()
            return -1
        if arm not in self._hot:
            self._hot[self._rounds % len(self._hot)] = arm
        return int(arm)

    def consider(self, held: "Columns", weights: tuple[float, float, bool], arm: int, top: float) -> None:
        """Begin with bounds where few arms are near the best one; means and variances are up to date."""
        self._rounds += 1
        if self._rounds % self._wait:
            return
        drift, first = float(held.drift[0]), self._rounds == self._wait
        usual, self._before = (drift - self._before) * OUTLAST / self._wait, drift
        if first:  # what went before is not known
            return
        lazy = kernels.linear.lazy
        if lazy.near(held.rows, lazy.Weights(*weights), top, usual) > len(self._squares) // FEW:
            return
        lazy.losses(held, self._lost)
        lazy.begin(held.rows, self._known(held))
        self._largest = 64.0 * float(held.theta @ held.theta)
        self.held, self._rounds, self._looked = True, 0, 0.0
        self._hot[:] = arm
