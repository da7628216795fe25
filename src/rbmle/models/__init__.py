"""What is learnt: models observe (context, reward) pairs and predict."""

from rbmle.models.forgetting import Discount, Forgetting, Window
from rbmle.models.forgetting_glm import ForgettingGLM
from rbmle.models.forgetting_ridge import ForgettingRidge
from rbmle.models.glm import GLMModel
from rbmle.models.protocol import Model
from rbmle.models.ridge import RidgeModel
from rbmle.models.scaled_ridge import ScaledRidge

__all__ = [
    "Discount",
    "Forgetting",
    "ForgettingGLM",
    "ForgettingRidge",
    "GLMModel",
    "Model",
    "RidgeModel",
    "ScaledRidge",
    "Window",
]
