"""What GLM-TSL, GLM-FPL and EVILL share: a random θ̃ near θ̂ for every decision, and the arm that is best for it."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from rbmle import kernels
from rbmle.models.glm import GLMModel
from rbmle.params import Integer, Optional, Real
from rbmle.policies.glm import ForgettingPolicy
from rbmle.types import FloatArray, IntArray

# Most random numbers held at once.
MOST_DRAWS = 2**20


@dataclass(kw_only=True, eq=False)
class PerturbedGLM(ForgettingPolicy):
    """Draw θ̃ and play the arm of the largest xᵀθ̃; with d normal numbers a decision, whatever was learnt.

    regularization: λ.
    scale: a, the size of the perturbation.
    warm_up: how many rounds are played at random first, those with t ≤ warm_up; None for as many as features.
    """

    random = True
    law: ClassVar[str]  # by the names of kernels.glm.perturb

    regularization: Annotated[float, Real(0.0, open_low=True)] = 1.0
    scale: Annotated[float, Real(0.0, open_low=True)] = 1.0
    warm_up: Annotated[int | None, Optional(Integer(0))] = 0
    seed: Annotated[int | None, Optional(Integer(0))] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        d = self.n_features
        self._centre, self._centred = (np.empty(d), np.empty((d, d)), np.empty((d, d))), -1

    def new_model(self) -> GLMModel:
        """The history, identical contexts as one row."""
        return self._exact_model(self.regularization)

    @property
    def _online(self) -> bool:
        return bool(self.model.memory == "online")

    @property
    def _prior(self) -> float:
        """b of kernels.glm.perturb."""
        return 0.0

    def _law(self) -> tuple[int, float, float, float]:
        """The `Law` of kernels.glm.perturb."""
        kind = int(getattr(kernels.glm.perturb, self.law))
        return kind, float(self.regularization), float(self.scale), float(self._prior)

    def _is_random_round(self, t: int) -> bool:
        return t <= (self.n_features if self.warm_up is None else self.warm_up)

    def _prepared(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The `Centre` of kernels.glm.perturb, computed anew when the model has learnt."""
        model = self.model
        if self._centred != model.version:
            self._centred = -1
            if self._online:
                theta, H_inv = model.curvature()
                kernels.glm.perturb.prepare_online(theta, H_inv, self._centre)
            elif not kernels.glm.perturb.prepare_plain(model.problem(), self._law(), self._centre, model.scratch()):
                raise self._unsolved()
            self._centred = model.version
        return self._centre

    def _choose(self, X: FloatArray, held: None, t: int) -> int:
        if self._is_random_round(t):
            return int(self.rng.integers(len(X)))
        self._warn_if_slow()
        return int(np.argmax(self._scores(X, held, t)))

    def _scores(self, X: FloatArray, held: None, t: int) -> FloatArray:
        """xᵀθ̃ of every arm for a fresh θ̃, also in rounds that are played at random; the mean μ grows with it."""
        centre, law, scores = self._prepared(), self._law(), np.empty(len(X))
        z = self.rng.standard_normal(self.n_features)
        if self._online:
            kernels.glm.perturb.score_online(law, centre, X, z, scores)
        elif not kernels.glm.perturb.score(self.model.problem(), law, centre, X, z, scores):
            raise self._unsolved()
        return scores

    def _chances(self, X: FloatArray, held: None, t: int, samples: int) -> FloatArray:
        if self._is_random_round(t):
            return np.full(len(X), 1.0 / len(X))
        self._warn_if_slow()
        centre, law, counts = self._prepared(), self._law(), np.zeros(len(X))
        at_once = max(1, MOST_DRAWS // self.n_features)
        for start in range(0, samples, at_once):
            z = self.rng.standard_normal((min(at_once, samples - start), self.n_features))
            if self._online:
                kernels.glm.perturb.count_online(law, centre, X, z, counts)
            elif not kernels.glm.perturb.count(self.model.problem(), law, centre, X, z, counts):
                raise self._unsolved()
        chances: FloatArray = counts / samples
        return chances

    def _play_some(self, contexts: FloatArray, rewards: FloatArray, arms: IntArray) -> int:
        count, K = rewards.shape
        first = sum(self._is_random_round(t) for t in range(self.t, self.t + count))
        at_random = np.array([self.rng.integers(K) for _ in range(first)], dtype=np.int64)
        explore = at_random, self.rng.standard_normal((count - first, self.n_features))
        kernel: Any = kernels.glm.perturb.play_online if self._online else kernels.glm.perturb.play
        room = count if len(contexts) > 1 else K
        return int(self.model.play(kernel, room, self._law(), contexts, rewards, explore, arms))
