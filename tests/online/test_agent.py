"""What an agent promises, one thing at a time. Histories of all of it are in test_machine.py."""

from uuid import UUID

import numpy as np
import pytest

from rbmle import GLMRBMLE, EnsembleSampling, KnowledgeGradient, LinRBMLE, LinTS, LinUCB, SquareCB, Uniform
from rbmle.errors import FormulaError, InvalidInputError, InvalidParameterError
from rbmle.features import Category, Features, Number
from rbmle.models.forgetting import Window
from rbmle.online import Agent, Status
from rbmle.policies import Policy

EYE = np.eye(2)


class Clock:
    """A clock that is told what time it is."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def same(left, right):
    left, right = left.state(), right.state()
    return left.keys() == right.keys() and all(np.array_equal(left[name], right[name]) for name in left)


def contexts(n, K=4, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, K, d))


def test_a_decision_says_what_was_served():
    agent = Agent(Uniform(n_features=2), seed=3, clock=Clock())
    decision = agent.decide(EYE, arms=["a", ("b", 2)])
    assert UUID(decision.id).version == 4 and UUID(decision.id).variant == "specified in RFC 4122"
    assert (decision.index, decision.arm) in [(0, "a"), (1, ("b", 2))]
    assert decision.probability == decision.probabilities[decision.index]
    assert decision.probabilities.sum() == 1.0 and decision.time == 0.0 and decision.t == 1 and decision.version == 1
    assert decision.source == "policy" and agent.n_pending == 1
    with pytest.raises(ValueError, match="read-only"):
        decision.probabilities[0] = 1.0
    assert agent.reward(decision.id, 0.5) == "accepted"
    assert agent.result(decision.id) == ("closed", 0.5) and agent.result("?") == ("unknown", None)


@pytest.mark.parametrize(
    "policy", [LinUCB, LinTS, SquareCB, EnsembleSampling, GLMRBMLE], ids=lambda each: each.__name__
)
def test_it_learns_what_a_policy_learns(policy):
    """Decisions of many ids change nothing: what is learnt is what the policy learns from the same rewards."""
    agent, alone = Agent(policy(n_features=3), seed=1), policy(n_features=3)
    for i, X in enumerate(contexts(30)):
        decision = agent.decide(X)
        agent.decide(-X)  # never rewarded
        assert agent.reward(decision.id, i % 2) == "accepted"
        alone.update(X[decision.index], i % 2)
        assert decision.t == i + 1
    assert same(agent.policy, alone)


@pytest.mark.parametrize(
    "policy",
    [
        LinUCB(n_features=8),
        LinUCB(n_features=8, forgetting=Window(50)),
        LinRBMLE(n_features=8),
        LinRBMLE(n_features=8, bias="auto"),
        KnowledgeGradient(n_features=8, horizon=100),
        GLMRBMLE(n_features=8),
    ],
    ids=str,
)
def test_with_features_it_decides_as_the_policy_alone(policy):
    features = Features(
        shared=[Category("device", ["phone", "desk"]), Number("age", center=40.0, scale=15.0)],
        arm=[Number("price")], cross="all",
    )  # fmt: skip
    agent, alone, arms = (
        Agent(policy, features=features),
        policy.copy(),
        [{"price": price} for price in (0.5, 1.0, 2.0)],
    )
    for i, each in enumerate(arms):
        agent.arms.add(f"arm {i}", each)
    for i in range(40):
        visitor = {"age": 20 + i, "device": ["phone", "desk"][i % 2]}
        X = features.encode(visitor, arms)
        decision = agent.decide(visitor)
        assert decision.arm == f"arm {alone.choose(X)}" and decision.probability == 1.0
        agent.reward(decision.id, float(i % 2))
        alone.update(X[decision.index], float(i % 2))


@pytest.mark.parametrize("policy", [LinTS(n_features=3), LinUCB(n_features=3)])
def test_randomness_follows_from_the_seed_and_the_id(policy):
    def arms(seed, prefix="d"):
        agent = Agent(policy, seed=seed, floor=0.5)
        return [agent.decide(X, id=f"{prefix}{i}").arm for i, X in enumerate(contexts(40))]

    first, agent = arms(1), Agent(policy, seed=1, floor=0.5)
    backwards = [agent.decide(X, id=f"d{i}").arm for i, X in reversed(list(enumerate(contexts(40))))]
    assert first == arms(1) == backwards[::-1]
    assert first != arms(2) and first != arms(1, "e")


def test_asking_again():
    agent = Agent(LinTS(n_features=2), seed=1)
    first = agent.decide(EYE, arms=["a", "b"], id="one")
    agent.reward("one", 1.0)
    again = agent.decide(EYE.copy(), arms=["a", "b"], id="one")
    assert (again.arm, again.t, again.version, again.time) == (first.arm, first.t, first.version, first.time)
    assert np.array_equal(again.probabilities, first.probabilities)
    for X, arms in ((EYE + 1e-9, ["a", "b"]), (EYE, ["a", "c"]), (EYE, None), (np.eye(3)[:, :2], ["a", "b", "c"])):
        with pytest.raises(InvalidInputError, match="id must be a new one"):
            agent.decide(X, arms=arms, id="one")
    assert agent.reward("one", 1.0) == Status.DUPLICATE and agent.reward("one", 2.0) == "conflict"
    assert agent.reward("two", 1.0) == "unknown" and agent.policy.n_observed == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"contexts": [[1.0, np.nan]]},
        {"contexts": [[1.0]]},
        {"contexts": None},
        {"contexts": EYE, "arms": ["a"]},
        {"contexts": EYE, "arms": ["a", "a"]},
        {"contexts": EYE, "arms": "ab"},
        {"contexts": EYE, "arms": [1, True]},
        {"contexts": EYE, "arms": [1, None]},
        {"contexts": EYE, "arms": [1, float("nan")]},
        {"contexts": EYE, "arms": {"a": 1, "b": 2}},
        {"contexts": EYE, "id": ""},
        {"contexts": EYE, "id": "a\0"},
        {"contexts": EYE, "id": "\ud800"},
        {"contexts": EYE, "id": 7},
        {"contexts": EYE, "baseline": 2},
        {"contexts": EYE, "baseline": [0.5, 0.6]},
    ],
)
def test_bad_questions_change_nothing(wrong):
    agent = Agent(LinTS(n_features=2))
    before = len(agent.journal.read(0))
    with pytest.raises(InvalidInputError):
        agent.decide(**wrong)
    assert len(agent.journal.read(0)) == before and agent.n_pending == 0


@pytest.mark.parametrize("value", [np.nan, np.inf, None, "1", [1.0], 1e200])
def test_bad_rewards_change_nothing(value):
    agent = Agent(LinTS(n_features=2))
    agent.decide(EYE, id="one")
    with pytest.raises(InvalidInputError):
        agent.reward("one", value)
    assert agent.policy.n_observed == 0 and agent.reward("one", 1.0) == "accepted"


def test_rewards_that_a_policy_cannot_learn_are_refused():
    agent = Agent(GLMRBMLE(n_features=2))
    agent.decide(EYE, id="one")
    with pytest.raises(InvalidInputError, match="family"):
        agent.reward("one", 2.0)
    assert agent.reward("one", 1.0) == "accepted"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"default_reward": 0.0}, "needs wait"),
        ({"aggregate": "sum"}, "needs wait"),
        ({"aggregate": "max", "wait": 5.0, "learn": "immediate"}, "at_close"),
        ({"aggregate": "mean"}, "'aggregate' parameter of Agent must be one of"),
        ({"wait": -1.0}, "'wait' parameter of Agent"),
        ({"fallback": [1]}, "fallback must be"),
        ({"durability": "none"}, "'durability' parameter of Agent"),
        ({"features": 3}, "'features' parameter of Agent"),
        ({"journal": 3}, "'journal' parameter of Agent"),
    ],
)
def test_bad_settings(wrong, told):
    with pytest.raises((InvalidParameterError, InvalidInputError), match=told):
        Agent(LinUCB(n_features=2), **wrong)


def test_default_rewards_apply_once_and_only_to_what_was_shown():
    clock = Clock()
    agent = Agent(LinUCB(n_features=2), wait=10.0, default_reward=0.0, clock=clock)
    for name, shown in (("rewarded", True), ("silent", True), ("held", False), ("shown later", False)):
        agent.decide(EYE, id=name, shown=shown)
    clock.now = 5.0
    assert agent.activate("shown later") == "accepted" and agent.activate("shown later") == "duplicate"
    assert agent.reward("rewarded", 1.0) == "accepted" and agent.policy.n_observed == 0
    clock.now = 10.0
    agent.sync()
    assert agent.policy.n_observed == 2 and agent.n_pending == 1  # shown later: until 15
    assert agent.reward("silent", 1.0) == "late" and agent.reward("held", 1.0) == "late"
    assert agent.activate("held") == "late" and agent.activate("?") == "unknown"
    assert agent.result("silent") == ("closed", 0.0) and agent.result("held") == ("closed", None)
    clock.now = 15.0
    assert agent.reward("shown later", 1.0) == "late"
    assert agent.policy.n_observed == 3 and agent.sync() == 0


def test_good_news_that_come_first_bias_only_an_impatient_agent():
    """Clicks of 30 % are told after a minute; that there was none is known after an hour."""
    rng, estimates = np.random.default_rng(5), {}
    clicked = rng.random(4000) < 0.3
    for learn in ("at_close", "immediate"):
        clock = Clock()
        policy = LinUCB(n_features=1, regularization=1e-9)
        agent = Agent(policy, wait=3600.0, default_reward=0.0, learn=learn, clock=clock)
        for i in range(len(clicked)):
            clock.now = 2.0 * i
            agent.decide([[1.0]], id=f"d{i}")
            if i >= 30 and clicked[i - 30]:
                agent.reward(f"d{i - 30}", 1.0)
        estimates[learn] = agent.policy.model.predict([[1.0]])[0][0], agent.policy.n_observed
    mean, n = estimates["at_close"]
    half = 1.96 * np.sqrt(0.3 * 0.7 / n)
    assert n > 2000 and abs(mean - 0.3) < half
    mean, n = estimates["immediate"]
    assert mean - 0.3 > 5 * 1.96 * np.sqrt(0.3 * 0.7 / n)


def test_pending_decisions_count_as_seen():
    """Without rewards a deterministic policy repeats itself; counted, pending decisions shrink its variance."""
    X = contexts(1, K=6)[0]
    repeat, spread = (Agent(LinUCB(n_features=3), pending=how, seed=1) for how in ("ignore", "count"))
    first = repeat.decide(X).index
    assert all(repeat.decide(X).index == first for _ in range(8))
    V, served = np.eye(3), []
    for _ in range(8):
        index = spread.decide(X).index
        width = np.sqrt(np.einsum("ai,ij,aj->a", X, np.linalg.inv(V), X))  # all means are 0
        assert index == np.argmax(width)
        served.append(index)
        V += np.outer(X[index], X[index])
    assert len(set(served)) > 1 and spread.policy.n_observed == 0


def test_pending_decisions_keep_the_mean_and_leave():
    """With a reward, only the others are counted: θ̂ is that of what was learnt, V has the pending ones too."""
    agent = Agent(LinUCB(n_features=3, alpha=2.0), pending="count", seed=1)
    data = contexts(12)
    made = [(agent.decide(X, id=f"d{i}").index, X) for i, X in enumerate(data[:-1])]
    for i in (1, 4, 7):
        agent.reward(f"d{i}", float(i))
    x = np.array([X[index] for index, X in made])
    known = x[[1, 4, 7]]
    theta = np.linalg.solve(np.eye(3) + known.T @ known, known.T @ np.array([1.0, 4.0, 7.0]))
    V_inv = np.linalg.inv(np.eye(3) + x.T @ x)
    last = data[-1]
    expected = last @ theta + 2.0 * np.sqrt(np.einsum("ai,ij,aj->a", last, V_inv, last))
    assert agent.decide(last).index == np.argmax(expected)
    twin = agent._decider._twin
    np.testing.assert_allclose(twin.scores(last), expected, rtol=1e-9)


class Failing(Policy):
    title = ""
    answer = None

    def new_model(self):
        return LinUCB(n_features=self.n_features).new_model()

    def _scores(self, X, held, t):
        raise ZeroDivisionError("no luck")

    def _play(self, contexts, rewards):
        raise NotImplementedError


def test_a_fallback_is_served_with_its_right_chance(caplog):
    with pytest.raises(FormulaError, match="no luck"):
        Agent(Failing(n_features=2)).decide(EYE)
    agent = Agent(Failing(n_features=2), fallback="b", seed=1)
    decision = agent.decide(EYE, arms=["a", "b"])
    assert (decision.arm, decision.probability, decision.source) == ("b", 1.0, "fallback")
    assert "no luck" in caplog.text
    drawn = [agent.decide(EYE, arms=["a", "c"], id=f"d{i}") for i in range(60)]
    assert {each.arm for each in drawn} == {"a", "c"} and {each.probability for each in drawn} == {0.5}
    with pytest.raises(InvalidInputError, match="finite"):
        agent.decide([[np.nan, 1.0]])
    assert agent.reward(decision.id, 1.0) == "accepted" and agent.policy.n_observed == 1


def test_an_apprentice_learns_from_the_callers_rule():
    agent = Agent(LinUCB(n_features=2), apprentice=True, seed=1)
    with pytest.raises(InvalidInputError, match="baseline must be given"):
        agent.decide(EYE)
    for i in range(20):
        decision = agent.decide(EYE, arms=["a", "b"], baseline="b", id=f"d{i}")
        assert (decision.arm, decision.probability, decision.source) == ("b", 1.0, "baseline")
        assert agent.reward(f"d{i}", 1.0) == "accepted"
    counts = agent._core.state.counts.by_name
    assert agent.policy.n_observed == 20 and counts["baseline"] == 20
    assert counts["agreed"] + counts["disagreed"] == 20 and counts["agreed"] >= 15  # it has learnt that b is good
    shares = [agent.decide(EYE, baseline=[0.25, 0.75], id=f"s{i}") for i in range(200)]
    assert {each.probability for each in shares} == {0.25, 0.75}
    assert 30 <= sum(each.index == 0 for each in shares) <= 72  # 50 expected
    agent.promote()
    decision = agent.decide(EYE, baseline=0)
    assert not agent.apprentice and decision.source == "policy" and decision.index == 1
