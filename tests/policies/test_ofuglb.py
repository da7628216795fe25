"""OFUGLB and OFUGLB-e against a general constrained optimiser and dense algebra."""

import numpy as np
import pytest
from scipy.special import expit

from rbmle import OFUGLB, OFUGLBe
from rbmle.errors import InvalidParameterError

CASES = [
    (d, n, S) for d, n in [(1, 30), (2, 3), (2, 40), (2, 400), (3, 100), (5, 20), (5, 300)] for S in (0.5, 3.0, 10.0)
]


@pytest.mark.parametrize(("d", "n", "S"), CASES)
def test_scores_are_those_of_a_constrained_optimiser(d, n, S, coins, constrained, radius):
    for seed in range(2):
        X, r, rng = coins(d, n, S, seed)
        policy = OFUGLB(n_features=d, norm_bound=S)
        policy.update_many(X, r)
        arms = rng.normal(size=(5, d))
        problem = constrained(X, r, S)
        theta_hat, least = problem.likeliest()
        level = least + radius(n, d, S, 0.05)
        expected = [problem.highest(x, level, theta_hat) for x in arms]
        assert policy.scores(arms) == pytest.approx(expected, rel=1e-6, abs=1e-6)
        assert policy.choose(arms) == int(np.argmax(policy.scores(arms)))


@pytest.mark.parametrize(("d", "n", "S"), CASES)
def test_the_ellipsoid_is_that_of_dense_algebra(d, n, S, coins, constrained, radius):
    X, r, rng = coins(d, n, S, 5)
    policy = OFUGLBe(n_features=d, norm_bound=S, delta=0.1)
    policy.update_many(X, r)
    arms = rng.normal(size=(4, d))
    theta_hat, _ = constrained(X, r, S).likeliest()
    weights = expit(X @ theta_hat) * expit(-X @ theta_hat)
    H = (X.T * weights) @ X + np.eye(d) / (8 * S**2 * (1 + S))
    widths = np.sqrt(np.einsum("ad,de,ae->a", arms, np.linalg.inv(H), arms))
    expected = arms @ theta_hat + np.sqrt(2 * (1 + S) * (1 + radius(n, d, S, 0.1))) * widths
    assert policy.scores(arms) == pytest.approx(expected, rel=1e-5)


def test_the_set_holds_theta_in_all_rounds_together(constrained, radius):
    """Of contexts in the unit ball and ‖θ*‖ = S; looked at after 1, 2, 4, … rewards."""
    rng, S, delta, trials, missed = np.random.default_rng(3), 2.0, 0.1, 60, 0
    star = np.array([1.6, -1.2])
    for _ in range(trials):
        X = rng.normal(size=(128, 2))
        X /= np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True))
        r = (rng.random(128) < expit(X @ star)).astype(float)
        sizes = 2 ** np.arange(8)
        problems = [constrained(X[:n], r[:n], S) for n in sizes]
        held = [each.loss(star)[0] - each.likeliest()[1] <= radius(len(each.r), 2, S, delta) for each in problems]
        policy = OFUGLB(n_features=2, norm_bound=S, delta=delta)
        policy.update_many(X, r)
        assert (policy.scores([star, -star]) >= [S**2 - 1e-6, -(S**2) - 1e-6]).all() or not held[-1]
        missed += not all(held)
    assert missed <= delta * trials


def test_the_ellipsoid_holds_theta_in_all_rounds_together():
    """Along the policy's own choices, by the scores of 64 directions."""
    angles = np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False)
    circle, star, delta, trials, missed = np.c_[np.cos(angles), np.sin(angles)], np.array([1.6, -1.2]), 0.1, 60, 0
    for trial in range(trials):
        rng, held = np.random.default_rng(trial), True
        policy = OFUGLBe(n_features=2, norm_bound=2.0, delta=delta)
        for _ in range(80):
            arms = rng.normal(size=(4, 2))
            arms /= np.maximum(1.0, np.linalg.norm(arms, axis=1, keepdims=True))
            x = arms[policy.choose(arms)]
            policy.update(x, float(rng.random() < expit(x @ star)))
            held &= bool((policy.scores(circle) >= circle @ star).all())
        missed += not held
    assert missed <= delta * trials


def test_nothing_known_is_the_ball():
    arms = np.array([[0.3, 0.4], [0.0, 0.0], [-1.0, 0.0], [-1.0, 0.0]])
    policy = OFUGLB(n_features=2, norm_bound=3.0)
    assert policy.scores(arms) == pytest.approx([1.5, 0.0, 3.0, 3.0])
    assert policy.choose(arms) == 2


def test_data_that_can_be_separated_and_contexts_that_say_nothing(radius):
    policy = OFUGLB(n_features=2, norm_bound=5.0)
    policy.update_many([[1.0, 0.0]] * 200 + [[0.0, 0.0]] * 5, [1.0] * 200 + [0.0] * 5)
    up, down, beside = policy.scores([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    assert up == pytest.approx(5.0)
    # Of θ = (z, 0) the loss is 200 log(1 + e^−z) beside a constant, and −x asks for the least z that is plausible.
    slack = radius(205, 2, 5.0, 0.05) + 200 * np.log1p(np.exp(-5.0))
    assert down == pytest.approx(np.log(np.expm1(slack / 200)), abs=1e-7)
    assert 0.0 < beside < 5.0


def test_equal_arms_have_equal_scores_and_a_bound_never_hides_the_best(coins):
    X, r, rng = coins(3, 200, 4.0, 9)
    policy = OFUGLB(n_features=3, norm_bound=4.0)
    policy.update_many(X, r)
    for _ in range(20):
        arms = rng.normal(size=(12, 3))
        arms[7] = arms[2]
        scores = policy.scores(arms)
        assert scores[7] == scores[2]
        assert policy.choose(arms) == int(np.argmax(scores))


@pytest.mark.parametrize("kind", [OFUGLB, OFUGLBe])
@pytest.mark.parametrize("family", ["gaussian", "poisson"])
def test_families_without_a_radius_are_refused(kind, family):
    with pytest.raises(InvalidParameterError, match="family.*must be 'logistic'"):
        kind(n_features=2, family=family)
