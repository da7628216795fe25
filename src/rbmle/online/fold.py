"""The state of an agent is what its journal comes to: the events in their order, each applied once.

Nothing here looks at a clock, at chance or at the process it runs in, so that whoever reads the same events has the
same state, to the last bit.

===========  =======  ==================================================================================================
kind         key      meaning
===========  =======  ==================================================================================================
begin        begin    the first event: rules, features, and the policy with what it had learnt before
decision     decision an arm was served: data K, arm (its position), t, model (see `Decision.version`), where they are
                      needed arms (ids), by ("baseline", "fallback"), agreed, hold (not shown yet); body: contexts
                      (K, d) and chances (K,), as 64-bit floats
shown        shown    a decision on hold was shown
reward                a reward: data value and id. Whether it counts follows from what came before it
close        close    nothing more is awaited of a decision; why: "wait", "age", "full" or "erased"
arm, retire           an arm is there from now on, or is not served any more
mode                  the caller's rule is served (apprentice), or the policy
switch                another policy takes over (body: with what it has learnt), or the one before (back)
tally                 how many rewards a worker refused since it last said so; they are not in the journal
===========  =======  ==================================================================================================
"""

import logging
from collections.abc import Callable, Mapping
from heapq import heappush
from typing import Any, TypeAlias

import numpy as np

from rbmle import files, plain
from rbmle.errors import JournalError, RbmleError
from rbmle.online.arms import Arms
from rbmle.online.counts import CHANCE, Counts
from rbmle.online.ids import from_json
from rbmle.online.journal.base import Event
from rbmle.online.rewards import ACCEPTED, Reward, Status, judge, total
from rbmle.online.rules import Rules
from rbmle.policies import storage
from rbmle.policies.base import Policy
from rbmle.types import FloatArray

FORMAT = 1
# What Python and NumPy say to events that make no sense.
NONSENSE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
NUMBERS = (float, int)
# Entries of `State.due` of decisions that are closed already, beyond as many as are open, that are put up with.
STALE = 1000
# Why decisions are closed.
REASONS = ("wait", "age", "full", "erased")
log = logging.getLogger("rbmle.online")


class Open:
    """A decision that is not closed.

    x         (d,) the context of the arm that was served
    deadline  when it is closed
    shown     whether it was shown, as far as is known
    rewards   those that count so far
    """

    __slots__ = ("deadline", "id", "rewards", "shown", "time", "x")

    def __init__(self, id: str, time: float, deadline: float, x: FloatArray, shown: bool, rewards: list[Reward]):
        self.id, self.time, self.deadline, self.x = id, time, deadline, x
        self.shown, self.rewards = shown, rewards

    @classmethod
    def of(cls, event: Event, patience: float) -> "Open":
        """The record of a decision's event."""
        _, time, subject, _, data, body, _ = event
        K, arm = data["K"], data["arm"]
        if type(K) is not int or type(arm) is not int or not 0 <= arm < K:
            raise ValueError(f"arm {arm!r} of {K!r}")
        size = len(body) // K - 8
        x = np.frombuffer(bytearray(body[size * arm : size * arm + size]))  # as an array that kernels take uncopied
        return cls(str(subject), time, time + patience, x, not data.get("hold"), [])

    def copy(self) -> "Open":
        """A record of its own."""
        return Open(self.id, self.time, self.deadline, self.x, self.shown, list(self.rewards))


# A decision that was just made, and the chance with which its arm is served.
Made: TypeAlias = tuple[Open, float]


class State:
    """What the journal comes to, up to a place.

    position    that place
    patience    seconds after which a decision is closed
    room        how many decisions may be open
    open        decisions that are not closed, in the order of the journal
    due         (deadline, id) of what will have to be closed, as a heap; entries may be out of date
    previous    the policy before the last switch; it goes on learning, for a way back
    closings    how many decisions were closed
    """

    def __init__(self, rules: Rules, policy: Policy, features: Any) -> None:
        self.rules, self.policy, self.features = rules, policy, features
        self.arms, self.counts = Arms(), Counts()
        self.open: dict[str, Open] = {}
        self.due: list[tuple[float, str]] = []
        self.apprentice = rules.apprentice
        self.previous: Policy | None = None
        self.position = self.closings = 0
        self.patience, self.room = rules.patience, rules.max_pending
        self._closes, self._aggregate = rules.closes_with_reward, rules.aggregate
        self._on: dict[str, Callable[[Event], Status | None]] = {
            "decision": self._decision,
            "reward": self._reward,
            "close": self._close,
            "shown": self._shown,
            "arm": self._arm,
            "retire": self._retire,
            "mode": self._mode,
            "switch": self._switch,
            "tally": self._tally,
        }

    @classmethod
    def begin(cls, event: Event, source: str = "the journal") -> "State":
        """The state that the first event of a journal says."""
        if event.kind != "begin" or event.seq != 1:
            raise JournalError(f"{source} does not begin with the rules of an agent, but with {event.kind!r}.")
        if event.data.get("format") != FORMAT:
            told = event.data.get("format")
            raise JournalError(
                f"{source} has format {told}; this version of rbmle reads format {FORMAT}. Update rbmle."
            )
        try:
            features = plain.from_plain(event.data["features"])
            state = cls(Rules.from_plain(event.data["rules"]), unpacked(event.body, source), features)
        except (*NONSENSE, RbmleError) as reason:
            raise JournalError(f"{source} does not begin with the rules of an agent: {reason}") from reason
        state.position = event.seq
        return state

    def apply(self, event: Event, seq: int) -> Status | None:
        """Let one event happen; of rewards and the like, what became of them. None: its decision is not open."""
        if seq <= self.position:
            raise JournalError(f"Event {seq} came after {self.position}.")
        handler = self._on.get(event.kind)
        if handler is None:
            raise JournalError(
                f"Event {seq} is a {event.kind!r}, which this version of rbmle does not know. Update it."
            )
        try:
            status = handler(event)
        except NONSENSE as reason:
            raise JournalError(f"Event {seq}, a {event.kind!r}, makes no sense: {reason!r}.") from reason
        self.position = seq
        return status

    def _decision(self, event: Event) -> None:
        record, data, body = Open.of(event, self.patience), event.data, event.body
        K, size = data["K"], len(body)
        if size != 8 * K * (self.policy.n_features + 1):
            raise ValueError("another number of features")
        if record.id in self.open:
            raise ValueError("the same decision again")
        (chance,) = CHANCE.unpack_from(body, size - 8 * (K - data["arm"]))
        if not 0.0 < chance <= 1.0:
            raise ValueError("a chance that is none")
        self.admit(record, chance, data, body)

    def admit(self, record: Open, chance: float, data: Mapping[str, Any], body: bytes) -> None:
        """Let a decision happen of which it is known what it says."""
        self.counts.served(self.arms.numbers_of(data.get("arms"), data["K"]), chance, data, body)
        self.open[record.id] = record
        self._await(record)

    def _await(self, record: Open) -> None:
        """Have a decision closed when it is due. What was closed before is taken out once it is the larger part."""
        heappush(self.due, (record.deadline, record.id))
        if len(self.due) > STALE + 2 * len(self.open):
            self.due = sorted((each.deadline, name) for name, each in self.open.items())

    def _shown(self, event: Event) -> Status | None:
        record = self.open.get(str(event.subject))
        if record is None:
            return None
        if record.shown:
            return Status.DUPLICATE
        record.shown, record.deadline = True, event.time + self.patience
        self._await(record)
        return Status.ACCEPTED

    def _reward(self, event: Event) -> Status | None:
        record = self.open.get(str(event.subject))
        if record is None:
            return None
        value, told = event.data["value"], event.data.get("id")
        if type(value) not in NUMBERS or not (told is None or type(told) is str):
            raise ValueError("a reward that is not a number, or whose id is not text")
        status = judge(record.rewards, value, told, self._aggregate)
        if status is ACCEPTED:
            self.counts.add("accepted", 1)
            if self._closes:
                self._learn(record, value)
            else:
                record.rewards.append(Reward(value, told))
                record.shown = True
        return status

    def _close(self, event: Event) -> None:
        record = self.open.get(str(event.subject))
        if record is None:
            return
        why = event.data["why"]
        if why not in REASONS:
            raise ValueError(f"closed for {why!r}")
        value = total(record.rewards, self.rules.aggregate) if why != "erased" else None
        if value is None and why == "wait" and record.shown and self.rules.default_reward is not None:
            value = self.rules.default_reward
            self.counts.add("defaulted", 1)
        self.counts.add(f"closed: {why}", 1)
        self._learn(record, value)

    def _learn(self, record: Open, value: float | None) -> None:
        """Close a decision, with a reward or none."""
        del self.open[record.id]
        self.closings += 1
        if value is None:
            self.counts.add("void", 1)
            return
        if taught(self.policy, record, value):
            self.counts.learnt(record.time, value)
        else:
            self.counts.add("not learnt", 1)
        if self.previous is not None:
            taught(self.previous, record, value)

    def _arm(self, event: Event) -> None:
        self.arms.add(from_json(event.data["id"]), event.data.get("row"))

    def _retire(self, event: Event) -> None:
        self.arms.retire(from_json(event.data["id"]))

    def _mode(self, event: Event) -> None:
        self.apprentice = bool(event.data["apprentice"])

    def _switch(self, event: Event) -> None:
        policy = self.previous if event.data.get("back") else unpacked(event.body, "a switch of policies")
        if policy is None or policy.n_features != self.policy.n_features:
            raise ValueError("no policy, or one of other features")
        self.previous, self.policy = self.policy, policy
        self.closings += 1

    def _tally(self, event: Event) -> None:
        for name, count in [(name, int(count)) for name, count in event.data.items()]:
            self.counts.add(name, count)


def taught(policy: Policy, record: Open, value: float) -> bool:
    """Let a policy learn what a decision earned; whether it could. It is the same for all who read the journal."""
    try:
        policy.update(record.x, value)
    except MemoryError:  # would not be the same for all
        raise
    except Exception as reason:
        log.warning("The reward %g of decision %s cannot be learnt: %r", value, record.id, reason)
        log.debug("It was refused here:", exc_info=True)
        return False
    return True


def packed(policy: Policy) -> bytes:
    """A policy as the content of a file; where its generator is does not count, for every decision has its own."""
    header, arrays = storage.to_arrays(policy)
    return files.arrays_to_bytes(header, arrays)


def unpacked(content: bytes, source: str) -> Policy:
    """The policy that `packed` was given."""
    header, arrays = files.arrays_from_bytes(content, source)
    storage.require_header(header, source)
    return storage.from_arrays(header, arrays, source)
