"""Open Bandit Pipeline: our policies in its simulations."""

from typing import Any

import numpy as np

from rbmle.adapters.arms import Pattern, contexts_of, learner_of, name_of, own_block
from rbmle.adapters.libraries import library
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.inputs import as_arm, as_numbers
from rbmle.params import Integer, require
from rbmle.types import FloatArray, IntArray


class OBPPolicy:
    """A policy of ours as a contextual policy of `obp.policy`: `select_action` and `update_params`.

    policy: one of n_features as long as a context (it stays as it is and is copied), or its class, or a function of
        n_features such as `functools.partial(LinUCB, alpha=0.5)`.
    dim: how long the context is that obp shows, the same for all actions.
    n_actions: how many actions there are.
    len_list: how many different actions are selected in each round: the best by their scores. More than one needs a
        policy whose scores decide.
    features: a function of what obp shows, (dim,), and an action that returns d numbers. By default every action has
        a block of its own, as in obp's linear policies.
    random_state: the seed, in the place of the policy's own.

    obp's own LinUCB with epsilon=α is `LinUCB(alpha=α, regularization=1.0)` on blocks, but for equals: there the last
    wins, here the first (0.4.1).
    """

    def __init__(
        self,
        policy: Pattern,
        dim: int,
        n_actions: int,
        *,
        len_list: int = 1,
        features: Any = None,
        random_state: int | None = None,
    ) -> None:
        for name, value, low in (("dim", dim, 1), ("n_actions", n_actions, 2), ("len_list", len_list, 1)):
            require(self, name, value, Integer(low))
        if len_list > n_actions:
            raise InvalidParameterError(
                f"The 'len_list' parameter of OBPPolicy must be at most n_actions={n_actions}. Got {len_list} instead."
            )
        self.policy, self.dim, self.n_actions, self.len_list = policy, dim, n_actions, len_list
        self.features, self.random_state = features, random_state
        self.policy_name = f"rbmle_{name_of(policy)}"
        self.initialize()

    @property
    def policy_type(self) -> Any:
        """That it takes contexts, in obp's words."""
        return library("obp.policy.policy_type", "obp").PolicyType.CONTEXTUAL

    def initialize(self) -> None:
        """Forget everything."""
        self._encoder = self.features
        if self.features is None:
            self._encoder = own_block([f"x{i}" for i in range(self.dim)], range(self.n_actions))
        zeros = self.contexts(np.zeros((1, self.dim)))
        self.learner = learner_of(self.policy, zeros.shape[1])
        if self.random_state is not None:
            self.learner.reseed(self.random_state)
        self.n_trial = 0
        self.action_counts = np.zeros(self.n_actions, dtype=int)

    def contexts(self, context: Any) -> FloatArray:
        """The contexts (n_actions, d), as the policy sees them."""
        return contexts_of(self._encoder, self._row(context), range(self.n_actions))

    def select_action(self, context: Any) -> IntArray:
        """The actions (len_list,) for a context (1, dim)."""
        X = self.contexts(context)
        if self.len_list == 1:
            return np.array([self.learner.choose(X)])
        return np.argsort(-self.learner.scores(X), kind="stable")[: self.len_list]

    def update_params(self, action: Any, reward: Any, context: Any) -> None:
        """Learn that an action gave a reward in a context (1, dim)."""
        arm = as_arm(action, self.n_actions)
        self.learner.update(contexts_of(self._encoder, self._row(context), [arm])[0], reward)
        self.n_trial += 1
        self.action_counts[arm] += 1

    def _row(self, context: Any) -> FloatArray:
        table = as_numbers(context, "context")
        if table.shape != (1, self.dim):
            raise InvalidInputError(f"context must have shape (1, {self.dim}). Got shape {table.shape}.")
        row: FloatArray = table[0]
        return row
