"""From sums to numbers: estimates, their errors, and the intervals that were asked for."""

from dataclasses import dataclass, field
from math import inf

import numpy as np

from rbmle.errors import InvalidInputError
from rbmle.evaluation.estimation import EstimateSums, Estimation, TargetSums
from rbmle.evaluation.estimators import error_of, of_moments, value_of
from rbmle.evaluation.intervals.asymptotic import asymptotic
from rbmle.evaluation.intervals.bernstein import empirical_bernstein
from rbmle.evaluation.intervals.binomial import chernoff, clopper_pearson
from rbmle.evaluation.intervals.bootstrap import pivots, studentised
from rbmle.evaluation.intervals.cressie_read import WeightSums as Sums
from rbmle.evaluation.intervals.cressie_read import cressie_read
from rbmle.evaluation.intervals.sequence import lower_bound
from rbmle.evaluation.kinds import KINDS, WEIGHED, Interval
from rbmle.evaluation.names import ESTIMATORS

BIAS = {
    "dm": "the reward model is right",
    "clipped-ips": "what clipping takes away is small",
    "switch-dr": "the reward model is right where weights are above the threshold",
    "dros": "what shrinkage takes away is small",
}
"""What else a normal or bootstrap interval needs where the estimate is biased."""


@dataclass(frozen=True)
class Estimate:
    """One estimator's answer.

    value           what the target would have earned per decision
    standard_error  for independent rows
    intervals       by kind
    difference      the interval, asymptotic, for how much more than the logging policy that is; None where not known
    """

    name: str
    value: float
    standard_error: float
    intervals: dict[str, Interval] = field(default_factory=dict)
    difference: Interval | None = None


def estimate(name: str, sums: TargetSums, whole: EstimateSums, task: Estimation) -> Estimate:
    """The answer of one estimator."""
    value, error = numbers(name, sums, whole, against=False)
    difference = None
    if task.against:
        more, spread = numbers(name, sums, whole, against=True)
        difference = interval("asymptotic", name, asymptotic(more, spread, task.options.level), task)
    found = Estimate(name, value, error, difference=difference)
    for kind in task.intervals:
        if name in KINDS[kind].suits:
            ends = ends_of(kind, found, sums, task)
            if ends is not None:
                found.intervals[kind] = interval(kind, name, ends, task)
    return found


def numbers(name: str, sums: TargetSums, whole: EstimateSums, *, against: bool) -> tuple[float, float]:
    """An estimate and its standard error, or those of its difference to the logging policy."""
    form = ESTIMATORS[name].form
    if name in sums.forms and whole.ridge is not None:
        kept = sums.forms[name].sums_with(whole.ridge.theta()[:, 0], against)
    else:
        kept = of_moments(sums.moments[f"-{name}" if against else name])
    if against:
        form = form._replace(mean=True)
    return float(value_of(form, *kept)), float(error_of(form, *kept))


def interval(kind: str, name: str, ends: tuple[float, float], task: Estimation) -> Interval:
    """The interval with what it assumes."""
    needs = list(KINDS[kind].assumptions)
    if name in BIAS and not KINDS[kind].exact:
        needs.append(BIAS[name])
    if kind == "cressie-read" and task.options.largest_weight is not None:
        needs.append(WEIGHED)
    if task.behaviour is not None:
        needs[0] = "estimated probabilities are those that were"
    return Interval(*ends, task.options.level, kind, tuple(needs))


def ends_of(kind: str, found: Estimate, sums: TargetSums, task: Estimation) -> tuple[float, float] | None:
    """Both ends of an interval; None where the sums for it were not kept."""
    options, name = task.options, found.name
    if kind == "asymptotic":
        return asymptotic(found.value, found.standard_error, options.level)
    if kind == "bootstrap":
        if name not in sums.replicates:
            return None
        values, errors = sums.replicates[name].estimates(ESTIMATORS[name].form)
        return studentised(found.value, found.standard_error, pivots(found.value, values, errors), options.level)
    if task.reward_range is None or (kind == "sequence" and name not in sums.sequences):
        return None
    low, high = task.reward_range
    if kind == "cressie-read":
        first, second = sums.weights.moments.first, sums.weights.moments.second
        kept = Sums(
            sums.weights.moments.n, float(first[0]), float(second[0, 0]), float(first[1]), float(second[0, 1]),
            float(second[1, 1]),
        )  # fmt: skip
        require_true_bound(options.weight_bound, sums)
        return cressie_read(kept, options.level, task.reward_range, (0.0, options.weight_bound))
    lower, upper = bounds_of(kind, name, sums, task)
    return low + (high - low) * lower, low + (high - low) * (1.0 - upper)


def bounds_of(kind: str, name: str, sums: TargetSums, task: Estimation) -> tuple[float, float]:
    """Lower bounds of the value and of the losses, for rewards in [0, 1]."""
    alpha, options = 0.5 - 0.5 * task.options.level, task.options
    if kind == "sequence":
        kept = sums.sequences[name]
        found = [lower_bound(t, total, v, options.rho, alpha) * kept.scale for t, total, v in kept.totals]
        return min(found[0], 1.0), min(found[1], 1.0)
    return rowwise_bound(kind, name, 0, sums, task), rowwise_bound(kind, name, 1, sums, task)


def rowwise_bound(kind: str, name: str, side: int, sums: TargetSums, task: Estimation) -> float:
    """A lower bound for independent rows in [0, cap]."""
    clipped, alpha = sums.clipped[name], 0.5 - 0.5 * task.options.level
    cap = clipped.cap if np.isfinite(clipped.cap) else bound_of_weights(kind, sums, task)
    n, first, second = of_moments(clipped.moments)
    total = float(first[side])
    if kind == "clopper-pearson":
        found = cap * clopper_pearson(float(clipped.coins[side]), n, alpha)
    elif kind == "kl":
        found = cap * chernoff(total / n / cap, n, alpha)
    else:
        variance = (float(second[side, side]) - total**2 / n) / (n - 1.0) if n > 1 else 0.0
        found = empirical_bernstein(total / n, max(variance, 0.0), n, cap, alpha)
    return min(found, 1.0)


def bound_of_weights(kind: str, sums: TargetSums, task: Estimation) -> float:
    """What was told beforehand, and is true of the log."""
    bound = task.options.weight_bound
    if bound == inf:
        raise InvalidInputError(
            f"The interval {kind!r} of 'ips' needs largest_weight=…, a bound of weights known beforehand."
        )
    require_true_bound(bound, sums)
    return bound


def require_true_bound(bound: float, sums: TargetSums) -> None:
    """Raise where a weight is above what was told."""
    if len(sums.weights.largest) and sums.weights.largest[0] > bound:
        row, weight = sums.weights.rows[0], sums.weights.largest[0]
        raise InvalidInputError(f"largest_weight must be above all weights. Got {bound:g}; row {row} has {weight:g}.")
