"""Predictions that do not come from this log: an array, a function, a model that has learnt elsewhere."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rbmle.errors import InvalidInputError
from rbmle.evaluation.rewards.base import Fit, Predictor, checked
from rbmle.evaluation.rewards.linear import GLMFit, RidgeFit
from rbmle.evaluation.rewards.regressor import RegressorFit
from rbmle.families import get
from rbmle.logs import Batch
from rbmle.models.glm import GLMModel
from rbmle.models.ridge import RidgeModel
from rbmle.types import FloatArray

FAMILIES = ("logistic", "poisson")


@dataclass(frozen=True, eq=False)
class ArrayPredictions(Predictor):
    """(n, K), of the rows of the log in their order."""

    values: FloatArray
    name: str = "array"
    learnt_here = False

    def predict(self, batch: Batch) -> FloatArray:
        """Those of the rows."""
        if len(batch) and int(batch.rows[-1]) >= len(self.values):
            raise InvalidInputError(
                f"reward_model must have a row for each of the log. It has {len(self.values)}, and the log goes on."
            )
        return checked(self.values[batch.rows], batch, "reward_model")


@dataclass(frozen=True, eq=False)
class FunctionPredictions(Predictor):
    """A function of a batch of rows."""

    function: Callable[[Batch], Any]
    name: str
    learnt_here = False

    def predict(self, batch: Batch) -> FloatArray:
        """What it returns, checked."""
        return checked(self.function(batch), batch, f"{self.name}(batch)")


@dataclass(frozen=True, eq=False)
class ModelPredictions(Predictor):
    """A model of ours that has learnt: `predict(contexts)`."""

    model: Any
    name: str
    learnt_here = False

    def predict(self, batch: Batch) -> FloatArray:
        """Mean rewards of all arms."""
        if batch.contexts is None:
            raise InvalidInputError("A model needs a log with contexts of every arm.")
        if not len(batch):
            return np.empty(0)
        mean, _ = self.model.predict(np.array(batch.contexts))
        return checked(mean, batch, self.name)


def as_model(model: Any, folds: int, regularization: float) -> Predictor | Fit:
    """Whatever `evaluate` takes as a reward model: something that predicts, or that is to be learnt from the log."""
    if isinstance(model, Predictor | Fit):
        return model
    if model is None or (isinstance(model, str) and model == "ridge"):
        return RidgeFit(folds, regularization)
    if isinstance(model, str) and model in FAMILIES:
        return GLMFit(folds, get(model), regularization)
    if isinstance(model, RidgeModel | GLMModel):
        if model.n:
            return ModelPredictions(model, type(model).__name__)
        if isinstance(model, GLMModel):
            return GLMFit(folds, model.family, model.regularization)
        return RidgeFit(folds, model.regularization)
    if hasattr(model, "fit") and hasattr(model, "predict"):
        return RegressorFit(folds, model)
    if isinstance(model, list | tuple) or hasattr(model, "__array__"):
        return ArrayPredictions(np.asarray(model, dtype=np.float64))
    if callable(model):
        return FunctionPredictions(model, getattr(model, "__name__", "reward_model"))
    raise InvalidInputError(
        "reward_model must be 'ridge', 'logistic', 'poisson', a model of rbmle.models, a regressor with fit and "
        f"predict, an array of predictions (n, K) or a function of a batch of rows. Got {model!r}."
    )
