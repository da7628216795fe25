"""What GLM-RBMLE keeps of arms that stay: every arm goes on from its own last solution."""

from typing import Any

import numpy as np

from rbmle import kernels
from rbmle.models.glm import GLMModel
from rbmle.models.link import link_of
from rbmle.types import FloatArray, IntArray, Number

Rule = tuple[float, float, float, IntArray]


class GLMPoints:
    """A point for every arm (kernels.glm.fixed), up to date with one version of a model."""

    def __init__(self, contexts: FloatArray) -> None:
        K, d = contexts.shape
        self._X, self._version = contexts, -1
        self._points: tuple[FloatArray, ...] | None = None  # made when first needed: K d² numbers
        self._work, self._small = np.empty((5, 0)), np.empty((2 * d + 2, d))
        self._white, self._scratch = np.empty((d, K)), np.empty((4, K))

    def choose(self, model: GLMModel, rule: Rule, middle: FloatArray) -> tuple[int, int]:
        """The arm to play, -1 where an arm cannot be solved, and how many arms needed a closer look."""
        points, problem = self._ready(model), model.problem()
        if self._work.shape[1] < problem[1]:
            self._work = model.scratch()
        arms = self._X, middle, self._white
        arm, solved = kernels.glm.fixed.choose_fixed(problem, rule, arms, points, (self._work, self._small))
        if arm < 0:
            self._version = -1
        return int(arm), int(solved)

    def pull(self, model: GLMModel, concordance: float, arm: int, reward: "Number") -> None:
        """Let the model learn that an arm gave `reward`, and tell every point of it."""
        fresh = self._version == model.version
        x, r = model.checked(self._X[arm], reward)
        model.observe(x, r)
        if fresh and self._points is not None and concordance >= 0.0:
            kernels.glm.fixed.learn_plain(
                link_of(model.family), concordance, x, r, self._X, self._points, self._scratch
            )
            self._version = model.version

    def play(self, model: GLMModel, rule: Rule, middle: FloatArray, rounds: tuple[Any, ...]) -> int:
        """Choose and learn for a block of rounds (`Rounds` of kernels.glm.named); how many went well."""
        block = rule, (self._X, middle, self._white), self._ready(model), rounds
        done = model.play(kernels.glm.fixed.play_fixed, len(self._X), model.regularization, *block)
        self._version = model.version if done == len(rounds[0]) else -1
        return done

    def _ready(self, model: GLMModel) -> tuple[FloatArray, ...]:
        """The arms' points; where the model has learnt behind their back they are to start anew."""
        K, d = self._X.shape
        if self._points is None:
            known, inverse = np.empty((K, kernels.glm.prune.look.N_KNOWN)), np.empty((K, d + 1, d))
            self._points = np.empty((K, d)), np.empty((K, d)), known, np.empty((K, d)), inverse, np.empty(2)
        if self._version != model.version:
            self._points[-1][1] = np.inf
            self._version = model.version
        return self._points
