"""`evaluate`: what a policy would have earned on a log."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.evaluation.behaviour import Behaviour, BehaviourFit
from rbmle.evaluation.diagnostics import diagnose, error
from rbmle.evaluation.engines import Engine, Run, runner
from rbmle.evaluation.estimation import EstimateSums, Estimation, Learning
from rbmle.evaluation.evaluation import Evaluation
from rbmle.evaluation.finishing import estimate
from rbmle.evaluation.kinds import KINDS, require_kinds
from rbmle.evaluation.names import ESTIMATORS, require_names
from rbmle.evaluation.one_pass import LONGEST
from rbmle.evaluation.options import OptionNames, Options
from rbmle.evaluation.rewards.base import Fit, Predictor
from rbmle.evaluation.rewards.given import as_model
from rbmle.evaluation.rewards.linear import RidgeFit
from rbmle.evaluation.targets import Probabilities, Target, TargetLike, as_target, by_rows
from rbmle.evaluation.tasks import partitions
from rbmle.logs import Log
from rbmle.logs.changed import ChangedPart
from rbmle.logs.scan import numbered

NO_SEQUENCE = (
    "dr has no confidence sequence here: it needs the logged probabilities of all arms, and a reward model that has "
    "not learnt from this log (an array, a function, a model learnt before)."
)


def evaluate(
    log: Any,
    target: "TargetLike",
    *,
    estimators: str | Sequence[str] | None = None,
    reward_model: Any = None,
    intervals: str | Sequence[str] | None = None,
    reward_range: tuple[float, float] | None = None,
    engine: Engine = None,
    progress: bool | None = False,
    **options: Unpack[OptionNames],
) -> Evaluation:
    """What a policy would have earned per decision, had it decided where the log was written.

    log: a `Log`, or anything that `Log.read` takes.
    target: a policy, as it is (with learn=True: as it goes on learning, by replay); an array of chances (n, K), or of
        arms (n,); a function of a batch of rows that returns one of these; "uniform", or "logging".
    estimators: some of replay, ips, clipped-ips, snips, dm, dr, sndr, switch-dr, dros; by default ips, snips, and where
        the log has contexts dm and dr.
    reward_model: "ridge" (the default), "logistic", "poisson", a model of `rbmle.models` or any regressor of
        scikit-learn, each cross-fitted by the ids of rows; or an array of predictions (n, K), a function of a batch, a
        model that has learnt elsewhere.
    intervals: some of asymptotic (the default), bootstrap, cressie-read, empirical-bernstein, clopper-pearson, kl,
        sequence; each is made for the estimators that it suits. What an interval assumes is said in it.
    reward_range: bounds of rewards, known beforehand, for the intervals that need them.
    engine: "dask", "spark", or a function of a task and the partitions that returns the merged sums; by default this
        process. The numbers are the same.
    progress: a bar on a terminal (None), always (True) or never.
    options: clip, switch_threshold, shrinkage, level, folds, seed and others: `rbmle.evaluation.Options`.

    >>> import numpy as np
    >>> from rbmle.logs import Log
    >>> rng = np.random.default_rng(0)
    >>> X, arms = rng.standard_normal((2000, 2, 1)), rng.integers(0, 2, 2000)
    >>> rewards = X[np.arange(2000), arms, 0] + rng.standard_normal(2000)
    >>> log = Log.from_arrays(arms=arms, rewards=rewards, probabilities=np.full(2000, 0.5), contexts=X)
    >>> found = evaluate(log, lambda batch: batch.cube[:, :, 0].argmax(axis=1))   # its value is 1/√π = 0.564
    >>> 0.564 in found.interval("dr") and 0.564 in found.interval("ips")
    True
    >>> found.standard_error("dr") < found.standard_error("ips")
    True
    """
    log = log if isinstance(log, Log) else Log.read(log)
    chosen = Options.of(options, "evaluate")
    if chosen.learn:
        from rbmle.evaluation.replaying import replay_learner

        return replay_learner(log, target, chosen, estimators, intervals, reward_range)
    arrays = {name: given for name, given in (("target", target), ("reward_model", reward_model)) if by_rows(given)}
    log = numbered(log) if arrays else log
    run = runner(engine, progress)
    task = plan(log, {"target": as_target(target, log, chosen.seed, chosen.samples)}, chosen,
                (estimators, reward_model, intervals, reward_range), run)  # fmt: skip
    sums: EstimateSums = run(task, partitions(log))
    if task.with_ids:
        sums.ids.require_different(log)
    require_rows(log, sums, arrays)
    return finished(log, task, sums, "target")


def plan(
    log: Log, targets: dict[str, Target], options: Options, asked: tuple[Any, Any, Any, Any], run: Run
) -> Estimation:
    """The work to be done, once everything is learnt that it needs."""
    estimators, reward_model, intervals, reward_range = asked
    has_contexts = "contexts" in log.columns or "context" in log.columns
    default = ("ips", "snips", "dm", "dr") if has_contexts or reward_model is not None else ("ips", "snips")
    names, kinds = require_names(estimators, options, default), require_kinds(intervals)
    for kind in kinds:
        if not set(KINDS[kind].suits) & set(names):
            raise InvalidParameterError(
                f"The interval {kind!r} is for {', '.join(KINDS[kind].suits)}. Estimators are {', '.join(names)}."
            )
    check_range(kinds, reward_range)
    behaviour = None
    guessed = not {"probability", "probabilities"} & set(log.columns)
    if guessed and any(ESTIMATORS[name].weights for name in names):
        learner = run(Learning(log.usable, BehaviourFit(options.folds)), partitions(log))
        behaviour = learner.finish()
    if "replay" in names and options.min_probability is None:
        options = replace(options, min_probability=least_probability(log, behaviour))
    model: Predictor | Fit | None = None
    if any(ESTIMATORS[name].model for name in names):
        model = as_model(reward_model, options.folds, options.regularization)
    one_pass = isinstance(model, RidgeFit) and "contexts" in log.columns and (log.n_features or 0) <= LONGEST
    one_pass = one_pass and not {"bootstrap", "sequence"} & set(kinds)
    task = Estimation(
        log.usable, targets, names, kinds, options, reward_range, behaviour, against=True,
        with_ids="id" in log.columns,
    )  # fmt: skip
    if isinstance(model, RidgeFit) and one_pass:
        return replace(task, ridge=model)
    predictor = run(Learning(log.usable, model), partitions(log)).finish() if isinstance(model, Fit) else model
    fixed = predictor is not None and not predictor.learnt_here and "probabilities" in log.columns
    sequences = tuple(name for name in ("ips", "dr") if name in names and (name == "ips" or fixed))
    if "sequence" in kinds and not sequences:
        raise InvalidInputError(NO_SEQUENCE)
    return replace(task, predictor=predictor, sequences=sequences)


def check_range(kinds: tuple[str, ...], reward_range: Any) -> None:
    """Raise unless there is a range of rewards where one is needed."""
    needed = [kind for kind in kinds if KINDS[kind].ranged]
    if reward_range is None:
        if needed:
            raise InvalidParameterError(
                f"The interval {needed[0]!r} needs reward_range=(low, high), bounds of rewards known beforehand."
            )
        return
    ends = np.asarray(reward_range, dtype=np.float64)
    if ends.shape != (2,) or not np.isfinite(ends).all() or not ends[0] < ends[1]:
        raise InvalidParameterError(f"The 'reward_range' parameter must be (low, high). Got {reward_range!r} instead.")


def require_rows(log: Log, sums: EstimateSums, arrays: dict[str, Any]) -> None:
    """Raise where an array has more rows than the log; of a log that was cut nobody knows how many it had."""
    if any(isinstance(part, ChangedPart) for part in log.parts):
        return
    rows = sums.n + sum(sums.skipped.values())
    for name, given in arrays.items():
        values = given.values if isinstance(given, Probabilities) else given
        if len(values) != rows:
            raise InvalidInputError(f"{name} must have a row for each of the {rows} of the log. Got {len(values)}.")


def least_probability(log: Log, behaviour: Behaviour | None) -> float:
    """The smallest logged chance, for replay's rejection."""
    if behaviour is not None:
        raise InvalidParameterError("The estimator 'replay' needs min_probability=… where probabilities are estimated.")
    found = log.scanned.probability
    if not found > 0.0:
        raise InvalidInputError("The estimator 'replay' needs a log with probabilities above 0.")
    return float(found)


def finished(log: Log, task: Estimation, sums: EstimateSums, name: str) -> Evaluation:
    """The result for one target."""
    if sums.n == 0:
        told = ", ".join(f"{count} {why}" for why, count in sums.skipped.items())
        raise InvalidInputError(f"No row of {log.name} can be used: {told or 'it is empty'}.")
    own, rewards = sums.by_target[name], sums.rewards
    total, squares = float(rewards.first[0]), float(rewards.second[0, 0])
    wanted = "sequence" in task.intervals and "dr" in task.estimators and "dr" not in task.sequences
    return Evaluation(
        log=log.name,
        target=task.targets[name].name,
        n=sums.n,
        estimates={each: estimate(each, own, sums, task) for each in task.estimators},
        mean_reward=total / sums.n,
        mean_reward_error=error(sums.n, total, squares),
        diagnostics=diagnose(own.weights),
        skipped=dict(sums.skipped),
        estimated=task.behaviour is not None,
        adaptive=log.adaptive,
        notes=(NO_SEQUENCE,) if wanted else (),
        settings=settings(task),
    )


def settings(task: Estimation) -> dict[str, Any]:
    """What was asked for, as plain data."""
    model = task.ridge if task.ridge is not None else task.predictor
    told = {name: getattr(task.options, name) for name in task.options.__dataclass_fields__}
    return {
        "estimators": list(task.estimators), "intervals": list(task.intervals), "reward_range": task.reward_range,
        "reward_model": None if model is None else model.name, **told,
    }  # fmt: skip
