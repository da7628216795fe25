"""What an agent tells of itself: numbers, words, explanations, Prometheus; and its journal as a log."""

import asyncio
import copy
import json
import logging
import math
import pickle
import re

import numpy as np
import pytest
from tests.online.test_agent import EYE, Clock, Failing
from tests.online.test_keeping import busy

from rbmle import LinTS, LinUCB, Uniform
from rbmle.errors import InvalidInputError, InvalidParameterError, JournalError
from rbmle.evaluation import evaluate
from rbmle.logs import Log
from rbmle.online import Agent
from rbmle.online.course import course_of
from rbmle.online.journal import MemoryJournal

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*"'
ESCAPES = {r"\\": "\\", r"\"": '"', r"\n": "\n"}
SAMPLE = re.compile(rf"({NAME})(?:\{{((?:{LABEL})(?:,{LABEL})*)\}})? (\S+)$")


def parsed(text):
    """Samples of a text in the exposition format, by name and labels; raises where the format is broken."""
    assert text.endswith("\n") and "\n\n" not in text
    known, samples = {}, {}
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            name, told = line.removeprefix("# HELP ").split(" ", 1)
            assert re.fullmatch(NAME, name) and told and name not in known
            known[name] = None
        elif line.startswith("# TYPE "):
            name, kind = line.removeprefix("# TYPE ").split(" ")
            assert kind in ("counter", "gauge") and known[name] is None
            assert name.endswith("_total") == (kind == "counter")
            known[name] = kind
        else:
            found = SAMPLE.fullmatch(line)
            assert found, line
            name, labels, value = found.groups()
            assert list(known)[-1] == name and known[name]  # samples of a family come together
            labels = re.findall(r'([a-zA-Z0-9_]+)="((?:[^"\\]|\\.)*)"', labels or "")
            labels = tuple((key, re.sub(r"\\.", lambda m: ESCAPES[m[0]], told)) for key, told in labels)
            assert (name, labels) not in samples
            samples[name, labels] = float(value)
    return samples


def test_prometheus_reads_what_stats_say():
    nasty = ['a"b\\c\nd', "ä {x}", ("t", 1), 7, "7"]
    agent = Agent(Uniform(n_features=2), seed=1)
    served = [agent.decide(np.ones((5, 2)), arms=nasty, id=f"d{i}").arm for i in range(50)]
    agent.reward("d0", 1.0)
    agent.reward("?", 1.0)
    samples = parsed(agent.prometheus())
    assert samples["rbmle_decisions_total", ()] == 50 and samples["rbmle_accepted_total", ()] == 1
    assert samples["rbmle_unknown_total", ()] == 1 and samples["rbmle_late_total", ()] == 0
    assert samples["rbmle_pending", ()] == 49 and samples["rbmle_apprentice", ()] == 0
    stats = agent.stats()
    assert samples["rbmle_served_as_logged_p", ()] == stats["served_as_logged"]
    by_label = {labels: value for (name, labels), value in samples.items() if name == "rbmle_served_total"}
    assert by_label == {
        (("arm", text),): sum(str(arm) == text for arm in served) for text in {str(arm) for arm in nasty}
    }
    labelled = parsed(agent.prometheus({"worker": "3"}))
    assert labelled["rbmle_pending", (("worker", "3"),)] == 49
    assert labelled["rbmle_served_total", (("worker", "3"), ("arm", nasty[0]))] == served.count(nasty[0])
    few = parsed(agent.prometheus(arms=False))
    assert few == {key: value for key, value in samples.items() if key[0] != "rbmle_served_total"}
    for wrong in ("arm", "__name", "a-b", "", 3):
        with pytest.raises(InvalidInputError, match="labels must have names"):
            agent.prometheus({wrong: "x"})


def test_numbers_that_are_none_are_left_out_and_infinite_ones_are_written_as_go_does():
    samples = parsed(Agent(LinUCB(n_features=2)).prometheus())
    assert ("rbmle_mean_reward", ()) not in samples and ("rbmle_served_as_logged_p", ()) not in samples
    from rbmle.online.exposition import number

    assert [number(each) for each in (3.0, 0.5, math.inf, -math.inf, math.nan)] == ["3", "0.5", "+Inf", "-Inf", "NaN"]


def test_rates_are_shares_of_all_rewards_told():
    clock = Clock()
    agent = Agent(LinUCB(n_features=2), wait=10.0, clock=clock)
    assert agent.stats()["rates"] is None
    agent.decide(EYE, id="a")
    agent.decide(EYE, id="b")
    told = [agent.reward("a", 1.0), agent.reward("a", 1.0), agent.reward("a", 2.0), agent.reward("x", 1.0)]
    clock.now = 11.0
    told.append(agent.reward("b", 1.0))
    assert told == ["accepted", "duplicate", "conflict", "unknown", "late"]
    assert agent.stats()["rates"] == dict.fromkeys(told, 0.2)
    json.dumps(agent.stats(), default=str)


def test_days_are_those_of_the_decisions():
    clock = Clock()
    agent = Agent(LinUCB(n_features=2), clock=clock)
    for day, values in ((0, [1.0, 2.0]), (3, [4.0])):
        for i, value in enumerate(values):
            clock.now = day * 86400.0 + i
            agent.decide(EYE, id=f"{day} {i}")
            clock.now += 5 * 86400.0
            agent.reward(f"{day} {i}", value)
    assert agent.stats()["by_day"] == [
        {"day": "1970-01-01", "learnt": 2, "mean_reward": 1.5},
        {"day": "1970-01-04", "learnt": 1, "mean_reward": 4.0},
    ]


def test_how_often_arms_should_have_been_served():
    """Σp and √Σp(1−p) from the decisions themselves, only where chance decided."""
    agent, data, _ = busy(LinTS(n_features=3), samples=20)
    ids = ["a", "b", ("c", 1), 7]
    chances = np.array([agent.decide(X, id=f"d{i}", arms=ids).probabilities for i, X in enumerate(data)])
    for each, p in zip(agent.stats()["arms"], chances.T, strict=True):
        assert each["expected"] == pytest.approx(p.sum()) and each["by_chance"] == each["served"]
        assert each["spread"] == pytest.approx(np.sqrt((p * (1 - p)).sum()))


def test_words_name_what_is_wrong():
    def words(agent, good):
        return " ".join(each.text for each in agent.findings() if each.good is good)

    agent = Agent(LinUCB(n_features=2))
    assert agent.findings() == []
    agent.decide(EYE, id="a")
    assert "No reward was told" in words(agent, False)
    agent.reward("a", 1.0)
    assert words(agent, False) == "" and "100 %" in words(agent, True)
    for _ in range(2):
        agent.reward("?", 1.0)
    assert "66.7 % of the rewards told came of decisions that this journal never saw" in words(agent, False)
    agent = Agent(Uniform(n_features=2), seed=2)
    for i in range(60):
        agent.decide(EYE, id=f"d{i}", arms=["a", "b"])
    assert "as often as the logged probabilities say" in words(agent, True)
    agent._core.state.counts.arm_by_chance[:2] = 60, 0
    assert "not served as often" in words(agent, False) and "60 times, 30 expected" in words(agent, False)
    assert agent.findings()[0].good is False
    full = Agent(LinUCB(n_features=2), max_pending=1)
    for _ in range(3):
        full.decide(1e9 * np.array([[1.0, 1e-9]]), id=(name := f"d{full.n_pending}{full.version}"))
    full.reward(name, 1.0)
    assert "raise max_pending" in words(full, False) and "scale them" in words(full, False)
    failing = Agent(Failing(n_features=2), fallback=0)
    failing.decide(EYE)
    assert "The policy failed 1 times" in words(failing, False)
    failing._core.state.counts.add("not learnt", 3)
    assert "3 rewards could not be learnt" in words(failing, False)
    learner = Agent(LinUCB(n_features=2), apprentice=True)
    learner.decide(EYE, baseline=0)
    assert "what the caller's rule did in 100 %" in words(learner, True)


def test_a_decision_is_explained_by_its_id():
    agent, data, _ = busy(LinUCB(n_features=3))
    ids = ["a", "b", ("c", 1), 7]
    told, asked = agent.explain(id="d3"), agent.explain(data[3], arms=ids)
    for name in ("mean", "width", "bias", "index", "probability"):
        np.testing.assert_array_equal(getattr(told, name), getattr(asked, name))
    served = agent.decide(data[3], id="d3", arms=ids).arm
    assert told.arms == tuple(ids) and told.served == served and f"{served} (served)" in str(told)
    with pytest.raises(InvalidInputError, match="decision in the journal"):
        agent.explain(id="nobody")
    with pytest.raises(InvalidInputError, match="must come alone"):
        agent.explain(data[3], id="d3")


def test_stats_are_shown_to_people():
    agent, _, _ = busy()
    shown = str(agent.stats())
    assert "40" in shown and "rewards told" in shown and "20 accepted (100 %)" in shown
    assert "<table>" in agent.stats()._repr_html_()


def test_who_only_reads_closes_nothing(tmp_path):
    clock = Clock()
    agent = Agent(LinUCB(n_features=2), journal=tmp_path / "a.db", wait=5.0, default_reward=0.0, clock=clock)
    agent.decide(EYE, id="a")
    watcher = Agent.open(tmp_path / "a.db", clock=clock)
    clock.now = 10.0
    before = len(agent.journal.read(0))
    assert watcher.read() == 0 and watcher.stats()["pending"] == 1
    watcher.close(snapshot=False)
    assert len(agent.journal.read(0)) == before
    agent.close()


def test_a_journal_alone_is_a_log(tmp_path):
    """The same rows as the agent's own log, after some were removed too; and evaluation reads it."""
    clock = Clock()
    agent = Agent(Uniform(n_features=2), seed=2, wait=30.0, default_reward=0.0, clock=clock)
    rng = np.random.default_rng(1)
    for i in range(300):
        clock.now = float(i)
        arms = ["x", "y"] if i < 150 else ["z", "y"]
        decision = agent.decide(EYE, id=f"d{i}", arms=arms)
        if rng.random() < (0.2, 0.7)[decision.index]:
            agent.reward(decision.id, 1.0)
    agent.retain(seconds=250.0)
    agent.sync()
    mine, theirs = agent.to_frame(), agent.journal.to_frame()
    assert 0 < len(mine) < 300 and mine.equals(theirs)
    agent.journal.to_parquet(tmp_path / "log.parquet")
    assert (tmp_path / "log.parquet").stat().st_size > 0
    good = LinUCB(n_features=2, alpha=0.0)
    good.update_many(EYE, [0.2, 0.7])
    found = evaluate(agent.journal.log(), good, estimators=["ips"])
    closed = mine["settled"].sum()
    assert found.n == closed  # up to the settled frontier: rewards that came early after it do not count
    interval = next(iter(found.estimate("ips").intervals.values()))
    assert interval.low < 0.7 < interval.high
    with pytest.raises(Exception, match="no agent in it"):
        MemoryJournal().log()


def test_the_course_of_a_journal():
    clock = Clock()
    agent = Agent(LinTS(n_features=2), seed=1, wait=100.0, default_reward=0.0, clock=clock)
    earned = {}
    for i in range(40):
        clock.now = 10.0 * i
        decision = agent.decide(EYE, id=f"d{i}", arms=["a", "b"])
        if i % 4 == 0:
            clock.now += 3.0
            agent.reward(f"d{i}", float(i))
        if i < 29:  # closed at 390, when the last was decided
            earned.setdefault(decision.arm, []).append(float(i) if i % 4 == 0 else 0.0)
    agent.sync()
    course = course_of(agent.journal, agent.rules)
    assert course.closed.tolist() == [i < 30 for i in range(40)] or course.closed.sum() in (29, 30)
    known = course.closed.sum()
    np.testing.assert_array_equal(course.reward[:known], [float(i) if i % 4 == 0 else 0.0 for i in range(known)])
    assert np.isnan(course.reward[known:]).all()
    np.testing.assert_array_equal(np.flatnonzero(~np.isnan(course.delay)), np.arange(0, 40, 4))
    assert np.nanmax(course.delay) == 3.0 == np.nanmin(course.delay) and course.last.subject == "d39"
    for arm, n, mean, error in course.by_arm():
        values = course.reward[course.learnable & (course.arm == course.arms.index(arm))]
        assert n == len(values) and mean == pytest.approx(values.mean())
        assert error == pytest.approx(values.std(ddof=1) / np.sqrt(n))
    spans = course.in_spans(count=3)
    assert sum(span[1] for span in spans) == known and spans[0][0] < spans[-1][0]


def test_rewards_that_came_early_do_not_count_before_the_rest_is_known():
    agent = Agent(LinUCB(n_features=2), seed=1, clock=(clock := Clock()))
    for i in range(6):
        clock.now = float(i)
        agent.decide(EYE, id=f"d{i}")
    for i in (0, 1, 4, 5):
        agent.reward(f"d{i}", 1.0)
    course = course_of(agent.journal, agent.rules)
    assert course.learnable.tolist() == [True, True, False, False, False, False]


def test_what_happens_now_and_then_is_logged(caplog, tmp_path):
    caplog.set_level(logging.INFO, logger="rbmle.online")
    agent = Agent(LinUCB(n_features=2), journal=tmp_path / "a.db", apprentice=True)
    assert "opened" in caplog.text
    agent.promote()
    assert "policy's own decisions are served" in caplog.text
    agent.retrain(LinTS(n_features=2))
    assert "LinTS" in caplog.text
    agent.rollback()
    agent.close()
    assert caplog.text.count("another policy decides") == 2


def test_what_has_a_log_is_read_as_one(tmp_path):
    agent, _, _ = busy(Uniform(n_features=3), journal=tmp_path / "a.db")
    for source in (agent, agent.journal):
        log = Log.read(source, name="mine")
        assert log.name == "mine" and log.adaptive and log.to_frame().equals(agent.to_frame())
    assert Log.read(agent, adaptive=False).adaptive is False
    assert evaluate(agent, "uniform").n == evaluate(agent.log(), "uniform").n == 1  # d1 was not rewarded
    with pytest.raises(InvalidInputError, match=r"is a database. An agent's journal has a log"):
        Log.read(tmp_path / "a.db")
    agent.close()


def test_a_log_of_the_callers_rule_alone_says_not_whether_that_has_learnt():
    agent = Agent(LinUCB(n_features=2), apprentice=True)
    for i in range(4):
        agent.reward(agent.decide(EYE, baseline=i % 2).id, 1.0)
    assert agent.log().adaptive is None
    agent.promote()
    agent.decide(EYE)
    assert agent.log().adaptive is True


def test_slips_of_beginners_are_explained(tmp_path):
    with Agent(LinUCB(n_features=2), journal=tmp_path / "a.db") as agent:
        decision = agent.decide(EYE)
        with pytest.raises(InvalidInputError, match=r"It has an .id: give that"):
            agent.reward(decision, 1.0)
        with pytest.raises(InvalidInputError, match="contexts must be given, or arms be added"):
            agent.decide()
        for copied in (pickle.dumps, copy.deepcopy):
            with pytest.raises(TypeError, match="opens the same journal"):
                copied(agent)
        again = pickle.loads(pickle.dumps(decision))
        assert again.id == decision.id and decision == decision and decision != again
    with pytest.raises(InvalidParameterError, match="Agent.open takes it from a journal"):
        Agent(journal=tmp_path / "a.db")


def test_async_with_closes():
    async def main():
        async with Agent(LinUCB(n_features=2)) as agent:
            decision = await agent.adecide(EYE)
            assert await agent.areward(decision.id, 1.0) == "accepted"
        return agent

    with pytest.raises(JournalError, match="closed"):
        asyncio.run(main()).sync()
