"""GLM-RBMLE where gradients of all arms together bound them."""

import numpy as np
import pytest
from tests.policies.test_glm_rbmle import FAMILIES, learnt, unit


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_of_many_features_hardly_an_arm_is_looked_at_and_the_best_is_played(family):
    """Early and late, few arms and many, contexts in a subspace, an arm twice; with a small λ arms are solved early."""
    rng = np.random.default_rng(17)
    looked = total = 0
    for k in range(60):
        d, n, arms = int(rng.integers(12, 41)), int(rng.choice([2, 30, 300, 900])), int(rng.choice([2, 20, 80]))
        lam = 0.01 if k % 4 == 0 else 1.0
        policy, _, _ = learnt(rng, family, n, d, regularization=lam)
        contexts = unit(rng, arms, d) * rng.choice([0.3, 1.0, 2.0])
        if k % 3 == 0:
            contexts[:, d // 2 :] = 0.0
        if k % 5 == 0:
            contexts[-1] = contexts[0]
        best = int(np.argmax(policy.scores(contexts)))
        assert policy.choose(contexts) == best
        if lam == 1.0:
            looked, total = looked + policy.arms_solved, total + arms
    assert looked < total / 10
