"""An agent: decisions by id, rewards that come late, arms that come and go, a journal that nothing is lost from."""

import logging
import math
import time
from collections.abc import Callable
from os import PathLike
from typing import Any, Literal, Self
from uuid import UUID

import numpy as np

from rbmle import params
from rbmle.errors import InvalidInputError
from rbmle.features import Features
from rbmle.inputs import LARGEST_REWARD, LIMITS, as_reward
from rbmle.online.arm_list import ArmList
from rbmle.online.asking import arms_asked, same_question
from rbmle.online.core import Core
from rbmle.online.deciding import Decider
from rbmle.online.decision import Decision, of_event
from rbmle.online.fold import Open
from rbmle.online.history import afterwards, outcome
from rbmle.online.ids import Arms, as_id, new_id
from rbmle.online.journal.base import Event, Journal
from rbmle.online.keeping import Keeping
from rbmle.online.opening import beginning, journal_of, opened, require_same
from rbmle.online.reading import Reading
from rbmle.online.rewards import ACCEPTED, Reward, Status, judge
from rbmle.online.rules import MONTH, Rules
from rbmle.online.waiting import Waiting
from rbmle.params import Integer, OneOf, Real
from rbmle.policies.base import Policy
from rbmle.policies.linear import LinearPolicy
from rbmle.random import fresh_seed
from rbmle.types import ArrayLike, FloatArray, Number, Row

log = logging.getLogger("rbmle.online")
# Rewards that a policy was asked about and takes, and are remembered; how often a reward looks for its decision.
MOST_VALUES, TWICE = 1000, (1, 2)


class Agent(Reading, Keeping, Waiting):
    """A policy in a product: it decides, is told rewards by the decision's id, and learns from its journal alone.

    Everything that happens is an event in the journal, and what the agent knows is what the journal comes to. So it can
    be restarted at any moment, several workers on one journal know the same, to the last bit, as soon as they have read
    the same events, and `rbmle.evaluation` can read what was decided. An agent may be used by many threads.

    policy        how to decide, fresh or with what it has learnt elsewhere (a warm start); it is copied
    journal       None: in memory; a path: a SQLite file, made if it is not there; a URL "postgresql://…"; or a Journal
    features      `rbmle.features.Features`: `decide` then takes what is known of the visitor, as a dict or a row
    seed          of all random numbers: those of a decision follow from it and the decision's id
    wait          seconds until a decision is closed. None: it is closed by its first reward, and nothing is learnt of
                  decisions that never get one
    default_reward  what a decision that was shown has earned if no reward came in time, once; None: nothing is learnt
    aggregate     which of several rewards count: the "first", the "last", their "sum" (they then need ids), the "max"
    learn         "at_close": when the waiting time is over, whatever came. "immediate": from the first reward, and from
                  the default reward when the time is over. Where only good news report early, as clicks do, the latter
                  learns from good news first and is wrong until the rest is known: see the guide
                  "From notebook to production"
    pending       "count": decisions that are still open count as seen, with the reward expected of them, so that
                  a deterministic policy does not repeat one arm until rewards come; "ignore": they do not
    max_pending   how many decisions may be open. For one more the oldest is closed: with the rewards it has, or with
                  none; its default reward does not apply, for its time was not over
    max_age       seconds after which a decision is closed without a reward, where there is no `wait`
    floor, samples  as in `policy.decide`: the share of decisions that go to any arm, and draws of methods that sample
    fallback      the id of an arm to serve where the policy fails; None: the error is raised
    apprentice    the caller's own rule (`baseline`) is served and the policy learns from it; `promote` ends that
    durability    "commit": what was acknowledged is on the disk. "buffered": a thread writes events together, after
                  `flush_events` of them or `flush_seconds`; nobody waits for the disk unless twice as many wait, and
                  so many are lost at most when the process dies
    sync_seconds  how often at most to look, with a call, for what other workers have written
    snapshot_every  events after which the state is kept, so that the next start is quick
    clock         a function that tells seconds since 1970

    The rules, all from `seed` to `apprentice`, are written into the journal and must be the same when it is opened
    again; `Agent.open` takes them from there.

    >>> from rbmle import LinUCB
    >>> with Agent(LinUCB(n_features=2)) as agent:
    ...     decision = agent.decide([[1.0, 0.0], [0.0, 1.0]], arms=["news", "sport"])
    ...     print(decision.arm, decision.probability, agent.reward(decision.id, 1.0), agent.reward(decision.id, 1.0))
    news 1.0 accepted duplicate
    """

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        journal: "str | PathLike[str] | Journal | None" = None,
        features: Features | None = None,
        seed: int | None = None,
        wait: float | None = None,
        default_reward: float | None = None,
        aggregate: Literal["first", "last", "sum", "max"] = "first",
        learn: Literal["at_close", "immediate"] = "at_close",
        pending: Literal["ignore", "count"] = "ignore",
        max_pending: int = 100_000,
        max_age: float = MONTH,
        floor: float = 0.0,
        samples: int | None = None,
        fallback: Any = None,
        apprentice: bool = False,
        durability: Literal["commit", "buffered"] = "commit",
        flush_events: int = 500,
        flush_seconds: float = 0.1,
        sync_seconds: float = 1.0,
        snapshot_every: int = 100_000,
        clock: Callable[[], float] = time.time,
    ) -> None:
        rules = Rules(
            seed=fresh_seed() if seed is None else seed,
            wait=wait, default_reward=default_reward, aggregate=aggregate, learn=learn, pending=pending,
            max_pending=max_pending, max_age=max_age, floor=floor, samples=samples, fallback=fallback,
            apprentice=apprentice,
        )  # fmt: skip
        begin = beginning(policy, features, rules, clock)
        here = journal_of(journal, create=True)
        with opened(here, ours=here is not journal):
            self._start(here, begin, durability, (flush_events, flush_seconds), sync_seconds, snapshot_every, clock)
            require_same(here, begin, check_seed=seed is not None)

    @classmethod
    def open(
        cls,
        journal: "str | PathLike[str] | Journal",
        *,
        durability: Literal["commit", "buffered"] = "commit",
        flush_events: int = 500,
        flush_seconds: float = 0.1,
        sync_seconds: float = 1.0,
        snapshot_every: int = 100_000,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """The agent of a journal that is there: policy, features, rules, pending decisions, all as it was.

        A policy of your own must be imported first.
        """
        agent = cls.__new__(cls)
        here = journal_of(journal, create=False)
        with opened(here, ours=here is not journal):
            agent._start(here, None, durability, (flush_events, flush_seconds), sync_seconds, snapshot_every, clock)
        return agent

    def _start(self, journal: Journal, begin: Event | None, durability: str, flush: tuple[int, float],
               sync_seconds: float, snapshot_every: int, clock: Callable[[], float]) -> None:  # fmt: skip
        params.require("Agent", "durability", durability, OneOf("commit", "buffered"))
        params.require("Agent", "flush_events", flush[0], Integer(1))
        params.require("Agent", "flush_seconds", flush[1], Real(0.0, open_low=True))
        params.require("Agent", "sync_seconds", sync_seconds, Real(0.0))
        params.require("Agent", "snapshot_every", snapshot_every, Integer(1))
        self._clock = clock
        self._core = Core(
            journal, None if begin is None else (lambda: begin), durability=durability, flush=flush,
            sync_seconds=sync_seconds, snapshot_every=snapshot_every,
        )  # fmt: skip
        self._decider = Decider()
        # A policy; up to which size it takes any reward; other rewards that it was asked about and takes.
        self._takes: tuple[Policy | None, float, set[float]] = None, -1.0, set()
        self.arms = ArmList(self._core, self._now)
        log.info("%r opened at event %d, %d decisions open", self, self.version, self.n_pending)

    def decide(
        self,
        contexts: "ArrayLike | Row | None" = None,
        *,
        arms: "Arms | None" = None,
        id: str | UUID | None = None,
        baseline: Any = None,
        shown: bool = True,
    ) -> Decision:
        """An arm to serve. When this returns, the decision is in the journal.

        contexts: (K, d), a context of each arm; with `features`, what is known of the visitor, a dict or a row; left
            out, the contexts that the arms were added with.
        arms: ids of the K arms that can be served; with `features` also a mapping of ids to rows. Left out: those
            that were added, or, where none was, 0 … K − 1.
        id: what the decision is to be called; a random id if left out. Asking again with an id and the same arms and
            contexts gives the same decision, in any worker (of buffered ones, once it is written); with others it is
            an error.
        baseline: what the caller's own rule would serve: an arm, or a list of chances that one is drawn from. It is
            served while the agent is an apprentice; else it is only compared.
        shown: False where it is not sure that the arm will be shown: `activate` says so later. What was never shown is
            not waited for, and gets no default reward.
        """
        core, name, now = self._core, new_id() if id is None else as_id(id), self._now()
        core.sync_when_due()
        known, version = None, 0
        if id is not None:
            with core.lock:
                known, version = core.state.arms, core.state.arms.version
                X, ids = arms_asked(core.state, contexts, arms)
            if (again := self._repeated(name, X, ids)) is not None:
                return again
        with core.lock:
            if core.state.arms is not known or known.version != version:  # not asked yet, or some have retired since
                X, ids = arms_asked(core.state, contexts, arms)
            if id is not None and core.record(name) is not None and (again := self._repeated(name, X, ids)) is not None:
                return again  # another thread was asked the same meanwhile
            closings = core.closings(now, more=1)
            event, decision = self._decider.make(core.state, X, ids, name, now, baseline, shown)
            x, deadline = X[decision.index].copy(), now + core.state.patience
            record = Open(name, now, deadline, x, bool(shown), [])
            if core.buffered and not closings:
                core.put(record, event)
        if not core.buffered or closings:
            made = record, decision.probability
            seq, _ = core.commit([*closings, event])[-1] if closings else core.commit_one(event, made)
            if seq is None:  # another worker was asked the same
                core.sync()
                again = self._repeated(name, X, ids)
                if again is not None:
                    return again
        else:
            core.flush_if_full()
        return decision

    def _repeated(self, name: str, X: FloatArray, ids: tuple[Any, ...] | None) -> Decision | None:
        """The decision of this id, if there is one."""
        core = self._core
        with core.lock:
            waiting = core.unwritten.get(name)
            event = None if waiting is None else waiting.event
        if event is None:
            found = core.journal.about(name)
            if not found:
                return None
            event = found[0]
        if not same_question(event, X, ids):
            raise InvalidInputError(f"id must be a new one for other arms or contexts. Got {name!r}, decided before.")
        return of_event(event)

    def reward(self, id: str | UUID, value: "Number", reward_id: str | UUID | None = None) -> Status:
        """Tell what a decision earned. When this says "accepted", the reward is in the journal.

        Returns a `Status`, which equals its text: "accepted"; "duplicate", told before, which is harmless; "conflict",
        something else was told before, and that counts; "unknown", there is no such decision; "late", it is closed.
        In a buffered agent it is what this worker knows: another's reward may have come first.

        reward_id: tells several rewards of a decision apart.
        """
        name, number, core, now = as_id(id), as_reward(value, "value"), self._core, self._now()
        policy, most, good = self._takes
        if policy is not core.state.policy or not (-most <= number <= most or number in good):
            self._require_learnable(number)
        told = None if reward_id is None else as_id(reward_id)
        event = Event("reward", now, name, None, {"value": number} if told is None else {"value": number, "id": told})
        core.sync_when_due()
        for _ in TWICE:
            with core.lock:
                record, closings = core.record(name), core.closings(now)
                status = None if record is None else judge(record.rewards, number, told, core.state.rules.aggregate)
                if status is ACCEPTED and core.buffered and not closings and record is not None:
                    mine = record if name in core.unwritten else record.copy()
                    mine.rewards.append(Reward(number, told))
                    core.put(mine, event)
                    break
            if status is not None or core.sync() == 0:
                break
        if status is not ACCEPTED:
            if closings:
                core.commit(closings)
            return core.refuse(status or afterwards(core.journal.about(name), core.state.rules, number, told))
        if core.buffered and not closings:
            core.flush_if_full()
            return status
        _, done = core.commit([*closings, event])[-1] if closings else core.commit_one(event)
        if done is None:  # closed in between
            done = afterwards(core.journal.about(name), core.state.rules, number, told)
        return done if done is ACCEPTED else core.refuse(done)

    def activate(self, id: str | UUID) -> Status:
        """Tell that a decision made with `shown=False` was shown: it is waited for from now on."""
        name, core = as_id(id), self._core
        core.sync_when_due()
        for _ in range(2):
            with core.lock:
                record = core.record(name)
                status = None if record is None else Status.DUPLICATE if record.shown else Status.ACCEPTED
            if status is not None or core.sync() == 0:
                break
        if status is None:
            return Status.LATE if core.journal.about(name) else Status.UNKNOWN
        if status is Status.ACCEPTED:
            found = core.commit([Event("shown", self._now(), name, "shown")])[-1]
            status = found.status or (Status.DUPLICATE if found.seq is None else Status.LATE)
        return status

    def _require_learnable(self, value: float) -> None:
        """Raise where the policy cannot learn from such a reward."""
        policy = self._core.state.policy
        if abs(value) > LARGEST_REWARD:
            raise InvalidInputError(f"{LIMITS} Got a reward of {value:g}.")
        if not isinstance(policy, LinearPolicy):
            policy.new_model().observe(np.zeros(policy.n_features), value)
        if self._takes[0] is not policy:
            self._takes = policy, LARGEST_REWARD if isinstance(policy, LinearPolicy) else -1.0, set()
        if len(self._takes[2]) < MOST_VALUES:
            self._takes[2].add(value)

    def sync(self) -> int:
        """Learn what other workers have written and close what is due; how many events were new."""
        core, now = self._core, self._now()
        count = core.sync()
        while True:
            with core.lock:
                core.ticked = -np.inf
                closings = core.closings(now)
            if not closings:
                return count
            core.commit(closings)

    def flush(self) -> None:
        """Write what waits in the memory of a buffered agent."""
        self._core.writer.flush()

    def snapshot(self) -> int:
        """Keep the state, so that the next start is quick. It happens by itself too."""
        return self._core.snapshot()

    def promote(self, apprentice: bool = False) -> None:
        """Let the policy's own decisions be served from now on, in all workers; True: the caller's again."""
        params.require("promote", "apprentice", apprentice, params.Flag())
        self._core.commit([Event("mode", self._now(), None, None, {"apprentice": bool(apprentice)})])
        log.info("The %s decisions are served from now on", "caller's" if apprentice else "policy's own")

    def result(self, id: str | UUID) -> tuple[Literal["open", "closed", "unknown"], float | None]:
        """Whether a decision is still open, and what it has earned; None where it earned nothing that counts."""
        self.flush()
        return outcome(self._core.journal.about(as_id(id)), self._core.state.rules)

    def close(self, *, snapshot: bool = True) -> None:
        """Write what waits, keep the state, and let go of the journal. Closing twice is harmless.

        snapshot: False for who has only looked.
        """
        self._core.close(snapshot=snapshot and self._core.journal.shared)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _now(self) -> float:
        now = float(self._clock())
        if not math.isfinite(now):
            raise InvalidInputError(f"The clock of an agent must tell a finite number of seconds. Got {now}.")
        return now
