"""VIDS: moments by brute force over samples of θ, and the pair rule by a fine grid."""

import numpy as np
import pytest

from rbmle import VIDS
from rbmle.errors import InvalidParameterError
from rbmle.kernels.linear import vids


def by_brute_force(theta_samples, contexts):
    """Gain and regret as the method's authors write them, with the samples themselves."""
    best = np.argmax(contexts @ theta_samples.T, axis=0)
    mu = theta_samples.mean(axis=0)
    L, optimum = np.zeros((contexts.shape[1],) * 2), 0.0
    for a in range(len(contexts)):
        chosen = theta_samples[best == a]
        if len(chosen):
            p, mu_a = len(chosen) / len(theta_samples), chosen.mean(axis=0)
            L += p * np.outer(mu_a - mu, mu_a - mu)
            optimum += p * contexts[a] @ mu_a
    return np.einsum("ki,ij,kj->k", contexts, L, contexts), optimum - contexts @ mu


@pytest.mark.parametrize("d, K, M", [(3, 6, 700), (1, 2, 50), (5, 30, 1500), (14, 8, 800)])
def test_moments_equal_brute_force(d, K, M):
    rng = np.random.default_rng(d)
    X, contexts = rng.standard_normal((9, d)), rng.standard_normal((K, d))
    V = np.eye(d) + X.T @ X
    theta_hat, C = rng.standard_normal(d), np.linalg.cholesky(V)
    bank = rng.standard_normal((d, M + 20))
    Z = bank[:, 7 : 7 + M]
    samples = theta_hat + np.linalg.solve(C.T, Z).T
    gain, gap = np.empty(K), np.empty(K)
    vids.moments(contexts @ theta_hat, np.linalg.solve(C, contexts.T).T.copy(), bank, 7, M, gain, gap)
    expected_gain, expected_gap = by_brute_force(samples, contexts)
    np.testing.assert_allclose(gain, expected_gain, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(gap, expected_gap, rtol=1e-9, atol=1e-12)


def least_ratio(gain, gap, points=4001):
    q = np.linspace(0.0, 1.0, points)[:, None, None]
    information = q * gain[:, None] + (1 - q) * gain
    regret = q * gap[:, None] + (1 - q) * gap
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(information > 0, regret**2 / information, np.inf)
    return ratio.min()


@pytest.mark.parametrize("seed", range(30))
def test_closed_form_beats_every_grid(seed):
    rng = np.random.default_rng(seed)
    gain, gap = rng.random(5) * (rng.random(5) < 0.8), rng.random(5)
    gain[0] = 0.3
    a, b, q = vids.best_pair(gain, gap)
    information = q * gain[a] + (1 - q) * gain[b]
    ours = (q * gap[a] + (1 - q) * gap[b]) ** 2 / information
    assert ours <= least_ratio(gain, gap) + 1e-12


def test_when_information_is_exhausted_the_least_regret_is_played():
    assert vids.best_pair(np.zeros(3), np.array([0.3, 0.1, 0.2]))[0] == 1


def test_mirrors_keep_the_law_of_the_samples():
    """A reflection keeps all inner products; over many mirrors, one draw has the moments of a fresh one."""
    rng = np.random.default_rng(0)
    root = rng.standard_normal((6, 3))
    mirrored = root.copy()
    vids.reflect(mirrored, rng.standard_normal(3))
    np.testing.assert_allclose(mirrored @ mirrored.T, root @ root.T, atol=1e-12)
    assert np.abs(mirrored - root).max() > 0.1
    vids.reflect(mirrored, np.zeros(3))
    scores = []
    for _ in range(20_000):
        mirrored = root.copy()
        vids.reflect(mirrored, rng.standard_normal(3))
        vids.reflect(mirrored, rng.standard_normal(3))
        scores.append(mirrored @ rng.standard_normal(3))
    np.testing.assert_allclose(np.cov(np.array(scores).T), root @ root.T, atol=0.25)


def test_the_bank_belongs_to_the_seed():
    policy, twin = VIDS(n_features=2, samples=50, seed=3), VIDS(n_features=2, samples=50, seed=4)
    assert policy.bank.shape == (2, 50 + 15_000)
    assert np.array_equal(policy.bank, policy.copy().bank)
    assert not np.array_equal(policy.bank, twin.bank)
    twin.reseed(3)
    assert np.array_equal(policy.bank, twin.bank)


def test_samples_beyond_memory_are_refused():
    for d in (2, 300):
        with pytest.raises(InvalidParameterError, match="samples of .* features do not fit into memory"):
            VIDS(n_features=d, samples=2**53).choose(np.ones((2, d)))
