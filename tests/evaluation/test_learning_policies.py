"""Logs of policies that learnt while they wrote them: the chances of `decide` are right from end to end."""

import numpy as np
import pytest

from rbmle import LinRBMLE, LinTS, SquareCB
from rbmle.evaluation import evaluate
from rbmle.logs import Log
from rbmle.online import Agent

ROWS, FLOOR = 500, 0.2
LEARNERS = {
    "LinTS": LinTS(n_features=3),
    "LinRBMLE": LinRBMLE(n_features=3),
    "SquareCB": SquareCB(n_features=3),
}


def written(world, policy, seed, rows=ROWS):
    """A log that the policy writes while it learns; the target's chances, and what it earns, in every row."""
    rng, policy = np.random.default_rng([seed, 11]), policy.copy()
    policy.reseed(seed)  # else all logs would explore in the same rounds
    s, noise = rng.integers(0, len(world.X), rows), rng.random(rows)
    arms, chances, rewards = np.empty(rows, dtype=int), np.empty((rows, world.K)), np.empty(rows)
    for t in range(rows):
        decision = policy.decide(world.X[s[t]], floor=FLOOR)
        arms[t], chances[t] = decision.arm, decision.probabilities
        assert decision.probability == decision.probabilities[decision.arm] >= FLOOR / world.K - 1e-15
        rewards[t] = float(noise[t] < world.mu[s[t], arms[t]])
        policy.update(world.X[s[t], arms[t]], rewards[t])
    log = Log.from_arrays(arms=arms, rewards=rewards, probabilities=chances, contexts=world.X[s], adaptive=True)
    return log, world.pi[s], (world.pi * world.mu).sum(axis=1)[s]


def covered(world, name, runs, first=0):
    """Values of IPS of the fixed target, and whether its interval holds the truth."""
    values, hits = [], []
    for seed in range(first, first + runs):
        log, pi, _ = written(world, LEARNERS[name], seed)
        found = evaluate(log, pi, estimators="ips")
        values.append(found.value("ips"))
        hits.append(world.value in found.interval("ips"))
    return np.array(values), np.mean(hits)


@pytest.mark.long
@pytest.mark.parametrize("name", LEARNERS)
def test_ips_of_another_target_covers(world, name):
    values, share = covered(world, name, 200)
    assert share >= 0.91, share
    assert abs(values.mean() - world.value) < 4.0 * values.std() / np.sqrt(200)


def journalled(world, policy, seed, rows):
    """The log of an agent that the policy decides for, as its journal has it."""
    rng = np.random.default_rng([seed, 13])
    with Agent(policy.copy(), floor=FLOOR, seed=seed) as agent:
        for t, (s, noise) in enumerate(zip(rng.integers(0, len(world.X), rows), rng.random(rows), strict=True)):
            decision = agent.decide(world.X[s], id=f"{seed}-{t}")  # draws hang on the name of a decision
            agent.reward(decision.id, float(noise < world.mu[s, decision.index]))
        return agent.log()


@pytest.mark.long
@pytest.mark.parametrize("name", LEARNERS)
def test_ips_on_agents_journals_covers(world, name):
    """The same from end to end: decided by an agent, read back from its journal."""
    values, hits = [], []
    for seed in range(200):
        log = journalled(world, LEARNERS[name], seed, 300)
        assert log.adaptive
        found = evaluate(log, world.target, estimators="ips")
        values.append(found.value("ips"))
        hits.append(world.value in found.interval("ips"))
    assert np.mean(hits) >= 0.91, np.mean(hits)
    assert abs(np.mean(values) - world.value) < 4.0 * np.std(values) / np.sqrt(200)


@pytest.mark.parametrize("name", LEARNERS)
def test_weighted_rewards_are_right_row_by_row(world, name):
    """Given the past, w r is the target's reward on average, and w is 1: sums of what is left are martingales."""
    rewards, weights = [], []
    for seed in range(6):
        log, pi, value = written(world, LEARNERS[name], seed)
        (batch,) = log
        w = pi[np.arange(ROWS), batch.arm] / batch.probability
        rewards.append(w * batch.reward - value)
        weights.append(w - 1.0)
    for left in (np.concatenate(rewards), np.concatenate(weights)):
        assert abs(left.sum()) < 4.0 * np.sqrt((left**2).sum())


def test_chances_that_are_not_those_of_the_draw_would_be_found(world):
    """The test above can fail: with the chances of a greedy policy the estimate is far off."""
    log, pi, _ = written(world, LEARNERS["LinTS"], 1, 3000)
    (batch,) = log
    wrong = np.full((3000, world.K), FLOOR / world.K)
    wrong[np.arange(3000), batch.arm] += 1.0 - FLOOR
    lied = Log.from_arrays(arms=batch.arm, rewards=batch.reward, probabilities=wrong, contexts=batch.cube)
    found = evaluate(lied, pi, estimators="ips")
    assert world.value not in found.interval("ips")
