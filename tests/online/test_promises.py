"""What an agent promises, looked at with hostile eyes: each test is a way in which a promise could be broken."""

import multiprocessing
import os
import sqlite3
import threading
import time

import numpy as np
import pytest
from tests.online.test_agent import EYE, Clock, contexts, same

from rbmle import GLMRBMLE, LinTS, LinUCB, Uniform
from rbmle.errors import FormulaError, InvalidInputError, JournalError
from rbmle.online import Agent, Event, MemoryJournal, SQLiteJournal
from rbmle.online import core as core_module
from rbmle.policies import Policy
from rbmle.policies.decision import Decision

pytestmark = pytest.mark.filterwarnings("ignore::rbmle.errors.SharedJournalWarning")


class Answering(Policy):
    """Decides what it is told to, and learns unless it is told not to."""

    title = ""
    arm, chances, fails = 0, (1.0, 0.0), False

    def new_model(self):
        return LinUCB(n_features=self.n_features).new_model()

    def decide(self, contexts, *, t=None, samples=None, floor=0.0):
        return Decision(type(self).arm, 1.0, type(self).chances, t or 1)

    def update(self, context, reward):
        if type(self).fails:
            raise ZeroDivisionError("no luck")
        super().update(context, reward)

    def _scores(self, X, held, t):
        raise NotImplementedError

    def _play(self, contexts, rewards):
        raise NotImplementedError


@pytest.mark.parametrize("now", [np.nan, np.inf, -np.inf])
def test_a_clock_that_tells_no_time_is_refused(tmp_path, now):
    """Such a time would be written as nothing, or make the journal unreadable."""
    clock = Clock()
    agent = Agent(LinUCB(n_features=2), journal=tmp_path / "a.db", clock=clock)
    agent.decide(EYE, id="one", shown=False)
    clock.now = now
    for use in (lambda: agent.decide(EYE, id="two"), lambda: agent.reward("one", 1.0), lambda: agent.activate("one")):
        with pytest.raises(InvalidInputError, match="clock of an agent must tell a finite number"):
            use()
    clock.now = 1.0
    assert agent.reward("two", 1.0) == "unknown" and agent.reward("one", 1.0) == "accepted"
    agent.close()


@pytest.mark.parametrize(
    ("arm", "chances"),
    [
        (0, [1.0, 0.0]),
        (np.int64(1), np.array([0.5, 0.5], dtype=np.float32)),
        (np.uint8(0), (0.25, 0.75)),
    ],
)
def test_decisions_of_others_policies_are_written_as_numbers_of_ours(tmp_path, monkeypatch, arm, chances):
    monkeypatch.setattr(Answering, "arm", arm)
    monkeypatch.setattr(Answering, "chances", chances)
    with Agent(Answering(n_features=2), journal=tmp_path / "a.db") as agent:
        made = agent.decide(EYE, id="one")
        assert made.arm == arm and type(made.arm) is int and list(made.probabilities) == list(chances)
    with Agent.open(tmp_path / "a.db") as agent:
        assert agent.decide(EYE, id="one").probability == made.probability == chances[arm]


@pytest.mark.parametrize(
    ("arm", "chances"),
    [
        (2, [1.0, 0.0]),
        (0.0, [1.0, 0.0]),
        (1, [1.0, 0.0]),
        (0, [1.0 + 5e-10, 0.0]),
        (0, [0.5, 0.6]),
        (0, [1.5, -0.5]),
        (0, [np.nan, 1.0]),
        (0, [[1.0, 0.0]]),
        (0, "chances"),
        (0, [1.0]),
        (True, [0.0, 1.0]),
    ],
)
def test_decisions_that_are_none_are_not_written(tmp_path, monkeypatch, arm, chances):
    """One such event would make the journal unreadable for good."""
    monkeypatch.setattr(Answering, "arm", arm)
    monkeypatch.setattr(Answering, "chances", chances)
    agent = Agent(Answering(n_features=2), journal=tmp_path / "a.db")
    with pytest.raises(FormulaError, match="must return an arm of 2"):
        agent.decide(EYE)
    assert agent.version == 1 and len(agent.journal.read(0)) == 1
    agent.close()


def test_a_baseline_above_one_is_refused():
    agent = Agent(LinUCB(n_features=2), apprentice=True)
    with pytest.raises(InvalidInputError, match="chances that add up to 1"):
        agent.decide(EYE, baseline=[1.0 + 5e-10, 0.0])
    assert agent.version == 1


def test_a_policy_that_fails_to_learn_stops_nobody(tmp_path, monkeypatch, caplog):
    with Agent(Answering(n_features=2), journal=tmp_path / "a.db", seed=1) as agent:
        for name in ("one", "two"):
            agent.decide(EYE, id=name)
        monkeypatch.setattr(Answering, "fails", True)
        assert agent.reward("one", 1.0) == "accepted" and "no luck" in caplog.text
        assert agent.n_pending == 1 and agent.policy.n_observed == 0
    assert Agent.open(tmp_path / "a.db").stats()["counts"]["accepted"] == 1


def test_a_reward_is_held_against_the_policy_of_today():
    """What the policy before could learn, another may not."""
    agent = Agent(LinUCB(n_features=2))
    for name in ("one", "two"):
        agent.decide(EYE, id=name)
    assert agent.reward("one", 2.0) == "accepted"
    agent.retrain(GLMRBMLE(n_features=2))
    with pytest.raises(InvalidInputError, match="family"):
        agent.reward("two", 2.0)


@pytest.mark.parametrize("durability", ["commit", "buffered"])
def test_an_id_that_many_threads_ask_at_once_is_decided_once(tmp_path, durability):
    """Also while others make the policy learn: the answer is the one in the journal."""
    agent = Agent(LinTS(n_features=2), journal=tmp_path / "a.db", seed=1, durability=durability, flush_seconds=0.001)
    found = {}

    def work(k):
        for i in range(15):
            agent.reward(agent.decide(EYE, id=f"own {k} {i}").id, float(k % 2))
            found.setdefault(i, []).append(agent.decide(EYE, id=f"shared {i}"))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    agent.flush()
    for i, made in found.items():
        (event,) = [each for each in agent.journal.about(f"shared {i}") if each.kind == "decision"]
        assert {(each.index, each.time, each.version) for each in made} == {
            (event.data["arm"], event.time, event.data["model"])
        }
    agent.close()


def test_retiring_does_not_wait_for_who_waits_for_it(tmp_path):
    """To retire an arm that this worker has not heard of is to read the journal, while another thread writes."""
    one = Agent(LinUCB(n_features=2), journal=tmp_path / "a.db", seed=1, sync_seconds=1e9)
    two = Agent.open(tmp_path / "a.db", sync_seconds=1e9)
    in_fold, go_on = threading.Event(), threading.Event()
    inner = two._core._fold

    def slow_fold(events, places):
        in_fold.set()
        go_on.wait(5.0)
        return inner(events, places)

    two._core.writer.fold = slow_fold
    one.arms.add("late", [1.0, 1.0])
    writing = threading.Thread(target=lambda: two.decide(EYE, id="one", arms=["a", "b"]), daemon=True)
    writing.start()
    in_fold.wait(5.0)
    retiring = threading.Thread(target=lambda: two.arms.retire("late"), daemon=True)
    retiring.start()
    retiring.join(0.2)
    go_on.set()
    writing.join(10.0)
    retiring.join(10.0)
    assert not writing.is_alive() and not retiring.is_alive() and two.arms.retired == {"late"}
    one.close()
    two.close()


def test_an_interrupted_fold_is_done_again(tmp_path, monkeypatch):
    """Ctrl-C in the middle of learning: nothing is learnt twice, and nothing is lost."""
    agent = Agent(LinTS(n_features=2), journal=tmp_path / "a.db", seed=1)
    agent.decide(EYE, id="one")
    inner, broken = core_module.State._reward, []

    def interrupted(self, event):
        status = inner(self, event)
        if not broken:
            broken.append(1)
            raise KeyboardInterrupt
        return status

    state = agent._core.state
    state._on["reward"] = lambda event: interrupted(state, event)
    with pytest.raises(KeyboardInterrupt):
        agent.reward("one", 1.0)
    assert agent.reward("one", 1.0) == "duplicate"
    agent.decide(EYE, id="two")
    assert agent.policy.n_observed == 1 and agent.n_pending == 1
    again = Agent.open(tmp_path / "a.db")
    assert same(again.policy, agent.policy)
    again.close()
    agent.close()


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


def test_a_base_is_not_forgotten(tmp_path):
    """Snapshots at its very place, and those of workers that are behind, leave a base what it is."""
    clock = Clock()
    agent = Agent(LinUCB(n_features=2), journal=tmp_path / "a.db", seed=1, clock=clock)
    behind = Agent.open(tmp_path / "a.db", clock=clock, sync_seconds=1e9)
    behind.decide(EYE, id="secret")
    for i in range(4):
        agent.reward(agent.decide(EYE, id=f"d{i}").id, 1.0)
    assert agent.erase(["secret"]) == 2
    base = agent.journal.base
    assert base > 0
    agent.snapshot()
    behind._core.journal.save_snapshot(2, b"secret")
    assert agent.journal.base == base and all(b"secret" not in content for _, content in agent.journal.snapshots())
    clock.now = 10.0
    assert agent.retain(seconds=5.0) == 8
    assert behind.sync() > 0 and same(behind.policy, agent.policy)
    agent.close()
    behind.close()
    again = Agent.open(tmp_path / "a.db")
    assert again.policy.n_observed == 4 and again.n_pending == 0
    again.close()


def test_what_was_erased_at_the_end_does_not_stop_a_retraining():
    agent = Agent(LinUCB(n_features=2))
    for i in range(3):
        agent.reward(agent.decide(EYE, id=f"d{i}").id, 1.0)
    assert agent.erase(["d2"]) == 2
    assert agent.retrain(LinTS(n_features=2)) == (2, 1)


def test_a_worker_behind_a_base_with_nothing_after_it_catches_up(tmp_path):
    agent = Agent(LinUCB(n_features=2), journal=tmp_path / "a.db", seed=1)
    behind = Agent.open(tmp_path / "a.db", sync_seconds=1e9)
    agent.reward(agent.decide(EYE, id="one").id, 1.0)
    agent.erase(["one"])
    behind.sync()
    assert behind.version == agent.version == 3 and same(behind.policy, agent.policy)
    agent.close()
    behind.close()


def test_missing_events_are_missed(tmp_path):
    """A journal whose rows were deleted by somebody else does not come to another state in silence."""
    agent = Agent(LinUCB(n_features=2), journal=tmp_path / "a.db", seed=1)
    for i in range(3):
        agent.reward(agent.decide(EYE, id=f"d{i}").id, 1.0)
    agent.close(snapshot=False)
    with sqlite3.connect(tmp_path / "a.db") as file:
        file.execute("DELETE FROM events WHERE seq = 5")
    file.close()
    with pytest.raises(JournalError, match="event 6 comes after 4"):
        Agent.open(tmp_path / "a.db")


def test_a_journal_of_another_agent_is_let_go(tmp_path):
    Agent(LinUCB(n_features=2), journal=tmp_path / "a.db", seed=1).close()
    for _ in range(2):
        with pytest.raises(InvalidInputError, match="another seed"):
            Agent(LinUCB(n_features=2), journal=tmp_path / "a.db", seed=2)
    assert not (tmp_path / "a.db-wal").exists()  # the last connection has taken it away
    mine = MemoryJournal()
    Agent(LinUCB(n_features=2), journal=mine, seed=1)


def test_the_fallback_has_the_chance_that_it_is_served_with(monkeypatch):
    """Where it cannot be served, all arms alike: as often as their probabilities say, whatever the seed."""
    monkeypatch.setattr(Answering, "arm", 99)
    agent = Agent(Answering(n_features=3), fallback="none of them", seed=3)
    made = [agent.decide(X, id=f"d{i}") for i, X in enumerate(contexts(300))]
    assert {each.probability for each in made} == {0.25} and {each.source for each in made} == {"fallback"}
    counts = np.bincount([each.index for each in made], minlength=4)
    assert ((counts - 75.0) ** 2 / 75.0).sum() < 16.3  # chi-square with 3 degrees of freedom: 0.1 %


def test_pending_decisions_are_bounded_also_when_buffered(tmp_path, monkeypatch):
    """Closings are not written with every call; but no more wait for that than are written at once."""
    monkeypatch.setattr(core_module, "CLOSINGS", 15)
    agent = Agent(
        Uniform(n_features=2), journal=tmp_path / "a.db", max_pending=20, durability="buffered", flush_events=10,
        flush_seconds=60.0,
    )  # fmt: skip
    most = 0
    for i in range(300):
        agent.decide(EYE, id=f"d{i}")
        most = max(most, agent.n_pending)
    assert 20 < most <= 20 + 15 + 2 * 2 * 10  # so many wait at most, and as many are being written
    agent.sync()
    assert agent.n_pending <= 20
    agent.close()
