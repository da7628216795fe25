"""The logistic bench of nick-jhlee/logistic_bandit, on which others ran that repository's code: ten seeds, 2000 rounds.

Contexts of round t, the same in all runs, are u r^(1/2) for directions u and uniform r from default_rng(t − 1);
rewards are `uniform < μ` by a generator of each run. S = ‖θ*‖ + 1, δ = 0.05.
"""

import numpy as np

ROUNDS, ARMS = 2000, 10
SEEDS = np.random.SeedSequence(9817).generate_state(10)


def contexts_of(t):
    rng = np.random.default_rng(t)
    u = rng.normal(0, 1, (ARMS, 2))
    return rng.uniform(0, 1, (ARMS, 1)) ** 0.5 * u / np.linalg.norm(u, axis=1)[:, None]


CONTEXTS = np.stack([contexts_of(t) for t in range(ROUNDS)])


def chances(size):
    """The chance of a reward of every arm in every round, ‖θ*‖ = size."""
    return 1 / (1 + np.exp(-CONTEXTS @ (size * np.ones(2) / np.sqrt(2))))


def rewards_of(seed, size):
    """The rewards of all arms in a run."""
    draws = np.random.Generator(np.random.PCG64(int(seed))).uniform(0, 1, ROUNDS)
    return (draws[:, None] < chances(size)).astype(float)


def longest(rounds):
    """The arm of the largest norm in every one of the first rounds."""
    return np.linalg.norm(CONTEXTS[:rounds], axis=2).argmax(axis=1)


def regrets(make, size, forced=0):
    """Cumulative regret (10, T) of fresh policies; the longest arm is played in the first `forced` rounds."""
    best, lost = chances(size), []
    for seed in SEEDS:
        policy, rewards, first = make(), rewards_of(seed, size), longest(forced)
        for t, arm in enumerate(first):
            policy.update(CONTEXTS[t, arm], rewards[t, arm])
        arms = np.concatenate([first, policy.play(CONTEXTS[forced:], rewards[forced:])])
        lost.append(np.cumsum(best.max(axis=1) - best[np.arange(ROUNDS), arms]))
    return np.array(lost)
