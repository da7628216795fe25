"""Ensemble sampling and ACB against dense algebra, and in law."""

import numpy as np
import pytest

from rbmle import ACB, EnsembleSampling
from rbmle.models.ensemble_ridge import EnsembleRidge
from rbmle.testing.tools import unit_contexts


def learnt(policy, n=50, seed=3):
    rng = np.random.default_rng(seed)
    X = unit_contexts(seed, n, policy.n_features)
    r = rng.standard_normal(n)
    policy.update_many(X, r)
    return X, r


def dense(policy, X, r):
    """θ̂, V and the targets written out: the noise of every reward once more, row by row."""
    d, lam, model = policy.n_features, policy.regularization, policy.model
    V = lam * np.eye(d) + X.T @ X
    start = EnsembleRidge(n_features=d, regularization=lam, members=policy.members, key=policy.origin)
    targets = start.targets + sum(np.outer(model.noise(i, 1)[0], x) for i, x in enumerate(X))
    return np.linalg.solve(V, X.T @ r), V, targets


@pytest.mark.parametrize("lam", [0.1, 1.0, 30.0])
def test_scores_are_their_formulas(lam):
    arms = unit_contexts(8, 6, 3)
    sampling = EnsembleSampling(n_features=3, regularization=lam, members=7, noise=0.5, seed=2)
    theta, V, targets = dense(sampling, *learnt(sampling))
    members = theta + 0.5 * np.linalg.solve(V, targets.T).T
    np.testing.assert_allclose(sampling.model.scores(arms, 0.5, np.arange(7)), members @ arms.T, rtol=1e-10, atol=1e-12)
    shares = np.bincount((members @ arms.T).argmax(axis=1), minlength=6) / 7
    np.testing.assert_array_equal(sampling.probabilities(arms), shares)
    bounds = ACB(n_features=3, regularization=lam, members=7, c=2.0, seed=2)
    theta, V, targets = dense(bounds, *learnt(bounds))
    expected = arms @ theta + 2.0 * (np.linalg.solve(V, targets.T).T @ arms.T).max(axis=0)
    np.testing.assert_allclose(bounds.scores(arms), expected, rtol=1e-10, atol=1e-12)


def test_members_are_draws_of_the_posterior():
    """Over 4000 members θ̃ has the mean θ̂ and the covariance σ²V⁻¹, within their sampling errors."""
    policy = EnsembleSampling(n_features=3, members=4000, noise=2.0, regularization=0.5)
    X, r = learnt(policy, 40)
    theta, V, _ = dense(policy, X, r)
    members = policy.model.scores(np.eye(3), 2.0, np.arange(4000))
    covariance = 4.0 * np.linalg.inv(V)
    errors = np.sqrt(np.diag(covariance) / 4000)
    assert (np.abs(members.mean(axis=0) - theta) < 4 * errors).all()
    spread = np.sqrt((covariance**2 + np.outer(np.diag(covariance), np.diag(covariance))) / 4000)
    assert (np.abs(np.cov(members.T) - covariance) < 4 * spread).all()


def test_a_merged_ensemble_has_the_law_of_one_that_saw_all():
    first = EnsembleSampling(n_features=2, members=4000, seed=1)
    second = EnsembleSampling(n_features=2, members=4000, seed=2)
    X, r = learnt(first, 30)
    Y, s = learnt(second, 20, seed=5)
    first.merge(second)
    both, rewards = np.concatenate([X, Y]), np.concatenate([r, s])
    V = np.eye(2) + both.T @ both
    np.testing.assert_allclose(first.model.theta_hat, np.linalg.solve(V, both.T @ rewards), rtol=1e-9)
    covariance = np.linalg.inv(V)
    found = np.cov(first.model.scores(np.eye(2), 1.0, np.arange(4000)).T)
    assert (np.abs(found - covariance) < 4 * np.sqrt(2 / 4000) * covariance.max()).all()


def test_a_seed_decides_the_targets_before_the_first_reward_and_only_the_later_ones_after_it():
    policy = ACB(n_features=2, seed=1)
    other = ACB(n_features=2, seed=2)
    assert not np.array_equal(policy.state()["targets"], other.state()["targets"])
    other.reseed(1)
    np.testing.assert_array_equal(policy.state()["targets"], other.state()["targets"])
    learnt(other)
    before = other.state()["targets"]
    other.reseed(3)
    np.testing.assert_array_equal(before, other.state()["targets"])


def test_blocks_of_noise_do_not_depend_on_how_they_are_asked_for():
    model = EnsembleRidge(n_features=2, members=3, key=(4,))
    whole = model.noise(200, 400)
    np.testing.assert_array_equal(whole, np.concatenate([model.noise(i, 1) for i in range(200, 600)]))
