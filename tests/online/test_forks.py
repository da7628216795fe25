"""Processes that are forked, and agents that are closed, while events wait to be written."""

import multiprocessing
import os
import threading
import time

import pytest
from tests.online.test_agent import EYE

from rbmle import LinUCB
from rbmle.errors import JournalError
from rbmle.online import Agent, Event, SQLiteJournal

pytestmark = pytest.mark.filterwarnings("ignore::rbmle.errors.SharedJournalWarning")


def forked(work):
    """Run something in a forked process; whether it went well."""

    def child():
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join(60.0)
    return process.exitcode == 0


@pytest.mark.skipif(os.name != "posix", reason="no forks here")
def test_a_forked_process_writes_its_own_events_and_no_others(tmp_path):
    """What waits in the parent's memory is written by the parent; what the child decides is written in time."""
    agent = Agent(
        LinUCB(n_features=2), journal=tmp_path / "a.db", seed=1, durability="buffered", flush_seconds=60.0,
        aggregate="last", wait=1e6,
    )  # fmt: skip
    agent.decide(EYE, id="parent")
    for value in (1.0, 2.0, 1.0):
        agent.reward("parent", value)

    def work():
        agent._core.flush_seconds = 0.01
        agent.decide(EYE, id="child")
        for _ in range(1000):
            if agent.journal.about("child"):
                break
            time.sleep(0.01)
        assert agent.journal.about("child") and not agent.journal.about("parent")

    assert forked(work)
    agent.flush()
    kinds = [(event.kind, event.subject) for event in agent.journal.events() if event.subject != "agent"]
    assert kinds == [("decision", "child"), ("decision", "parent"), *[("reward", "parent")] * 3]
    agent.close()


@pytest.mark.skipif(os.name != "posix", reason="no forks here")
def test_a_child_goes_on_when_its_parent_closes_the_file(tmp_path):
    """SQLite's locks and files are not for forked processes: with a connection that was carried over, what the child
    writes after its parent has closed goes into a file that is not there any more."""
    journal = SQLiteJournal(tmp_path / "a.db")
    journal.append([Event("note", 0.0)])
    journal.read(0)
    ours, theirs = multiprocessing.Pipe()

    def child():
        assert journal.append([Event("note", 1.0)]) == [2]
        theirs.send("written")
        theirs.recv()  # the parent has closed
        assert journal.append([Event("note", 2.0)]) == [3]
        os._exit(0)

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    assert ours.recv() == "written"
    journal.close()
    ours.send("closed")
    process.join(60.0)
    assert process.exitcode == 0
    again = SQLiteJournal(tmp_path / "a.db")
    assert [event.time for event in again.read(0)] == [0.0, 1.0, 2.0]
    again.close()


@pytest.mark.skipif(os.name != "posix", reason="no forks here")
def test_forks_under_load_hang_nobody(tmp_path):
    """A lock that a thread holds while the process is forked stays locked in the child, if nobody cares."""
    agent = Agent(LinUCB(n_features=2), journal=tmp_path / "a.db", seed=1)
    stop = threading.Event()

    def write():
        while not stop.is_set():
            agent.reward(agent.decide(EYE).id, 1.0)

    threads = [threading.Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    done = [forked(lambda i=i: agent.reward(agent.decide(EYE, id=f"child {i}").id, 1.0)) for i in range(2)]
    stop.set()
    for thread in threads:
        thread.join()
    assert all(done)
    agent.sync()
    assert agent.n_pending == 0
    agent.close()


def test_closing_takes_everything_along(tmp_path):
    """What was taken before an agent was closed is in the journal; afterwards nothing is taken."""
    agent = Agent(LinUCB(n_features=2), journal=tmp_path / "a.db", durability="buffered", flush_seconds=60.0)
    taken, started = [], threading.Barrier(4)

    def work(k):
        started.wait()
        for i in range(10_000):
            try:
                taken.append(agent.decide(EYE, id=f"{k}-{i}").id)
            except JournalError:
                return

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    started.wait()
    time.sleep(0.05)
    agent.close()
    for thread in threads:
        thread.join()
    again = Agent.open(tmp_path / "a.db")
    assert taken and set(again._core.state.open) == set(taken)
    again.close()


def test_an_agent_that_cannot_write_does_not_close(tmp_path):
    agent = Agent(LinUCB(n_features=2), journal=tmp_path / "a.db", durability="buffered", flush_seconds=60.0)
    agent.decide(EYE, id="one")
    inner = agent.journal.append

    def full(events, last=None):
        raise JournalError("the disk is full")

    agent.journal.append = full
    with pytest.raises(JournalError, match="full"):
        agent.close()
    agent.journal.append = inner
    agent.decide(EYE, id="two")
    agent.close()
    again = Agent.open(tmp_path / "a.db")
    assert again.n_pending == 2
    again.close()
