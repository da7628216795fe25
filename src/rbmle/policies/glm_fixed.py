"""GLM-RBMLE bound to arms that stay: every arm goes on from its own last solution."""

from typing import TYPE_CHECKING, Any

import numpy as np

from rbmle import kernels
from rbmle.inputs import as_arm, as_catalogue
from rbmle.models.link import link_of
from rbmle.policies.bound import plain
from rbmle.types import FloatArray, IntArray

if TYPE_CHECKING:
    from rbmle.policies.glm_rbmle import GLMRBMLE

BLOCK = 65_536

Points = tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]


class GLMFixedArms:
    """Made by `policy.fix_arms(contexts)`. Shares the policy's model: what one learns, the other knows."""

    def __init__(self, policy: "GLMRBMLE", contexts: Any) -> None:
        X = as_catalogue(contexts, policy.n_features)
        self.policy = policy
        self.contexts = X
        self.n_arms = len(X)
        self._version = -1  # of the model that the arms' points know
        self._points: Points | None = None  # arrays of kernels.glm.fixed, made when first needed
        self._work = np.empty((5, 0))
        self._small = np.empty((2 * policy.n_features + 2, policy.n_features))
        self._white = np.empty((policy.n_features, len(X)))
        self._scratch = np.empty((4, self.n_arms))

    def choose(self) -> int:
        """The arm to play."""
        policy, model = self.policy, self.policy.model
        if policy.memory == "online" or policy.index == "gaussian":
            return policy.choose(self.contexts)
        points = self._ready()
        problem, rule = model.problem(), policy.rule(*policy.weights_now())
        if self._work.shape[1] < problem[1]:
            self._work = model.scratch()
        arm, policy.arms_solved = kernels.glm.fixed.choose_fixed(
            problem, rule, self._arms(), points, (self._work, self._small)
        )
        if arm < 0:
            self._version = -1
            raise policy.unsolved()
        return int(arm)

    def _arms(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The `Arms` of kernels.glm.named."""
        return self.contexts, self.policy._middle, self._white

    def _ready(self) -> Points:
        """The arms' points; where the model has learnt behind their back they are to start anew."""
        (K, d), model = self.contexts.shape, self.policy.model
        if self._points is None:
            known, inverse = np.empty((K, kernels.glm.prune.look.N_KNOWN)), np.empty((K, d + 1, d))
            self._points = np.empty((K, d)), np.empty((K, d)), known, np.empty((K, d)), inverse, np.empty(2)
        if self._version != model.version:
            self._points[-1][1] = np.inf
            self._version = model.version
        return self._points

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
        policy, model = self.policy, self.policy.model
        arm, fresh = as_arm(arm, self.n_arms), self._version == self.policy.model.version
        x, r = model.checked(self.contexts[arm], reward)
        model.observe(x, r)
        if fresh and self._points is not None and policy.concordance >= 0.0:
            kernels.glm.fixed.learn_plain(
                link_of(model.family), policy.concordance, x, r, self.contexts, self._points, self._scratch
            )
            self._version = model.version

    def play(self, rewards: FloatArray) -> IntArray:
        """Choose and learn for a block of rounds, compiled: rewards (B, K) of all arms."""
        policy, model, arms = self.policy, self.policy.model, np.empty(len(rewards), dtype=np.int64)
        model.family.require_support(plain(rewards).ravel(), "rewards")
        if policy.memory == "online":
            policy.play_online(self.contexts[None], rewards, arms)
            return arms
        if policy.index == "gaussian":
            return policy.play_solving(self.contexts[None], rewards, arms)
        for start in range(0, len(rewards), BLOCK):
            part = slice(start, min(start + BLOCK, len(rewards)))
            points, rounds = self._ready(), policy.rounds(plain(rewards[part]), arms[part])
            block = policy.rule(), self._arms(), points, rounds
            done = model.play(kernels.glm.fixed.play_fixed, self.n_arms, model.regularization, *block)
            self._version = model.version if done == len(rounds[0]) else -1
            policy.played(done, rounds)
        return arms
