"""What keeps an agent cheap: commits that threads share, callers that need not wait, ids that cost little, numbers that
are looked at once, rows that are no work for the garbage collector."""

import gc
import os
import threading
from uuid import UUID

import numpy as np
import pytest
from tests.online.test_agent import EYE, Clock

from rbmle import GLMRBMLE, KnowledgeGradient, LinRBMLE, LinTS, LinUCB, SquareCB
from rbmle.errors import InvalidInputError, JournalError
from rbmle.models.forgetting import Discount
from rbmle.online import Agent, Event, MemoryJournal, SQLiteJournal
from rbmle.online.fold import STALE
from rbmle.online.ids import AT_ONCE, new_id
from rbmle.policies import Policy


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


class Careless(Policy):
    """Somebody's policy that looks at nothing."""

    title = ""

    def new_model(self):
        return LinUCB(n_features=self.n_features).new_model()

    def decide(self, contexts, *, t=None, samples=None, floor=0.0):
        return LinUCB(n_features=self.n_features).decide(np.eye(2), t=t)

    def _scores(self, X, held, t):
        raise NotImplementedError

    def _play(self, contexts, rewards):
        raise NotImplementedError


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e71, -1e200])
@pytest.mark.parametrize(
    ("policy", "rules"),
    [
        (LinUCB(n_features=2), {}),
        (LinUCB(n_features=2), {"floor": 0.1}),
        (LinUCB(n_features=2), {"pending": "count"}),
        (LinUCB(n_features=2), {"fallback": 0}),
        (LinUCB(n_features=20), {}),
        (LinUCB(n_features=2, forgetting=Discount(0.9)), {}),
        (LinRBMLE(n_features=2, bias="auto"), {}),
        (KnowledgeGradient(n_features=2, horizon=100), {}),
        (LinTS(n_features=2), {}),
        (SquareCB(n_features=2), {}),
        (GLMRBMLE(n_features=2), {}),
        (Careless(n_features=2), {}),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", [np.array, np.ndarray.tolist, lambda X: X.astype(np.float32)])
def test_contexts_are_looked_at_whoever_does_it(policy, rules, number, kind):
    """A policy whose compiled code looks at every number spares the agent the work; nothing bad is ever written."""
    agent = Agent(policy, seed=1, **rules)
    X = np.eye(2, policy.n_features)
    X[1, 1] = number
    if kind not in (np.array, np.ndarray.tolist) and np.isfinite(number):
        X[1, 1] = np.inf  # single precision has no such numbers
    with pytest.raises(InvalidInputError, match=r"contexts.*(finite|overflow)"):
        agent.decide(kind(X))
    assert agent.version == 1 and agent.n_pending == 0
    agent.decide(np.eye(2, policy.n_features))
    assert agent.n_pending == 1


def test_rewarded_decisions_leave_nothing_to_wait_for():
    """Where the first reward closes a decision it is not kept until it would have been too old, a month later."""
    clock = Clock()
    agent = Agent(LinUCB(n_features=2), clock=clock, max_age=1000.0)
    due = agent._core.state
    agent.decide(EYE, id="left")
    clock.now += 1.0
    agent.decide(EYE, id="shown late", shown=False)
    for i in range(3 * STALE):
        agent.reward(agent.decide(EYE).id, float(i % 2))
        assert len(due.due) <= STALE + 2 * (agent.n_pending + 1)
    clock.now += 1.0
    assert agent.activate("shown late") == "accepted"
    for _ in range(2 * STALE):
        agent.reward(agent.decide(EYE).id, 1.0)
    for now, left in ((999.9, 2), (1000.1, 1), (1001.9, 1), (1002.1, 0)):
        clock.now = now
        agent.sync()
        assert agent.n_pending == left


def test_rows_in_memory_are_no_work_for_the_garbage_collector():
    """Else every full collection would go through the whole journal, which took a fifth of a second at 10⁵ events."""
    agent = Agent(LinUCB(n_features=2))
    for i in range(50):
        agent.reward(agent.decide(EYE, arms=["a", ("b", i)]).id, 1.0, reward_id=f"r{i}")
    for _ in range(3):
        gc.collect()
    assert len(agent.journal._rows) == 101 and not any(gc.is_tracked(row) for row in agent.journal._rows)


def test_what_was_written_to_memory_cannot_be_changed():
    data = {"value": 1.0, "more": [1]}
    journal = MemoryJournal()
    journal.append([Event("reward", 0.0, "one", None, data)])
    data["value"], data["more"][0] = 2.0, 2
    journal.read(0)[0].data["value"] = 3.0
    assert journal.read(0)[0].data == journal.about("one")[0].data == {"value": 1.0, "more": [1]}
    with pytest.raises(JournalError, match="must be plain"):
        journal.append([Event("reward", 0.0, "one"), Event("reward", 0.0, "two", None, {"value": object()})])
    assert len(journal.read(0)) == 1


@pytest.mark.parametrize("n_arms", [2, 64, 65, 1000])
def test_chances_that_decisions_share_cannot_be_changed(n_arms):
    """Also where many decisions have the same, which are kept; and two decisions are equal if they are one."""
    agent = Agent(LinUCB(n_features=2))
    X = np.random.default_rng(1).normal(size=(n_arms, 2))
    one, two = agent.decide(X), agent.decide(X)
    for each in (one, two):
        with pytest.raises(ValueError, match="WRITEABLE"):
            each.probabilities.flags.writeable = True
        np.testing.assert_array_equal(each.probabilities, np.arange(n_arms) == each.index)
    assert one == one and one != two and len({one, two, one}) == 2
    with pytest.raises(AttributeError):
        one.probability = 0.5
