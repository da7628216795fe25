"""Chances of a log that has none: estimated by a multinomial model of the arm served, cross-fitted and calibrated.

P(a) ∝ exp(s_a / T): s_a = x_aᵀβ + c_a where arms have contexts, s_a = xᵀβ_a + c_a where they share one (c_a only where
arms are known by numbers), by penalised maximum likelihood; T, by maximum likelihood on rows that the model has not
seen, makes up for scores that are too sure of themselves. A guess stays a guess: whatever is computed with it says so.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from rbmle.evaluation.rewards.base import Learner, folds_of, shared_of
from rbmle.logs import Batch
from rbmle.logs.batch import offsets_of
from rbmle.types import FloatArray, IntArray, KeyArray

# The model learns from so many rows at most: those of the smallest keys, which are a fair sample.
MOST_ROWS = 20_000
# More arms than these have no parameter of their own in a model of contexts.
MOST_ARMS = 100
PENALTY = 1.0


@dataclass(frozen=True, eq=False)
class Behaviour:
    """What the logging policy is thought to have done: parameters (F, …) and temperatures (F,) by fold."""

    folds: int
    n_arms: int
    parameters: FloatArray
    temperatures: FloatArray

    def chances(self, batch: Batch) -> FloatArray:
        """(ΣK,) the chance of every arm, by a model that has not seen the row."""
        owner = np.repeat(np.arange(len(batch)), batch.sizes)
        folds, scores = folds_of(batch.keys, self.folds)[owner], np.empty(len(owner))
        X, shared, numbers = design(batch)
        for fold in range(self.folds):
            own = folds == fold
            if own.any():
                place = numbers[own]
                beta = widened(self.parameters[fold], X.shape[1], self.n_arms, shared, place)
                scores[own] = scores_of(X[own], place, shared, beta) / self.temperatures[fold]
        return softmax(scores, batch.offsets)


def design(batch: Batch) -> tuple[FloatArray, bool, IntArray]:
    """Contexts by arm (ΣK, d), whether the arms share them, and the arms' numbers."""
    shared = shared_of(batch)
    if shared is None:
        return np.array(batch.contexts), False, batch.numbers
    return np.repeat(shared, batch.sizes, axis=0), True, batch.numbers


def scores_of(X: FloatArray, numbers: IntArray, shared: bool, beta: FloatArray) -> FloatArray:
    """s_a; beta (A, d + 1) where arms share contexts, (A + d,) otherwise: c of the arms, then β."""
    if shared:
        return np.asarray((X * beta[numbers, :-1]).sum(axis=1) + beta[numbers, -1])
    A = len(beta) - X.shape[1]
    own = np.where(numbers < A, numbers, 0)
    return np.asarray(X @ beta[A:] + (np.where(numbers < A, beta[own], 0.0) if A else 0.0))


def widened(flat: FloatArray, d: int, n_arms: int, shared: bool, numbers: IntArray) -> FloatArray:
    """Parameters in their shape; arms that nobody has seen have zeros."""
    if not shared:
        return flat
    beta = flat.reshape(n_arms, d + 1)
    missing = int(numbers.max(initial=0)) + 1 - n_arms
    return np.concatenate([beta, np.zeros((missing, d + 1))]) if missing > 0 else beta


def softmax(scores: FloatArray, offsets: IntArray) -> FloatArray:
    """Chances of the arms of every row."""
    if not len(scores):
        return scores
    sizes = np.diff(offsets)
    powers = np.exp(scores - np.repeat(np.maximum.reduceat(scores, offsets[:-1]), sizes))
    return np.asarray(powers / np.repeat(np.add.reduceat(powers, offsets[:-1]), sizes))


@dataclass(frozen=True)
class BehaviourFit:
    """The model that is to be learnt."""

    folds: int
    name: str = "multinomial"

    def learner(self) -> "BehaviourRows":
        """One that has seen nothing."""
        return BehaviourRows(self)


class BehaviourRows(Learner):
    """A fair sample of rows: those of the smallest keys, whatever the order in which they come."""

    def __init__(self, fit: BehaviourFit) -> None:
        self.fit = fit
        self.kept: list[Batch] = []
        self.count = 0

    def add(self, batch: Batch) -> None:
        """Take in rows."""
        self.kept.append(batch)
        self.count += len(batch)
        if self.count > 2 * MOST_ROWS:
            self._prune()

    def _prune(self) -> None:
        keys = np.concatenate([batch.keys for batch in self.kept])
        if len(keys) > MOST_ROWS:
            last = np.partition(keys, MOST_ROWS - 1)[MOST_ROWS - 1]
            self.kept = [batch.take(batch.keys <= last, "not sampled") for batch in self.kept]
            self.kept = [batch for batch in self.kept if len(batch)]
            self.count = sum(map(len, self.kept))

    def merge(self, other: Self) -> None:
        """Take in the rows of another."""
        self.kept += other.kept
        self.count += other.count
        self._prune()

    def finish(self) -> Behaviour:
        """A model for every fold."""
        self._prune()
        rows = Sample.of(self.kept)
        folds = folds_of(rows.keys, self.fit.folds)
        fitted = [calibrated(rows, folds != fold) for fold in range(self.fit.folds)]
        parameters = np.array([beta for beta, _ in fitted])
        return Behaviour(self.fit.folds, rows.n_arms, parameters, np.array([temperature for _, temperature in fitted]))


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows of arms side by side."""

    keys: KeyArray
    X: FloatArray
    shared: bool
    numbers: IntArray
    sizes: IntArray
    arm: IntArray
    n_arms: int

    @classmethod
    def of(cls, batches: list[Batch]) -> "Sample":
        """All rows of batches."""
        designs = [design(batch) for batch in batches]
        numbers = np.concatenate([each for _, _, each in designs])
        shared = designs[0][1]
        K = int(numbers.max()) + 1
        n_arms = K if shared or K <= MOST_ARMS else 0
        return cls(
            np.concatenate([batch.keys for batch in batches]),
            np.concatenate([X for X, _, _ in designs]),
            shared,
            numbers,
            np.concatenate([batch.sizes for batch in batches]),
            np.concatenate([batch.arm for batch in batches]),
            n_arms,
        )

    def some(self, rows: Any) -> "Sample":
        """Some of the rows."""
        of_arms = np.repeat(rows, self.sizes)
        return Sample(
            self.keys[rows], self.X[of_arms], self.shared, self.numbers[of_arms], self.sizes[rows], self.arm[rows],
            self.n_arms,
        )  # fmt: skip

    @property
    def size(self) -> int:
        """How many parameters the model has."""
        d = int(self.X.shape[1])
        return self.n_arms * (d + 1) if self.shared else self.n_arms + d

    def scores(self, flat: FloatArray) -> FloatArray:
        """s of all arms."""
        beta = flat.reshape(self.n_arms, -1) if self.shared else flat
        return scores_of(self.X, self.numbers, self.shared, beta)

    def pulled(self, residuals: FloatArray) -> FloatArray:
        """The gradient of Σ residual · s."""
        if not self.shared:
            by_arm = np.bincount(self.numbers, weights=residuals, minlength=self.n_arms)[: self.n_arms]
            return np.concatenate([by_arm, residuals @ self.X])
        gradient = np.zeros((self.n_arms, self.X.shape[1] + 1))
        np.add.at(gradient, self.numbers, residuals[:, None] * np.column_stack([self.X, np.ones(len(self.X))]))
        return gradient.reshape(-1)


def calibrated(rows: Sample, own: Any) -> tuple[FloatArray, float]:
    """Parameters from some rows, and the temperature that suits rows they were not learnt from."""
    part = rows.some(own)
    if not len(part.sizes):
        return np.zeros(rows.size), 1.0
    half = (part.keys & np.uint64(1)).astype(np.bool_)
    if not half.any() or half.all():
        return fitted(part), 1.0
    first, second = part.some(half), part.some(~half)
    scores, offsets = second.scores(fitted(first)), offsets_of(second.sizes)
    served = offsets[:-1] + second.arm

    def loss(log_temperature: float) -> float:
        chances = softmax(scores / np.exp(log_temperature), offsets)[served]
        return float(-np.log(np.maximum(chances, 1e-300)).sum())

    best = minimize_scalar(loss, bounds=(-1.0, 3.0), method="bounded")
    return fitted(part), float(np.exp(best.x))


def fitted(rows: Sample) -> FloatArray:
    """The penalised maximum-likelihood estimate."""
    offsets = offsets_of(rows.sizes)
    served = offsets[:-1] + rows.arm

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        chances = softmax(rows.scores(flat), offsets)
        value = -np.log(np.maximum(chances[served], 1e-300)).sum() + 0.5 * PENALTY * flat @ flat
        chances[served] -= 1.0
        return float(value), rows.pulled(chances) + PENALTY * flat

    found = minimize(loss, np.zeros(rows.size), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    return np.asarray(found.x)
