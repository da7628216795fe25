"""The estimators by their names: what each needs, and the terms of its rows."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rbmle.errors import InvalidParameterError
from rbmle.evaluation import estimators
from rbmle.evaluation.estimators import Form, Terms
from rbmle.evaluation.options import Options
from rbmle.evaluation.rows import Rows, match_of
from rbmle.types import FloatArray


class Estimator(NamedTuple):
    """An estimator.

    formula   in a line
    form      whether it has a mean and a ratio
    model     whether it needs a reward model
    weights   whether it needs weights, and so probabilities
    option    the option that has no default, if there is one
    terms     of rows
    """

    formula: str
    form: Form
    model: bool
    weights: bool
    option: str
    terms: Callable[[Rows, Options], Terms]


MEAN, RATIO, BOTH = Form(True, False), Form(False, True), Form(True, True)


def known(values: FloatArray | None) -> FloatArray:
    """What an estimator with a model has."""
    if values is None:
        raise InvalidParameterError("This estimator needs a reward model.")
    return values


def number(value: float | None) -> float:
    """An option that was required."""
    return 0.0 if value is None else float(value)


def replay_terms(rows: Rows, options: Options) -> Terms:
    """Rows that match, by a draw."""
    return estimators.replay(match_of(rows, number(options.min_probability), options.seed), rows.r)


ESTIMATORS: dict[str, Estimator] = {
    "replay": Estimator("mean reward of rows that match", RATIO, False, True, "", replay_terms),
    "ips": Estimator("mean of w r", MEAN, False, True, "", lambda rows, options: estimators.ips(rows.w, rows.r)),
    "clipped-ips": Estimator(
        "mean of min(w, clip) r", MEAN, False, True, "clip",
        lambda rows, options: estimators.clipped_ips(rows.w, rows.r, number(options.clip)),
    ),
    "snips": Estimator("Σ w r / Σ w", RATIO, False, True, "", lambda rows, options: estimators.snips(rows.w, rows.r)),
    "dm": Estimator("mean of Σ π q", MEAN, True, False, "", lambda rows, options: estimators.dm(known(rows.v))),
    "dr": Estimator(
        "mean of Σ π q + w (r − q)", MEAN, True, True, "",
        lambda rows, options: estimators.dr(rows.w, rows.r, known(rows.q), known(rows.v)),
    ),
    "sndr": Estimator(
        "mean of Σ π q, + Σ w (r − q) / Σ w", BOTH, True, True, "",
        lambda rows, options: estimators.sndr(rows.w, rows.r, known(rows.q), known(rows.v)),
    ),
    "switch-dr": Estimator(
        "dr, corrected where w ≤ threshold", MEAN, True, True, "switch_threshold",
        lambda rows, options: estimators.switch_dr(
            rows.w, rows.r, known(rows.q), known(rows.v), number(options.switch_threshold)
        ),
    ),
    "dros": Estimator(
        "dr with w → λ w / (w² + λ)", MEAN, True, True, "shrinkage",
        lambda rows, options: estimators.dros(rows.w, rows.r, known(rows.q), known(rows.v), number(options.shrinkage)),
    ),
}  # fmt: skip


def require_names(names: Sequence[str] | str | None, options: Options, default: Sequence[str]) -> tuple[str, ...]:
    """Estimators that were asked for, checked."""
    asked = default if names is None else (names,) if isinstance(names, str) else tuple(names)
    for name in asked:
        if name not in ESTIMATORS:
            raise InvalidParameterError(
                f"The 'estimators' parameter of evaluate must name some of {', '.join(ESTIMATORS)}. Got {name!r}."
            )
        option = ESTIMATORS[name].option
        if option and getattr(options, option) is None:
            raise InvalidParameterError(f"The estimator {name!r} needs the option {option}=…, chosen beforehand.")
    if not asked:
        raise InvalidParameterError("The 'estimators' parameter of evaluate must name at least one. Got none.")
    return tuple(dict.fromkeys(asked))
