"""Doubly robust estimates with a ridge model in one reading of the log.

The terms of a row are linear in θ̃ = (1, θ), whatever θ is: Σ_a π_a q_a + w (r − q) = w r + (Σ_a π_a x_a − w x)ᵀθ. So
the moments of these vectors, by fold, are kept while the model is learnt, and θ is put in at the end: the same numbers
as from two readings, up to rounding.
"""

from dataclasses import dataclass, field

import numpy as np

from rbmle import kernels
from rbmle.evaluation.estimators import shrunk, switched
from rbmle.evaluation.options import Options
from rbmle.evaluation.rewards.base import folds_of
from rbmle.evaluation.rows import Rows
from rbmle.types import FloatArray

# Moments of so long contexts cost more than a second reading.
LONGEST = 64


def effective(name: str, w: FloatArray, options: Options) -> FloatArray:
    """The weight of a row's correction."""
    if name == "switch-dr":
        return switched(w, float(options.switch_threshold or 0.0))
    if name == "dros":
        return shrunk(w, float(options.shrinkage or 0.0))
    return np.zeros_like(w) if name == "dm" else w


@dataclass(eq=False)
class FormSums:
    """Σ z zᵀ and Σ z of one estimator, (F, M + 1, M) as hi + lo; see kernels.logs.ridge for z."""

    name: str
    folds: int
    n: int = 0
    hi: FloatArray = field(default_factory=lambda: np.empty((0, 0, 0)))
    lo: FloatArray = field(default_factory=lambda: np.empty((0, 0, 0)))

    def add(self, rows: Rows, options: Options) -> None:
        """Take in rows."""
        batch, X = rows.batch, np.asarray(rows.batch.contexts)
        ratio, d = self.name == "sndr", X.shape[1]
        M = 2 * d + 5 if ratio else d + 3
        sums = np.zeros((self.folds, M + 1, M))
        kernel = kernels.logs.ridge.ratio_forms if ratio else kernels.logs.ridge.mean_forms
        weights = effective(self.name, rows.w, options)
        kernel(X, rows.chances, batch.offsets, batch.played, weights, rows.r, folds_of(batch.keys, self.folds), sums)
        self._put(sums)
        self.n += len(batch)

    def _put(self, sums: FloatArray) -> None:
        if not self.hi.size:
            self.hi, self.lo = np.zeros_like(sums), np.zeros_like(sums)
        kernels.logs.sums.add_values(sums.reshape(-1), self.hi.reshape(-1), self.lo.reshape(-1))

    def merge(self, other: "FormSums") -> None:
        """Take in the rows of the next part."""
        if other.hi.size:
            self._put(other.hi)
            self._put(other.lo)
        self.n += other.n

    def sums_with(self, theta: FloatArray, against: bool = False) -> tuple[float, FloatArray, FloatArray]:
        """n, Σ and Σ of products of the columns of the terms, with θ (F, D) of every fold put in.

        against: of the difference to the logging policy.
        """
        sums, D = self.hi + self.lo, theta.shape[1]
        m = 3 if self.name == "sndr" else 1
        first, second = np.zeros(m), np.zeros((m, m))
        for own, t in zip(sums, theta, strict=True):
            squares = np.tril(own[:-1]) + np.tril(own[:-1], -1).T
            maps = np.zeros((m, len(squares)))
            if m == 1:
                maps[0, 0], maps[0, 1 : D + 1] = 1.0, t
            else:
                maps[0, :D], maps[1, D], maps[1, D + 1 : 2 * D + 1], maps[2, -2] = t, 1.0, t, 1.0
            maps[0, -1] = -1.0 if against else 0.0
            first += maps @ own[-1]
            second += maps @ squares @ maps.T
        return float(self.n), first, second
