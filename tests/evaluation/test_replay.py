"""Replay: of frozen targets, and of policies that go on learning."""

import numpy as np
import pytest

from rbmle import LinRBMLE, LinTS
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.evaluation import evaluate
from rbmle.logs import Log


def uniform_log(world, seed, n, **options):
    """A log of arms served alike."""
    rng = np.random.default_rng([seed, 3])
    s, arms = rng.integers(0, len(world.X), n), rng.integers(0, world.K, n)
    rewards = (rng.random(n) < world.mu[s, arms]).astype(float)
    p = np.full((n, world.K), 1.0 / world.K)
    return (
        Log.from_arrays(arms=arms, rewards=rewards, probabilities=p, contexts=world.X[s], **options),
        s,
        arms,
        rewards,
    )


def test_of_uniform_logs_it_is_that_of_li_et_al(world):
    log, s, arms, rewards = uniform_log(world, 0, 2000)
    best = world.mu[s].argmax(axis=1)
    found = evaluate(log, best, estimators="replay")
    assert found.value("replay") == pytest.approx(rewards[arms == best].mean(), rel=1e-12)
    assert abs(found.value("replay") - world.mu.max(axis=1).mean()) < 4 * found.standard_error("replay")


def test_of_other_logs_rejection_makes_it_right(world):
    """Matching alone would weigh rows by the logging policy's chances."""
    values, naive = [], []
    for seed in range(40):
        log, _ = world.log(seed, 2000)
        s, arms, rewards = world.draw(seed, 2000)
        best = world.mu[s].argmax(axis=1)
        values.append(evaluate(log, best, estimators="replay", min_probability=0.05).value("replay"))
        naive.append(rewards[arms == best].mean())
    truth = world.mu.max(axis=1).mean()
    error = np.std(values) / np.sqrt(40)
    assert abs(np.mean(values) - truth) < 4 * error
    assert abs(np.mean(naive) - truth) > 4 * np.std(naive) / np.sqrt(40)


def test_the_least_probability_is_that_of_the_log_unless_told(world):
    log, pi = world.log(0, 300)
    s, arms, _ = world.draw(0, 300)
    told = evaluate(log, pi, estimators="replay", min_probability=float(world.p[s, arms].min()))
    assert evaluate(log, pi, estimators="replay").value("replay") == told.value("replay")
    guess = Log.from_arrays(arms=arms, rewards=arms * 1.0, contexts=world.X[s])
    with pytest.raises(InvalidParameterError, match="needs min_probability"):
        evaluate(guess, pi, estimators="replay")


@pytest.mark.parametrize("method", [LinRBMLE, LinTS])
def test_a_learning_policy_learns_exactly_the_rows_it_would_have_served(world, method):
    log, s, arms, rewards = uniform_log(world, 1, 3000)
    policy = method(n_features=3)
    found = evaluate(log, policy, learn=True, intervals=("asymptotic", "sequence"), reward_range=(0.0, 1.0))
    assert policy.n_observed == 0  # a copy has learnt
    assert 3000 / 4 * 0.8 < found.n < 3000 / 4 * 1.2
    assert found.estimates.keys() == {"replay"} and found.diagnostics is None
    assert f"{found.n:,} of 3,000 rows were kept" in str(found)
    first, second = found.interval("replay", "asymptotic"), found.interval("replay", "sequence")
    assert second.low < first.low < found.value("replay") < first.high < second.high
    if method is LinRBMLE:
        own, kept = method(n_features=3), []
        for i in range(3000):
            if own.choose(world.X[s[i]]) == arms[i]:
                own.update(world.X[s[i], arms[i]], rewards[i])
                kept.append(rewards[i])
        assert found.n == len(kept) and found.value("replay") == pytest.approx(np.mean(kept), rel=1e-12)


def test_replay_of_a_learning_policy_is_its_online_mean(world):
    """What is kept has the law of the policy playing by itself."""
    online, replayed = [], []
    for seed in range(60):
        rng = np.random.default_rng([seed, 9])
        policy, rewards = LinRBMLE(n_features=3), []
        for s in rng.integers(0, 16, 200):
            arm = policy.choose(world.X[s])
            rewards.append(float(rng.random() < world.mu[s, arm]))
            policy.update(world.X[s, arm], rewards[-1])
        online.append(np.mean(rewards[:150]))
        log, _ = world.log(seed, 4000)
        found = evaluate(log, LinRBMLE(n_features=3), learn=True, min_probability=0.07)
        replayed.append(found.value("replay"))
    spread = np.hypot(np.std(online), np.std(replayed)) / np.sqrt(60)
    assert abs(np.mean(online) - np.mean(replayed)) < 4 * spread + 0.01


def test_what_cannot_be_replayed_is_said(world):
    log, pi = world.log(0, 100)
    with pytest.raises(InvalidParameterError, match="needs a policy"):
        evaluate(log, pi, learn=True)
    with pytest.raises(InvalidParameterError, match="only be evaluated by 'replay'"):
        evaluate(log, LinRBMLE(n_features=3), learn=True, estimators=("ips",))
    with pytest.raises(InvalidParameterError, match="has the intervals"):
        evaluate(log, LinRBMLE(n_features=3), learn=True, intervals="bootstrap")
    wrong = Log.from_arrays(arms=[1, 1], rewards=[1.0, 1.0], probabilities=[0.5, 0.5], contexts=np.ones((2, 2, 3)))
    with pytest.raises(InvalidInputError, match="No row of arrays was kept"):
        evaluate(wrong, LinRBMLE(n_features=3), learn=True)
