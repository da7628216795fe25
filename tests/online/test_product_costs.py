"""What keeps an agent cheap: commits that threads share, callers that need not wait, ids that cost little."""

import os
import threading
from uuid import UUID

import numpy as np
import pytest
from tests.online.test_agent import EYE

from rbmle import LinRBMLE, LinTS, LinUCB
from rbmle.online import Agent, MemoryJournal, SQLiteJournal
from rbmle.online.ids import AT_ONCE, new_id


class Held(SQLiteJournal):
    """A journal whose disk can be stopped, and that counts commits."""

    def __init__(self, path):
        self.goes_on, self.sizes = threading.Event(), []
        self.goes_on.set()
        super().__init__(path)

    def append(self, events, last=None):
        places = super().append(events, last)
        self.sizes.append(len(places))
        assert self.goes_on.wait(60.0)
        return places


def waiting(agent, count):
    for _ in range(6000):
        if len(agent._core.writer.waiting) >= count:
            return
        threading.Event().wait(0.01)
    raise TimeoutError(f"{len(agent._core.writer.waiting)} of {count} wait")


def test_threads_that_wait_for_the_disk_share_one_commit(tmp_path):
    """While one commit takes its time eight others queue, and one commit serves them all."""
    journal = Held(tmp_path / "a.db")
    agent = Agent(LinUCB(n_features=2), journal=journal, seed=1)
    journal.sizes.clear()
    journal.goes_on.clear()
    threads = [threading.Thread(target=agent.decide, args=(EYE,), kwargs={"id": f"d{i}"}) for i in range(9)]
    threads[0].start()
    while not journal.sizes:
        threading.Event().wait(0.01)
    for thread in threads[1:]:
        thread.start()
    waiting(agent, 8)
    journal.goes_on.set()
    for thread in threads:
        thread.join()
    assert journal.sizes == [1, 8] and agent.n_pending == 9
    agent.close()


def test_callers_of_a_buffered_agent_do_not_wait_for_a_slow_disk(tmp_path):
    journal = Held(tmp_path / "a.db")
    agent = Agent(LinUCB(n_features=2), journal=journal, durability="buffered", flush_events=5, flush_seconds=60.0)
    journal.sizes.clear()
    journal.goes_on.clear()
    for i in range(5):
        agent.decide(EYE, id=f"d{i}")
    while not journal.sizes:  # the thread that writes hangs on the disk
        threading.Event().wait(0.01)
    for i in range(5, 13):
        assert agent.decide(EYE, id=f"d{i}").id == f"d{i}"
    assert agent.reward("d0", 1.0) == "accepted" and len(journal.sizes) == 1
    journal.goes_on.set()
    agent.close()
    assert sum(journal.sizes) == 14


@pytest.mark.parametrize("policy", [LinRBMLE, LinUCB])
def test_decisions_without_chance_are_those_of_choose(policy):
    """The short cut for policies that do not draw: same arms, same t, chances of exactly one."""
    agent, alone = Agent(policy(n_features=3)), policy(n_features=3)
    for i, X in enumerate(np.random.default_rng(3).normal(size=(60, 4, 3))):
        decision = agent.decide(X)
        asked = alone.decide(X)
        assert decision.index == asked.arm == alone.choose(X) and decision.t == asked.t == i + 1
        np.testing.assert_array_equal(decision.probabilities, asked.probabilities)
        agent.reward(decision.id, i % 3)
        alone.update(X[decision.index], i % 3)


def test_ids_are_random_and_of_version_4():
    ids = [new_id() for _ in range(3 * AT_ONCE)]
    assert len(set(ids)) == len(ids)
    assert {UUID(each).version for each in ids} == {4}
    assert {UUID(each).variant for each in ids} == {"specified in RFC 4122"}
    assert {each[19] for each in ids} == set("89ab") and len({each[0] for each in ids}) == 16


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_ids_of_a_forked_process_are_others():
    new_id()  # so that some are drawn ahead
    readers = []
    for _ in range(2):
        read, write = os.pipe()
        if os.fork() == 0:
            os.write(write, " ".join(new_id() for _ in range(10)).encode())
            os._exit(0)
        os.close(write)
        readers.append(read)
    told = []
    for read in readers:
        with os.fdopen(read) as file:
            told += file.read().split()
        os.wait()
    told += [new_id() for _ in range(10)]
    assert len(set(told)) == len(told) == 30


def test_what_happens_once_is_in_memory_once_too():
    """Also for threads that were asked the same at the same time."""
    journal = MemoryJournal()
    agents = [Agent(LinTS(n_features=2), journal=journal, seed=1), Agent.open(journal)]
    first = agents[0].decide(EYE, id="one")
    assert agents[1].decide(EYE, id="one").arm == first.arm
    assert [event.kind for event in journal.about("one")] == ["decision"]
