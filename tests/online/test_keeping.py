"""Logs, numbers and explanations of an agent; other policies; less history."""

import json

import numpy as np
import pytest
from tests.online.test_agent import EYE, Clock, contexts, same

from rbmle import LinRBMLE, LinTS, LinUCB, Uniform
from rbmle.errors import InvalidInputError
from rbmle.evaluation import evaluate
from rbmle.logs import Log
from rbmle.online import Agent, MemoryJournal, learn_from

pytestmark = pytest.mark.filterwarnings("ignore::rbmle.errors.SharedJournalWarning")


def busy(policy=None, n=40, **rules):
    """An agent that was told every second reward."""
    clock = Clock()
    agent = Agent(policy or LinTS(n_features=3), seed=1, floor=0.2, clock=clock, **rules)
    data = contexts(n)
    for i, X in enumerate(data):
        clock.now = 100.0 + i
        agent.decide(X, id=f"d{i}", arms=["a", "b", ("c", 1), 7])
        if i % 2 == 0:
            agent.reward(f"d{i}", i / 10)
    return agent, data, clock


def test_the_journal_is_a_log(tmp_path):
    agent, data, _ = busy(wait=30.0, default_reward=-1.0)
    agent.sync()
    log = agent.log()
    rows = [row for batch in log for row in zip(batch.arm, batch.reward, batch.settled, batch.time, strict=True)]
    for i, (arm, reward, settled, time) in enumerate(rows):
        decision = agent.decide(data[i], id=f"d{i}", arms=["a", "b", ("c", 1), 7])
        assert (arm, time) == (decision.index, decision.time) and settled == (i <= 9)
        assert np.isnan(reward) if i > 9 else reward == (i / 10 if i % 2 == 0 else -1.0)
    assert log.frontier == 110.0 and log.adaptive and log.metadata["horizon"] == 30.0
    agent.to_parquet(tmp_path / "log.parquet")
    again = Log.read(tmp_path / "log.parquet")
    for left, right in zip(log, again, strict=True):
        assert np.array_equal(left.contexts, right.contexts) and np.array_equal(left.contexts, data.reshape(-1, 3))
        assert np.array_equal(left.probabilities, right.probabilities)
    assert again.adaptive and again.frontier == 110.0
    frame = agent.to_frame()
    assert list(frame["id"]) == [f"d{i}" for i in range(40)] and list(frame["arms"][0]) == ["a", "b", "('c', 1)", "7"]
    with pytest.raises(InvalidInputError, match="at least one decision"):
        Agent(LinUCB(n_features=2)).log()


def test_evaluation_reads_what_an_agent_wrote():
    """Uniform decisions of known rewards: the estimate of the best arm is its mean, within its interval."""
    agent = Agent(Uniform(n_features=2), seed=2)
    rng = np.random.default_rng(1)
    for i in range(400):
        decision = agent.decide(EYE, id=f"d{i}")
        agent.reward(decision.id, float(rng.random() < (0.2, 0.7)[decision.index]))
    good = LinUCB(n_features=2, alpha=0.0)
    good.update_many(EYE, [0.2, 0.7])
    found = evaluate(agent.log(), good, estimators=["ips"])
    interval = next(iter(found.estimate("ips").intervals.values()))
    assert interval.low < 0.7 < interval.high and interval.high - interval.low < 0.3


def test_a_warm_start_from_a_log():
    agent, _, _ = busy()
    fresh = LinTS(n_features=3)
    assert learn_from(fresh, agent.log()) == 20 == fresh.n_observed
    assert same(fresh, agent.policy)


def test_stats_are_what_was_counted():
    agent, data, _ = busy(LinUCB(n_features=3))
    assert [agent.reward("d0", 0.0), agent.reward("d0", 5.0), agent.reward("x", 1.0)] == [
        "duplicate", "conflict", "unknown",
    ]  # fmt: skip
    told = agent.stats()
    wanted = {"decisions": 40, "accepted": 20, "learnt": 20, "duplicate": 1, "conflict": 1, "unknown": 1, "late": 0}
    assert {name: told["counts"][name] for name in wanted} == wanted
    assert told["pending"] == 20 and sum(each["served"] for each in told["arms"]) == 40
    assert [each["arm"] for each in told["arms"]] == ["a", "b", ("c", 1), 7]
    assert told["by_day"] == [{"day": "1970-01-01", "learnt": 20, "mean_reward": pytest.approx(1.9)}]
    V = np.eye(3)
    weights = []
    for i, X in enumerate(data):
        decision = agent.decide(X, id=f"d{i}", arms=["a", "b", ("c", 1), 7])
        weights.append(1 / decision.probability)
        V += np.outer(X[decision.index], X[decision.index]) if i % 2 == 0 else 0.0
    assert told["condition_number"] == pytest.approx(np.linalg.cond(V))
    assert told["effective_sample_size"] == pytest.approx(sum(weights) ** 2 / sum(np.square(weights)))
    assert 0.001 < told["served_as_logged"] <= 1.0
    lines = agent.prometheus().splitlines()
    assert "rbmle_accepted_total 20" in lines and 'rbmle_served_total{arm="a"}' in agent.prometheus()
    assert all(line.startswith(("#", "rbmle_")) for line in lines)
    json.dumps({**told, "arms": None})


def test_a_log_whose_probabilities_are_wrong_is_found():
    """Served always the first arm, logged one half: the frequency test says so."""
    agent = Agent(Uniform(n_features=2), seed=2)
    for i in range(60):
        agent.decide(EYE, id=f"d{i}")
    good = agent.stats()["served_as_logged"]
    counts = agent._core.state.counts
    counts.arm_by_chance[:2] = 60, 0
    assert good > 0.01 and agent.stats()["served_as_logged"] < 1e-10


def test_an_explanation_adds_up():
    agent, data, _ = busy(LinRBMLE(n_features=3))
    told, policy = agent.explain(data[0], arms=["a", "b", "c", "d"]), agent.policy
    np.testing.assert_array_equal(told.index, policy.scores(data[0]))
    np.testing.assert_allclose(told.mean + told.bias, told.index)
    np.testing.assert_allclose(told.width**2, policy.model.predict(data[0])[1])
    assert told.probability.sum() == pytest.approx(1.0) and told.probability.max() == pytest.approx(0.85)
    assert "probability" in str(told) and "<table>" in told._repr_html_()
    before = len(agent.journal.read(0))
    agent.explain(data[0])
    assert len(agent.journal.read(0)) == before


def test_another_policy_learns_everything_and_the_old_one_comes_back():
    agent, _, _ = busy(LinTS(n_features=3))
    old, expected = agent.policy, LinRBMLE(n_features=3)
    learn_from(expected, agent.log())
    assert agent.retrain(LinRBMLE(n_features=3)) == (20, 0)
    assert same(agent.policy, expected)
    x = contexts(40)[1][agent.decide(contexts(40)[1], id="d1", arms=["a", "b", ("c", 1), 7]).index]
    agent.reward("d1", 3.0)
    for each in (old, expected):
        each.update(x, 3.0)
    assert same(agent.policy, expected)
    twin = Agent.open(agent.journal)
    assert same(twin.policy, expected)
    agent.rollback()
    assert same(agent.policy, old) and isinstance(agent.policy, LinTS)
    twin.sync()
    twin.snapshot()
    assert same(Agent.open(agent.journal).policy, old)
    with pytest.raises(InvalidInputError, match="n_features=3"):
        agent.retrain(LinUCB(n_features=2))
    with pytest.raises(InvalidInputError, match="There was none"):
        busy()[0].rollback()


@pytest.mark.parametrize("where", ["memory", "file"])
def test_retention_keeps_what_is_open_and_what_was_learnt(tmp_path, where):
    journal = MemoryJournal() if where == "memory" else tmp_path / "a.db"
    agent, _, clock = busy(LinUCB(n_features=3), journal=journal)
    behind = Agent.open(agent.journal)
    for i in range(1, 8, 2):
        agent.reward(f"d{i}", 1.0)
    clock.now = 200.0
    removed = agent.retain(seconds=80.0)  # what was decided before 120
    assert removed == 2 * 14  # d0 … d19, of which d9, d11, … are open: 10 + 4 closed
    left = {event.subject for event in agent.journal.events() if event.kind == "decision"}
    assert left == {f"d{i}" for i in range(40)} - {f"d{i}" for i in range(20) if i % 2 == 0 or i < 8}
    assert agent.reward("d0", 0.0) == "unknown" and agent.reward("d9", 1.0) == "accepted"
    behind.sync()
    again = Agent.open(agent.journal)
    assert same(behind.policy, agent.policy) and same(again.policy, agent.policy)
    assert agent.stats()["counts"]["decisions"] == again.stats()["counts"]["decisions"] == 40
    assert agent.retrain(LinRBMLE(n_features=3)) == (11, 14)


def test_erased_decisions_leave_nothing(tmp_path):
    agent, data, _ = busy(LinUCB(n_features=3), journal=tmp_path / "a.db")
    agent.decide(data[0], id="secret-name")
    agent.snapshot()
    before = agent.policy
    assert agent.erase(["secret-name", "d0", "d1"]) == 2 + 2 + 2  # a decision each; d0's reward, two closings
    assert same(agent.policy, before) and agent.n_pending == 19
    assert agent.reward("secret-name", 1.0) == "unknown"
    agent.close()
    for file in tmp_path.iterdir():
        assert b"secret-name" not in file.read_bytes()
    again = Agent.open(tmp_path / "a.db")
    assert same(again.policy, before)
    assert again.retrain(LinUCB(n_features=3)) == (19, 1)
    again.close()
    with pytest.raises(InvalidInputError, match="list of ids"):
        busy()[0].erase("d0")
