"""`select`: which of several policies to switch on, by one log."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from rbmle import kernels, params
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.evaluation.engines import Engine, runner
from rbmle.evaluation.estimation import EstimateSums
from rbmle.evaluation.estimators import error_of, of_moments, value_of
from rbmle.evaluation.evaluate import finished, plan
from rbmle.evaluation.fitting import fit, require_fitting
from rbmle.evaluation.intervals.bootstrap import pivots, simultaneous
from rbmle.evaluation.names import ESTIMATORS
from rbmle.evaluation.options import OptionNames, Options
from rbmle.evaluation.replaying import replay_learner
from rbmle.evaluation.selection import Candidate, Selection, Trained
from rbmle.evaluation.targets import Target, TargetLike, as_target, by_rows
from rbmle.evaluation.tasks import partitions
from rbmle.logs import Batch, Log
from rbmle.logs.scan import numbered
from rbmle.params import Real
from rbmle.policies import Policy


@dataclass(frozen=True)
class Share:
    """A part of the rows, by their ids: the training part or the rest."""

    share: float
    seed: int
    training: bool

    def __call__(self, batch: Batch) -> Batch:
        """Its rows of a batch."""
        places = np.empty(len(batch))
        kernels.logs.multipliers.uniform(batch.keys, self.seed + 2, places)
        return batch.take((places < self.share) == self.training)


def select(
    log: Any,
    candidates: "Mapping[str, TargetLike] | Iterable[TargetLike]",
    *,
    estimator: str | None = None,
    reward_model: Any = None,
    train: float = 0.5,
    engine: Engine = None,
    progress: bool | None = False,
    **options: Unpack[OptionNames],
) -> Selection:
    """Compare policies on one log, and say which are told apart from the policy that wrote it.

    candidates: by name, or a list of policies: all that `evaluate` takes as a target. A policy that has learnt nothing
        learns from the training part. Of policies of one class that have learnt nothing (a sweep over bias, scale or
        regularization) one is chosen there first: the one whose replay, learning as it goes, earns most.
    estimator: of the judgement; by default dr where the log has contexts, else snips.
    train: the share of rows, by their ids, that policies learn and are tuned on. All are judged on the rest, by
        intervals for their difference to the logging policy that hold together (max-t, Poisson bootstrap).
    reward_model, engine, progress, options: as in `evaluate`; replays run in this process.

    >>> import numpy as np
    >>> from rbmle import LinRBMLE
    >>> from rbmle.logs import Log
    >>> rng = np.random.default_rng(0)
    >>> X, arms = rng.standard_normal((4000, 2, 1)), rng.integers(0, 2, 4000)
    >>> rewards = X[np.arange(4000), arms, 0] + rng.standard_normal(4000)
    >>> log = Log.from_arrays(arms=arms, rewards=rewards, probabilities=np.full((4000, 2), 0.5), contexts=X)
    >>> found = select(log, {"learnt": LinRBMLE(n_features=1), "first": lambda batch: np.zeros(len(batch), int)})
    >>> found.best, found["first"].claim
    ('learnt', 'not told apart')
    """
    log = log if isinstance(log, Log) else Log.read(log)
    chosen = Options.of(options, "select")
    params.require("select", "train", train, Real(0.0, 1.0, open_low=True, open_high=True))
    named = names_of(candidates)
    learners = {name: each for name, each in named.items() if isinstance(each, Policy) and not each.n_observed}
    for policy in learners.values():
        require_fitting(log, policy)
    if any(map(by_rows, (*named.values(), reward_model))):
        log = numbered(log)
    training, rest = (log.map(Share(float(train), chosen.seed, part), name=log.name) for part in (True, False))
    trained = tuned(training, learners, chosen)
    kept = {name: each for name, each in named.items() if name not in trained or trained[name].chosen}
    policies = {
        name: fit(training, each.copy(), engine=engine, progress=progress) if name in learners else each
        for name, each in kept.items()
    }
    targets = {name: as_target(each, log, chosen.seed, chosen.samples, name) for name, each in policies.items()}
    run = runner(engine, progress)
    name = estimator or ("dr" if {"contexts", "context"} & set(log.columns) else "snips")
    task = plan(rest, dict(targets), chosen, ((name,), reward_model, ("bootstrap",), None), run)
    sums: EstimateSums = run(task, partitions(rest))
    if task.with_ids:
        sums.ids.require_different(log)
    found = judged(name, sums, chosen)
    return Selection(
        log=log.name,
        estimator=name,
        candidates=found,
        trained=trained,
        evaluations={each: finished(rest, task, sums, each) for each in targets},
        policies={each: policy for each, policy in policies.items() if isinstance(policy, Policy)},
        level=chosen.level,
        settings={"train": float(train), "seed": chosen.seed, "replicates": chosen.replicates},
    )


def names_of(candidates: Mapping[str, Any] | Iterable[Any]) -> dict[str, Any]:
    """Candidates by name; those of a list by their class or what they are called, numbered where several are alike."""
    if isinstance(candidates, Mapping):
        named = dict(candidates)
    else:
        listed = list(candidates)
        labels = [label_of(each) for each in listed]
        named = {}
        for place, (label, each) in enumerate(zip(labels, listed, strict=True)):
            named[label if labels.count(label) == 1 else f"{label} {labels[: place + 1].count(label)}"] = each
    if not named:
        raise InvalidInputError("candidates must be at least one. Got none.")
    if "logging policy" in named:
        raise InvalidParameterError("A candidate cannot be called 'logging policy': all are compared with that.")
    return named


def label_of(candidate: Any) -> str:
    """What a candidate without a name is called."""
    if isinstance(candidate, str):
        return candidate
    if isinstance(candidate, Policy | Target):
        return type(candidate).__name__
    return "array" if by_rows(candidate) else str(getattr(candidate, "__name__", type(candidate).__name__))


def tuned(training: Log, learners: Mapping[str, Policy], options: Options) -> dict[str, Trained]:
    """Replays of all policies of one class that there are several of; the best of each class is chosen."""
    groups: dict[type, list[str]] = {}
    for name, policy in learners.items():
        groups.setdefault(type(policy), []).append(name)
    found: dict[str, Trained] = {}
    for group in groups.values():
        if len(group) == 1:
            continue
        replays = {
            name: replay_learner(training, learners[name], replace(options, learn=True), None, None, None)
            for name in group
        }
        best = max(group, key=lambda name: replays[name].value("replay"))
        for name, replay in replays.items():
            value, error = replay.value("replay"), replay.standard_error("replay")
            found[name] = Trained(value, error, replay.n, name == best)
    return found


def judged(name: str, sums: EstimateSums, options: Options) -> dict[str, Candidate]:
    """Values, differences to the logging policy, and intervals for these that hold together."""
    form = ESTIMATORS[name].form
    against = form._replace(mean=True)
    rows, pivot = {}, []
    for label, own in sums.by_target.items():
        value = float(value_of(form, *of_moments(own.moments[name])))
        kept = of_moments(own.moments[f"-{name}"])
        more, error = float(value_of(against, *kept)), float(error_of(against, *kept))
        rows[label] = (value, more, error)
        pivot.append(pivots(more, *own.replicates[f"-{name}"].estimates(against)))
    c = simultaneous(np.array(pivot), options.level)
    return {
        label: Candidate(label, value, more, error, more - c * error, more + c * error)
        for label, (value, more, error) in rows.items()
    }
