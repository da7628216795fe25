"""Vowpal Wabbit: its explorers in our simulator."""

from typing import Any

import numpy as np

from rbmle.adapters.libraries import library
from rbmle.adapters.participant import Participant, Sees
from rbmle.errors import InvalidInputError, InvalidParameterError, describe
from rbmle.policies.decision import Decision, served
from rbmle.random import generator
from rbmle.types import ArrayLike, FloatArray


class FromVW(Participant):
    """Vowpal Wabbit in `simulate`, with `--cb_explore_adf`: it answers with the chance of every arm, one is drawn here.

    arguments: of Vowpal Wabbit, such as "--cb_explore_adf --squarecb". `--quiet` is added.
    sees: "arms" shows every arm's own features, one model for all. Otherwise the shared context is what `Participant`
        says and an arm is its number: give `-q sa`, or arms have nothing but an intercept.
    seed: of the draws; `simulate` sets another one in every trial.

    Costs are minus the rewards. Vowpal Wabbit computes in float32.
    """

    distribution = "vowpalwabbit"
    ways = ("arms", "blocks", "all")

    def __init__(self, arguments: str, sees: Sees = "arms", *, seed: int = 0) -> None:
        if not isinstance(arguments, str) or "--cb_explore_adf" not in arguments.split():
            raise InvalidParameterError(
                f"The 'arguments' parameter of FromVW must have --cb_explore_adf. Got {describe(arguments)} instead."
            )
        library("vowpalwabbit", "vw")
        super().__init__(sees)
        self.arguments = arguments
        self.reseed(seed)

    def reseed(self, seed: int, *path: int) -> None:
        """Start the draws anew, here and in Vowpal Wabbit; what was learnt is forgotten."""
        self.origin = (int(seed), *path)
        self._rng = generator(*self.origin)
        self._workspace: Any = None  # made when first asked: it can be neither copied nor sent to a worker
        self._decision: Any = None
        self._rounds = 0

    @property
    def params(self) -> dict[str, Any]:
        """For columns of results."""
        return {**super().params, "arguments": self.arguments}

    def decide(self, contexts: "ArrayLike") -> Decision:
        """An arm with the probability that it is served with."""
        self.choose(contexts)
        decision: Decision = self._decision
        return decision

    def _ask(self, X: FloatArray, seen: Any) -> int:
        if self._workspace is None:
            self._workspace = self._started()
        answer = np.array(self._workspace.predict(self._lines(X, seen)), dtype=np.float64)
        self._decision = served(self._rng, answer / answer.sum(), 0.0, self._rounds + 1)
        return int(self._decision.arm)

    def _tell(self, X: FloatArray, seen: Any, arm: int, reward: float) -> None:
        self._workspace.learn(self._lines(X, seen, f"0:{-reward!r}:{self._decision.probability!r} ", arm))
        self._rounds += 1

    def _started(self) -> Any:
        own = "" if "--random_seed" in self.arguments else f" --random_seed {int(self._rng.integers(2**31))}"
        return library("vowpalwabbit", "vw").Workspace(f"{self.arguments} --quiet{own}")

    def _lines(self, X: FloatArray, seen: Any, label: str = "", labelled: int = -1) -> list[str]:
        """A round as Vowpal Wabbit reads it, with a label at the arm that was played."""
        shared = isinstance(self.sees, str) and self.sees == "arms"
        arms = [in_words("a", x) for x in X] if shared else [f"|a arm{arm}" for arm in range(len(X))]
        lines = [(label if arm == labelled else "") + words for arm, words in enumerate(arms)]
        return lines if shared else ["shared " + in_words("s", seen), *lines]

    def __getstate__(self) -> dict[str, Any]:
        if self._workspace is not None:
            raise InvalidInputError("What Vowpal Wabbit has learnt cannot be copied: make another FromVW.")
        return vars(self)


def in_words(space: str, numbers: FloatArray) -> str:
    """Numbers as features of a namespace."""
    return f"|{space} " + " ".join(f"{i}:{value:.9g}" for i, value in enumerate(numbers.tolist()) if value)
