"""Where contexts and rewards come from."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rbmle.types import FloatArray, IntArray


@dataclass(frozen=True)
class Rounds:
    """A block of B rounds of one trial, with the rewards of *all* arms, so that every policy sees the same path.

    contexts      (B, K, d), or (1, K, d) where the arms stay the same
    mean_rewards  (B, K), or (1, K) where they stay the same: regret is counted in these. Arms may stay while their
                  means drift: contexts (1, K, d) with means (B, K)
    rewards       (B, K)
    """

    contexts: FloatArray
    mean_rewards: FloatArray
    rewards: FloatArray

    def contexts_of(self, number: int) -> FloatArray:
        """What the arms look like in the block's round `number` (from 0): (K, d)."""
        row: FloatArray = self.contexts[number if len(self.contexts) > 1 else 0]
        return row

    @cached_property
    def best(self) -> FloatArray:
        """The largest mean reward of each round: (B,), or (1,) where means stay."""
        largest: FloatArray = self.mean_rewards.max(axis=1)
        return largest

    def regret(self, arms: IntArray) -> FloatArray:
        """What the arms (B,) lose against the best one of their round, in mean rewards."""
        rows = np.arange(len(arms)) if len(self.mean_rewards) > 1 else 0
        lost: FloatArray = self.best - self.mean_rewards[rows, arms]
        return lost


class Problem(ABC):
    """A bandit problem: for a trial and a block of rounds, what every arm looks like and what it would pay.

    A problem of your own has `rounds`, `params` and these attributes:

    n_arms      K, an int
    n_features  d, an int
    static      True where the arms stay for a trial: contexts are then (1, K, d). Their means may still drift
    trials      the most trials there are, None (the default) where there is no end
    horizon     the most rounds of a trial, None (the default) where there is no end

    >>> class Coins(Problem):
    ...     "Two coins; the better one is the second, until they are swapped after 100 rounds."
    ...     n_arms, n_features, static = 2, 2, True
    ...     params = {"swap": 100}
    ...     def rounds(self, seed, trial, start, stop):
    ...         means = np.where(np.arange(start, stop)[:, None] < 100, [0.4, 0.6], [0.6, 0.4])
    ...         draws = np.random.default_rng([seed, trial]).random((stop, 2))[start:]
    ...         return Rounds(np.eye(2)[None], means, (draws < means).astype(float))
    >>> Coins().rounds(0, 0, 0, 3).regret(np.array([0, 1, 1]))
    array([0.2, 0. , 0. ])

    `rbmle.testing.check_problem` tells whether it keeps to the rules. Every block is checked before a policy sees it.
    """

    n_arms: int
    n_features: int
    static: bool
    trials: int | None = None
    horizon: int | None = None

    @abstractmethod
    def rounds(self, seed: int, trial: int, start: int, stop: int) -> Rounds:
        """Rounds start … stop−1 (from 0) of a trial: a function of (seed, trial, round) alone, however they are cut."""

    @property
    @abstractmethod
    def params(self) -> dict[str, Any]:
        """What makes the problem this one, as plain data."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.params.items())})"


class Vector:
    """A constraint: at least one finite number in a row."""

    def holds(self, value: object) -> bool:
        """Tell whether the value is a vector."""
        try:
            array = np.asarray(value)
        except ValueError:  # ragged
            return False
        return array.ndim == 1 and array.size > 0 and array.dtype.kind in "fiu" and bool(np.isfinite(array).all())

    def __str__(self) -> str:
        return "a sequence of finite numbers such as (-0.3, 0.5, 0.8)"
