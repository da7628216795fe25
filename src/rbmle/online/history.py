"""What became of one decision, from its events alone: for those that are not open any more."""

from collections.abc import Sequence
from typing import Literal

from rbmle.online.journal.base import Event
from rbmle.online.rewards import Reward, Status, judge, total
from rbmle.online.rules import Rules


class Outcome:
    """What the events of a decision come to.

    known    rewards that count
    reward   what it earned; None: nothing that counts
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.known: list[Reward] = []
        self.found = self.closed = self.shown = False
        self.reward: float | None = None

    def apply(self, event: Event) -> None:
        """Let one event of the decision happen."""
        if event.kind == "decision":
            self.found, self.shown = True, not event.data.get("hold", False)
        elif event.kind == "shown":
            self.shown = True
        elif event.kind == "reward" and not self.closed:
            new = Reward(event.data["value"], event.data.get("id"))
            if judge(self.known, *new, self.rules.aggregate) is Status.ACCEPTED:
                self.known.append(new)
                self.shown = True
                self.closed = self.rules.closes_with_reward
                self.reward = total(self.known, self.rules.aggregate)
        elif event.kind == "close" and not self.closed:
            self.closed, why = True, event.data["why"]
            if why == "erased":
                self.reward = None
            elif not self.known and why == "wait" and self.shown:
                self.reward = self.rules.default_reward


def replayed(events: Sequence[Event], rules: Rules) -> Outcome:
    """What the events of one decision come to."""
    found = Outcome(rules)
    for event in events:
        found.apply(event)
    return found


def afterwards(events: Sequence[Event], rules: Rules, value: float, id: str | None) -> Status:
    """What a reward is that is told of a decision which is not open."""
    found = replayed(events, rules)
    if not found.found:
        return Status.UNKNOWN
    status = judge(found.known, value, id, rules.aggregate)
    return Status.LATE if status is Status.ACCEPTED else status


def outcome(events: Sequence[Event], rules: Rules) -> tuple[Literal["open", "closed", "unknown"], float | None]:
    """Whether a decision is open, and what it has earned so far."""
    found = replayed(events, rules)
    if not found.found:
        return "unknown", None
    return ("closed" if found.closed else "open"), found.reward
