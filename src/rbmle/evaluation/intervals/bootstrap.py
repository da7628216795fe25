"""The studentised Poisson bootstrap: every row is in replicate b as often as a Poisson(1) number of its own says.

That number is a function of (seed, b, id of the row): replicates add up over parts of a log like all other sums, and
policies that are compared on one log meet the same replicates. With t*_b = (θ*_b − θ̂)/se*_b the interval is
[θ̂ − q_{1−α/2} se, θ̂ − q_{α/2} se] (Efron & Tibshirani 1993, chapter 12).
"""

from dataclasses import dataclass

import numpy as np

from rbmle import kernels
from rbmle.evaluation.estimators import Form, error_of, value_of
from rbmle.evaluation.moments import products, square_of
from rbmle.types import FloatArray, KeyArray


@dataclass(eq=False)
class Replicates:
    """Moments of m columns in each of B replicates.

    counts  (B,) Σ N
    hi, lo  (B, m + m(m+1)/2) Σ N x and Σ N x x', and what their additions rounded away
    """

    m: int
    seed: int
    counts: FloatArray
    hi: FloatArray
    lo: FloatArray

    @classmethod
    def empty(cls, m: int, replicates: int, seed: int) -> "Replicates":
        """Of no rows; the number of replicates is made even."""
        B = replicates + replicates % 2
        size = m + m * (m + 1) // 2
        return cls(m, seed, np.zeros(B), np.zeros((B, size)), np.zeros((B, size)))

    def add(self, columns: FloatArray, keys: KeyArray) -> None:
        """Take in rows: columns (m, n) and their keys (n,)."""
        rows = np.concatenate([np.ones((1, len(keys))), products(columns)])
        sums = np.zeros((len(self.counts), len(rows)))
        kernels.logs.multipliers.replicate(keys, self.seed, np.ascontiguousarray(rows.T), sums)
        self._put(sums[:, 0], sums[:, 1:])

    def _put(self, counts: FloatArray, sums: FloatArray) -> None:
        self.counts += counts  # whole numbers, exact
        values = np.array(sums, order="C")
        kernels.logs.sums.add_values(values.reshape(-1), self.hi.reshape(-1), self.lo.reshape(-1))

    def merge(self, other: "Replicates") -> None:
        """Take in the rows of another with the same seed."""
        self._put(other.counts, other.hi)
        self.lo += other.lo

    def estimates(self, form: Form) -> tuple[FloatArray, FloatArray]:
        """θ*_b and se*_b of every replicate, (B,) each."""
        totals = self.hi + self.lo
        first, second = totals[:, : self.m], square_of(totals[:, self.m :], self.m)
        return value_of(form, self.counts, first, second), error_of(form, self.counts, first, second)


def pivots(value: float, estimates: FloatArray, errors: FloatArray) -> FloatArray:
    """t*_b; replicates without an error, in which nothing varied, are infinitely far on the side where they lie."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (estimates - value) / errors
    return np.where(np.isnan(t), 0.0, t)


def studentised(value: float, error: float, t: FloatArray, level: float) -> tuple[float, float]:
    """The interval from the pivots of all replicates."""
    below, above = np.quantile(t, [0.5 - level / 2.0, 0.5 + level / 2.0], method="higher")
    return float(value - above * error), float(value - below * error)


def simultaneous(t: FloatArray, level: float) -> float:
    """c for intervals θ̂_k ± c se_k that all hold together: the quantile of max_k |t*_{k,b}|; t (K, B).

    The same rows were drawn for all K, so that what they have in common is in it (Romano & Wolf 2005).
    """
    return float(np.quantile(np.abs(t).max(axis=0), level, method="higher"))
