"""ε-greedy for generalized linear rewards: the best estimate, but for a share of rounds at random."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from rbmle import kernels
from rbmle.params import FunctionOfRound, Integer, Optional, ScheduleLike
from rbmle.policies.about import Provenance, Tuning, half_decades
from rbmle.policies.base import one_hot
from rbmle.policies.epsilon_greedy import shares
from rbmle.policies.glm import RegularizedGLM
from rbmle.schedules import Constant
from rbmle.types import FloatArray, IntArray


@dataclass(kw_only=True, eq=False)
class EpsilonGreedyGLM(RegularizedGLM):
    """Play the arm of the largest estimated mean μ(xᵀθ̂), and with probability ε(t) any arm, all alike.

    epsilon: ε(t) in [0, 1], a schedule or any callable of t.

    >>> policy = EpsilonGreedyGLM(n_features=2)
    >>> policy.update_many([[1.0, 0.0], [0.0, 1.0]], [1.0, 0.0])
    >>> policy.probabilities([[1.0, 0.0], [0.0, 1.0]])
    array([0.95, 0.05])
    """

    title = "greedy on a generalized linear estimate, with a share of random rounds"
    notation = "μ(xᵀθ̂), or any arm with probability ε(t)"
    source = "Sutton & Barto 2018, section 2.2"
    kind = "baseline"
    provenance = Provenance(
        defined_by="folklore; Sutton & Barto 2018, section 2.2",
        read="folklore, defined in a line",
        changed="nothing",
        tested_against="SciPy's optimisers; served frequencies by chi-square",
    )
    tuning = Tuning("epsilon", half_decades(0.001, 0.3), 0.1, Constant, "ε")
    random = True

    epsilon: Annotated[ScheduleLike, FunctionOfRound()] = Constant(0.1)
    seed: Annotated[int | None, Optional(Integer(0))] = 0

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """ε(t)."""
        return shares(self.epsilon, rounds)

    def _choose(self, X: FloatArray, held: None, t: int) -> int:
        scores, epsilon = self._scores(X, held, t), self._numbers.at(t)[0]
        explore, where = self.rng.random(2)
        return int(where * len(X)) if explore < epsilon else int(np.argmax(scores))

    def _scores(self, X: FloatArray, held: None, t: int) -> FloatArray:
        """xᵀθ̂ of every arm; the estimated mean is μ of it."""
        self._warn_if_slow()
        scores = np.empty(len(X))
        kernels.glm.greedy.scores_of(X, self._estimate(), scores)
        return scores

    def _chances(self, X: FloatArray, held: None, t: int, samples: int) -> FloatArray:
        epsilon, best = self._numbers.at(t)[0], int(np.argmax(self._scores(X, held, t)))
        chances: FloatArray = epsilon / len(X) + (1.0 - epsilon) * one_hot(best, len(X))
        return chances

    def _play_some(self, contexts: FloatArray, rewards: FloatArray, arms: IntArray) -> int:
        count, K = rewards.shape
        epsilon = self._numbers.block(self.t, count)[:, 0]
        draws = self.rng.random((count, 2))
        explore = np.where(draws[:, 0] < epsilon, (draws[:, 1] * K).astype(np.int64), -1)
        block = contexts, rewards, explore, arms
        if self.memory == "online":
            return int(self.model.play(kernels.glm.greedy.play_online, 0, *block))
        room = count if len(contexts) > 1 else K
        return int(self.model.play(kernels.glm.greedy.play, room, self.model.regularization, *block))
