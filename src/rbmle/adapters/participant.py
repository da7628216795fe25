"""What all policies of other libraries have in common when they play in our simulator."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np

from rbmle.adapters.libraries import version_of
from rbmle.errors import InvalidInputError, InvalidParameterError, describe
from rbmle.inputs import as_arm, as_context, as_contexts, as_numbers, as_reward, require_contexts
from rbmle.types import ArrayLike, FloatArray, Number

Sees = Literal["arms", "blocks", "all"] | Callable[[FloatArray], Any]


class Participant(ABC):
    """A policy of another library as `simulate` plays it: choose(contexts), then update(context, reward).

    Our problems show a context for every arm, (K, d). Most libraries show one context, the same for all arms, and keep
    a model for each. `sees` says what of ours theirs is shown:

        "blocks"    the one row x that block-encoded contexts hold: x in block a of arm a, 0 elsewhere, as
                    `ClassificationProblem` has them by default. Contexts of another kind are refused
        "all"       the contexts of all arms, one after the other: K · d numbers
        "arms"      every arm's own, where the library has that (coba, Vowpal Wabbit)
        a function  of the contexts (K, d) that returns what is shown, (p,)

    A library that has a policy without contexts shows it none. What it draws at random it draws from its own seed:
    give `simulate` a function of a seed that makes the whole, or all trials draw the same.

    One decision is open at a time: a reward is learnt for the arm that was chosen last, whose context it must name. A
    second `choose` without a reward between gives the first decision up.
    """

    distribution: ClassVar[str]
    ways: ClassVar[tuple[str, ...]] = ("blocks", "all")

    def __init__(self, sees: Sees, n_arms: int | None = None) -> None:
        if not callable(sees) and sees not in self.ways:
            told = ", ".join(repr(way) for way in self.ways)
            raise InvalidParameterError(
                f"The 'sees' parameter of {type(self).__name__} must be one of {told} or a function of contexts. "
                f"Got {describe(sees)} instead."
            )
        self.sees = sees
        self.n_arms = n_arms
        self._open: tuple[FloatArray, Any, int] | None = None

    @abstractmethod
    def _ask(self, X: FloatArray, seen: Any) -> int:
        """The arm that the policy plays, by its number."""

    @abstractmethod
    def _tell(self, X: FloatArray, seen: Any, arm: int, reward: float) -> None:
        """Let the policy learn."""

    @property
    def params(self) -> dict[str, Any]:
        """For columns of results."""
        return {"library": version_of(self.distribution), "sees": self.sees}

    def choose(self, contexts: "ArrayLike") -> int:
        """The arm to play for contexts (K, d)."""
        X = self._checked(contexts)
        seen = self._seen(X)
        arm = as_arm(self._ask(X, seen), len(X))
        self._open = X, seen, arm
        return arm

    def update(self, context: "ArrayLike", reward: "Number") -> None:
        """Learn the reward of the arm that was chosen last."""
        if self._open is None:
            raise InvalidInputError(
                f"update of {type(self).__name__} must follow a choose, whose arm the reward belongs to. There is none."
            )
        X, seen, arm = self._open
        x, r = as_context(context, X.shape[1]), as_reward(reward)
        if not np.array_equal(x, X[arm]):
            raise InvalidInputError(f"context must be that of the arm chosen last, {arm}. Got another one.")
        self._tell(X, seen, arm, r)
        self._open = None

    def _checked(self, contexts: Any) -> FloatArray:
        table = as_numbers(contexts, "contexts")
        X = as_contexts(table, table.shape[-1] if table.ndim == 2 else 1).copy()
        require_contexts(X)
        if self.n_arms is not None and len(X) != self.n_arms:
            raise InvalidInputError(f"contexts must be those of {self.n_arms} arms, as the policy has. Got {len(X)}.")
        return X

    def _seen(self, X: FloatArray) -> Any:
        if callable(self.sees):
            own = as_numbers(self.sees(X.copy()), "what sees(contexts) returns")
            require_contexts(np.atleast_2d(own), "what sees(contexts) returns")
            return own.ravel()
        if self.sees == "blocks":
            return row_in_blocks(X)
        return X.ravel() if self.sees == "all" else X


def row_in_blocks(X: FloatArray) -> FloatArray:
    """The row x of contexts (K, K · p) that hold it in block a of arm a and 0 elsewhere."""
    n_arms, d = X.shape
    if d % n_arms == 0:
        p = d // n_arms
        row = X[0, :p].copy()
        if np.array_equal(X, np.kron(np.eye(n_arms), row)):
            return row
    raise InvalidInputError(
        "contexts must hold one row in block a of arm a and 0 elsewhere, as ClassificationProblem makes them, or "
        "say what the policy sees: sees='all', or a function of the contexts. Got contexts that are not such blocks."
    )
