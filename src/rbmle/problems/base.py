"""Where contexts and rewards come from."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

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
    """A bandit problem: for a trial and a block of rounds, what every arm looks like and what it would pay."""

    n_arms: int
    n_features: int
    static: bool

    @abstractmethod
    def rounds(self, seed: int, trial: int, start: int, stop: int) -> Rounds:
        """Rounds start … stop−1 (from 0) of a trial: a function of (seed, trial, round) alone, however they are cut."""
