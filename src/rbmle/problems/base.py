"""Where contexts and rewards come from."""

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rbmle import kernels
from rbmle.errors import InvalidInputError
from rbmle.inputs import as_plain
from rbmle.types import FloatArray, IntArray


def digest_of(*arrays: FloatArray | IntArray) -> str:
    """A checksum of numbers and shapes, that tells one problem's data from others."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(repr(array.shape).encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()[:16]


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
        means = as_plain(self.mean_rewards, "mean_rewards")
        largest = np.empty(len(means))
        kernels.regret.largest(means, largest)
        return largest

    def regret(self, arms: IntArray) -> FloatArray:
        """What the arms (B,) lose against the best one of their round, in mean rewards."""
        rows = np.arange(len(arms)) if len(self.mean_rewards) > 1 else 0
        lost: FloatArray = self.best - self.mean_rewards[rows, arms]
        return lost

    def cumulative_regret(self, arms: IntArray, before: float = 0.0) -> FloatArray:
        """What the arms (B,) lose up to every round, with what was lost `before` the first one."""
        means, played = as_plain(self.mean_rewards, "mean_rewards"), np.array(arms, dtype=np.int64, ndmin=1)
        if played.ndim != 1 or len(means) not in (1, len(played)):
            raise InvalidInputError(f"arms must be those of {len(means)} rounds. Got shape {played.shape}.")
        regret = np.empty(len(played))
        done = kernels.regret.accumulate(means, self.best, played, float(before), regret)
        if done < len(played):
            highest = means.shape[1] - 1
            raise InvalidInputError(f"arms must be numbers from 0 to {highest}. Got {played[done]} at arms[{done}].")
        return regret


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
    """A constraint: at least one finite number in a row, each at least `low`."""

    def __init__(self, low: float = -np.inf) -> None:
        self.low = low

    def holds(self, value: object) -> bool:
        """Tell whether the value is a vector."""
        try:
            array = np.asarray(value)
        except ValueError:  # ragged
            return False
        good = array.ndim == 1 and array.size > 0 and array.dtype.kind in "fiu"
        return good and bool((np.isfinite(array) & (array >= self.low)).all())

    def __str__(self) -> str:
        if self.low == -np.inf:
            return "a sequence of finite numbers such as (-0.3, 0.5, 0.8)"
        return f"a sequence of finite numbers from {self.low:g} on"


class Matrix:
    """A constraint: at least one row of at least one finite number, all rows of the same length."""

    def holds(self, value: object) -> bool:
        """Tell whether the value is a matrix."""
        try:
            array = np.asarray(value)
        except ValueError:  # ragged
            return False
        return array.ndim == 2 and array.size > 0 and array.dtype.kind in "fiu" and bool(np.isfinite(array).all())

    def __str__(self) -> str:
        return "rows of finite numbers, all of one length, such as ((1.0, 0.0), (0.0, 1.0))"
