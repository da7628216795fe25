"""What is learnt: models observe (context, reward) pairs and predict."""

from rbmle.models.glm import GLMModel
from rbmle.models.protocol import Model
from rbmle.models.ridge import RidgeModel
from rbmle.models.scaled_ridge import ScaledRidge

__all__ = ["GLMModel", "Model", "RidgeModel", "ScaledRidge"]
