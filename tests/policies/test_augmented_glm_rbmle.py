"""AugmentedGLMRBMLE against a general constrained optimiser, and what it is where the set does not bind."""

import numpy as np
import pytest
from scipy.special import expit

from rbmle import GLMRBMLE, OFUGLB, AugmentedGLMRBMLE, AugmentedRBMLE
from rbmle.errors import InvalidParameterError

CASES = [(1, 0), (1, 40), (2, 3), (2, 150), (4, 80)]


def one(t):
    return 1.0


@pytest.mark.parametrize(("d", "n"), CASES)
@pytest.mark.parametrize(("S", "lam"), [(0.5, 1.0), (3.0, 0.1), (8.0, 5.0)])
def test_scores_are_those_of_a_constrained_optimiser(d, n, S, lam, coins, constrained, radius):
    X, r, rng = coins(d, n, S, d)
    arms, binding = rng.normal(size=(4, d)), 0
    problem = constrained(X, r, S)
    theta_hat, least = problem.likeliest() if n else (np.zeros(d), 0.0)
    level = least + radius(n, d, S, 0.05) + 0.5 * lam * S**2
    for alpha in (0.3, 3.0, 100.0):
        settings = {"n_features": d, "regularization": lam, "bias": lambda t, a=alpha: a}
        policy = AugmentedGLMRBMLE(norm_bound=S, **settings)
        free = GLMRBMLE(boost=one, **settings)
        for each in (policy, free):
            each.update_many(X, r)
        for x, score, loose in zip(arms, policy.scores(arms), free.scores(arms), strict=True):

            def value(theta, x=x, alpha=alpha):
                loss, slope = problem.loss(theta)
                total = loss + 0.5 * lam * theta @ theta - alpha * x @ theta
                return total / (1.0 + alpha), (slope + lam * theta - alpha * x) / (1.0 + alpha)

            best = problem.best(value, [problem.below(level, lam)], (np.zeros(d), 0.1 * theta_hat, 0.1 * x))[1]
            assert score == pytest.approx(-best * (1.0 + alpha), rel=1e-6, abs=1e-6)
            if score == pytest.approx(loose, rel=1e-9):
                continue
            assert score < loose
            binding += 1
    assert binding > 0


def test_where_the_set_does_not_bind_it_plays_as_glm_rbmle_without_boost(coins):
    X, r, rng = coins(3, 100, 1.0, 7)
    tight = AugmentedGLMRBMLE(n_features=3, norm_bound=50.0)
    free = GLMRBMLE(n_features=3, boost=one)
    for policy in (tight, free):
        policy.update_many(X, r)
    contexts = rng.normal(size=(200, 8, 3)) / 3.0
    rewards = (rng.random((200, 8)) < expit(contexts @ [1.0, -0.5, 0.2])).astype(float)
    assert tight.play(contexts, rewards).tolist() == free.play(contexts, rewards).tolist()
    assert tight.scores(contexts[0]) == pytest.approx(free.scores(contexts[0]), rel=1e-12)


def test_much_bias_ranks_arms_by_their_highest_score_in_the_set(coins, constrained, radius):
    """The set contains that of OFUGLB, and index/α is its highest score in the limit."""
    X, r, rng = coins(2, 60, 2.0, 9)
    policy = AugmentedGLMRBMLE(n_features=2, norm_bound=2.0, bias=lambda t: 1e9, regularization=0.1)
    inner = OFUGLB(n_features=2, norm_bound=2.0)
    for each in (policy, inner):
        each.update_many(X, r)
    arms = rng.normal(size=(6, 2))
    problem = constrained(X, r, 2.0)
    theta_hat, least = problem.likeliest()
    level = least + radius(60, 2, 2.0, 0.05) + 0.5 * 0.1 * 4.0
    rules = [problem.below(level, 0.1)]
    highest = [-problem.best(lambda th, x=x: (-x @ th, -x), rules, (theta_hat, 0.1 * theta_hat))[1] for x in arms]
    assert policy.scores(arms) / 1e9 == pytest.approx(highest, abs=1e-6)
    assert (highest > inner.scores(arms)).all()


def test_gaussian_rewards_are_the_closed_form_of_the_linear_method():
    rng = np.random.default_rng(2)
    X, arms = rng.normal(size=(50, 3)), rng.normal(size=(7, 3))
    r = X @ [0.5, -0.3, 0.1] + rng.normal(size=50)
    for alpha in (0.5, 5.0, 500.0):
        settings = {
            "n_features": 3,
            "norm_bound": 0.7,
            "delta": 0.1,
            "regularization": 2.0,
            "bias": lambda t, a=alpha: a,
        }
        general, closed = AugmentedGLMRBMLE(family="gaussian", **settings), AugmentedRBMLE(**settings)
        for policy in (general, closed):
            policy.update_many(X, r)
        theta = closed.model.theta_hat
        top = r @ X @ theta - 0.5 * theta @ (X.T @ X + 2.0 * np.eye(3)) @ theta  # f(θ̂), up to what all arms share
        assert general.scores(arms) == pytest.approx(top + alpha * closed.scores(arms), rel=1e-9)


def test_bias_that_is_none_or_points_away_needs_no_set():
    X = [[1.0, 0.0], [0.0, 1.0]]
    for alpha in (0.0, -3.0):
        policy = AugmentedGLMRBMLE(n_features=2, bias=lambda t, a=alpha: a)
        free = GLMRBMLE(n_features=2, boost=one, bias=lambda t, a=alpha: a)
        for each in (policy, free):
            each.update_many(X, [1.0, 0.0])
        assert policy.scores(X) == pytest.approx(free.scores(X), rel=1e-12)


def test_families_without_a_radius_are_refused():
    with pytest.raises(InvalidParameterError, match="family.*must be 'logistic' or 'gaussian'"):
        AugmentedGLMRBMLE(n_features=2, family="poisson")
