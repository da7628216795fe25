"""LinPHE against dense algebra: the law of its scores, its first rounds, and what it refuses."""

import numpy as np
import pytest

from rbmle import LinPHE
from rbmle.errors import InvalidInputError


def taught(a, lam=0.3, **options):
    rng = np.random.default_rng(2)
    arms, pulls = rng.standard_normal((4, 3)), np.array([1, 60, 7, 120])
    rewards = [rng.random(n) for n in pulls]
    policy = LinPHE(n_features=3, perturbation=a, regularization=lam, **options)
    for x, r in zip(arms, rewards, strict=True):
        policy.update_many(np.tile(x, (len(r), 1)), r)
    return policy, arms, pulls, np.array([r.sum() for r in rewards])


@pytest.mark.parametrize("a", [0.5, 1.0, 2.3])
@pytest.mark.parametrize("path", ["general", "fixed"])
def test_scores_have_the_moments_of_the_definition(a, path):
    """E B_k = ½⌈a n_k⌉ and Var B_k = ¼⌈a n_k⌉, independent: 1, 30, 4 and 60 flips for a = ½."""
    policy, arms, pulls, sums = taught(a)
    contexts = np.random.default_rng(3).standard_normal((6, 3))
    flips = np.ceil(a * pulls)
    V_inv = np.linalg.inv(0.3 * np.eye(3) + arms.T @ ((pulls + flips)[:, None] * arms))
    P = contexts @ V_inv @ arms.T
    mean, covariance = P @ (sums + flips / 2), P @ np.diag(flips / 4) @ P.T
    bound = policy.fix_arms(contexts)
    draws = np.empty((6000, 6))
    for number in range(len(draws)):
        policy.reseed(number)
        draws[number] = policy.scores(contexts) if path == "general" else bound.scores()
    error = np.sqrt(np.diag(covariance) / len(draws))
    assert (np.abs(draws.mean(axis=0) - mean) < 5 * error).all()
    np.testing.assert_allclose(np.cov(draws.T), covariance, atol=0.1 * np.diag(covariance).max())


def test_a_context_takes_the_values_of_a_binomial():
    """One context x = 1, ten rewards of 0, five flips: θ̃ = B/(15 + λ) with B from 0 to 5, either end in 1/32 of all."""
    policy = LinPHE(n_features=1, regularization=1.0, initial_rounds=0)
    policy.update_many(np.ones((10, 1)), np.zeros(10))
    flips = np.empty(8000)
    for number in range(len(flips)):
        policy.reseed(number)
        flips[number] = 16.0 * policy.scores([[1.0]])[0]
    np.testing.assert_allclose(flips, np.rint(flips), atol=1e-12)
    shares = np.bincount(np.rint(flips).astype(int), minlength=6) / len(flips)
    expected = np.array([1, 5, 10, 10, 5, 1]) / 32
    assert (np.abs(shares - expected) < 5 * np.sqrt(expected * (1 - expected) / len(flips))).all()


def test_the_first_rounds_play_one_arm_after_the_other():
    arms, r = np.eye(4), np.ones((9, 4))
    for options, count in (({}, 4), ({"initial_rounds": 7}, 7)):
        played = LinPHE(n_features=4, seed=5, **options).play(arms[None], r)
        assert (np.diff(played[:count]) % 4 == 1).all()
    policy = LinPHE(n_features=4, seed=5)
    assert policy.decide(arms).probability == 1.0
    assert {int(LinPHE(n_features=4, seed=seed).choose(arms)) for seed in range(20)} == {0, 1, 2, 3}


def test_blocks_of_thousands_are_those_of_single_rounds():
    """More rounds than room is made for at once, with arms that stay and with contexts that are ever new."""
    rng = np.random.default_rng(6)
    for contexts in (rng.standard_normal((1, 5, 3)), rng.standard_normal((1100, 5, 3))):
        rewards = rng.random((1100, 5))
        whole, parts = LinPHE(n_features=3, seed=1), LinPHE(n_features=3, seed=1)
        arms = whole.play(contexts, rewards)
        for t in range(1100):
            X = contexts[t % len(contexts)]
            assert parts.choose(X) == arms[t]
            parts.update(X[arms[t]], rewards[t, arms[t]])
        assert np.array_equal(whole.state()["sums"], parts.state()["sums"])


@pytest.mark.parametrize("bad", [-0.1, 1.1])
def test_rewards_outside_of_0_and_1_are_refused(bad):
    policy = LinPHE(n_features=2)
    with pytest.raises(InvalidInputError, match=r"reward must be in \[0, 1\]"):
        policy.update([1.0, 0.0], bad)
    with pytest.raises(InvalidInputError, match=r"rewards must be in \[0, 1\]"):
        policy.play(np.eye(2)[None], np.array([[0.0, 1.0], [1.0, bad]]))
    policy.update([1.0, 0.0], 0.5)
    state = policy.state()
    with pytest.raises(InvalidInputError, match=r"state\['sums'\]"):
        policy.restore(state | {"sums": np.array([1.5])})
    assert policy.t == 2
