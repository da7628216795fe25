"""The work of an evaluation over a part of a log: what targets and models say of its rows, added up."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from rbmle.errors import LogError
from rbmle.evaluation.behaviour import Behaviour, BehaviourFit
from rbmle.evaluation.bounded import ClippedSums, SequenceSums
from rbmle.evaluation.estimators import Terms
from rbmle.evaluation.intervals.bootstrap import Replicates
from rbmle.evaluation.moments import Moments
from rbmle.evaluation.names import ESTIMATORS
from rbmle.evaluation.one_pass import FormSums
from rbmle.evaluation.options import Options
from rbmle.evaluation.rewards.base import Fit, Learner, Predictor
from rbmle.evaluation.rewards.linear import RidgeFit, RidgeSums
from rbmle.evaluation.rows import Rows, rows_of
from rbmle.evaluation.targets import Target
from rbmle.evaluation.tasks import Partition, Sums
from rbmle.evaluation.weights import WeightSums
from rbmle.logs import Batch
from rbmle.logs.ids import Ids
from rbmle.logs.scan import Usable
from rbmle.types import FloatArray

S = TypeVar("S", bound=Sums)

# Rewards this little outside of the range that was told are rounding.
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Estimation:
    """What is to be estimated, for every target alike.

    predictor  the reward model, if one is needed and was learnt; with `ridge` it is learnt on the way
    against    whether the difference to the logging policy is estimated too
    with_ids   whether rows have ids, which must differ
    sequences  estimators that a confidence sequence can be had for
    """

    usable: Usable
    targets: Mapping[str, Target]
    estimators: tuple[str, ...]
    intervals: tuple[str, ...]
    options: Options
    reward_range: tuple[float, float] | None = None
    behaviour: Behaviour | None = None
    predictor: Predictor | None = None
    ridge: RidgeFit | None = None
    against: bool = False
    with_ids: bool = True
    sequences: tuple[str, ...] = ("ips",)

    def of(self, partition: Partition) -> "EstimateSums":
        """The sums of a part."""
        sums = EstimateSums.empty(self)
        for batch in self.usable.batches(partition.part, partition.place):
            sums.add(batch, self)
        return sums

    @property
    def with_terms(self) -> tuple[str, ...]:
        """The estimators whose terms are known row by row."""
        return tuple(name for name in self.estimators if not (self.ridge and ESTIMATORS[name].model))

    def wants(self, name: str, *kinds: str) -> bool:
        """Whether an estimator is to have one of these intervals."""
        return name in self.estimators and any(kind in self.intervals for kind in kinds)


@dataclass(eq=False)
class TargetSums:
    """What is added up for one target; by estimator, and for the difference to the logging policy by "-" before it."""

    moments: dict[str, Moments] = field(default_factory=dict)
    replicates: dict[str, Replicates] = field(default_factory=dict)
    forms: dict[str, FormSums] = field(default_factory=dict)
    clipped: dict[str, ClippedSums] = field(default_factory=dict)
    sequences: dict[str, SequenceSums] = field(default_factory=dict)
    weights: WeightSums = field(default_factory=WeightSums)

    @classmethod
    def empty(cls, task: Estimation) -> "TargetSums":
        """Of no rows."""
        sums, options = cls(), task.options
        for name in task.with_terms:
            form = ESTIMATORS[name].form
            sizes = {name: form.mean + 2 * form.ratio} | ({f"-{name}": 1 + 2 * form.ratio} if task.against else {})
            for label, size in sizes.items():
                sums.moments[label] = Moments.empty(size)
                if "bootstrap" in task.intervals:
                    sums.replicates[label] = Replicates.empty(size, options.replicates, options.seed)
        if task.ridge is not None:
            rest = [name for name in task.estimators if name not in task.with_terms]
            sums.forms = {name: FormSums(name, task.ridge.folds) for name in rest}
        if task.wants("ips", "empirical-bernstein"):
            sums.clipped["ips"] = ClippedSums(np.inf, options.seed)
        if task.wants("clipped-ips", "empirical-bernstein", "clopper-pearson", "kl") and options.clip is not None:
            sums.clipped["clipped-ips"] = ClippedSums(options.clip, options.seed)
        for name in task.sequences if "sequence" in task.intervals else ():
            sums.sequences[name] = SequenceSums(options.margin if name == "dr" else None)
        return sums

    def add(self, rows: Rows, task: Estimation) -> None:
        """Take in rows."""
        for name in task.with_terms:
            terms = ESTIMATORS[name].terms(rows, task.options)
            self._put(name, terms, rows)
            if task.against:
                self._put(f"-{name}", against_logging(terms, rows.r), rows)
        for forms in self.forms.values():
            forms.add(rows, task.options)
        if task.reward_range is not None and (self.clipped or self.sequences):
            r = scaled(rows, task.reward_range)
            for clipped in self.clipped.values():
                clipped.add(rows, r)
            for name, sequence in self.sequences.items():
                sequence.add(rows, r, predicted(rows, task.reward_range) if name == "dr" else None)
        self.weights.add(rows)

    def _put(self, label: str, terms: Terms, rows: Rows) -> None:
        columns = terms.columns
        self.moments[label].add(columns)
        if label in self.replicates:
            self.replicates[label].add(columns, rows.batch.keys)

    def merge(self, other: "TargetSums") -> None:
        """Take in the rows of the next part."""
        merge_all(self.moments, other.moments)
        merge_all(self.replicates, other.replicates)
        merge_all(self.forms, other.forms)
        merge_all(self.clipped, other.clipped)
        merge_all(self.sequences, other.sequences)
        self.weights.merge(other.weights)


def merge_all(mine: dict[str, S], theirs: dict[str, S]) -> None:
    """Merge sums name by name."""
    for name, sums in mine.items():
        sums.merge(theirs[name])


def against_logging(terms: Terms, r: FloatArray) -> Terms:
    """The difference to the logging policy, whose value is the mean reward."""
    return terms._replace(plus=(0.0 if terms.plus is None else terms.plus) - r)


def scaled(rows: Rows, reward_range: tuple[float, float]) -> FloatArray:
    """Rewards as numbers in [0, 1], of the range that was told."""
    low, high = reward_range
    r = (rows.r - low) / (high - low)
    outside = ~((r >= -SLACK) & (r <= 1.0 + SLACK))
    if outside.any():
        place = int(np.flatnonzero(outside)[0])
        row = int(rows.batch.rows[place])
        text = f"row {row} of the log, column 'reward': must lie in reward_range=({low:g}, {high:g})"
        raise LogError(f"{text}. Got {rows.r[place]:g}.", row=row, column="reward")
    return np.clip(r, 0.0, 1.0)


def predicted(rows: Rows, reward_range: tuple[float, float]) -> FloatArray:
    """Predictions of all arms as numbers in [0, 1]."""
    low, high = reward_range
    q = np.zeros_like(rows.chances) if rows.predictions is None else rows.predictions
    return np.clip((q - low) / (high - low), 0.0, 1.0)


@dataclass(eq=False)
class EstimateSums:
    """What is added up over a part.

    rewards  of the log itself, whatever the target
    """

    by_target: dict[str, TargetSums]
    ridge: RidgeSums | None = None
    rewards: Moments = field(default_factory=lambda: Moments.empty(1))
    skipped: Counter[str] = field(default_factory=Counter)
    ids: Ids = field(default_factory=Ids)
    n: int = 0

    @classmethod
    def empty(cls, task: Estimation) -> "EstimateSums":
        """Of no rows."""
        return cls(
            {name: TargetSums.empty(task) for name in task.targets},
            None if task.ridge is None else task.ridge.learner(),
        )

    def add(self, batch: Batch, task: Estimation) -> None:
        """Take in rows."""
        self.skipped.update(batch.skipped)
        if not len(batch):
            return
        self.n += len(batch)
        if task.with_ids:
            self.ids.add(batch.keys, batch.rows)
        self.rewards.add(batch.reward[None])
        if self.ridge is not None:
            self.ridge.add(batch)
        for name, target in task.targets.items():
            self.by_target[name].add(rows_of(batch, target, task.behaviour, task.predictor), task)

    def merge(self, other: "EstimateSums") -> None:
        """Take in the next part."""
        for name, sums in self.by_target.items():
            sums.merge(other.by_target[name])
        if self.ridge is not None and other.ridge is not None:
            self.ridge.merge(other.ridge)
        self.rewards.merge(other.rewards)
        self.skipped.update(other.skipped)
        self.ids.merge(other.ids)
        self.n += other.n


@dataclass(frozen=True, eq=False)
class Learning:
    """What a reward model, or a model of the logging policy, is to learn from every part."""

    usable: Usable
    fit: Fit | BehaviourFit

    def of(self, partition: Partition) -> Learner:
        """What a part teaches."""
        learner = self.fit.learner()
        for batch in self.usable.batches(partition.part, partition.place):
            if len(batch):
                learner.add(batch)
        return learner
