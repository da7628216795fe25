"""What runs in processes of its own: workers that are killed, and workers that share a journal."""

import multiprocessing
import os
import time
import warnings

import numpy as np

from rbmle import LinTS
from rbmle.errors import SharedJournalWarning
from rbmle.online import Agent
from rbmle.online.core import Core
from rbmle.online.fold import State
from rbmle.online.opening import journal_of

D, K = 3, 4
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__])
BUSY, COMMIT, SNAPSHOT, SYNC = range(4)
NAMES = ("elsewhere", "commit", "snapshot", "sync")


def begin(place, **rules):
    agent = Agent(LinTS(n_features=D), journal=place, seed=7, samples=20, **rules)
    agent.close()


def contexts_of(name):
    """Contexts that follow from a decision's id."""
    seed = int.from_bytes(name.encode(), "little") % 2**63
    return np.random.default_rng(seed).normal(size=(K, D))


def reward_of(name):
    return (len(name) + ord(name[-1])) % 5 / 4


def state_of(policy):
    return {name: array.tobytes() for name, array in policy.state().items()}


def folded(place):
    """The state of a fold from the first event on, without snapshots; and all events."""
    journal = journal_of(place, create=False)
    events = journal.read(0, 1)
    journal.close()
    state = State.begin(events[0])
    fold_on(place, state, events)
    return state, events


def fold_on(place, state, events):
    """Let a fold go on to the end of the journal; `events` is given what was new."""
    journal = journal_of(place, create=False)
    for event in journal.events(state.position):
        state.apply(event, event.seq)
        events.append(event)
    journal.close()


def marked(cls, method, mark, phase):
    """Let a method say that it is running."""
    inner = getattr(cls, method)

    def outer(self, *arguments, **named):
        before, phase.value = phase.value, mark
        try:
            return inner(self, *arguments, **named)
        finally:
            phase.value = before

    setattr(cls, method, outer)


def work_until_killed(place, number, told, phase):
    """Decide and reward for ever; `told` hears of everything that was acknowledged."""
    warnings.simplefilter("ignore", SharedJournalWarning)
    agent = Agent.open(place, snapshot_every=40, sync_seconds=0.0)
    kind = type(agent.journal)
    for cls, method, mark in (
        (kind, "append", COMMIT), (kind, "save_snapshot", SNAPSHOT), (Core, "sync", SYNC), (Core, "_catch_up", SYNC),
    ):  # fmt: skip
        marked(cls, method, mark, phase)
    told.send(("ready", ""))
    for i in range(10**9):
        name = f"{number}-{i}"
        agent.decide(contexts_of(name), id=name)
        told.send(("decision", name))
        if i % 3:
            old = f"{number}-{i - i % 2}"
            if agent.reward(old, reward_of(old)) == "accepted":
                told.send(("reward", old))
        if i % 4 == 0:
            agent.sync()
        if i % 5 == 0:
            agent.snapshot()


def share(place, me, count, first, told):
    """Decide `count` times from `first` on, and reward what the next worker decided."""
    warnings.simplefilter("ignore", SharedJournalWarning)
    agent = Agent.open(place, sync_seconds=0.0)
    for i in range(first, count):
        name = f"w{me}-{i}"
        agent.decide(contexts_of(name), id=name)
        told.send(("decision", name))
        theirs, patience = f"w{(me + 1) % 3}-{i}", time.monotonic() + 120.0
        while agent.reward(theirs, reward_of(theirs)) not in ("accepted", "duplicate"):
            if time.monotonic() > patience:
                raise TimeoutError(theirs)
            time.sleep(0.001)
    told.send(("done", ""))
    for _ in range(100_000):  # until all have told everything
        agent.sync()
        if agent.policy.n_observed == 3 * count:
            break
        time.sleep(0.002)
    told.send(("state", state_of(agent.policy)))
    agent.close()
    os._exit(0)
