"""The file of the first version of journals (tests/data/0.2; make.py there says how it was made) opens for ever.

What it must come to is computed here from its rows, with nothing of rbmle's: SQL, JSON and dense algebra.
"""

import json
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from rbmle.online import Agent, SQLiteJournal

FILE = Path(__file__).parents[1] / "data" / "0.2" / "agent.db"
D, END = 6, 1_790_000_000.0 + 24 * 300.0  # 1, age, two kinds, and their products with the age


@pytest.fixture
def path(tmp_path):
    return Path(shutil.copy(FILE, tmp_path / "agent.db"))


@pytest.fixture
def rows():
    with sqlite3.connect(f"file:{FILE}?immutable=1", uri=True) as file:
        found = file.execute("SELECT kind, time, subject, data, body FROM events ORDER BY seq").fetchall()
    file.close()
    return [(kind, time, subject, json.loads(data), body) for kind, time, subject, data, body in found]


def served(rows):
    """Of each decision: the arm's id and context."""
    found = {}
    for kind, _, name, data, body in rows:
        if kind == "decision":
            X = np.frombuffer(body)[: -data["K"]].reshape(data["K"], D)
            found[name] = data["arms"][data["arm"]], X[data["arm"]]
    return found


def learnt(rows):
    """(context, reward) of what was closed: the first reward, or 0 for what was shown."""
    contexts, found, first, shown = served(rows), [], {}, set()
    for kind, _, name, data, _ in rows:
        if (kind == "decision" and not data.get("hold")) or kind == "shown":
            shown.add(name)
        elif kind == "reward":
            first.setdefault(name, data["value"])
        elif kind == "close" and (name in first or name in shown):
            found.append((contexts[name][1], first.get(name, 0.0)))
    return found


def check(agent, rows):
    x, rewards = map(np.array, zip(*learnt(rows), strict=True))
    theta = np.linalg.solve(np.eye(D) + x.T @ x, x.T @ rewards)
    np.testing.assert_allclose(agent.policy.model.predict(np.eye(D))[0], theta, rtol=1e-9, atol=1e-12)
    assert agent.policy.n_observed == len(rewards) >= 9 and 0.0 < rewards.mean() < 1.0
    closed = {name for kind, _, name, _, _ in rows if kind == "close"}
    assert set(agent._core.state.open) == set(served(rows)) - closed and agent.n_pending >= 10
    assert list(agent.arms) == ["first", ("article", 2), ("article", 3)] and agent.arms.retired == {("article", 1)}


@pytest.mark.parametrize("snapshots", [True, False])
def test_it_opens(path, rows, snapshots):
    if not snapshots:
        with sqlite3.connect(path) as file:
            file.execute("DELETE FROM snapshots")
        file.close()
    with Agent.open(path, clock=lambda: END) as agent:
        assert agent.rules.seed == 11 and agent.rules.wait == 3600.0 and agent.features.names[1] == "age"
        check(agent, rows)


def test_it_goes_on(path, rows):
    contexts, now = served(rows), [END]
    pending = [name for name in contexts if name not in {name for kind, _, name, _, _ in rows if kind == "close"}]
    with Agent.open(path, clock=lambda: now[0]) as agent:
        told = {name for kind, _, name, _, _ in rows if kind == "reward"}
        fresh = [name for name in pending if name not in told]
        assert agent.reward(fresh[0], 1.0) == "accepted" and agent.reward("visit 0", 1.0) == "late"
        assert agent.decide({"age": 30}, id="new").arm in agent.arms
        before = agent.policy.n_observed
        now[0] += 3600.0
        agent.sync()
        held = {name for kind, _, name, data, _ in rows if kind == "decision" and data.get("hold")}
        never_shown = held - {name for kind, _, name, _, _ in rows if kind == "shown"}
        assert agent.n_pending == 0
        assert agent.policy.n_observed == before + len(set(pending) - never_shown) + 1
        assert len(agent.to_frame()) == 25


def test_its_rows_are_read(path, rows):
    journal = SQLiteJournal(path, create=False)
    assert [(event.kind, event.time, event.subject, dict(event.data), event.body) for event in journal.events()] == rows
    kinds = {kind for kind, *_ in rows}
    assert kinds == {"begin", "decision", "shown", "reward", "close", "arm", "retire", "tally"}
    assert len(list(journal.snapshots())) == 1
    journal.close()
