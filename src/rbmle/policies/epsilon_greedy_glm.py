"""ε-greedy for generalized linear rewards: the best estimate, but for a share of rounds at random."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from rbmle import kernels
from rbmle.errors import ConvergenceError, InvalidInputError
from rbmle.inputs import as_contexts, require_finite
from rbmle.params import Integer, Schedule, ScheduleLike
from rbmle.policies.bound import plain
from rbmle.policies.glm import GLMPolicy
from rbmle.schedules import Constant, evaluate
from rbmle.types import FloatArray, IntArray

# Rounds of a block for which room is made at once, and rounds of ε computed ahead for single decisions.
BLOCK = 1024
TABLE = 256


@dataclass(kw_only=True, eq=False)
class EpsilonGreedyGLM(GLMPolicy):
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

    epsilon: Annotated[ScheduleLike, Schedule()] = Constant(0.1)
    seed: Annotated[int, Integer(0)] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._table = np.empty(0)
        self._table_start = 1

    def shares(self, count: int) -> FloatArray:
        """ε(t) of the coming rounds."""
        rounds = np.arange(self.t, self.t + count, dtype=np.float64)
        epsilon = evaluate(self.epsilon, rounds, "epsilon")
        bad = np.flatnonzero((epsilon < 0.0) | (epsilon > 1.0))
        if len(bad):
            raise InvalidInputError(f"epsilon must lie in [0, 1]. Got {epsilon[bad[0]]} at t = {int(rounds[bad[0]])}.")
        return epsilon

    def share_now(self) -> float:
        """ε(t) of this round, from a table computed some rounds ahead."""
        at = self.t - self._table_start
        if not 0 <= at < len(self._table):
            self._table, self._table_start, at = self.shares(TABLE), self.t, 0
        return float(self._table[at])

    def choose(self, contexts: Any) -> int:
        """The arm to play for contexts of shape (K, d)."""
        scores = self.scores(contexts)
        explore, where = self.rng.random(2)
        if explore < self.share_now():
            return int(where * len(scores))
        return int(np.argmax(scores))

    def scores(self, contexts: Any) -> FloatArray:
        """xᵀθ̂ of every arm, shape (K,); the estimated mean is μ of it."""
        X = as_contexts(contexts, self.n_features)
        require_finite(X, "contexts")
        scores = np.empty(len(X))
        kernels.glm.greedy.scores_of(X, self._estimate(), scores)
        return scores

    def _estimate(self) -> FloatArray:
        """θ̂ from the data alone, not from where the last search ended, so that every path to the data agrees."""
        model = self.model
        if self.memory == "online":
            return model.curvature()[0]
        theta = np.zeros(self.n_features)
        good, _ = kernels.glm.newton.estimate(model.problem(), theta, model.scratch())
        if not good:
            raise self._unsolved()
        return theta

    def probabilities(self, contexts: Any) -> FloatArray:
        """The exact chance of each arm: ε/K, and 1 − ε more for the best."""
        scores = self.scores(contexts)
        epsilon = self.share_now()
        return epsilon / len(scores) + (1.0 - epsilon) * self._one_hot(int(np.argmax(scores)), len(scores))

    def play(self, contexts: FloatArray, rewards: FloatArray) -> IntArray:
        """Choose and learn for a block of rounds, compiled: contexts (B, K, d), rewards (B, K) of the family."""
        arms, model, K, start = np.empty(len(rewards), dtype=np.int64), self.model, contexts.shape[1], 0
        contexts, rewards = plain(contexts), plain(rewards)
        model.family.require_support(rewards.ravel(), "rewards")
        while start < len(rewards):
            part = slice(start, min(start + BLOCK, len(rewards)))
            now, count = contexts[part] if len(contexts) > 1 else contexts, part.stop - start
            epsilon = self.shares(count)
            draws = self.rng.random((count, 2))
            explore = np.where(draws[:, 0] < epsilon, (draws[:, 1] * K).astype(np.int64), -1)
            if self._play(now, rewards[part], explore, arms[part]) < count:
                raise self._unsolved()
            start = part.stop
        return arms

    def _play(self, contexts: FloatArray, rewards: FloatArray, explore: IntArray, arms: IntArray) -> int:
        block = contexts, rewards, explore, arms
        if self.memory == "online":
            return self.model.play(kernels.glm.greedy.play_online, 0, *block)
        room = len(rewards) if len(contexts) > 1 else contexts.shape[1]
        return self.model.play(kernels.glm.greedy.play, room, self.model.regularization, *block)

    def _unsolved(self) -> ConvergenceError:
        return ConvergenceError(
            f"The estimate of {self!r} was not reached in round {self.t}: "
            f"{self.model.trouble() or 'contexts are too extreme'}."
        )
