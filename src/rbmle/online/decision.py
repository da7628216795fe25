"""What an agent decided, and the event that says so."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rbmle.online.ids import from_json
from rbmle.online.journal.base import Event
from rbmle.types import FloatArray

KIND = ONCE = "decision"


@dataclass(frozen=True, eq=False, slots=True)
class Decision:
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
    index: int
    probability: float
    probabilities: FloatArray
    version: int
    t: int
    time: float
    source: str = "policy"


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
