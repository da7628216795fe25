"""SquareCB's probabilities against those of Vowpal Wabbit itself, on Vowpal Wabbit's own predictions."""

import numpy as np
import pytest

from rbmle import SquareCB

pytestmark = pytest.mark.long

d, K = 4, 6


def as_text(X, arm=None, cost=0.0):
    """The arms of a round as Vowpal Wabbit reads them, with the cost of the one that was played."""
    labels = [f"0:{cost}:1 " if a == arm else "" for a in range(len(X))]
    features = [" ".join(f"f{i}:{value:.9g}" for i, value in enumerate(x)) for x in X]
    return [f"{label}|x {told}" for label, told in zip(labels, features, strict=True)]


def our_chances(rewards, t, **options):
    """SquareCB on a model whose estimate of a context (1,) is that number itself."""
    policy = SquareCB(n_features=1, **options)
    one = np.ones((1, 1))
    known = {"V": one, "V_inv": one, "b": one[0], "theta_hat": one[0], "volume": np.array([0.0, 1.0])}
    policy.restore(known | {"n": np.array([t - 1.0])})
    X = rewards[:, None].copy()
    assert np.array_equal(policy.model.predict(X)[0], rewards)
    chances = policy.probabilities(X)
    np.testing.assert_array_equal(policy.fix_arms(X).probabilities(), chances)
    np.testing.assert_array_equal(policy.decide_many(np.stack([X, X])).probabilities, np.tile(chances, 2))
    return chances


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        ("", {}),
        ("--gamma_scale 100 --gamma_exponent 0.25", {"gamma_scale": 100.0, "gamma_exponent": 0.25}),
        ("--gamma_scale 3 --gamma_exponent 0", {"gamma_scale": 3.0, "gamma_exponent": 0.0}),
    ],
)
def test_probabilities_are_those_of_vowpal_wabbit(flags, options):
    """A twin without exploration learns the same: its scores are the costs that SquareCB weighs, minus the rewards.

    SquareCB's learner takes every chance for 1, but forgets the last arm of a round in this (`examples.size() - 1`), so
    that the twin would learn something else where that arm was played: both are told 1. After 300 rounds γ has come
    from 0 (all arms alike) to 173 with the defaults.
    """
    vw = pytest.importorskip("vowpalwabbit", reason="Vowpal Wabbit cannot be imported here: pip install rbmle[bench]")
    explorer = vw.Workspace(f"--quiet --cb_explore_adf --squarecb {flags}")
    predictor = vw.Workspace("--quiet --cb_adf --cb_type mtr")
    rng, theta = np.random.default_rng(1), np.array([0.3, -0.2, 0.1, 0.5])
    largest, spread = 0.0, 0.0
    for t in range(1, 301):
        X = rng.normal(size=(K, d)).astype(np.float32)
        theirs = np.array(explorer.predict(as_text(X)))
        costs = np.array(predictor.predict(as_text(X)))
        ours = our_chances(-costs, t, **options)
        largest = max(largest, float(np.abs(ours - theirs).max()))
        spread = max(spread, float(theirs.max() - theirs.min()))
        arm = int(rng.choice(K, p=ours))
        cost = -float(X[arm] @ theta + 0.1 * rng.normal())
        for workspace in (explorer, predictor):
            workspace.learn(as_text(X, arm, cost))
    explorer.finish()
    predictor.finish()
    assert spread > 0.5  # there was something to be different
    assert largest < 1e-6, f"probabilities differ by up to {largest:.1e}"
