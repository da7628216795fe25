"""Bases: what was sealed stays so, and what is missing without a base is missed."""

import sqlite3

import pytest
from tests.online.test_agent import EYE, Clock, same

from rbmle import LinTS, LinUCB
from rbmle.errors import JournalError
from rbmle.online import Agent

pytestmark = pytest.mark.filterwarnings("ignore::rbmle.errors.SharedJournalWarning")


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
