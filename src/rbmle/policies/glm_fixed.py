"""GLM-RBMLE bound to arms that stay: every arm goes on from its own last solution."""

from typing import TYPE_CHECKING, Any

import numpy as np

from rbmle import kernels
from rbmle.errors import InvalidInputError
from rbmle.inputs import as_arm, as_contexts, as_reward, require_finite
from rbmle.models.glm import LARGEST_CONTEXT, link_of
from rbmle.types import FloatArray, IntArray

if TYPE_CHECKING:
    from rbmle.policies.glm_rbmle import GLMRBMLE

BLOCK = 65_536


class GLMFixedArms:
    """Made by `policy.fix_arms(contexts)`. Shares the policy's model: what one learns, the other knows."""

    def __init__(self, policy: "GLMRBMLE", contexts: Any) -> None:
        X = as_contexts(contexts, policy.n_features)
        require_finite(X, "contexts")
        if np.abs(X).max() > LARGEST_CONTEXT:
            raise InvalidInputError(
                f"contexts must stay below 1e70, or their squares overflow. Got {np.abs(X).max():g}."
            )
        self.policy = policy
        self.contexts = X.copy()
        self.n_arms = len(X)
        self._theta, self._step = np.empty(X.shape), np.empty(X.shape)
        self._known = np.empty((0, 0))  # made when first needed
        self._work = np.empty((5, 0))
        self._small = np.empty((2 * policy.n_features + 3, policy.n_features))

    def choose(self) -> int:
        """The arm to play."""
        policy, model = self.policy, self.policy.model
        if policy.memory == "online" or policy.index == "gaussian":
            return policy.choose(self.contexts)
        warm = self._warm()
        arm, policy.arms_solved = kernels.glm_rounds.choose_fixed(
            model.problem(), policy.concordance, *policy.weights_now(), policy._middle, self.contexts, self._theta,
            self._step, self._known, warm, self._work, self._small,
        )  # fmt: skip
        if arm < 0:
            raise policy.unsolved()
        return int(arm)

    def _warm(self) -> bool:
        """Whether the arms have points to go on from; makes room for the rows there are."""
        rows = len(self.policy.model.store()[1])
        if self._work.shape[1] < rows:
            self._work = np.empty((5, rows))
        warm = self._known.size > 0
        if not warm:
            self._known = np.empty((self.n_arms, kernels.glm_choose.N_KNOWN))
        return warm

    def scores(self) -> FloatArray:
        """The index of every arm, shape (K,), each solved in full."""
        return self.policy.scores(self.contexts)

    def probabilities(self) -> FloatArray:
        """One-hot: the method draws nothing."""
        chances = np.zeros(self.n_arms)
        chances[self.choose()] = 1.0
        return chances

    def update(self, arm: int, reward: float) -> None:
        """Learn that `arm` gave `reward`."""
        arm, reward = as_arm(arm, self.n_arms), as_reward(reward)
        self.policy.model.observe(self.contexts[arm], reward)

    def play(self, rewards: FloatArray) -> IntArray:
        """Choose and learn for a block of rounds, compiled: rewards (B, K) of all arms, trusted to be finite."""
        policy, model, arms = self.policy, self.policy.model, np.empty(len(rewards), dtype=np.int64)
        if policy.memory == "online":
            policy.play_online(self.contexts[None], rewards, arms)
            return arms
        for start in range(0, len(rewards), BLOCK):
            part = slice(start, min(start + BLOCK, len(rewards)))
            model.reserve(self.n_arms)
            warm = self._warm()
            solved = np.zeros(part.stop - start, dtype=np.int64)
            done, model.n_rows = kernels.glm_rounds.play_fixed(
                model.store(), model.n_rows, policy.regularization, link_of(model.family), policy.concordance,
                model.squares, policy.index == "gaussian", policy._middle, self.contexts, self._theta, self._step,
                self._known, warm, rewards[part], *policy.weights(part.stop - start), arms[part], solved,
            )  # fmt: skip
            policy.played(rewards[part], arms[part], done, solved)
        return arms
