"""Ridge regression and generalized linear models, one per fold; one per arm too, where arms share a context."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import LinAlgError, solve

from rbmle import kernels
from rbmle.errors import ConvergenceError
from rbmle.evaluation.rewards.base import Fit, Learner, Predictor, folds_of, shared_of
from rbmle.families import Family
from rbmle.logs import Batch
from rbmle.models.glm import GLMModel
from rbmle.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class LinearPredictor(Predictor):
    """θ (F, A, d + 1) by fold and arm, the last number the intercept; A is 1 where arms have contexts of their own."""

    name: str
    folds: int
    theta: FloatArray
    family: Family | None = None

    def predict(self, batch: Batch) -> FloatArray:
        """xᵀθ, through the family's mean where there is one."""
        folds, predictions = folds_of(batch.keys, self.folds), np.empty(int(batch.offsets[-1]))
        shared = shared_of(batch)
        if shared is None and batch.contexts is not None:
            kernels.logs.predict.of_arms(batch.contexts, batch.offsets, folds, self.theta[:, 0], predictions)
        elif shared is not None:
            theta = grown(self.theta, int(batch.numbers.max(initial=0)) + 1)
            kernels.logs.predict.of_shared(shared, batch.offsets, batch.numbers, folds, theta, predictions)
        return predictions if self.family is None else self.family.mean(predictions)


def grown(theta: FloatArray, n_arms: int) -> FloatArray:
    """θ with a place for arms that nobody has seen: what all arms have in common, which is an intercept."""
    F, A, D = theta.shape
    if n_arms <= A:
        return theta
    new = np.zeros((F, n_arms, D))
    new[:, :A] = theta
    new[:, A:, -1] = theta[:, :, -1].mean(axis=1, keepdims=True)
    return new


@dataclass(frozen=True)
class RidgeFit(Fit):
    """Ridge regression of rewards on contexts and an intercept, around the mean reward."""

    folds: int
    regularization: float = 1.0
    name: str = "ridge"

    def learner(self) -> "RidgeSums":
        """One that has seen nothing."""
        return RidgeSums(self)


class RidgeSums(Learner):
    """Σ x xᵀ and Σ r x by fold and arm, (F, A, D, D + 1), as hi + lo."""

    def __init__(self, fit: RidgeFit) -> None:
        self.fit = fit
        self.hi: FloatArray | None = None
        self.lo: FloatArray | None = None
        self.known: FloatArray | None = None

    def add(self, batch: Batch) -> None:
        """Take in rows."""
        shared, F = shared_of(batch), self.fit.folds
        folds = folds_of(batch.keys, F)
        if shared is None and batch.contexts is not None:
            X, played, A = batch.contexts, batch.played, 1
        else:
            X, played = np.empty((0, 0)) if shared is None else shared, np.arange(len(batch))
            A = max(int(batch.arm_numbers.max(initial=0)) + 1, 1 if self.hi is None else self.hi.shape[1])
            folds = folds * A + batch.arm_numbers
        D = X.shape[1] + 1
        sums = np.zeros((F * A, D, D + 1))
        kernels.logs.ridge.learn(X, played, batch.reward, folds, sums)
        self._put(sums.reshape(F, A, D, D + 1))

    def _put(self, sums: FloatArray) -> None:
        self.known = None
        if self.hi is None or self.lo is None:
            self.hi, self.lo = np.zeros_like(sums), np.zeros_like(sums)
        A = max(sums.shape[1], self.hi.shape[1])
        self.hi, self.lo, sums = widened(self.hi, A), widened(self.lo, A), widened(sums, A)
        kernels.logs.sums.add_values(sums.reshape(-1), self.hi.reshape(-1), self.lo.reshape(-1))

    def merge(self, other: Self) -> None:
        """Take in the sums of another."""
        if other.hi is not None and other.lo is not None:
            self._put(other.hi)
            self._put(other.lo)

    def finish(self) -> LinearPredictor:
        """θ of every fold and arm."""
        return LinearPredictor(self.fit.name, self.fit.folds, self.theta())

    def theta(self) -> FloatArray:
        """(F, A, D): the ridge estimate from all other folds, shrunk to their mean reward."""
        if self.known is None:
            self.known = self._solved()
        return self.known

    def _solved(self) -> FloatArray:
        if self.hi is None or self.lo is None:
            return np.zeros((self.fit.folds, 1, 1))
        sums = self.hi + self.lo
        F, A, D, _ = sums.shape
        theta = np.zeros((F, A, D))
        for fold in range(F):
            others = sums[np.arange(F) != fold].sum(axis=0) if F > 1 else sums[0]
            count = others[:, -1, -2].sum()
            mean = others[:, -1, -1].sum() / count if count else 0.0
            for arm in range(A):
                theta[fold, arm] = ridge(others[arm], mean, self.fit.regularization)
        return theta


def widened(sums: FloatArray, A: int) -> FloatArray:
    """Sums with a place for A arms."""
    if sums.shape[1] == A:
        return sums
    new = np.zeros((len(sums), A, *sums.shape[2:]))
    new[:, : sums.shape[1]] = sums
    return new


def ridge(sums: FloatArray, mean: float, regularization: float) -> FloatArray:
    """θ = m + (Σ x xᵀ + λI)⁻¹ Σ (r − m) x, m at the intercept; sums (D, D + 1), the lower triangle of Σ x xᵀ."""
    lower, b = sums[:, :-1], sums[:, -1]
    V = np.tril(lower) + np.tril(lower, -1).T
    try:
        theta: FloatArray = solve(V + regularization * np.eye(len(V)), b - mean * V[:, -1], assume_a="pos")
    except LinAlgError as reason:
        raise ConvergenceError(f"The ridge model of the rewards could not be computed: {reason}.") from reason
    theta[-1] += mean
    return theta


@dataclass(frozen=True)
class GLMFit(Fit):
    """A generalized linear model of rewards on contexts and an intercept, with bounded memory (`GLMModel`)."""

    folds: int
    family: Family
    regularization: float = 1.0

    @property
    def name(self) -> str:  # type: ignore[override]
        """The family's."""
        return type(self.family).__name__.lower()

    def learner(self) -> "GLMLearner":
        """One that has seen nothing."""
        return GLMLearner(self)


class GLMLearner(Learner):
    """A model for every fold and arm."""

    def __init__(self, fit: GLMFit) -> None:
        self.fit = fit
        self.models: dict[tuple[int, int], GLMModel] = {}
        self.d = 0

    def new(self) -> GLMModel:
        """A model that has seen nothing."""
        return GLMModel(
            n_features=self.d + 1, family=self.fit.family, regularization=self.fit.regularization, memory="online"
        )

    def add(self, batch: Batch) -> None:
        """Take in rows."""
        shared, folds = shared_of(batch), folds_of(batch.keys, self.fit.folds)
        X, arms = (
            (batch.contexts[batch.played], zeros(batch)) if batch.contexts is not None else (shared, numbers(batch))
        )
        if X is None or not len(batch):
            return
        self.d = X.shape[1]
        rows = np.column_stack([X, np.ones(len(X))])
        for fold, arm in sorted(set(zip(folds.tolist(), arms.tolist(), strict=True))):
            own = (folds == fold) & (arms == arm)
            self.models.setdefault((fold, arm), self.new()).observe_many(rows[own], batch.reward[own])

    def merge(self, other: Self) -> None:
        """Take in the models of another."""
        self.d = max(self.d, other.d)
        for place, model in sorted(other.models.items()):
            self.models.setdefault(place, self.new()).merge(model)

    def finish(self) -> LinearPredictor:
        """θ of every fold and arm: the models of all other folds, merged."""
        F, A = self.fit.folds, 1 + max((arm for _, arm in self.models), default=0)
        theta = np.zeros((F, A, self.d + 1))
        for fold in range(F):
            for arm in range(A):
                whole = self.new()
                for other in range(F):
                    if (other != fold or F == 1) and (other, arm) in self.models:
                        whole.merge(self.models[other, arm])
                theta[fold, arm] = whole.theta_hat
        return LinearPredictor(self.fit.name, F, theta, self.fit.family)


def zeros(batch: Batch) -> IntArray:
    """All rows teach one model."""
    return np.zeros(len(batch), dtype=np.int64)


def numbers(batch: Batch) -> IntArray:
    """A row teaches the model of its arm."""
    return batch.arm_numbers
