"""What runs in processes of its own: workers that are killed, and workers that share a journal."""

import multiprocessing
import os
import resource
import time
import warnings
from pathlib import Path

import numpy as np

from rbmle import LinTS
from rbmle.errors import JournalError, SharedJournalWarning
from rbmle.online import Agent
from rbmle.online.core import Core
from rbmle.online.fold import State
from rbmle.online.opening import journal_of

D, K = 3, 4
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__])
BUSY, COMMIT, SNAPSHOT, SYNC = range(4)
NAMES = ("elsewhere", "commit", "snapshot", "sync")


def warm_up():
    """Load compiled code before processes are forked off, so that none has to."""
    agent = Agent(LinTS(n_features=D), seed=7, samples=20)
    agent.reward(agent.decide(contexts_of("warm")).id, 1.0)
    agent.snapshot()


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


def share(place, me, count, told):
    """Decide `count` times, and reward what the next worker decided; `told` hears when a third is done."""
    warnings.simplefilter("ignore", SharedJournalWarning)
    agent = Agent.open(place, sync_seconds=0.0)
    for i in range(count):
        name = f"w{me}-{i}"
        agent.decide(contexts_of(name), id=name)
        if i == count // 3:
            told.send(("a third", i))
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


def fill(place, told):
    """Decide until no file may grow any more, then with room again; tells what was acknowledged, and what was not."""
    agent, limits = Agent.open(place), resource.getrlimit(resource.RLIMIT_FSIZE)
    sizes = [file.stat().st_size for file in Path(place).parent.iterdir()]
    resource.setrlimit(resource.RLIMIT_FSIZE, (max(sizes) + 100_000, limits[1]))
    acknowledged, refused = [], []
    for i in range(1000):
        try:
            agent.decide(contexts_of(f"d{i}"), id=f"d{i}")
            acknowledged.append(f"d{i}")
        except JournalError:
            refused.append(f"d{i}")
            if len(refused) == 3:
                break
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    told.send((acknowledged, refused, sorted(agent._core.state.open)))
    agent.decide(contexts_of("room"), id="room")
    told.send((agent.reward("room", 1.0), state_of(agent.policy)))
    os._exit(0)


warm_up()
