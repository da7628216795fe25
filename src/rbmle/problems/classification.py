"""A data set as a bandit: a class is an arm, and the right one pays 1."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from rbmle import params
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.inputs import LARGEST_CONTEXT, as_numbers, require_within
from rbmle.params import Flag, Integer, OneOf, Optional, Real
from rbmle.problems.base import Matrix, Problem, Rounds, digest_of
from rbmle.problems.labels import Label, as_answers
from rbmle.problems.shuffled import Shuffled
from rbmle.random import generator
from rbmle.types import ArrayLike, FloatArray

ENCODINGS = ("disjoint", "shared", "embedded")


class ClassificationProblem(Shuffled, Problem):
    """Rows of a data set, one a round: the arms are the classes, the right one pays 1 and all others 0.

    The context of arm a is e_a ⊗ x: the row x once for every entry of a vector e_a that describes the arm, times that
    entry. The vectors say what the arms have in common (`from_arrays` makes them by name). Regret counts wrong answers.

    Only the rows (N, d), the answers (N,) and the vectors (K, m) are kept, N · d + N + K · m numbers; the contexts
    (K, m · d) of a round are made when a block is asked for, and a simulation asks for 64 MB at most. Every trial has
    the rows in an order of its own, a function of (seed, trial); where a trial is longer than the data, each pass has.

    features: (N, d), finite.
    answers: (N,), the number of the right arm in every row.
    vectors: (K, m), e_a of every arm.
    classes: what each arm stands for; by default its number.
    horizon: the most rounds of a trial; by default N, and with `cycle` there is no end.
    cycle: start over with the rows, in a new order, where the data end. Otherwise more than N rounds are refused.

    >>> X, y = [[1.0, 0.5], [0.0, 2.0], [3.0, 1.0]], ["no", "yes", "yes"]
    >>> problem = ClassificationProblem.from_arrays(X, y)
    >>> block = problem.rounds(seed=0, trial=0, start=0, stop=1)
    >>> block.contexts
    array([[[3., 1., 0., 0.],
            [0., 0., 3., 1.]]])
    >>> block.rewards, problem.classes
    (array([[0., 1.]]), ('no', 'yes'))
    """

    static = False

    def __init__(
        self,
        features: "ArrayLike",
        answers: "ArrayLike",
        vectors: "ArrayLike",
        *,
        classes: Sequence[Label] | None = None,
        horizon: int | None = None,
        cycle: bool = False,
    ) -> None:
        self.features = as_table(features, "features")
        params.require(self, "vectors", vectors, Matrix())
        params.require(self, "horizon", horizon, Optional(Integer(1)))
        params.require(self, "cycle", cycle, Flag())
        self.vectors = np.array(vectors, dtype=np.float64)
        self.n_arms = len(self.vectors)
        names = range(self.n_arms) if classes is None else classes
        self.answers, _ = as_answers(answers, len(self.features), range(self.n_arms))
        self.classes = tuple(names)
        if len(self.classes) != self.n_arms:
            raise InvalidInputError(f"classes must name {self.n_arms} arms. Got {len(self.classes)}.")
        self.n_rows, self.n_features = len(self.features), self.vectors.shape[1] * self.features.shape[1]
        self.cycle = bool(cycle)
        self.horizon = len(self.features) if horizon is None and not cycle else horizon
        if not cycle and self.horizon is not None and self.horizon > len(self.features):
            raise InvalidParameterError(
                f"The 'horizon' parameter of {type(self).__name__} must be at most the number of rows, "
                f"{len(self.features)}, unless cycle=True. Got {horizon} instead."
            )

    @classmethod
    def from_arrays(
        cls,
        X: "ArrayLike",
        y: "ArrayLike",
        *,
        encoding: str = "disjoint",
        embedding: "ArrayLike | int | None" = None,
        classes: Sequence[Label] | None = None,
        normalize: bool = False,
        missing: float | None = None,
        horizon: int | None = None,
        cycle: bool = False,
    ) -> "ClassificationProblem":
        """A problem of features X (N, d) and labels y (N,): whole numbers or text.

        encoding: what arms have in common.
            "disjoint"  nothing: the row in block a of K blocks, 0 elsewhere; K · d features. (e_a is the a-th unit
                        vector.) V and V⁻¹ of a ridge model are then block diagonal.
            "shared"    a part of their parameters: the row itself, then the row in block a; (K + 1) · d features. What
                        was learnt of one arm is the first guess of one never tried.
            "embedded"  what `embedding` says; m · d features, also where classes are many.
        embedding: of "embedded" only: vectors (K, m) of the classes, or m for directions drawn once and for all.
        classes: which class is which arm, some that do not occur among them; by default those that occur, sorted.
        normalize: divide every row by its norm (a row of zeros stays).
        missing: what stands for NaN, put in before rows are normalized; by default NaN is refused.
        horizon, cycle: see the class.
        """
        params.require(cls.__name__, "encoding", encoding, OneOf(*ENCODINGS))
        params.require(cls.__name__, "normalize", normalize, Flag())
        params.require(cls.__name__, "missing", missing, Optional(Real()))
        features = as_table(X, "X", missing)
        answers, names = as_answers(y, len(features), classes)
        if normalize:
            norms = np.linalg.norm(features, axis=1, keepdims=True)
            features = features / np.where(norms > 0.0, norms, 1.0)
        vectors = arm_vectors(cls.__name__, encoding, embedding, len(names))
        return cls(features, answers, vectors, classes=names, horizon=horizon, cycle=cycle)

    def rounds(self, seed: int, trial: int, start: int, stop: int) -> Rounds:
        """Rounds start … stop−1 of a trial."""
        rows = self.rows(seed, trial, start, stop)
        rewards = np.zeros((len(rows), self.n_arms))
        rewards[np.arange(len(rows)), self.answers[rows]] = 1.0
        return Rounds(self._encoded(self.features[rows]), rewards, rewards)

    def _encoded(self, X: FloatArray) -> FloatArray:
        """e_a ⊗ x for all arms: (B, K, m · d)."""
        (B, d), (K, m) = X.shape, self.vectors.shape
        contexts = np.zeros((B, K, m, d))
        for arm, place in np.argwhere(self.vectors):  # most entries are 0 where arms have little in common
            np.multiply(X, self.vectors[arm, place], out=contexts[:, arm, place])
        return contexts.reshape(B, K, m * d)

    @property
    def params(self) -> dict[str, Any]:
        """Sizes, and a digest of all numbers."""
        return {
            "rows": len(self.features),
            "columns": self.features.shape[1],
            "n_arms": self.n_arms,
            "n_features": self.n_features,
            "horizon": self.horizon,
            "cycle": self.cycle,
            "sha256": self._digest,
        }

    @cached_property
    def _digest(self) -> str:
        return digest_of(self.features, self.answers, self.vectors)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({len(self.features)} rows of {self.features.shape[1]}, n_arms={self.n_arms}, "
            f"n_features={self.n_features}, horizon={self.horizon})"
        )


def as_table(X: Any, name: str, missing: float | None = None) -> FloatArray:
    """Finite rows (N, d), with `missing` in the place of NaN where that is a number."""
    table = as_numbers(X, name)
    if table.ndim != 2 or 0 in table.shape:
        raise InvalidInputError(f"{name} must have shape (n_rows, n_columns). Got shape {table.shape}.")
    gaps = np.isnan(table)
    if gaps.any():
        if missing is None:
            row, column = map(int, np.argwhere(gaps)[0])
            raise InvalidInputError(
                f"{name} must be finite, or say what stands for a missing value: missing=-1.0. "
                f"Got nan at {name}[{row}, {column}]."
            )
        table = np.where(gaps, missing, table)
    require_within(table, name, LARGEST_CONTEXT)
    return table.copy() if table is X else table


def arm_vectors(owner: str, encoding: str, embedding: Any, n_arms: int) -> FloatArray:
    """e_a of every arm: (K, m)."""
    if encoding != "embedded":
        if embedding is not None:
            raise InvalidParameterError(
                f"The 'embedding' parameter of {owner} goes with encoding='embedded' only, not {encoding!r}."
            )
        return np.eye(n_arms) if encoding == "disjoint" else np.hstack([np.ones((n_arms, 1)), np.eye(n_arms)])
    if Integer(1).holds(embedding):
        # A seed of its own: the embedding is part of the problem, not of a simulation of it.
        directions = generator(0).standard_normal((n_arms, int(embedding)))
        unit: FloatArray = directions / np.linalg.norm(directions, axis=1, keepdims=True)
        return unit
    if not Matrix().holds(embedding) or len(embedding) != n_arms:
        raise InvalidParameterError(
            f"The 'embedding' parameter of {owner} must be a vector of finite numbers for each of {n_arms} classes, or "
            f"how long they are to be, an int in [1, inf). Got {embedding!r} instead."
        )
    return np.array(embedding, dtype=np.float64)
