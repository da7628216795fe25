"""A data set and what is to be known about it: rows of classes, of choices, or of decisions that were logged."""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from rbmle.datasets.recording import chances_by, checked_chances, served
from rbmle.errors import InvalidInputError
from rbmle.inputs import as_share
from rbmle.logs import Log
from rbmle.policies import Policy
from rbmle.problems.choices import ChoiceProblem
from rbmle.problems.classification import ClassificationProblem
from rbmle.problems.labels import Label
from rbmle.random import generator
from rbmle.types import FloatArray, IntArray


def digest(*arrays: Any) -> str:
    """A checksum of numbers."""
    whole = hashlib.sha256()
    for array in arrays:
        values = np.ascontiguousarray(array)
        whole.update(f"{values.dtype.str} {values.shape}".encode() + values.tobytes())
    return whole.hexdigest()


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Rows of features with a class each.

    X        (N, d) numbers; categories by their codes, NaN where a value is missing
    y        (N,) numbers of classes
    classes  what they are called
    source   where the data come from
    licence  and under which terms
    """

    name: str
    X: FloatArray
    y: IntArray
    classes: tuple[Label, ...]
    source: str = "a file of your own"
    licence: str = "unknown"

    @property
    def n_rows(self) -> int:
        """N."""
        return len(self.X)

    @property
    def n_columns(self) -> int:
        """d."""
        return int(self.X.shape[1])

    @property
    def n_classes(self) -> int:
        """K."""
        return len(self.classes)

    @property
    def checksum(self) -> str:
        """SHA-256 of all numbers."""
        return digest(self.X, self.y)

    def as_problem(self, **options: Any) -> ClassificationProblem:
        """The set as a bandit; options as in `ClassificationProblem.from_arrays`."""
        labels = np.array(self.classes)[self.y]
        return ClassificationProblem.from_arrays(self.X, labels, **{"classes": self.classes, **options})

    problem = as_problem

    def as_log(
        self,
        logging_policy: Any = "uniform",
        *,
        n: int | None = None,
        seed: int = 0,
        floor: float = 0.0,
        **options: Any,
    ) -> Log:
        """A log of a policy that played the set, n rows of it in an order of the seed's own (each pass in another).

        logging_policy: a policy that has learnt or not (it does not learn here), "uniform", or a function of contexts
            (K, d) that returns chances (K,).
        floor: the share of decisions that go to any arm, all alike.
        options: of the problem, as in `as_problem`. Contexts of arms are made when the log is read, not before.
        """
        problem = self.as_problem(**{**options, "cycle": True})
        count = self.n_rows if n is None else int(n)
        rows = problem.rows(seed, 0, 0, count)
        log = Log.from_arrays(
            arms=np.zeros(count, dtype=np.int64), rewards=np.zeros(count), contexts=problem.features[rows],
            n_arms=problem.n_arms,
        )  # fmt: skip
        chances = chances_of(log.per_arm(problem.vectors), logging_policy, problem.n_features, seed, as_share(floor))
        arms = served(chances, generator(seed, 2))
        rewards = (problem.answers[rows] == arms).astype(np.float64)
        whole = Log.from_arrays(
            arms=arms, rewards=rewards, probabilities=chances, contexts=problem.features[rows], adaptive=False
        )
        return named(whole.per_arm(problem.vectors), self.name)

    def __repr__(self) -> str:
        return f"Dataset({self.name!r}, {self.n_rows} rows, {self.n_columns} columns, {self.n_classes} classes)"


def chances_of(log: Log, logging_policy: Any, n_features: int, seed: int, floor: float) -> FloatArray:
    """(n, K) what a policy that does not learn gives to the arms of every row, with a floor."""
    chooser, parts = chances_by(logging_policy, n_features), []
    for batch in log:
        if isinstance(logging_policy, Policy):
            policy = logging_policy.copy()
            policy.reseed(seed, int(batch.rows[0]))
            parts.append(policy.probabilities_many(batch.cube).reshape(len(batch), -1))
        else:
            parts.append(np.array([checked_chances(chooser(X), len(X)) for X in batch.cube]))
    chances = np.concatenate(parts)
    return np.asarray((1.0 - floor) * chances + floor / chances.shape[1])


def named(log: Log, name: str) -> Log:
    """A log by another name."""
    return log.map(same, name=name)


def same(batch: Any) -> Any:
    """Nothing is changed."""
    return batch


@dataclass(frozen=True, eq=False, repr=False)
class Choices:
    """Rows with a context for each of K alternatives, of which one was chosen.

    X         (N, K, d) what the alternatives were like
    chosen    (N,)
    columns   (d,) what the numbers are
    arms      (K,) what the alternatives are called
    """

    name: str
    X: FloatArray
    chosen: IntArray
    columns: tuple[str, ...]
    arms: tuple[str, ...]
    source: str
    licence: str

    @property
    def n_rows(self) -> int:
        """N."""
        return len(self.X)

    @property
    def checksum(self) -> str:
        """SHA-256 of all numbers."""
        return digest(self.X, self.chosen)

    def contexts(self, *, standardize: bool = True, constants: bool = True) -> FloatArray:
        """(N, K, d'): columns with mean 0 and deviation 1 over all alternatives, and a unit vector for each of them."""
        X = self.X
        if standardize:
            flat = X.reshape(-1, X.shape[2])
            spread = flat.std(axis=0)
            X = (X - flat.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
        if constants:
            unit = np.broadcast_to(np.eye(X.shape[1]), (len(X), X.shape[1], X.shape[1]))
            return np.concatenate([X, unit], axis=2)
        whole: FloatArray = X
        return whole

    def as_problem(
        self, *, standardize: bool = True, constants: bool = True, horizon: int | None = None, cycle: bool = False
    ) -> ChoiceProblem:
        """The set as a bandit: to offer what was chosen pays 1."""
        X = self.contexts(standardize=standardize, constants=constants)
        return ChoiceProblem(X, self.chosen, horizon=horizon, cycle=cycle)

    def problem(self, **options: Any) -> ChoiceProblem:
        """`as_problem`; options that only classes have are not for it."""
        known = ("standardize", "constants", "horizon", "cycle")
        return self.as_problem(**{name: value for name, value in options.items() if name in known})

    def as_log(
        self,
        logging_policy: Any = "uniform",
        *,
        n: int | None = None,
        seed: int = 0,
        floor: float = 0.0,
        **options: Any,
    ) -> Log:
        """A log of a policy that played the set; see `Dataset.as_log`."""
        problem = self.as_problem(**{**options, "cycle": True})
        rows = problem.rows(seed, 0, 0, self.n_rows if n is None else int(n))
        X, arms = problem.contexts[rows], np.zeros(len(rows), dtype=np.int64)
        bare = Log.from_arrays(arms=arms, rewards=np.zeros(len(rows)), contexts=X)
        chances = chances_of(bare, logging_policy, problem.n_features, seed, as_share(floor))
        arms = served(chances, generator(seed, 2))
        rewards = (problem.chosen[rows] == arms).astype(np.float64)
        log = Log.from_arrays(arms=arms, rewards=rewards, probabilities=chances, contexts=X, adaptive=False)
        return named(log, self.name)

    def __repr__(self) -> str:
        return f"Choices({self.name!r}, {self.n_rows} rows, {self.X.shape[1]} alternatives, {self.X.shape[2]} columns)"


@dataclass(frozen=True, eq=False, repr=False)
class Logged:
    """Decisions that were really taken: a log of somebody's, or an experiment with arms drawn by lot.

    probabilities  (n, K) or (n,), true where somebody logged them; of an experiment the shares of its arms
    adaptive       whether the policy learnt meanwhile; None: not known
    notes          what is to be known before it is used
    """

    name: str
    X: FloatArray
    chosen: IntArray
    rewards: FloatArray
    probabilities: FloatArray
    columns: tuple[str, ...]
    arms: tuple[str, ...]
    source: str
    licence: str
    notes: str = ""
    times: FloatArray | None = None
    adaptive: bool | None = False

    @property
    def n_rows(self) -> int:
        """n."""
        return len(self.X)

    @property
    def checksum(self) -> str:
        """SHA-256 of all numbers."""
        return digest(self.X, self.chosen, self.rewards, self.probabilities)

    def as_log(self) -> Log:
        """The log; its context is shared by the arms (`per_arm` makes one of each)."""
        log = Log.from_arrays(
            arms=self.chosen, rewards=self.rewards, probabilities=self.probabilities, contexts=self.X,
            n_arms=len(self.arms), times=self.times, adaptive=self.adaptive,
        )  # fmt: skip
        return named(log, self.name)

    def as_problem(self, **options: Any) -> Any:
        """There is none: nobody knows what the other arms would have earned."""
        raise InvalidInputError(
            f"{self.name!r} is a log: what the other arms would have earned is not known. Use as_log()."
        )

    problem = as_problem

    def __repr__(self) -> str:
        return f"Logged({self.name!r}, {self.n_rows} rows, {len(self.arms)} arms, {len(self.columns)} columns)"
