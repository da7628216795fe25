"""Estimates of what a policy would have earned: one formula, one function over arrays.

w      (n,) weights π(a|x) / p of the arm served: its chance under the target over that under the logging policy
r      (n,) rewards
q      (n,) what the reward model says of the arm served
v      (n,) what it says of the target: Σ_a π(a|x) q(x, a)
match  (n,) 1 where the target would have served the same arm, else 0

Every estimate is a mean, or a ratio of means, of a term per row: `Terms`. Their sums say all that is needed, so that
rows may lie anywhere. `value` and `standard_error` work on the sums, or on terms at once:

>>> w, r = np.array([2.0, 0.0, 1.0]), np.array([1.0, 1.0, 0.0])
>>> value(ips(w, r)).round(4), value(snips(w, r)).round(4)
(np.float64(0.6667), np.float64(0.6667))
"""

from typing import NamedTuple

import numpy as np

from rbmle.evaluation.moments import Moments, products, square_of
from rbmle.types import FloatArray

__all__ = [
    "Terms",
    "clipped_ips",
    "dm",
    "dr",
    "dros",
    "ips",
    "replay",
    "shrunk",
    "sndr",
    "snips",
    "standard_error",
    "switch_dr",
    "switched",
    "value",
]


class Terms(NamedTuple):
    """The estimate is mean(plus) + Σ top / Σ bottom; without a bottom, mean(plus) alone.

    plus, top, bottom  (n,)
    """

    plus: FloatArray | None = None
    top: FloatArray | None = None
    bottom: FloatArray | None = None

    @property
    def columns(self) -> FloatArray:
        """(m, n): what is there, in this order."""
        return np.array([column for column in self if column is not None])

    @property
    def form(self) -> "Form":
        """Which of them are there."""
        return Form(self.plus is not None, self.bottom is not None)


class Form(NamedTuple):
    """Whether an estimate has a mean, and whether it has a ratio."""

    mean: bool
    ratio: bool


def ips(w: FloatArray, r: FloatArray) -> Terms:
    """Inverse propensity scores: mean of w r (Horvitz & Thompson 1952)."""
    return Terms(plus=w * r)


def clipped_ips(w: FloatArray, r: FloatArray, clip: float) -> Terms:
    """Mean of min(w, clip) r: less variance, and too low for rewards ≥ 0 (Ionides 2008; Bottou et al. 2013)."""
    return Terms(plus=np.minimum(w, clip) * r)


def snips(w: FloatArray, r: FloatArray) -> Terms:
    """Self-normalised: Σ w r / Σ w (Swaminathan & Joachims 2015). A constant added to rewards is added to it."""
    return Terms(top=w * r, bottom=w)


def dm(v: FloatArray) -> Terms:
    """The direct method: mean of v. As good as the model, and no better."""
    return Terms(plus=v)


def dr(w: FloatArray, r: FloatArray, q: FloatArray, v: FloatArray) -> Terms:
    """Doubly robust: mean of v + w (r − q) (Dudík, Langford & Li 2011). Right if either w or the model is."""
    return Terms(plus=v + w * (r - q))


def sndr(w: FloatArray, r: FloatArray, q: FloatArray, v: FloatArray) -> Terms:
    """Self-normalised doubly robust: mean of v + Σ w (r − q) / Σ w."""
    return Terms(plus=v, top=w * (r - q), bottom=w)


def switch_dr(w: FloatArray, r: FloatArray, q: FloatArray, v: FloatArray, threshold: float) -> Terms:
    """Doubly robust, corrected only where w ≤ threshold (Wang, Agarwal & Dudík 2017)."""
    return dr(switched(w, threshold), r, q, v)


def dros(w: FloatArray, r: FloatArray, q: FloatArray, v: FloatArray, shrinkage: float) -> Terms:
    """Doubly robust with optimistic shrinkage, w → λ w / (w² + λ) (Su, Dimakopoulou, Krishnamurthy & Dudík 2020)."""
    return dr(shrunk(w, shrinkage), r, q, v)


def replay(match: FloatArray, r: FloatArray) -> Terms:
    """The mean reward of the rows that match (Li, Chu, Langford & Wang 2011)."""
    return Terms(top=match * r, bottom=match)


def switched(w: FloatArray, threshold: float) -> FloatArray:
    """Weights up to a threshold, 0 above."""
    return np.where(w <= threshold, w, 0.0)


def shrunk(w: FloatArray, shrinkage: float) -> FloatArray:
    """λ w / (w² + λ): w for λ = ∞, 0 for λ = 0."""
    if np.isinf(shrinkage):
        return w
    if shrinkage == 0.0:
        return np.zeros_like(w)
    return shrinkage * w / (w * w + shrinkage)


def value(terms: Terms) -> np.float64:
    """The estimate."""
    return np.float64(value_of(terms.form, *sums_of(terms)))


def standard_error(terms: Terms) -> np.float64:
    """Its standard error, for independent rows."""
    return np.float64(error_of(terms.form, *sums_of(terms)))


def sums_of(terms: Terms) -> tuple[float, FloatArray, FloatArray]:
    """n, Σ and Σ of products of the columns of terms."""
    columns = terms.columns
    m, totals = len(columns), products(columns).sum(axis=1)
    return float(columns.shape[1]), totals[:m], square_of(totals[m:], m)


def of_moments(moments: Moments) -> tuple[float, FloatArray, FloatArray]:
    """The same from sums that were kept."""
    return float(moments.n), moments.first, moments.second


def value_of(form: Form, n: FloatArray | float, first: FloatArray, second: FloatArray) -> FloatArray:
    """Estimates from sums: n (…), first (…, m), second (…, m, m). NaN where nothing was weighed."""
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = first[..., 0] / n if form.mean else np.zeros_like(first[..., 0])
        return mean + first[..., -2] / first[..., -1] if form.ratio else mean


def error_of(form: Form, n: FloatArray | float, first: FloatArray, second: FloatArray) -> FloatArray:
    """Standard errors from the same sums, by the delta method.

    A mean has √(Σ (x − x̄)² / (n (n − 1))); a ratio ρ = Σ t / Σ b has √(Σ (t − ρ b)²) / Σ b. With both, the terms
    (x − x̄) + n (t − ρ b)/Σ b of a row are squared and added.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        if not form.ratio:
            spread = second[..., 0, 0] - first[..., 0] ** 2 / n
            return np.sqrt(np.maximum(spread, 0.0) / (n * (n - 1.0)))
        ratio = first[..., -2] / first[..., -1]
        scale = n / first[..., -1]
        top, bottom = second[..., -2, -2], second[..., -1, -1]
        total = scale**2 * (top - 2.0 * ratio * second[..., -2, -1] + ratio**2 * bottom)
        if form.mean:
            mean = first[..., 0] / n
            total = total + second[..., 0, 0] - n * mean**2
            # Σ (t − ρ b) is 0, so that only the products with x itself are left.
            total = total + 2.0 * scale * (second[..., 0, -2] - ratio * second[..., 0, -1])
        return np.sqrt(np.maximum(total, 0.0)) / n
