"""Sums behind the intervals that hold for any number of rows, and for the confidence sequence.

All bound the mean of rows from below. The upper bound is 1 minus the lower bound of the same with losses 1 − r in the
place of rewards r, which lie in [0, 1] here.
"""

from dataclasses import dataclass, field

import numpy as np

from rbmle import kernels
from rbmle.evaluation.moments import Moments
from rbmle.evaluation.rows import Rows
from rbmle.types import FloatArray


@dataclass(eq=False)
class ClippedSums:
    """Moments of min(w, M) r and of min(w, M)(1 − r), and how many coins of chance min(w, M) r / M fell so."""

    cap: float
    seed: int
    moments: Moments = field(default_factory=lambda: Moments.empty(2))
    coins: FloatArray = field(default_factory=lambda: np.zeros(2))

    def add(self, rows: Rows, r: FloatArray) -> None:
        """Take in rows; r: rewards in [0, 1]."""
        w = np.minimum(rows.w, self.cap)
        columns = np.array([w * r, w * (1.0 - r)])
        self.moments.add(columns)
        if np.isfinite(self.cap):
            draws = np.empty(len(w))
            kernels.logs.multipliers.uniform(rows.batch.keys, self.seed + 1, draws)
            self.coins += np.count_nonzero(draws * self.cap < columns, axis=1)

    def merge(self, other: "ClippedSums") -> None:
        """Take in the rows of the next part."""
        self.moments.merge(other.moments)
        self.coins += other.coins


@dataclass(eq=False)
class SequenceSums:
    """Of a lower and an upper confidence sequence: t, Σ X and v = Σ (X − X̂)² of each.

    X is w r for ips. For dr it is (w (r − q ∧ k/w) + Σ_a π_a (q_a ∧ k/w_a)) / (k + 1), each arm with its own weight
    w_a: that has the same mean and is never below −k/(k + 1).

    A part of a log is a shard: its guesses X̂ begin anew.
    """

    margin: float | None
    past: FloatArray = field(default_factory=lambda: np.zeros((2, 2)))
    totals: FloatArray = field(default_factory=lambda: np.zeros((2, 3)))

    @property
    def scale(self) -> float:
        """k + 1."""
        return 1.0 if self.margin is None else 1.0 + self.margin

    def add(self, rows: Rows, r: FloatArray, q: FloatArray | None) -> None:
        """Take in rows in their order; r (n,) and predictions q (ΣK,) in [0, 1]."""
        for side in (0, 1):
            reward = r if side == 0 else 1.0 - r
            predicted = q if q is None or side == 0 else 1.0 - q
            values = rows.w * reward if predicted is None else self._corrected(rows, reward, predicted)
            scaled, cap = values / self.scale, 1.0 / self.scale
            kernels.logs.sequence.follow(scaled, cap, self.past[side], self.totals[side])

    def _corrected(self, rows: Rows, r: FloatArray, q: FloatArray) -> FloatArray:
        """Doubly robust rows whose corrections are capped."""
        batch, margin = rows.batch, 0.0 if self.margin is None else self.margin
        own = np.zeros_like(rows.chances) if rows.of_all is None else rows.of_all
        # q ∧ k/w with w = π/p: where the target has no chance, nothing is capped.
        with np.errstate(divide="ignore", invalid="ignore"):
            capped = np.minimum(q, np.where(rows.chances > 0.0, margin * own / rows.chances, np.inf))
        v = np.empty(len(batch))
        kernels.logs.sums.dots(rows.chances, capped, batch.offsets, v)
        return rows.w * (r - capped[batch.played]) + v

    def merge(self, other: "SequenceSums") -> None:
        """Take in the next part, which is another shard."""
        self.totals += other.totals
        self.past = other.past
