"""Any regressor with fit and predict, scikit-learn's: a copy for each fold, fitted on all others in memory."""

import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rbmle.errors import InvalidInputError
from rbmle.evaluation.rewards.base import Fit, Learner, Predictor, checked, folds_of, shared_of
from rbmle.logs import Batch
from rbmle.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class RegressorFit(Fit):
    """The regressor as it was given, which is left alone."""

    folds: int
    regressor: Any

    @property
    def name(self) -> str:  # type: ignore[override]
        """The regressor's class."""
        return type(self.regressor).__name__

    def learner(self) -> "RegressorRows":
        """One that has seen nothing."""
        return RegressorRows(self)


class RegressorRows(Learner):
    """Contexts of the arms served, rewards and folds, in memory: n (d + 3) numbers."""

    def __init__(self, fit: RegressorFit) -> None:
        self.fit = fit
        self.rows: list[tuple[FloatArray, IntArray, FloatArray, IntArray]] = []
        self.shared = False

    def add(self, batch: Batch) -> None:
        """Take in rows."""
        shared = shared_of(batch)
        self.shared = shared is not None
        X = batch.contexts[batch.played] if batch.contexts is not None else np.array(shared)
        self.rows.append((X, batch.arm_numbers, np.array(batch.reward), folds_of(batch.keys, self.fit.folds)))

    def merge(self, other: Self) -> None:
        """Put the rows of another behind one's own."""
        self.rows += other.rows
        self.shared = self.shared or other.shared

    def finish(self) -> "RegressorPredictor":
        """A fitted copy for every fold."""
        X, arms, r, folds = (np.concatenate(column) for column in zip(*self.rows, strict=True))
        n_arms = int(arms.max(initial=0)) + 1 if self.shared else 0
        rows, models = design(X, arms, n_arms), []
        for fold in range(self.fit.folds):
            others = folds != fold if self.fit.folds > 1 else np.ones(len(r), dtype=np.bool_)
            models.append(fitted(self.fit.regressor, rows[others], r[others]))
        return RegressorPredictor(self.fit.name, self.fit.folds, tuple(models), n_arms)


def design(X: FloatArray, arms: IntArray, n_arms: int) -> FloatArray:
    """Contexts with the arm as a unit vector behind them, where arms share them."""
    if not n_arms:
        return X
    unit = np.zeros((len(X), n_arms))
    known = arms < n_arms
    unit[np.flatnonzero(known), arms[known]] = 1.0
    return np.column_stack([X, unit])


def fitted(regressor: Any, X: FloatArray, r: FloatArray) -> Any:
    """A fitted copy."""
    if not len(r):
        raise InvalidInputError("reward_model cannot be cross-fitted: some fold has all the rows. Use fewer folds.")
    if hasattr(regressor, "get_params"):
        from sklearn.base import clone

        return clone(regressor).fit(X, r)
    twin = copy.deepcopy(regressor)
    twin.fit(X, r)
    return twin


@dataclass(frozen=True, eq=False)
class RegressorPredictor(Predictor):
    """A fitted regressor for every fold."""

    name: str
    folds: int
    models: tuple[Any, ...]
    n_arms: int

    def predict(self, batch: Batch) -> FloatArray:
        """Each row by the model that has not seen it."""
        owner = np.repeat(np.arange(len(batch)), batch.sizes)
        shared = shared_of(batch)
        X = np.array(batch.contexts) if shared is None else design(shared[owner], batch.numbers, self.n_arms)
        folds, predictions = folds_of(batch.keys, self.folds)[owner], np.empty(len(owner))
        for fold, model in enumerate(self.models):
            own = folds == fold
            if own.any():
                predictions[own] = np.asarray(model.predict(X[own]), dtype=np.float64)
        return checked(predictions, batch, f"{self.name}.predict")
