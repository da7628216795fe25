"""GLM-RBMLE: reward-biased maximum likelihood for generalized linear bandits, the paper's second method."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from rbmle import kernels
from rbmle.errors import ConvergenceError, InvalidParameterError
from rbmle.inputs import as_contexts, require_finite
from rbmle.params import OneOf, Schedule, ScheduleLike
from rbmle.policies.bound import plain
from rbmle.policies.glm import GLMPolicy
from rbmle.schedules import OnePlusLog, Sqrt, evaluate
from rbmle.types import FloatArray, IntArray

if TYPE_CHECKING:
    from rbmle.policies.glm_fixed import GLMFixedArms

# Rounds of a block for which room is made at once.
BLOCK = 1024
# Rounds of α and η computed ahead for single decisions.
TABLE = 256


@dataclass(kw_only=True, eq=False)
class GLMRBMLE(GLMPolicy):
    """For every arm a, θ̄_a maximises ℓ(θ) − ½λ‖θ‖² + α(t) θᵀx_a; play the arm of the largest
    ℓ(θ̄_a) + η(t) α(t) θ̄_aᵀx_a − ½λ‖θ̄_a‖².

    The arm played is exactly that of the index solved for every arm, but most arms are excluded by certified bounds
    (kernels.glm.prune) and need no solve: `arms_solved` says how many of the last decision did.
    `scores` solves all.

    bias, boost: α(t) and η(t); √t and 1 + log t in the paper.
    memory: "online" replaces the history by a quadratic; the index is then ηα m + (η−½)α² v, m and v mean and variance
        of the score x_aᵀθ, in O(K d²) a decision, whatever t.
    index: "likelihood" is the definition; "gaussian" puts −½Σ(x_sᵀθ − r_s)² in place of ℓ, as the published tables do
        (exact memory only; every arm is solved).

    >>> policy = GLMRBMLE(n_features=2)
    >>> policy.update([1.0, 0.0], 1.0)
    >>> policy.scores([[1.0, 0.0], [0.0, 1.0]]).round(4)
    array([2.3521, 1.7933])
    """

    title = "reward-biased maximum likelihood, generalized linear"
    notation = "ℓ(θ̄) + η(t) α(t) θ̄ᵀx − ½ λ‖θ̄‖²"
    source = "Hung, Hsieh, Liu & Kumar 2021, Algorithm 2"

    bias: Annotated[ScheduleLike, Schedule()] = Sqrt()
    boost: Annotated[ScheduleLike, Schedule()] = OnePlusLog()
    index: Annotated[str, OneOf("likelihood", "gaussian")] = "likelihood"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.memory == "online" and self.index == "gaussian":
            raise InvalidParameterError("The 'index' parameter of GLMRBMLE must be 'likelihood' with memory='online'.")
        self.arms_solved = 0
        self._middle = np.zeros(self.n_features)  # near θ̂, from where all arms are bounded
        self._table = np.empty((2, 0))
        self._table_start = 1

    @property
    def concordance(self) -> float:
        """The family's constant for the bounds; -1 where there are none and every arm is solved."""
        known = self.model.family.self_concordance
        return -1.0 if known is None or self.index == "gaussian" else known

    def rule(self, alpha: float = 0.0, eta: float = 1.0) -> tuple[float, float, float, IntArray]:
        """The `Rule` of kernels.glm.named, with all that decisions call by address."""
        return alpha, eta, self.concordance, kernels.glm.code.rule_functions()

    def weights(self, count: int) -> tuple[FloatArray, FloatArray]:
        """α(t) and η(t) of the coming rounds."""
        rounds = np.arange(self.t, self.t + count, dtype=np.float64)
        return evaluate(self.bias, rounds, "bias"), evaluate(self.boost, rounds, "boost")

    def weights_now(self) -> tuple[float, float]:
        """α(t) and η(t) of this round."""
        at = self.t - self._table_start
        if not 0 <= at < self._table.shape[1]:
            self._table, self._table_start, at = np.array(self.weights(TABLE)), self.t, 0
        return float(self._table[0, at]), float(self._table[1, at])

    def choose(self, contexts: Any) -> int:
        """The arm to play for contexts of shape (K, d)."""
        X = plain(as_contexts(contexts, self.n_features))
        require_finite(X, "contexts")
        if self.memory == "online" or self.index == "gaussian":
            return int(np.argmax(self.scores(X)))
        rule = self.rule(*self.weights_now())
        arm, self.arms_solved = kernels.glm.choose.choose(self.model.problem(), rule, self._middle, X)
        if arm < 0:
            raise self.unsolved()
        return int(arm)

    def scores(self, contexts: Any) -> FloatArray:
        """The index of every arm, shape (K,), each solved in full: a function of what was learnt alone."""
        if self.memory == "online":
            X = plain(as_contexts(contexts, self.n_features))
            require_finite(X, "contexts")
            scores, self.arms_solved = np.empty(len(X)), 0
            kernels.glm.rounds.online_scores(*self.model.curvature(), *self.weights_now(), X, scores)
            return scores
        return self.solve(contexts)[0]

    def solve(self, contexts: Any) -> tuple[FloatArray, FloatArray]:
        """The index (K,) and θ̄ (K, d) of every arm."""
        X = plain(as_contexts(contexts, self.n_features))
        require_finite(X, "contexts")
        (alpha, eta), model = self.weights_now(), self.model
        if self.memory == "online":
            estimate, H_inv = model.curvature()
            return self.scores(X), estimate + alpha * X @ H_inv
        scores, theta, self.arms_solved = np.empty(len(X)), np.empty(X.shape), len(X)
        index = alpha, eta, model.squares, self.index == "gaussian"
        if not kernels.glm.index.solve_all(model.problem(), index, X, scores, theta, model.scratch()):
            raise self.unsolved()
        return scores, theta

    def probabilities(self, contexts: Any) -> FloatArray:
        """One-hot: the method draws nothing."""
        X = as_contexts(contexts, self.n_features)
        return self._one_hot(self.choose(X), len(X))

    def fix_arms(self, contexts: Any) -> "GLMFixedArms":
        """Bind the policy to arms (K, d) that stay: every arm's solution is kept warm from decision to decision."""
        from rbmle.policies.glm_fixed import GLMFixedArms

        return GLMFixedArms(self, contexts)

    def play(self, contexts: FloatArray, rewards: FloatArray) -> IntArray:
        """Choose and learn for a block of rounds, compiled: contexts (B, K, d), rewards (B, K) of all arms."""
        arms, model = np.empty(len(rewards), dtype=np.int64), self.model
        contexts, rewards = plain(contexts), plain(rewards)
        model.family.require_support(rewards.ravel(), "rewards")
        if self.index == "gaussian":
            return self.play_solving(contexts, rewards, arms)
        if self.memory == "online":
            self.play_online(contexts, rewards, arms)
            return arms
        for start in range(0, len(rewards), BLOCK):
            part = slice(start, min(start + BLOCK, len(rewards)))
            rounds = self.rounds(rewards[part], arms[part])
            done = model.play(
                kernels.glm.rounds.play, BLOCK, model.regularization, self.rule(), self._middle, contexts[part], rounds
            )
            self.played(done, rounds)
        return arms

    def rounds(self, rewards: FloatArray, arms: IntArray) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
        """The `Rounds` of kernels.glm.named."""
        return rewards, np.array(self.weights(len(rewards))), arms, np.zeros(len(rewards), dtype=np.int64)

    def play_solving(self, contexts: FloatArray, rewards: FloatArray, arms: IntArray) -> IntArray:
        """Play a block round by round, every arm solved; contexts (B, K, d), or (1, K, d) where the arms stay."""
        for t in range(len(rewards)):
            X = contexts[t] if len(contexts) > 1 else contexts[0]
            arms[t] = self.choose(X)
            self.model.observe(X[arms[t]], rewards[t, arms[t]])
        return arms

    def play_online(self, contexts: FloatArray, rewards: FloatArray, arms: IntArray) -> None:
        """Play a block with online memory; contexts (B, K, d), or (1, K, d) where the arms stay."""
        for start in range(0, len(rewards), BLOCK):
            part = slice(start, min(len(rewards), start + BLOCK))
            now = contexts[part] if len(contexts) > 1 else contexts
            rounds = self.rounds(rewards[part], arms[part])
            self.played(self.model.play(kernels.glm.rounds.play_online, 0, now, *rounds[:3]), rounds)

    def played(self, done: int, rounds: tuple[FloatArray, FloatArray, IntArray, IntArray]) -> None:
        """An error where not all of the rounds could be played."""
        if done < len(rounds[0]):
            raise self.unsolved()
        if done:
            self.arms_solved = int(rounds[3][done - 1])

    def unsolved(self) -> ConvergenceError:
        """Say that an index could not be computed."""
        return ConvergenceError(
            f"An arm's index could not be solved in round {self.t} to the stated tolerance; "
            + (self.model.trouble() or "contexts, bias or regularization are too extreme for double precision")
            + "."
        )
