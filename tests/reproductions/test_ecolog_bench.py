"""ECOLog on the logistic bench of nick-jhlee/logistic_bandit: regret of their code, run by others, on ten seeds.

Contexts of round t, the same in all runs, are u r^(1/2) for directions u and uniform r from default_rng(t − 1);
rewards are `uniform < μ` by a generator of each run. Their fork of ada-OFU-ECOLog starts from λ = S and has a radius of
its own.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from rbmle import ECOLog

ROUNDS, ARMS = 2000, 10


def contexts_of(t):
    rng = np.random.default_rng(t)
    u = rng.normal(0, 1, (ARMS, 2))
    return rng.uniform(0, 1, (ARMS, 1)) ** 0.5 * u / np.linalg.norm(u, axis=1)[:, None]


@dataclass(kw_only=True, eq=False)
class Fork(ECOLog):
    """The radius of the fork: ρ² = 4S² + 2(2+S)(u + Σ(ℓ(θ̄) − ℓ(θ))) + 4 log(1+t)."""

    title = ""

    def radius_terms(self, rounds):
        S, lam = self.norm_bound, self.regularization
        nu = 0.5 + 2 * np.log(2 * np.sqrt(1 + rounds / (4 * lam)) / self.delta)
        u = (2 + S) * nu / 4 + S**2 / (2 + S)
        known = 4 * S**2 + 2 * (2 + S) * u + 4 * np.log(1 + rounds)
        return np.column_stack([known, np.full(len(rounds), 2 * (2 + S)), np.zeros(len(rounds))])


@pytest.mark.long
@pytest.mark.parametrize(("size", "printed", "spread"), [(3, 152.794, 5.7), (9, 327.637, 1.5)])
def test_the_forks_regret(size, printed, spread):
    theta = size * np.ones(2) / np.sqrt(2)
    X = np.stack([contexts_of(t) for t in range(ROUNDS)])
    chances = 1 / (1 + np.exp(-X @ theta))
    lost = []
    for seed in np.random.SeedSequence(9817).generate_state(10):
        draws = np.random.Generator(np.random.PCG64(int(seed))).uniform(0, 1, ROUNDS)
        policy = Fork(n_features=2, norm_bound=size + 1.0, regularization=size + 1.0)
        arms = policy.play(X, (draws[:, None] < chances).astype(float))
        lost.append((chances.max(axis=1) - chances[np.arange(ROUNDS), arms]).sum())
    assert abs(np.mean(lost) - printed) < 0.001 * printed
    assert abs(np.std(lost) - spread) < 0.3
