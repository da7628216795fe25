"""Where contexts and rewards come from: problems drawn at random, and problems prepared beforehand."""

from rbmle.problems.base import Problem, Rounds
from rbmle.problems.glm import GLMProblem
from rbmle.problems.linear import LinearProblem
from rbmle.problems.noise import BoundedReward, Gaussian, Noise, Rademacher, Uniform
from rbmle.problems.prepared import PreparedProblem
from rbmle.problems.sampled import SampledProblem

__all__ = [
    "BoundedReward",
    "GLMProblem",
    "Gaussian",
    "LinearProblem",
    "Noise",
    "PreparedProblem",
    "Problem",
    "Rademacher",
    "Rounds",
    "SampledProblem",
    "Uniform",
]
