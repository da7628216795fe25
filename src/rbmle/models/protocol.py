"""What every model offers."""

from collections.abc import Mapping
from typing import Protocol, Self

from rbmle.types import ArrayLike, FloatArray, Number


class Model(Protocol):
    """Learns from (context, reward) pairs and predicts rewards. Only the model writes what it has learnt."""

    @property
    def n_features(self) -> int:
        """d, the length of a context."""
        ...

    @property
    def n(self) -> int:
        """How many rewards have been learnt."""
        ...

    @property
    def version(self) -> int:
        """Grows whenever something is learnt, so that whoever derives from the model can tell."""
        ...

    def predict(self, contexts: "ArrayLike") -> tuple[FloatArray, FloatArray]:
        """The mean reward of K contexts (K, d) and the variance of that estimate, both (K,), in units of the reward."""
        ...

    def observe(self, context: "ArrayLike", reward: "Number") -> None:
        """Learn one reward."""
        ...

    def observe_many(self, contexts: "ArrayLike", rewards: "ArrayLike") -> None:
        """Learn several rewards: all, or none if one is refused."""
        ...

    def merge(self, other: Self) -> None:
        """Learn all that another model has learnt."""
        ...

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays of its own."""
        ...

    def restore(self, state: Mapping[str, FloatArray]) -> None:
        """Take over a state; refuses what cannot be one and leaves the model as it was."""
        ...


class Sized:
    """What a model is for life."""

    _d: int
    _lam: float

    @property
    def n_features(self) -> int:
        """d, the length of a context."""
        return self._d

    @property
    def regularization(self) -> float:
        """λ."""
        return self._lam
