"""Processes that are killed at any moment, and processes that share a journal."""

import random
import sqlite3
import time

import pytest
from tests.online import workers

from rbmle.errors import JournalError
from rbmle.online import Agent

pytestmark = pytest.mark.filterwarnings("ignore::rbmle.errors.SharedJournalWarning")


def kill_often(place, times, seed=0):
    """Kill a worker so many times; how often in which phase. What it had acknowledged must be there each time."""
    chance, phases = random.Random(seed), dict.fromkeys(workers.NAMES, 0)
    workers.begin(place)
    state, events = workers.folded(place)  # goes on from kill to kill: a fold that was never interrupted
    for number in range(times):
        ours, theirs = workers.PROCESSES.Pipe(duplex=False)
        phase = workers.PROCESSES.Value("i", workers.BUSY, lock=False)
        process = workers.PROCESSES.Process(target=workers.work_until_killed, args=(place, number, theirs, phase))
        process.start()
        theirs.close()
        assert ours.recv() == ("ready", "")
        wanted, acknowledged = number % len(workers.NAMES), set()
        until, patience = time.monotonic() + chance.uniform(0.05, 0.3), time.monotonic() + 20.0
        while not acknowledged or time.monotonic() < until or (phase.value != wanted and time.monotonic() < patience):
            if ours.poll(0):
                acknowledged.add(ours.recv())
        phases[workers.NAMES[phase.value]] += 1
        process.kill()
        process.join()
        while True:
            try:
                acknowledged.add(ours.recv())
            except EOFError:
                break
        ours.close()
        workers.fold_on(place, state, events)
        written = [(event.kind, event.subject) for event in events if event.kind != "tally"]
        assert acknowledged <= set(written)
        assert len(written) == len(set(written))  # each once: nothing was written again
        again = Agent.open(place)
        assert workers.state_of(again.policy) == workers.state_of(state.policy)
        assert set(again._core.state.open) == set(state.open)
        assert again._core.state.counts.to_plain() == state.counts.to_plain()
        again.close()
    return phases


def test_a_killed_worker_loses_nothing(tmp_path):
    phases = kill_often(tmp_path / "a.db", 4)
    assert sum(phases.values()) == 4


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    return tmp_path / "a.db" if request.param == "sqlite" else request.getfixturevalue("server").database()


@pytest.mark.long
def test_a_hundred_kills(place):
    phases = kill_often(place, 100)
    print(f"killed in: {phases}")
    assert min(phases.values()) >= 5


def three_share(place, count, kill):
    """Three workers on one journal; one is killed on the way and another goes on in its place."""
    workers.begin(place)

    def start(me):
        ours, theirs = workers.PROCESSES.Pipe(duplex=False)
        process = workers.PROCESSES.Process(target=workers.share, args=(place, me, count, theirs))
        process.start()
        theirs.close()
        return process, ours

    running = [start(me) for me in range(3)]
    if kill:
        process, heard = running[2]
        assert heard.recv() == ("a third", count // 3)
        process.kill()
        process.join()
        heard.close()
        running[2] = start(2)  # asks all again: what was decided stays
    states = []
    for process, heard in running:
        while (told := heard.recv())[0] != "state":
            pass
        states.append(told[1])
        process.join()
        heard.close()
    state, events = workers.folded(place)
    assert states == [workers.state_of(state.policy)] * 3
    decided = [event.subject for event in events if event.kind == "decision"]
    assert sorted(decided) == sorted(f"w{me}-{i}" for me in range(3) for i in range(count))
    assert state.policy.n_observed == 3 * count and not state.open


def test_three_workers_learn_as_one(tmp_path):
    three_share(tmp_path / "a.db", 15, kill=True)


@pytest.mark.long
def test_three_workers_learn_as_one_for_long(place):
    three_share(place, 2000, kill=True)


def test_a_full_disk(tmp_path):
    """An error, nothing acknowledged, and it works again when there is room."""
    agent = Agent(workers.LinTS(n_features=workers.D), journal=tmp_path / "a.db", seed=1)
    agent.decide(workers.contexts_of("one"), id="one")
    writer = agent.journal._writer
    pages = writer.execute("PRAGMA page_count").fetchone()[0]
    writer.execute(f"PRAGMA max_page_count = {pages}")
    done = 0
    with pytest.raises(JournalError, match="full"):
        for i in range(1000):
            agent.decide(workers.contexts_of(f"d{i}"), id=f"d{i}")
            done += 1
    with pytest.raises(JournalError, match="full"):
        agent.decide(workers.contexts_of("x") * 2.0, id="x" * 200)
    assert agent.n_pending == 1 + done and agent.version == 2 + done
    writer.execute("PRAGMA max_page_count = 100000")
    agent.decide(workers.contexts_of("two"), id="two")
    assert agent.reward("two", 1.0) == agent.reward("one", 0.5) == "accepted"
    agent.close()
    state, _ = workers.folded(tmp_path / "a.db")
    assert workers.state_of(state.policy) == workers.state_of(agent.policy)


def test_a_disk_that_takes_no_more(tmp_path):
    """The same by the system: writes fail in the middle. What was refused is not there, what was taken is."""
    workers.begin(tmp_path / "a.db")
    ours, theirs = workers.PROCESSES.Pipe(duplex=False)
    process = workers.PROCESSES.Process(target=workers.fill, args=(tmp_path / "a.db", theirs))
    process.start()
    theirs.close()
    (acknowledged, refused, known), (status, policy) = ours.recv(), ours.recv()
    process.join()
    ours.close()
    assert len(acknowledged) > 10 and len(refused) == 3 and known == sorted(acknowledged) and status == "accepted"
    state, events = workers.folded(tmp_path / "a.db")
    assert [event.subject for event in events if event.kind == "decision"] == [*acknowledged, "room"]
    assert workers.state_of(state.policy) == policy


def test_a_buffered_agent_keeps_what_a_full_disk_refused(tmp_path):
    agent = Agent(workers.LinTS(n_features=workers.D), journal=tmp_path / "a.db", durability="buffered",
                  flush_seconds=60.0, flush_events=10**6)  # fmt: skip
    for i in range(300):
        agent.decide(workers.contexts_of(f"d{i}"), id=f"d{i}")
    writer = agent.journal._writer
    writer.execute(f"PRAGMA max_page_count = {writer.execute('PRAGMA page_count').fetchone()[0]}")
    with pytest.raises(JournalError, match="full"):
        agent.flush()
    assert agent.n_pending == 0 and agent.reward("d7", 1.0) == "accepted"
    writer.execute("PRAGMA max_page_count = 100000")
    agent.flush()
    assert agent.n_pending == 299 and agent.policy.n_observed == 1
    agent.close()


@pytest.mark.parametrize("jump", [86400.0, -86400.0])
def test_a_jumping_clock_trains_nothing_twice(jump):
    now = [0.0]
    agent = Agent(workers.LinTS(n_features=workers.D), wait=3600.0, default_reward=0.0, clock=lambda: now[0])
    for i in range(200):
        now[0] = 60.0 * i + (jump if 80 <= i < 120 else 0.0)
        agent.decide(workers.contexts_of(f"d{i}"), id=f"d{i}")
        if i >= 40 and i % 3 == 0:
            agent.reward(f"d{i - 40}", 1.0)
    closed = {event.subject: event.time for event in agent.journal.events() if event.kind == "close"}
    decided = {event.subject: event.time for event in agent.journal.events() if event.kind == "decision"}
    for name, when in closed.items():
        assert 3600.0 <= when - decided[name] <= 3600.0 + 2 * abs(jump)
    now[0] = 10 * 86400.0
    agent.sync()
    assert agent.policy.n_observed == 200 and agent.n_pending == 0


def test_several_processes_with_an_old_sqlite_are_warned_of(tmp_path):
    if sqlite3.sqlite_version_info >= (3, 51, 3):
        pytest.skip("this SQLite has no such fault")
    one = Agent(workers.LinTS(n_features=workers.D), journal=tmp_path / "a.db", seed=1)
    two = Agent.open(tmp_path / "a.db")
    two.decide(workers.contexts_of("one"))
    with pytest.warns(workers.SharedJournalWarning, match="3.51.3"):
        one.sync()
    one.close()
    two.close()
