"""VIDS as the published tables were made."""

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.linear.vids import best_share, moments, ratio, reflect
from rbmle.params import Integer
from rbmle.policies.linear import formula
from rbmle.policies.vids import VIDS
from rbmle.types import FloatArray

# A gain below this counts as none.
NO_GAIN = 1e-6


@compiled
def pair(gain: FloatArray, gap: FloatArray, grid: int, u: float) -> tuple[int, int, float]:
    """Arms (a, b) and q of the least ratio over `grid` points of q; any gain below 1e-6 makes the arm of the smallest
    gain win (random among equals, by u in [0, 1)).
    """
    K = len(gain)
    if K > 1 and gain.min() < NO_GAIN:
        equals = np.flatnonzero(gain == gain.min())
        arm = equals[int(u * len(equals))]
        return arm, arm, 1.0
    first, second, share, least = 0, 0, 1.0, math.inf
    for a in range(K):
        for b in range(a + 1, K):
            # The ratio is convex in q, so that the best point of the grid lies next to the minimum.
            near = math.floor(best_share(gap[a], gap[b], gain[a], gain[b]) * (grid - 1))
            for point in range(max(near, 0), min(near + 2, grid)):
                q = point / (grid - 1)
                value = ratio(q, gap[a], gap[b], gain[a], gain[b])
                if value < least:
                    first, second, share, least = a, b, q, value
    return first, second, share


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """The chance of each arm by the published pair rule; one of the two is drawn."""
    K, d = root.shape
    M, grid = int(coefficients[0]), int(coefficients[1])
    where, which = draws[2 * d], draws[2 * d + 1]
    mirrored = root.copy()
    reflect(mirrored, draws[:d])
    reflect(mirrored, draws[d : 2 * d])
    start = int(where * (bank.shape[1] - M + 1))
    gain, gap = np.empty(K), np.empty(K)
    moments(mean, mirrored, bank, start, M, gain, gap)
    first, second, q = pair(gain, gap, grid, which)
    scores[:] = 0.0
    scores[first] += q
    scores[second] += 1.0 - q
    return first if which < q else second


@dataclass(kw_only=True, eq=False)
class PublishedVIDS(VIDS):
    """`VIDS` that tries a grid of q and plays the arm of *smallest* gain as soon as any gain is below 1e-6.

    For comparison with the published tables alone: with contexts that vary some gain is soon that small, and from then
    on it plays almost blindly.

    grid: points tried for q.
    """

    title = "variance-based information-directed sampling, as published"
    source = "tables of Hung, Hsieh, Liu & Kumar 2021"
    formula = index

    grid: Annotated[int, Integer(2)] = 1000

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """M, and points of the grid."""
        return np.tile([float(self.samples), float(self.grid)], (len(rounds), 1))
