"""Arms that stay, for policies whose general path is as fast as any: remembers the contexts, asks the policy."""

from typing import Any

import numpy as np

from rbmle.inputs import as_arm, as_catalogue
from rbmle.policies.base import Policy
from rbmle.types import FloatArray, IntArray


class BoundArms:
    """Made by `policy.fix_arms(contexts)`. All that is learnt is the policy's.

    The policy's `play` must take contexts (1, K, d) as arms that stay.
    """

    def __init__(self, policy: Policy, contexts: Any) -> None:
        X = as_catalogue(contexts, policy.n_features)
        self.policy = policy
        self.contexts = X
        self.n_arms = len(X)

    def choose(self) -> int:
        """The arm to play."""
        return self.policy.choose(self.contexts)

    def scores(self) -> FloatArray:
        """The index of every arm, shape (K,)."""
        return self.policy.scores(self.contexts)

    def probabilities(self) -> FloatArray:
        """The chance of each arm to be chosen now, shape (K,)."""
        return self.policy.probabilities(self.contexts)

    def update(self, arm: int, reward: float) -> None:
        """Learn that `arm` gave `reward`."""
        self.policy.update(self.contexts[as_arm(arm, self.n_arms)], reward)

    def play(self, rewards: FloatArray) -> IntArray:
        """Choose and learn for a block of rounds, compiled: rewards (B, K) of all arms, trusted to be of the family."""
        return self.policy.play(self.contexts[None], rewards)


def plain(array: FloatArray) -> FloatArray:
    """The array, writeable and contiguous: kernels are compiled anew for any other kind."""
    return np.require(array, np.float64, ["C", "W"])
