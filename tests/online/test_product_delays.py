"""Rewards whose good news come first: what an agent believes then, over many logs and more than one arm."""

import heapq

import numpy as np
import pytest
from tests.online.test_agent import Clock

from rbmle import LinUCB, Uniform
from rbmle.online import Agent

HOUR = 3600.0
MEANS = (0.1, 0.3)


def estimates(learn, seed, n=400):
    """The means of the arms and how often each was learnt, after n decisions; clicks are told after minutes, and the
    silence after an hour."""
    rng, clock = np.random.default_rng(seed), Clock()
    agent = Agent(
        Uniform(n_features=2), seed=seed, wait=HOUR, default_reward=0.0, learn=learn, clock=clock
    )  # arms are drawn, so that nothing but the delay can bias
    told = []
    for i in range(n):
        clock.now = 20.0 * i
        while told and told[0][0] <= clock.now:
            agent.reward(heapq.heappop(told)[1], 1.0)
        decision = agent.decide(np.eye(2), id=f"d{i}")
        if rng.random() < MEANS[decision.index]:
            heapq.heappush(told, (clock.now + rng.exponential(120.0), f"d{i}"))
    V, b = agent.policy.model.V - np.eye(2), agent.policy.model.b
    counts = np.diag(V)
    return b / counts, counts


@pytest.mark.parametrize("seed", range(3))
def test_what_is_learnt_are_the_closed_decisions(seed):
    """Exactly: 400 decisions every 20 s, those older than an hour when the last was decided."""
    _, counts = estimates("at_close", seed)
    assert counts.sum() == 400 - 3600 // 20
    assert estimates("immediate", seed)[1].sum() > counts.sum()


def test_at_close_is_within_its_interval_and_immediate_is_not():
    """95 % intervals of 2 arms in 40 logs: 76 of 80 should hold the mean; of the impatient agent hardly any for the arm
    with more clicks. A binomial with 0.95 is below 69 with a chance of 1e-4."""
    held = {"at_close": 0, "immediate": 0}
    bias = dict.fromkeys(held, 0.0)
    for seed in range(40):
        for learn in held:
            means, counts = estimates(learn, seed)
            half = 1.96 * np.sqrt(np.multiply(MEANS, np.subtract(1.0, MEANS)) / counts)
            held[learn] += int((np.abs(means - MEANS) < half).sum())
            bias[learn] += (means - MEANS)[1] / 40
    assert held["at_close"] >= 69
    assert held["immediate"] < 50
    assert abs(bias["at_close"]) < 0.02  # of a mean of 0.3; its standard error is 0.007
    assert bias["immediate"] > 0.05


def test_pending_that_counts_spreads_what_would_be_repeated():
    """Ten arms alike, rewards after the 30th decision: repeated, one arm is all that is known; counted, all are."""
    X = np.eye(10)
    served = {}
    for pending in ("ignore", "count"):
        agent = Agent(LinUCB(n_features=10), pending=pending, seed=1, wait=HOUR, default_reward=0.0, clock=Clock())
        served[pending] = np.bincount([agent.decide(X, id=f"d{i}").index for i in range(30)], minlength=10)
    assert served["ignore"].max() == 30
    assert served["count"].tolist() == [3] * 10


def test_counted_decisions_are_in_the_logged_probabilities_too():
    agent = Agent(LinUCB(n_features=2), pending="count", seed=1)
    decisions = [agent.decide(np.eye(2), id=f"d{i}") for i in range(6)]
    assert [each.probabilities.tolist() for each in decisions] == [
        [float(each.index == k) for k in range(2)] for each in decisions
    ]
    assert [each.index for each in decisions] == [0, 1] * 3
