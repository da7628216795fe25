"""Whether a log can answer: what its weights, its probabilities and its course in time look like."""

from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np
from scipy.special import chdtrc, ndtri

from rbmle.evaluation.weights import BINS, WeightSums
from rbmle.types import FloatArray, IntArray

# Spans of time that drift is looked at in, and the rows each must have.
SPANS, SPAN_ROWS = 20, 50
# Bins of probabilities with fewer arms to be served than this say nothing.
LEAST_EXPECTED = 5.0


@dataclass(frozen=True)
class Span:
    """Some time of a log: its middle, how many rows, their mean reward and the mean of w r, with standard errors."""

    time: float
    n: int
    reward: float
    reward_error: float
    estimate: float
    estimate_error: float


@dataclass(frozen=True)
class Bin:
    """Arms whose logged chances are alike: how many, their mean chance, the share served, and how far off in errors."""

    arms: int
    logged: float
    served: float
    z: float


@dataclass(frozen=True, eq=False)
class Diagnostics:
    """What is to be known of a log before an estimate from it is believed.

    n                     rows
    effective_size        (Σ w)²/Σ w²: rows of the target's own that the log is worth
    mean_weight           mean of w, 1 but for chance where the logged probabilities are true
    mean_weight_error     its standard error
    largest               (10,) the largest weights, `largest_rows` the rows they are of
    largest_share         what the three largest have of the sum of all
    never_served          share of rows in which the target would not have served the arm that was
    unsupported           share of the target's choices that had no chance in the log; None where that is not known
    smallest_probability  of an arm that was served
    inverse_z             how far Σ 1/p is from how many arms there were, which it must be, in standard errors
    bins                  calibration: logged chances of all arms against shares served
    calibration_p         how likely such a difference is by chance; NaN where not known
    spans                 the log over time
    drift_p               how likely differences of mean reward between spans are by chance; NaN where not known
    """

    n: int
    effective_size: float
    mean_weight: float
    mean_weight_error: float
    largest: FloatArray
    largest_rows: IntArray
    largest_share: float
    never_served: float
    unsupported: float | None
    smallest_probability: float
    inverse_z: float
    bins: tuple[Bin, ...]
    calibration_p: float
    spans: tuple[Span, ...]
    drift_p: float

    def mean_weight_interval(self, level: float = 0.95) -> tuple[float, float]:
        """The normal interval of the mean weight."""
        width = float(ndtri(0.5 + level / 2)) * self.mean_weight_error
        return self.mean_weight - width, self.mean_weight + width


def diagnose(sums: WeightSums) -> Diagnostics:
    """From what was added up."""
    n, first, second = sums.moments.n, sums.moments.first, sums.moments.second
    total, squares = float(first[0]), float(second[0, 0])
    bins = bins_of(sums)
    chi_square = sum(each.z**2 for each in bins)
    spans = spans_of(sums.blocks)
    return Diagnostics(
        n=n,
        effective_size=total**2 / squares if squares > 0 else 0.0,
        mean_weight=total / n,
        mean_weight_error=error(n, total, squares),
        largest=sums.largest,
        largest_rows=sums.rows,
        largest_share=float(sums.largest[:3].sum()) / total if total > 0 else nan,
        never_served=sums.impossible / n,
        unsupported=sums.unsupported / n if sums.expected.any() else None,
        smallest_probability=sums.smallest_probability,
        inverse_z=inverse_z(sums),
        bins=bins,
        calibration_p=float(chdtrc(max(len(bins) - 1, 1), chi_square)) if bins else nan,
        spans=spans,
        drift_p=drift(spans),
    )


def error(n: float, total: float, squares: float) -> float:
    """The standard error of a mean."""
    return sqrt(max(squares - total**2 / n, 0.0) / (n * (n - 1))) if n > 1 else inf


def inverse_z(sums: WeightSums) -> float:
    """E 1/p is the number of arms with a chance."""
    n, total, squares = sums.moments.n, float(sums.moments.first[3]), float(sums.moments.second[3, 3])
    spread = n * error(n, total, squares)
    if spread <= 1e-9 * total:
        return 0.0 if abs(total - sums.arms) <= 1e-6 * total else inf if total > sums.arms else -inf
    return (total - sums.arms) / spread


def bins_of(sums: WeightSums) -> tuple[Bin, ...]:
    """Bins with enough arms in them."""
    found = []
    for place in range(BINS):
        arms, expected, served = (float(value) for value in sums.expected[place])
        if expected >= LEAST_EXPECTED and arms - expected >= LEAST_EXPECTED:
            mean = expected / arms
            z = (served - expected) / sqrt(arms * mean * (1.0 - mean))
            found.append(Bin(int(arms), mean, served / arms, z))
    return tuple(found)


def spans_of(blocks: FloatArray) -> tuple[Span, ...]:
    """At most SPANS spans of about as many rows each."""
    n = float(blocks[:, 0].sum())
    if n < 2 * SPAN_ROWS:
        return ()
    blocks = blocks[np.argsort(blocks[:, 1] / blocks[:, 0], kind="stable")]
    count = int(min(SPANS, n // SPAN_ROWS, len(blocks)))
    # A block belongs to the span that its middle lies in.
    middles = np.cumsum(blocks[:, 0]) - 0.5 * blocks[:, 0]
    places = (middles * count / n).astype(np.int64)
    return tuple(span_of(blocks[places == place].sum(axis=0)) for place in np.unique(places))


def span_of(sums: FloatArray) -> Span:
    """A span from its sums."""
    n, time, r, rr, wr, wrwr = (float(value) for value in sums)
    return Span(time / n, int(n), r / n, error(n, r, rr), wr / n, error(n, wr, wrwr))


def drift(spans: tuple[Span, ...]) -> float:
    """How likely such different mean rewards are where nothing changes: χ² of the spans around their common mean.

    Where nothing changes rewards vary alike in all spans, so that one variance serves all: a span of nothing but zeros
    is as telling as others, and rare rewards do not make spans that have few of them look sure of themselves.
    """
    sizes = np.array([span.n for span in spans], dtype=np.float64)
    if len(spans) < 2 or not bool((sizes > 1).all()):
        return nan
    means, errors = (np.array([getattr(span, name) for span in spans]) for name in ("reward", "reward_error"))
    freedom = sizes.sum() - len(spans)
    variance = float((errors**2 * sizes * (sizes - 1.0)).sum() / freedom)
    between = float((sizes * (means - sizes @ means / sizes.sum()) ** 2).sum())
    if variance <= 0.0:
        return nan if between <= 0.0 else 0.0
    return float(chdtrc(len(spans) - 1, between / variance))
