"""The benchmark's "same decisions": both decide on one history, so that a tie decided otherwise is no difference."""

import numpy as np
from benchmarks.glm import LOGISTIC, ours, reference, unit


def rounds(T, K, d):
    rng = np.random.default_rng(3)
    X = unit(rng, T, K, d)
    return X, LOGISTIC.sample(rng, X @ unit(rng, d))


def test_every_decision_of_ours_is_that_of_the_reference():
    X, rewards = rounds(40, 6, 3)
    assert reference(X, rewards, ours(X, rewards)[1])[1] == 1.0


def test_other_arms_are_noticed():
    X, rewards = rounds(40, 6, 3)
    assert reference(X, rewards, (ours(X, rewards)[1] + 1) % 6)[1] < 0.5
