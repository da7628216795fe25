"""Where contexts and rewards come from."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from rbmle.types import FloatArray


@dataclass(frozen=True)
class Rounds:
    """A block of B rounds of one trial, with the rewards of *all* arms, so that every policy sees the same path.

    contexts      (B, K, d), or (1, K, d) where the arms stay the same
    mean_rewards  (B, K), or (1, K) where the arms stay the same: regret is counted in these
    rewards       (B, K)
    """

    contexts: FloatArray
    mean_rewards: FloatArray
    rewards: FloatArray


class Problem(ABC):
    """A bandit problem: for a trial and a block of rounds, what every arm looks like and what it would pay.

    `trials` and `horizon` are the most there is to give, None where there is no end.
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
