"""What an agent's keeper does now and then: another policy, less history, a person's rows gone."""

import logging
from collections.abc import Callable, Iterable
from typing import NamedTuple

from rbmle import params
from rbmle.errors import InvalidInputError, describe
from rbmle.online import snapshot
from rbmle.online.core import Core
from rbmle.online.fold import State, packed
from rbmle.online.ids import as_id
from rbmle.online.journal.base import Event, MovedError
from rbmle.online.opening import beginning
from rbmle.params import Real
from rbmle.policies.base import Policy

log = logging.getLogger("rbmle.online")


class Retrained(NamedTuple):
    """What a policy was taught from the journal.

    learnt   rewards that it learnt
    missing  rewards that the policy before had learnt and the journal does not have any more
    """

    learnt: int
    missing: int


class Keeping:
    """The part of an agent that changes what it is."""

    _core: Core

    def _now(self) -> float:
        raise NotImplementedError

    def retrain(self, policy: Policy) -> Retrained:
        """Let another policy learn all that is in the journal, in its order, and decide from now on, in all workers.

        The policy before goes on learning beside it: `rollback` brings it back. What the journal has lost to `retain`
        or `erase` cannot be learnt again; the answer says how much that is.
        """
        core = self._core
        beginning(policy, core.state.features, core.state.rules)  # raises where it does not fit
        if policy.n_features != core.state.policy.n_features:
            wanted = core.state.policy.n_features
            raise InvalidInputError(f"policy must have n_features={wanted}, as the journal. Got {policy.n_features}.")
        core.sync()
        replayed = State(core.state.rules, policy.copy(), core.state.features)
        while True:
            sealed = core.journal.base  # the last places before it may be gone
            for event in core.journal.events(replayed.position):
                if event.kind in ("begin", "switch"):
                    replayed.position = event.seq
                else:
                    replayed.apply(event, event.seq)
            replayed.position = max(replayed.position, sealed)
            switch = Event("switch", self._now(), None, None, {}, packed(replayed.policy))
            try:
                core.commit_after(switch, replayed.position)
            except MovedError:  # somebody else has written meanwhile: learn that too
                continue
            learnt = replayed.counts.by_name.get("learnt", 0)
            log.info("After %d rewards another policy decides: %r", learnt, core.state.policy)
            return Retrained(learnt, core.state.counts.by_name.get("learnt", 0) - learnt)

    def rollback(self) -> None:
        """Let the policy before the last `retrain` decide again. It has learnt all that came since."""
        with self._core.lock:
            if self._core.state.previous is None:
                raise InvalidInputError("rollback needs a policy before this one. There was none.")
        self._core.commit([Event("switch", self._now(), None, None, {"back": True})])
        log.info("From now on another policy decides, the one before: %r", self._core.state.policy)

    def retain(self, seconds: float) -> int:
        """Remove what is older than so many seconds and closed; how many events that were.

        What was learnt of it stays: first a base is sealed, and the state is that base and what comes after it.
        Rewards told of what was removed are "unknown"; `retrain` does not see it.
        """
        params.require("retain", "seconds", seconds, Real(0.0))
        until = self._now() - seconds

        def old(event: Event) -> bool:
            return event.kind == "decision" and event.time < until

        return self._remove(old)

    def erase(self, ids: Iterable[str]) -> int:
        """Remove all that the journal holds of some decisions, a person's say; how many events that were.

        Open ones are closed, and nothing is learnt of them. What was learnt before stays in the policy's sums until a
        `retrain`. Snapshots that know of them are removed; so are their bytes in a SQLite file.
        """
        if isinstance(ids, str) or not isinstance(ids, Iterable):
            raise InvalidInputError(f"ids must be a list of ids. Got {describe(ids)}.")
        core, names = self._core, {as_id(name) for name in ids}
        core.sync()
        with core.lock:
            closings = [
                Event("close", self._now(), name, "close", {"why": "erased"}) for name in names & set(core.state.open)
            ]
        if closings:
            core.commit(closings)
        return self._remove(lambda event: event.subject in names)

    def _remove(self, unwanted: Callable[[Event], bool]) -> int:
        """Seal a base, then remove all events of the closed decisions of which one event is unwanted."""
        core = self._core
        core.sync()
        with core.writer.turn:
            core.writer.flush()
            with core.lock:
                position, content, still = core.state.position, snapshot.to_bytes(core.state), set(core.state.open)
            core.journal.save_snapshot(position, content, base=True)
            gone, seqs = set(), []
            for event in core.journal.events():
                if event.seq > position:
                    break
                if event.subject is None or event.kind == "begin" or event.subject in still:
                    continue
                if unwanted(event):
                    gone.add(event.subject)
                if event.subject in gone:
                    seqs.append(event.seq)
            core.journal.remove(seqs)
        log.info("%d events were removed from %r", len(seqs), core.journal)
        return len(seqs)
