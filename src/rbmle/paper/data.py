"""The paper's prepared data: every context and reward of every arm, from one seed of NumPy's legacy generator."""

import functools

import numpy as np

from rbmle.paper.settings import SEED, TRIALS, Setting
from rbmle.problems.prepared import PreparedProblem
from rbmle.types import FloatArray


@functools.lru_cache(maxsize=2)
def prepared(setting: Setting, horizon: int | None = None) -> PreparedProblem:
    """The sample paths behind a regret table, exactly as published (all 50 trials come from one stream)."""
    T = setting.horizon if horizon is None else horizon
    stream = np.random.RandomState(SEED)
    contexts = draw_contexts(stream, setting, T)
    means = left_to_right(contexts, np.array(setting.theta))
    shape = (TRIALS, T, setting.n_arms)
    if setting.family == "gaussian":
        rewards = stream.standard_normal(shape)
        rewards += means[:, None, :] if setting.static else means
    else:
        means = 1.0 / (1.0 + np.exp(-means))
        chances = np.broadcast_to(means[:, None, :] if setting.static else means, shape)
        rewards = stream.binomial(1, chances).astype(np.float64)
    return PreparedProblem(contexts, means, rewards)


def draw_contexts(stream: np.random.RandomState, setting: Setting, T: int) -> FloatArray:
    """Contexts N(0, 10 I) divided by their norm: (50, K, d) static, (50, T, K, d) varying."""
    d = len(setting.theta)
    shape = (TRIALS, setting.n_arms, d) if setting.static else (TRIALS, T, setting.n_arms, d)
    # The published draw goes through the SVD of 10·I, whose factors are exactly I and √10.
    contexts: FloatArray = stream.standard_normal(shape) * np.sqrt(10.0)
    contexts /= np.sqrt(left_to_right_squares(contexts))[..., None]
    return contexts


def left_to_right(contexts: FloatArray, theta: FloatArray) -> FloatArray:
    """xᵀθ summed from left to right, as plain loops do."""
    total = np.zeros(contexts.shape[:-1])
    for i in range(len(theta)):
        total += contexts[..., i] * theta[i]
    return total


def left_to_right_squares(contexts: FloatArray) -> FloatArray:
    """‖x‖² summed from left to right."""
    total = np.zeros(contexts.shape[:-1])
    for i in range(contexts.shape[-1]):
        total += contexts[..., i] ** 2
    return total
