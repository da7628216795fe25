"""river: our policies as contextual policies of river, and its policies in our simulator."""

from collections.abc import Callable, Sequence
from typing import Any

from rbmle.adapters.arms import Pattern, contexts_of, learner_of, own_block
from rbmle.adapters.libraries import library
from rbmle.adapters.participant import Participant, Sees
from rbmle.errors import InvalidInputError, describe
from rbmle.features import Features
from rbmle.policies.base import Policy
from rbmle.types import FloatArray

try:
    from river.bandit.base import ContextualPolicy as _ContextualPolicy
except ModuleNotFoundError:  # making a RiverPolicy says so
    _ContextualPolicy = object


class RiverPolicy(_ContextualPolicy):  # type: ignore[misc]
    """A policy of ours as a contextual policy of river: `pull(arm_ids, context)`, `update(arm_id, context, reward)`.

    policy: one of n_features as long as a context (it stays as it is and is copied), or its class, or a function of
        n_features such as `functools.partial(LinUCB, alpha=0.5)`.
    features: what a context is, from what river shows, a dict, and an arm: `rbmle.features.Features`, or a function of
        the two that returns d numbers. By default every arm has a block of its own, as in river's `LinUCBDisjoint`.
    arms: all there will ever be, where every arm has a block of its own; by default those of the first pull.
    burn_in: how often each arm is pulled before the policy is asked, as everywhere in river.

    `learner` is the policy that learns. `clone()` gives a fresh one.

    Contexts are matched by name. Unlike in river a name that is missing or new is an error, as is an unknown arm.
    """

    def __init__(
        self,
        policy: Pattern,
        features: "Features | Callable[[Any, Any], Any] | None" = None,
        arms: "Sequence[Any] | None" = None,
        burn_in: int = 0,
    ) -> None:
        library("river.bandit", "river")
        super().__init__(burn_in=burn_in)
        self.policy = policy
        self.features = features
        self.arms = arms
        self._encoder = features
        self._learner: Policy | None = None

    @property
    def learner(self) -> Policy:
        """The policy that learns; there is none before the first context."""
        if self._learner is None:
            raise InvalidInputError("learner is made when the first context is seen. There was none yet.")
        return self._learner

    def contexts(self, arm_ids: Sequence[Any], context: "dict[str, Any] | None") -> FloatArray:
        """The contexts (K, d) of some arms, as the policy sees them."""
        shown = {str(name): value for name, value in (context or {}).items()}
        if self._encoder is None:
            if self.arms is None:
                raise InvalidInputError("arms must be given, or learnt from a pull before the first update. Got none.")
            self._encoder = own_block(list(shown), self.arms)
        X = contexts_of(self._encoder, shown, list(arm_ids))
        if self._learner is None:
            self._learner = learner_of(self.policy, X.shape[1])
        return X

    def pull(self, arm_ids: Sequence[Any], context: "dict[str, Any] | None" = None) -> Any:
        """The arm to pull."""
        if self.arms is None:
            self.arms = list(arm_ids)
        return super().pull(list(arm_ids), context)

    def _pull(self, arm_ids: Sequence[Any], context: "dict[str, Any] | None") -> Any:
        X = self.contexts(arm_ids, context)
        return arm_ids[self.learner.choose(X)]

    def update(self, arm_id: Any, context: "dict[str, Any] | None", *reward_args: Any, **reward_kwargs: Any) -> None:
        """Learn that an arm gave a reward."""
        X = self.contexts([arm_id], context)
        self.learner.update(X[0], reward_args[0])
        super().update(arm_id, context, *reward_args, **reward_kwargs)


class FromRiver(Participant):
    """A policy of `river.bandit` in `simulate`; the arms' ids are 0, 1, 2, …

    policy: contextual or not.
    sees: what a contextual policy is shown, see `Participant`; as a dict of numbers by place.

    `LinUCBDisjoint` plays the largest m + √(1 + v), the spread of a reward rather than that of its mean, on blocks,
    with λ = 1 at its defaults (0.26); among equals it draws one. With another `alpha` it starts from V = V⁻¹ = I/α.
    """

    distribution = "river"

    def __init__(self, policy: Any, sees: Sees = "blocks") -> None:
        theirs = library("river.bandit.base", "river")
        if not isinstance(policy, theirs.Policy):
            raise InvalidInputError(f"policy must be one of river.bandit. Got {describe(type(policy).__name__)}.")
        super().__init__(sees)
        self.policy = policy
        self.contextual = isinstance(policy, theirs.ContextualPolicy)

    @property
    def params(self) -> dict[str, Any]:
        """For columns of results."""
        return {**super().params, "policy": type(self.policy).__name__}

    def _seen(self, X: FloatArray) -> Any:
        return dict(enumerate(super()._seen(X).tolist())) if self.contextual else None

    def _ask(self, X: FloatArray, seen: Any) -> int:
        arms = list(range(len(X)))
        return int(self.policy.pull(arms, context=seen) if self.contextual else self.policy.pull(arms))

    def _tell(self, X: FloatArray, seen: Any, arm: int, reward: float) -> None:
        if self.contextual:
            self.policy.update(arm, seen, reward)
        else:
            self.policy.update(arm, reward)
