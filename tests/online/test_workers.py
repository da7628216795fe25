"""Threads, buffers, tasks and new starts: an agent is the same to all of them."""

import asyncio
import threading

import pytest
from tests.online.test_agent import EYE, same

from rbmle import LinRBMLE, LinTS, LinUCB
from rbmle.errors import InvalidInputError, JournalError
from rbmle.online import Agent, MemoryJournal


def test_threads_share_an_agent(tmp_path):
    agent = Agent(LinUCB(n_features=2), journal=tmp_path / "a.db", seed=1)
    told = []

    def work(k):
        for i in range(25):
            decision = agent.decide(EYE, id=f"{k}-{i}" if i % 2 else None)
            told.append(agent.reward(decision.id, 1.0))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == ["accepted"] * 150 and agent.policy.n_observed == 150
    agent.close()
    again = Agent.open(tmp_path / "a.db")
    assert same(again.policy, agent.policy)
    again.close()


def test_the_same_question_of_many_threads_has_one_answer(tmp_path):
    agents = [Agent(LinTS(n_features=2), journal=tmp_path / "a.db", seed=1)]
    agents.append(Agent.open(tmp_path / "a.db"))
    found = []
    threads = [threading.Thread(target=lambda i=i: found.append(agents[i % 2].decide(EYE, id="one"))) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({(each.arm, each.time) for each in found}) == 1 and len(found) == 8
    assert len(agents[0].journal.about("one")) == 1
    for agent in agents:
        agent.close()


def test_a_buffered_agent_knows_what_it_has_not_written(tmp_path):
    settings = {"durability": "buffered", "flush_seconds": 60.0, "flush_events": 10**6}
    agent = Agent(LinUCB(n_features=2), journal=tmp_path / "a.db", seed=1, **settings)
    one = agent.decide(EYE, arms=["a", "b"], id="one")
    assert agent.decide(EYE, arms=["a", "b"], id="one").arm == one.arm
    with pytest.raises(InvalidInputError, match="new one"):
        agent.decide(EYE, id="one")
    assert [agent.reward("one", 1.0), agent.reward("one", 1.0), agent.reward("one", 2.0)] == [
        "accepted",
        "duplicate",
        "conflict",
    ]
    assert agent.reward("two", 1.0) == "unknown"
    agent.decide(EYE, id="three")
    assert agent.policy.n_observed == 1  # asking for an unknown decision has written all
    assert agent.reward("three", 1.0) == "accepted" and agent.policy.n_observed == 1
    agent.flush()
    assert agent.policy.n_observed == 2 and not agent._core.unwritten
    agent.close()
    again = Agent.open(tmp_path / "a.db")
    assert again.policy.n_observed == 2 and again.reward("three", 1.0) == "duplicate"
    again.close()


def test_a_buffered_agent_writes_in_time(tmp_path):
    agent = Agent(LinUCB(n_features=2), journal=tmp_path / "a.db", durability="buffered", flush_seconds=0.01)
    agent.decide(EYE, id="one")
    for _ in range(500):
        if agent.journal.about("one"):
            break
        threading.Event().wait(0.01)
    assert agent.journal.about("one")
    agent.close()
    agent = Agent.open(tmp_path / "a.db", durability="buffered", flush_seconds=60.0, flush_events=4)
    for i in range(3):
        agent.decide(EYE, id=f"d{i}")
    assert not agent.journal.about("d0")
    agent.decide(EYE, id="d3")  # wakes the thread that writes
    for _ in range(500):
        if agent.journal.about("d0"):
            break
        threading.Event().wait(0.01)
    assert agent.journal.about("d0")
    with agent._core.writer.turn:  # the disk is slow
        for i in range(4, 11):
            agent.decide(EYE, id=f"d{i}")
        assert not agent.journal.about("d4")
        agent.decide(EYE, id="d11")  # so many wait that this one waits for the disk
        assert agent.journal.about("d11")
    agent.close()


@pytest.mark.filterwarnings("ignore::rbmle.errors.SharedJournalWarning")
def test_a_buffered_agent_goes_on_without_its_journal(tmp_path, monkeypatch, caplog):
    """What it decided meanwhile is written when the journal is there again; who must commit says that it cannot."""
    quick = Agent(LinUCB(n_features=2), journal=tmp_path / "a.db", seed=1, durability="buffered", flush_seconds=60.0,
                  sync_seconds=0.0)  # fmt: skip
    careful = Agent.open(tmp_path / "a.db", sync_seconds=0.0)
    for agent in (quick, careful):
        for name in ("append", "read"):
            monkeypatch.setattr(agent.journal, name, unreachable)
    made = [quick.decide(EYE).id for _ in range(3)]
    assert [quick.reward(name, 1.0) for name in made] == ["accepted"] * 3 and "no server" in caplog.text
    with pytest.raises(JournalError, match="no server"):
        careful.decide(EYE)
    monkeypatch.undo()
    assert careful.sync() == 0
    quick.flush()
    assert careful.sync() == 6
    assert careful.policy.n_observed == 3
    quick.close()
    careful.close()


def unreachable(*_):
    raise JournalError("no server")


def test_opening_again(tmp_path):
    path = tmp_path / "a.db"
    rules = {"wait": 5.0, "default_reward": 0.5, "seed": 4}
    with Agent(LinRBMLE(n_features=2), journal=path, **rules) as agent:
        agent.decide(EYE, id="one")
    with Agent(LinRBMLE(n_features=2), journal=path, **rules) as agent:
        assert agent.n_pending == 1 and agent.rules.seed == 4
    with Agent(LinRBMLE(n_features=2), journal=path, wait=5.0, default_reward=0.5) as agent:
        assert agent.rules.seed == 4
    for policy, changed, told in (
        (LinUCB(n_features=2), rules, "another policy"),
        (LinRBMLE(n_features=2), {**rules, "wait": 6.0}, "another wait: wait=5.0 there, 6.0 here"),
        (LinRBMLE(n_features=2), {**rules, "seed": 5}, "another seed"),
    ):
        with pytest.raises(InvalidInputError, match=told):
            Agent(policy, journal=path, **changed)
    with pytest.raises(JournalError, match="closed"):
        agent.decide(EYE)
    agent.close()
    with pytest.raises(JournalError, match="no such journal"):
        Agent.open(tmp_path / "b.db")
    with pytest.raises(JournalError, match="empty"):
        Agent.open(MemoryJournal())


def test_a_warm_start_is_kept(tmp_path):
    learnt = LinRBMLE(n_features=2)
    learnt.update_many(EYE, [1.0, 2.0])
    Agent(learnt, journal=tmp_path / "a.db").close()
    agent = Agent.open(tmp_path / "a.db")
    assert same(agent.policy, learnt)
    agent.close()


def test_asynchronous_programs():
    async def main():
        agent = Agent(LinUCB(n_features=2))
        decisions = await asyncio.gather(*(agent.adecide(EYE) for _ in range(5)))
        return [await agent.areward(each.id, 1.0) for each in decisions]

    assert asyncio.run(main()) == ["accepted"] * 5
