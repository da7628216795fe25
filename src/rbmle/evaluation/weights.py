"""What weights and probabilities look like: the sums behind the diagnostics of an evaluation."""

from dataclasses import dataclass, field

import numpy as np

from rbmle.evaluation.moments import Moments
from rbmle.evaluation.rows import Rows
from rbmle.types import FloatArray, IntArray

# How many of the largest weights are kept, and bins of probabilities.
LARGEST, BINS = 10, 10
# Blocks of rows that follow each other, by which the course in time is told: so many rows at first, and so many blocks
# at most; then they are put together in pairs.
BLOCK_ROWS, BLOCKS = 64, 8192


@dataclass(eq=False)
class WeightSums:
    """By row: w, w r, r and 1/p; by arm, where all chances are known: how often each was served and should have been.

    largest    (LARGEST,) the largest weights, and the rows they are of
    blocks     (m, 6) of rows that follow each other: n, Σ time, Σ r, Σ r², Σ w r, Σ (w r)²
    """

    moments: Moments = field(default_factory=lambda: Moments.empty(4))
    smallest_probability: float = np.inf
    impossible: int = 0
    unsupported: float = 0.0
    arms: int = 0
    largest: FloatArray = field(default_factory=lambda: np.empty(0))
    rows: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    expected: FloatArray = field(default_factory=lambda: np.zeros((BINS, 3)))
    blocks: FloatArray = field(default_factory=lambda: np.empty((0, 6)))

    def add(self, rows: Rows) -> None:
        """Take in rows."""
        batch, w, r, p = rows.batch, rows.w, rows.r, rows.probability
        if not len(batch):
            return
        self.moments.add(np.array([w, w * r, r, 1.0 / p]))
        self.smallest_probability = min(self.smallest_probability, float(p.min()))
        self.impossible += int(np.count_nonzero(w == 0.0))
        self.arms += int(batch.offsets[-1])
        if rows.of_all is not None:
            self.unsupported += float(rows.chances[rows.of_all == 0.0].sum())
            self._calibrate(rows.of_all, batch.played)
        top = np.argpartition(w, -min(LARGEST, len(w)))[-LARGEST:]
        self._keep(w[top], batch.rows[top])
        time = batch.rows.astype(np.float64) if batch.time is None else batch.time
        columns = np.array([np.ones(len(w)), time, r, r * r, w * r, (w * r) ** 2])
        self._course(np.add.reduceat(columns, np.arange(0, len(w), BLOCK_ROWS), axis=1).T)

    def _course(self, blocks: FloatArray) -> None:
        """Put blocks behind those that are there."""
        self.blocks = np.concatenate([self.blocks, blocks])
        while len(self.blocks) > BLOCKS:
            self.blocks = np.add.reduceat(self.blocks, np.arange(0, len(self.blocks), 2), axis=0)

    def _calibrate(self, of_all: FloatArray, played: IntArray) -> None:
        """By bin of the logged chances of all arms: how many arms, how many were to be served, how many were."""
        bins = np.minimum((of_all * BINS).astype(np.int64), BINS - 1)
        self.expected[:, 0] += np.bincount(bins, minlength=BINS)
        self.expected[:, 1] += np.bincount(bins, weights=of_all, minlength=BINS)
        self.expected[:, 2] += np.bincount(bins[played], minlength=BINS)

    def _keep(self, weights: FloatArray, rows: IntArray) -> None:
        """Keep the largest; of equal ones the first rows."""
        weights, rows = np.concatenate([self.largest, weights]), np.concatenate([self.rows, rows])
        order = np.lexsort((rows, -weights))[:LARGEST]
        self.largest, self.rows = weights[order], rows[order]

    def merge(self, other: "WeightSums") -> None:
        """Take in the rows of the next part."""
        self.moments.merge(other.moments)
        self.smallest_probability = min(self.smallest_probability, other.smallest_probability)
        self.impossible += other.impossible
        self.unsupported += other.unsupported
        self.arms += other.arms
        self._keep(other.largest, other.rows)
        self.expected += other.expected
        self._course(other.blocks)
