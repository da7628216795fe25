"""Where contexts and rewards come from: problems drawn at random, problems that drift, problems prepared beforehand."""

from rbmle.problems.base import Problem, Rounds
from rbmle.problems.choices import ChoiceProblem
from rbmle.problems.classification import ClassificationProblem
from rbmle.problems.contexts import (
    Ball,
    Box,
    ContextLaw,
    CorrelatedArms,
    Given,
    Normal,
    Scaled,
    Sparse,
    Sphere,
)
from rbmle.problems.drawn import DrawnProblem
from rbmle.problems.drifting import DriftingProblem
from rbmle.problems.drifts import Abrupt, Drift, Rotation, Straight
from rbmle.problems.glm import GLMProblem
from rbmle.problems.linear import LinearProblem
from rbmle.problems.misspecified import Misspecification, Ripple
from rbmle.problems.noise import ArmNoise, BoundedReward, ContextNoise, Gaussian, Noise, Rademacher, Uniform
from rbmle.problems.prepared import PreparedProblem
from rbmle.problems.sampled import SampledProblem

__all__ = [
    "Abrupt",
    "ArmNoise",
    "Ball",
    "BoundedReward",
    "Box",
    "ChoiceProblem",
    "ClassificationProblem",
    "ContextLaw",
    "ContextNoise",
    "CorrelatedArms",
    "DrawnProblem",
    "Drift",
    "DriftingProblem",
    "GLMProblem",
    "Gaussian",
    "Given",
    "LinearProblem",
    "Misspecification",
    "Noise",
    "Normal",
    "PreparedProblem",
    "Problem",
    "Rademacher",
    "Ripple",
    "Rotation",
    "Rounds",
    "SampledProblem",
    "Scaled",
    "Sparse",
    "Sphere",
    "Straight",
    "Uniform",
]
