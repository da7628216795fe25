"""What an agent decided, and the event that says so."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from rbmle.online.ids import from_json
from rbmle.online.journal.base import Event
from rbmle.policies.base import one_hot
from rbmle.types import FloatArray

KIND = ONCE = "decision"
# Arms up to which chances of decisions that leave nothing to chance are kept, and how many such.
FEW_ARMS, KEPT = 64, 1024


class Decision(NamedTuple):
    """One decision of an agent: a record of what was served, for whom to tell the reward of.

    id             what it is called
    arm            the id of the arm to serve
    index          its position among those that could be served
    probability    the chance with which it was served, exactly
    probabilities  (K,) the chance of every arm
    version        the place in the journal up to which the agent had learnt
    t              the round it was taken for: one plus the number of rewards learnt
    time           when, in seconds since 1970
    source         who chose: "policy"; "baseline", the caller's own rule; "fallback", where the policy failed
    """

    id: str
    arm: Any
    index: int  # type: ignore[assignment]  # hides the search of tuples, which nobody needs here
    probability: float
    probabilities: FloatArray
    version: int
    t: int
    time: float
    source: str = "policy"

    def __eq__(self, other: object) -> bool:  # chances are arrays, whose comparison has no truth value
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __hash__(self) -> int:
        return object.__hash__(self)


def certain(arm: int, n_arms: int) -> tuple[int, FloatArray, bytes]:
    """A decision that leaves nothing to chance: arm, chances as an array that cannot be written to, and their bytes."""
    content = one_hot(arm, n_arms).tobytes()
    return arm, np.frombuffer(content), content


kept = lru_cache(KEPT)(certain)


def of_event(event: Event) -> Decision:
    """The decision that an event says was taken."""
    data = event.data
    K, index = data["K"], data["arm"]
    chances = np.frombuffer(event.body, offset=len(event.body) - 8 * K)
    ids = data.get("arms")
    arm = index if ids is None else from_json(ids[index])
    chance, source = float(chances[index]), data.get("by", "policy")
    return Decision(str(event.subject), arm, index, chance, chances, data["model"], data["t"], event.time, source)


def contexts_of(event: Event) -> FloatArray:
    """The contexts (K, d) of the decision of an event."""
    K = event.data["K"]
    return np.frombuffer(event.body, count=len(event.body) // 8 - K).reshape(K, -1)
