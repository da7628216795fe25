"""The checks of models pass for every model, and each one fails for a model with the fault it looks for."""

import importlib
import inspect
import pkgutil
from functools import partial

import numpy as np
import pytest

from rbmle import Discount, Window, models
from rbmle.errors import InvalidInputError
from rbmle.models.ecolog import ECOLogModel
from rbmle.models.ensemble_ridge import EnsembleRidge
from rbmle.models.factored_ridge import FactoredRidge
from rbmle.models.forgetting_glm import ForgettingGLM
from rbmle.models.forgetting_ridge import ForgettingRidge
from rbmle.models.glm import GLMModel
from rbmle.models.laplace import LaplaceModel
from rbmle.models.ridge import RidgeModel
from rbmle.models.scaled_glm import ScaledGLM
from rbmle.models.scaled_ridge import ScaledRidge
from rbmle.models.sequential_glm import SequentialGLM
from rbmle.testing import MODEL_CHECKS, CheckFailed, check_model

CHECKS = {check.__name__: check for check in MODEL_CHECKS}
MODELS = {
    "RidgeModel": partial(RidgeModel, n_features=3),
    "ScaledRidge": partial(ScaledRidge, n_features=3),
    "GLMModel": partial(GLMModel, n_features=3),
    "GLMModel online": partial(GLMModel, n_features=3, memory="online"),
    "LaplaceModel": partial(LaplaceModel, n_features=3),
    "FactoredRidge": partial(FactoredRidge, n_features=3),
    "EnsembleRidge": partial(EnsembleRidge, n_features=3, members=4),
    "ForgettingRidge": partial(ForgettingRidge, n_features=3, forgetting=Discount(0.9, sandwich=True)),
    "ForgettingGLM": partial(ForgettingGLM, n_features=3, forgetting=Window(15)),
    "ScaledGLM": partial(ScaledGLM, n_features=3),
    "SequentialGLM": partial(SequentialGLM, n_features=3),
    "ECOLogModel": partial(ECOLogModel, n_features=3),
}


def test_these_are_all_models():
    """Every class that can learn, whatever file it is in."""
    found = set()
    for module in pkgutil.iter_modules(models.__path__):
        inside = importlib.import_module(f"{models.__name__}.{module.name}")
        found |= {
            name
            for name, value in vars(inside).items()
            if inspect.isclass(value) and value.__module__ == inside.__name__ and hasattr(value, "observe_many")
        }
    assert found - {"Model"} == {name.split()[0] for name in MODELS}


@pytest.mark.parametrize("check", MODEL_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", MODELS)
def test_every_model_passes(name, check):
    check(MODELS[name])


@pytest.mark.parametrize("lam", [1e-3, 0.1, 1.0, 30.0, 1e3])
@pytest.mark.parametrize("d", [1, 3, 20])
def test_ridge_models_of_all_sizes(d, lam):
    check_model(lambda: RidgeModel(n_features=d, regularization=lam))


class Forgets(RidgeModel):
    def observe_many(self, contexts, rewards):
        super().observe_many(contexts[1:], rewards[1:])


class HandsOutViews(RidgeModel):
    def state(self):
        return {**super().state(), "b": self._b}


class Open(RidgeModel):
    n_features = property(lambda self: self._d, lambda self, d: None)


class MergesTheCount(RidgeModel):
    def merge(self, other):
        self._n += other.n


class LearnsHalfABatch(RidgeModel):
    def observe_many(self, contexts, rewards):
        for context, reward in zip(contexts, rewards, strict=True):
            self.observe(context, reward)


class StartsApart(RidgeModel):
    def __init__(self, **arguments):
        super().__init__(**arguments)
        self._V_inv[:] = np.eye(self._d)


class IsTooSure(RidgeModel):
    def predict(self, contexts):
        mean, variance = super().predict(contexts)
        return mean, variance - 0.5


class TakesNonsense(RidgeModel):
    def restore(self, state):
        try:
            super().restore(state)
        except InvalidInputError:
            self._version += 1


FAULTS = {
    "model_batches_equal_single_ones": Forgets,
    "model_states_are_copies": HandsOutViews,
    "model_parameters_stay": Open,
    "model_merging_adds_up": MergesTheCount,
    "model_batches_are_all_or_none": LearnsHalfABatch,
    "model_inverses_are_inverses": StartsApart,
    "model_predictions_are_numbers": IsTooSure,
    "model_nonsense_is_not_restored": TakesNonsense,
}


@pytest.mark.parametrize("name", CHECKS)
def test_each_check_finds_its_fault(name):
    with pytest.raises(CheckFailed):
        CHECKS[name](lambda: FAULTS[name](n_features=2, regularization=2.0))
