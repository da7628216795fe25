"""What an agent promises, looked at with hostile eyes: each test is a way in which a promise could be broken."""

import threading

import numpy as np
import pytest
from tests.online.test_agent import EYE, Clock, contexts, same

from rbmle import GLMRBMLE, LinTS, LinUCB, Uniform
from rbmle.errors import FormulaError, InvalidInputError
from rbmle.online import Agent, MemoryJournal
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
