"""A linear policy bound to arms that stay: each pull updates what is known of every arm directly."""

from typing import TYPE_CHECKING, Any

import numpy as np

from rbmle import kernels
from rbmle.errors import InvalidInputError
from rbmle.inputs import LARGEST_REWARD, as_arm, as_catalogue, as_reward
from rbmle.types import FloatArray, IntArray

if TYPE_CHECKING:
    from rbmle.policies.linear import LinearPolicy

# Up to this many arms, or twice as many as features, the (K, K) form is the fastest (measured).
FEW_ARMS = 32


class LinearFixedArms:
    """Made by `policy.fix_arms(contexts)`. Shares the policy's model: what one learns, the other knows."""

    def __init__(self, policy: "LinearPolicy", contexts: Any) -> None:
        X = as_catalogue(contexts, policy.n_features)
        self.policy = policy
        self.contexts = X
        self.n_arms = K = len(X)
        seen: dict[bytes, int] = {}
        # The first arm with the same context, −0 being 0: equal arms must tie to the last bit.
        self._first = np.array([seen.setdefault(row.tobytes(), a) for a, row in enumerate(X + 0.0)])
        self._use_gram = not policy.needs_root and max(FEW_ARMS, 2 * policy.n_features) >= K
        self._mean, self._variance = np.empty(K), np.empty(K)
        self._gram = np.empty((K, K) if self._use_gram else (0, 0))
        self._root = np.empty((K, 0) if self._use_gram else (K, policy.n_features))
        self._volume = np.empty(2)
        self._counts, self._sums = np.zeros(K), np.zeros(K)
        self._scratch = np.empty(K)
        self._version = -1
        self._late = self._hand_over  # one bound method, so that the model can recognise it

    def _fresh(self) -> None:
        """Derive everything anew if the model has changed behind our back."""
        model = self.policy.model
        model.settle_others(self._late)
        if self._version == model.version:
            return
        V, V_inv, _, theta, volume = model.arrays()
        X = self.contexts
        kernels.ridge.predict(X, theta, V_inv, self._mean, self._variance)
        if self._use_gram:
            self._gram[:] = (X / model.regularization if model.n == 0 else X @ V_inv) @ X.T
            np.fill_diagonal(self._gram, self._variance)
            self._gram[:] = self._gram[np.ix_(self._first, self._first)]
        else:
            kernels.ridge.root(X, V, self._root)
        self._mean[:] = self._mean[self._first]
        self._variance[:] = self._variance[self._first]
        self._volume[:] = volume
        self._version = model.version

    def _hand_over(self) -> None:
        """Give the model the sums of what was learnt since the last time."""
        if self._counts.any():
            X = self.contexts
            self.policy.model.add_sums(X.T @ (self._counts[:, None] * X), X.T @ self._sums)
            self._counts[:] = 0.0
            self._sums[:] = 0.0

    def _decide(self) -> tuple[int, FloatArray]:
        self._fresh()
        policy = self.policy
        scores = np.empty(self.n_arms)
        arm = kernels.rounds.decide_fixed(
            policy.formula.address, self._mean, self._variance, self._root, self._volume, policy.coefficients_now(),
            policy.draws_now(), policy.bank, scores,
        )  # fmt: skip
        return arm, scores

    def choose(self) -> int:
        """The arm to play."""
        return self._decide()[0]

    def scores(self) -> FloatArray:
        """The index of every arm, shape (K,)."""
        return self._decide()[1]

    def probabilities(self) -> FloatArray:
        """The chance of each arm to be chosen now, shape (K,)."""
        return self.policy.probabilities(self.contexts)

    def update(self, arm: int, reward: float) -> None:
        """Learn that `arm` gave `reward`."""
        arm, reward = as_arm(arm, self.n_arms), as_reward(reward)
        if abs(reward) > LARGEST_REWARD:
            raise InvalidInputError(f"reward must stay below 1e140, or its square overflows. Got {reward:g}.")
        self._fresh()
        model = self.policy.model
        model.late_updates(self._late)
        kernels.rounds.learn_fixed(
            arm, reward, self._mean, self._variance, self._gram, self._root, self._volume, self._counts, self._sums,
            self._scratch,
        )  # fmt: skip
        self._counted(1)

    def _counted(self, observations: int) -> None:
        """Keep the model's count right; when its inverse is due for a refresh, settle everything."""
        model = self.policy.model
        model.n += observations
        if model.n >= model.next_refresh:
            model.settle()

    def play(self, rewards: FloatArray) -> IntArray:
        """Choose and learn for a block of rounds, compiled: rewards (B, K) of all arms, trusted to be finite."""
        policy, arms, start = self.policy, np.empty(len(rewards), dtype=np.int64), 0
        for stop, table, draws in policy.segments(len(rewards)):
            self._fresh()
            policy.model.late_updates(self._late)
            kernels.rounds.play_fixed(
                policy.formula.address, rewards[start:stop], table, draws, policy.bank, self._mean, self._variance,
                self._gram, self._root, self._volume, self._counts, self._sums, arms[start:stop],
            )  # fmt: skip
            self._counted(stop - start)
            start = stop
        return arms
