"""What was played, round by round: arms, their chances, their rewards."""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rbmle.errors import InvalidParameterError
from rbmle.types import FloatArray, IntArray

# A decision takes 4 + 8 + 8 bytes; all logs of a simulation together may take a gibibyte.
PER_DECISION = 20
MOST_BYTES = 2**30


class TrialLog(NamedTuple):
    """One policy in one trial: (T,) each."""

    arms: NDArray[np.int32]
    chances: FloatArray
    rewards: FloatArray

    @classmethod
    def empty(cls, horizon: int) -> Self:
        """A log to be filled."""
        return cls(np.empty(horizon, dtype=np.int32), np.empty(horizon), np.empty(horizon))

    def note(self, start: int, arms: IntArray, chances: FloatArray, rewards: FloatArray) -> None:
        """Fill in a block that begins in round `start` (from 0); rewards (B, K) are those of all arms."""
        place = slice(start, start + len(arms))
        self.arms[place], self.chances[place] = arms, chances
        self.rewards[place] = rewards[np.arange(len(arms)), arms]

    def packed(self) -> bytes:
        """As bytes, for a store."""
        return self.arms.astype("<i4").tobytes() + np.concatenate([self.chances, self.rewards]).astype("<f8").tobytes()

    @classmethod
    def unpacked(cls, content: bytes) -> Self:
        """What `packed` was given."""
        horizon = len(content) // PER_DECISION
        arms = np.frombuffer(content, "<i4", horizon).astype(np.int32)
        chances, rewards = np.frombuffer(content, "<f8", offset=4 * horizon).astype(np.float64).reshape(2, horizon)
        return cls(arms, chances, rewards)


def require_room(policies: int, trials: int, horizon: int) -> None:
    """Raise where logs would take more memory than they may."""
    wanted = PER_DECISION * policies * trials * horizon
    if wanted > MOST_BYTES:
        raise InvalidParameterError(
            f"The 'log' parameter of simulate must be False for so many decisions: {policies} policies × {trials} "
            f"trials × {horizon} rounds take {wanted / 2**30:.1f} GiB, and at most {MOST_BYTES // 2**30} is kept."
        )
