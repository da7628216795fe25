"""coba: our policies as learners in its experiments, and its learners in our simulator."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rbmle.adapters.arms import Pattern, learner_of, name_of
from rbmle.adapters.libraries import library
from rbmle.adapters.participant import Participant, Sees
from rbmle.errors import InvalidInputError, describe
from rbmle.policies.base import Policy
from rbmle.types import FloatArray


class CobaLearner:
    """A policy of ours as a learner in coba's experiments.

    policy: one of n_features as long as a context (it stays as it is and is copied), or its class, or a function of
        n_features such as `functools.partial(LinUCB, alpha=0.5)`.
    features: which products of context (x) and action (a) make a context of ours, in coba's words; as its own linear
        learners have it by default.

    An action is served with `decide`, so that the probability that coba records is the one it was served with.
    `learner` is the policy that learns.

    coba's LinUCBLearner is `LinUCB(alpha=alpha, regularization=1.0)` on the same features; among equals it draws one
    where we take the first (8.1).
    """

    def __init__(self, policy: Pattern, features: Sequence[Any] = (1, "a", "ax")) -> None:
        library("coba.encodings", "coba")
        self.policy = policy
        self.features = list(features)
        self.learner: Policy | None = None
        self._encoder: Any = None

    @property
    def params(self) -> Mapping[str, Any]:
        """For coba's table of learners."""
        own = self.policy.params if isinstance(self.policy, Policy) else {}
        told = {name: value if isinstance(value, int | float | str) else repr(value) for name, value in own.items()}
        return {"family": name_of(self.policy), **told, "features": self.features}

    def contexts(self, context: Any, actions: Sequence[Any]) -> FloatArray:
        """The contexts (K, d) of some actions, as the policy sees them."""
        if isinstance(context, Mapping) or any(isinstance(action, Mapping | str) for action in actions):
            raise InvalidInputError(
                "context and actions must be numbers or rows of numbers; names can be made so by coba's "
                f"Environments.dense or one-hot actions. Got {describe((context, list(actions)))}."
            )
        if self._encoder is None:
            self._encoder = self._made(with_context=bool(context))
        X = np.array([self._encoder.encode(x=context or [], a=action) for action in actions], dtype=np.float64)
        if self.learner is None:
            self.learner = learner_of(self.policy, X.shape[1])
        return X

    def _made(self, with_context: bool) -> Any:
        """coba's encoder. Without a context nothing can be multiplied by it: "ax" is "a" then, as in its LinUCB."""
        words = self.features
        if not with_context:
            bare = [word.replace("x", "") if isinstance(word, str) else word for word in words]
            words = [word for word in dict.fromkeys(bare) if word]
        return library("coba.encodings", "coba").InteractionsEncoder(words)

    def predict(self, context: Any, actions: Sequence[Any]) -> tuple[Any, float]:
        """An action, and the probability with which it was served."""
        X = self.contexts(context, actions)
        decision = self._own.decide(X)
        return actions[decision.arm], decision.probability

    def score(self, context: Any, actions: Sequence[Any], action: Any) -> float:
        """The probability with which an action would be served."""
        X = self.contexts(context, actions)
        return float(self._own.probabilities(X)[list(actions).index(action)])

    def learn(self, context: Any, action: Any, reward: float, probability: float) -> None:
        """Learn what an action paid."""
        X = self.contexts(context, [action])
        self._own.update(X[0], reward)

    @property
    def _own(self) -> Policy:
        if self.learner is None:
            raise InvalidInputError("learner is made when the first context is seen. There was none yet.")
        return self.learner


class FromCoba(Participant):
    """A learner of coba in `simulate`.

    learner: anything with coba's `predict` and `learn`.
    sees: "arms" shows no context, and every arm's own features as its action: a learner needs `features=["a"]` then.
        Otherwise the context is what `Participant` says, and the actions are unit vectors.
    seed: of the draw among actions where a learner answers with probabilities.

    `LinUCBLearner(alpha, features=["a"])` on "arms" is our `LinUCB(alpha=alpha, regularization=1.0)` (8.1).
    """

    distribution = "coba"
    ways = ("arms", "blocks", "all")

    def __init__(self, learner: Any, sees: Sees = "arms", *, seed: int = 1) -> None:
        for method in ("predict", "learn"):
            if not callable(getattr(learner, method, None)):
                raise InvalidInputError(
                    f"learner must have predict and learn, as coba's have. Got {describe(learner)}."
                )
        super().__init__(sees)
        self.learner = library("coba.safety", "coba").SafeLearner(learner, seed)
        self._probability: float | None = None

    @property
    def params(self) -> dict[str, Any]:
        """For columns of results."""
        return {**super().params, **self.learner.params}

    def _shown(self, X: FloatArray, seen: Any) -> tuple[Any, list[Any]]:
        if isinstance(self.sees, str) and self.sees == "arms":
            return None, [tuple(row) for row in X.tolist()]
        return tuple(seen.tolist()), [tuple(row) for row in np.eye(len(X)).tolist()]

    def _ask(self, X: FloatArray, seen: Any) -> int:
        context, actions = self._shown(X, seen)
        action, self._probability, self._told = self.learner.predict(context, actions)
        return actions.index(action)

    def _tell(self, X: FloatArray, seen: Any, arm: int, reward: float) -> None:
        context, actions = self._shown(X, seen)
        self.learner.learn(context, actions[arm], reward, self._probability, **self._told)
