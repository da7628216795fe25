"""Worlds of known value: sixteen situations, each with the contexts, chances and mean rewards of its arms."""

import numpy as np
import pytest

from rbmle.logs import Log


class World:
    """M situations of K arms with d features; `value` is what the target earns, exactly."""

    def __init__(self, seed=0, M=16, K=4, d=3, floor=0.3):
        rng = np.random.default_rng(seed)
        self.X = rng.standard_normal((M, K, d)) / np.sqrt(d)
        self.theta = rng.standard_normal(d)
        self.mu = 1.0 / (1.0 + np.exp(-2.0 * self.X @ self.theta))
        self.p = (1.0 - floor) * rng.dirichlet(np.ones(K), M) + floor / K
        scores = np.exp(2.0 * self.X @ self.theta)
        self.pi = scores / scores.sum(axis=1, keepdims=True)
        self.value = float((self.pi * self.mu).sum(axis=1).mean())
        self.logged = float((self.p * self.mu).sum(axis=1).mean())
        self.K = K

    def draw(self, seed, n):
        """Situations, arms, rewards of a log."""
        rng = np.random.default_rng([seed, 7])
        s = rng.integers(0, len(self.X), n)
        arms = (self.p[s].cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
        rewards = (rng.random(n) < self.mu[s, arms]).astype(float)
        return s, arms, rewards

    def log(self, seed, n, all_chances=True, **options):
        """The log, and the target's chances (n, K) for its rows."""
        s, arms, rewards = self.draw(seed, n)
        chances = self.p[s] if all_chances else self.p[s, arms]
        log = Log.from_arrays(arms=arms, rewards=rewards, probabilities=chances, contexts=self.X[s], **options)
        return log, self.pi[s]

    def target(self, batch):
        """The target as a function of contexts."""
        scores = np.exp(2.0 * batch.cube @ self.theta)
        return scores / scores.sum(axis=1, keepdims=True)


@pytest.fixture(scope="session")
def world():
    return World()


@pytest.fixture(scope="session")
def make_world():
    return World
