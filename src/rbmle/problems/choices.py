"""What people chose, as a bandit: their alternatives are the arms, the one they took pays 1."""

from functools import cached_property
from typing import Any

import numpy as np

from rbmle import params
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.inputs import LARGEST_CONTEXT, as_numbers, require_within
from rbmle.params import Flag, Integer, Optional
from rbmle.problems.base import Problem, Rounds, digest_of
from rbmle.problems.shuffled import Shuffled
from rbmle.types import ArrayLike, IntArray


class ChoiceProblem(Shuffled, Problem):
    """Rows with a context for each of K alternatives, of which one was chosen. Every trial has them in another order.

    contexts: (N, K, d), finite.
    chosen: (N,) the number of the alternative that was chosen.
    horizon: the most rounds of a trial; by default N, and with `cycle` there is no end.
    cycle: start over with the rows, in a new order, where the data end.

    >>> problem = ChoiceProblem([[[1.0], [2.0]], [[3.0], [0.0]]], [1, 0])
    >>> block = problem.rounds(seed=0, trial=0, start=0, stop=2)
    >>> bool((block.contexts[:, :, 0].argmax(axis=1) == block.rewards.argmax(axis=1)).all())
    True
    """

    static = False

    def __init__(
        self, contexts: "ArrayLike", chosen: "ArrayLike", *, horizon: int | None = None, cycle: bool = False
    ) -> None:
        X = as_numbers(contexts, "contexts")
        if X.ndim != 3 or 0 in X.shape:
            raise InvalidInputError(f"contexts must have shape (n_rows, n_arms, n_features). Got shape {X.shape}.")
        require_within(X, "contexts", LARGEST_CONTEXT)
        self.contexts = X.copy() if X is contexts else X
        self.n_rows, self.n_arms, self.n_features = self.contexts.shape
        self.chosen = as_choices(chosen, self.n_rows, self.n_arms)
        params.require(self, "horizon", horizon, Optional(Integer(1)))
        params.require(self, "cycle", cycle, Flag())
        self.cycle = bool(cycle)
        self.horizon = self.n_rows if horizon is None and not cycle else horizon
        if not cycle and self.horizon is not None and self.horizon > self.n_rows:
            raise InvalidParameterError(
                f"The 'horizon' parameter of {type(self).__name__} must be at most the number of rows, {self.n_rows}, "
                f"unless cycle=True. Got {horizon} instead."
            )

    def rounds(self, seed: int, trial: int, start: int, stop: int) -> Rounds:
        """Rounds start … stop−1 of a trial."""
        rows = self.rows(seed, trial, start, stop)
        rewards = np.zeros((len(rows), self.n_arms))
        rewards[np.arange(len(rows)), self.chosen[rows]] = 1.0
        return Rounds(self.contexts[rows], rewards, rewards)

    @property
    def params(self) -> dict[str, Any]:
        """Sizes, and a digest of all numbers."""
        return {
            "rows": self.n_rows,
            "n_arms": self.n_arms,
            "n_features": self.n_features,
            "horizon": self.horizon,
            "cycle": self.cycle,
            "sha256": self._digest,
        }

    @cached_property
    def _digest(self) -> str:
        return digest_of(self.contexts, self.chosen)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n_rows} rows, n_arms={self.n_arms}, n_features={self.n_features})"


def as_choices(chosen: Any, n_rows: int, n_arms: int) -> IntArray:
    """(N,) whole numbers of arms."""
    array = np.asarray(chosen)
    if array.shape != (n_rows,) or array.dtype.kind not in "iu":
        raise InvalidInputError(f"chosen must be {n_rows} whole numbers, one a row. Got {array.dtype} {array.shape}.")
    bad = np.flatnonzero((array < 0) | (array >= n_arms))
    if len(bad):
        raise InvalidInputError(
            f"chosen must be numbers of arms, 0 to {n_arms - 1}. Got {array[bad[0]]} at chosen[{bad[0]}]."
        )
    return array.astype(np.int64)
