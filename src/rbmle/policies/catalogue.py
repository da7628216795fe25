"""Arms that stay, for every policy: the same decisions as with their contexts given anew, at less cost."""

from rbmle import kernels
from rbmle.inputs import as_arm, as_catalogue, as_rewards_of_arms, as_round
from rbmle.policies.base import Policy
from rbmle.policies.decision import Decision
from rbmle.types import ArrayLike, FloatArray, IntArray, Number


class Catalogue:
    """Made by `policy.fix_arms(contexts)`. What it learns the policy knows, and the other way round.

    The model keeps what it needs for arms that stay; where that is nothing, the policy's general path is used.

    >>> from rbmle import LinRBMLE
    >>> policy = LinRBMLE(n_features=2)
    >>> catalogue = policy.fix_arms([[1.0, 0.0], [0.0, 1.0]])
    >>> catalogue.update(catalogue.choose(), 0.5)
    >>> policy.t, catalogue.n_arms
    (2, 2)
    """

    def __init__(self, policy: Policy, contexts: "ArrayLike") -> None:
        self._policy = policy
        self._X = as_catalogue(contexts, policy.n_features)
        with policy.lock:
            self._held = policy._bind(self._X)

    @property
    def policy(self) -> Policy:
        """The policy that decides and learns."""
        return self._policy

    @property
    def contexts(self) -> "FloatArray":
        """The arms, shape (K, d): a copy."""
        return self._X.copy()

    @property
    def n_arms(self) -> int:
        """K."""
        return len(self._X)

    def choose(self, *, t: int | None = None) -> int:
        """The arm to play."""
        policy = self._policy
        with policy.lock:
            return policy._choose(self._X, self._held, policy.model.n + 1 if t is None else as_round(t))

    def scores(self, *, t: int | None = None) -> "FloatArray":
        """The index of every arm, shape (K,), as the next `choose` will see them."""
        policy = self._policy
        with policy.lock, policy._looking_ahead():
            return policy._scores(self._X, self._held, policy.t if t is None else as_round(t))

    def decide(self, *, t: int | None = None, samples: int | None = None, floor: float = 0.0) -> Decision:
        """An arm with the probability that it is served with; see `Policy.decide`."""
        return self._policy._decide(self._X, self._held, self._policy._asked(t, samples, floor))

    def probabilities(self, *, t: int | None = None, samples: int | None = None) -> "FloatArray":
        """The chance of each arm, shape (K,), as the next `decide` will see them."""
        return self._policy._probabilities(self._X, self._held, self._policy._asked(t, samples))

    def update(self, arm: int, reward: "Number") -> None:
        """Learn that `arm` gave `reward`."""
        number = as_arm(arm, len(self._X))
        with self._policy.lock:
            self._policy._pull(self._X, self._held, number, reward)

    def play(self, rewards: "ArrayLike") -> "IntArray":
        """Choose and learn for a block of rounds, compiled: rewards (B, K) of all arms."""
        r = as_rewards_of_arms(rewards, len(self._X), kernels.border.all_within)
        with self._policy.lock:
            return self._policy._play_held(self._X, self._held, r)

    def __reduce__(self) -> tuple[type["Catalogue"], tuple[Policy, FloatArray]]:
        """Copies and pickles bind the copied policy anew: what a model keeps of arms is of that model."""
        return Catalogue, (self._policy, self._X)

    def __repr__(self) -> str:
        return f"Catalogue({self.n_arms} arms of {self._policy!r})"
