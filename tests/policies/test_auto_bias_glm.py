"""GLMRBMLE(bias="auto"): its scales and weight against a general optimiser on the whole history, in any units."""

import numpy as np
import pytest
from scipy.optimize import minimize

from rbmle import GLMRBMLE
from rbmle.errors import InvalidInputError
from rbmle.models.scaled_glm import ScaledGLM
from rbmle.testing import check_model, check_policy


def auto(d, **settings):
    return GLMRBMLE(n_features=d, bias="auto", **settings)


def clicks(rounds, n_arms=4, d=4, seed=0):
    """Contexts (B, K, d) with features between a hundredth and a hundred, some of them rare; clicks (B, K)."""
    rng = np.random.default_rng(seed)
    units = 10.0 ** rng.uniform(-2.0, 2.0, d)
    X = rng.standard_normal((rounds, n_arms, d)) * units
    X[rng.random(X.shape) < 0.3] = 0.0
    chance = 1.0 / (1.0 + np.exp(-X @ (2.0 * rng.standard_normal(d) / units)))
    return X, (rng.random((rounds, n_arms)) < chance).astype(float)


@pytest.mark.parametrize("n", [8, 64])
def test_at_a_renewal_scales_estimate_and_weight_are_what_the_definition_gives(n):
    contexts, rewards = clicks(n, n_arms=1)
    X, r, lam = contexts[:, 0], rewards[:, 0], 0.03
    policy = auto(4)
    policy.update_many(X, r)
    count = np.count_nonzero(X, axis=0)
    S = np.sqrt((X**2).sum(axis=0) / count) * np.sqrt(count.sum() / n)
    Z = X / S

    def loss(theta):
        return np.logaddexp(0.0, Z @ theta).sum() - r @ Z @ theta + 0.5 * lam * theta @ theta

    theta = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-9}).x
    mu = 1.0 / (1.0 + np.exp(-Z @ theta))
    H = lam * np.eye(4) + (Z * (mu * (1.0 - mu))[:, None]).T @ Z
    information = (mu * (1.0 - mu) * (Z**2).sum(axis=1)).mean()
    d_eff = 4 - lam * np.trace(np.linalg.inv(H))
    np.testing.assert_allclose(policy.model.scales.scale, S, rtol=1e-12)
    np.testing.assert_allclose(policy.model.theta_hat, theta, rtol=1e-4, atol=1e-5)
    assert policy.model.bias_factor == pytest.approx(0.5 * np.sqrt(information / d_eff), rel=1e-4)
    alpha = 0.5 * np.sqrt((n + 1) * information / d_eff)
    assert policy.coefficients(np.array([n + 1.0]))[0] == pytest.approx([alpha, 1.0 + np.log(n + 1.0)], rel=1e-4)


@pytest.mark.parametrize("memory", ["exact", "online"])
def test_powers_of_two_change_no_arm_on_any_path(memory):
    contexts, rewards = clicks(70, seed=2)
    units = 2.0 ** np.array([9, -5, 0, 3])

    def paths(X):
        online, arms = auto(4, memory=memory), []
        for x, r in zip(X, rewards, strict=True):
            arms.append(online.choose(x))
            online.update(x[arms[-1]], r[arms[-1]])
        played = auto(4, memory=memory).play(X, rewards).tolist()
        fixed = auto(4, memory=memory).fix_arms(X[0]).play(rewards).tolist()
        return arms, played, fixed

    arms, played, fixed = paths(contexts)
    assert arms == played
    assert paths(contexts * units) == (arms, played, fixed)


@pytest.mark.parametrize("memory", ["exact", "online"])
def test_other_factors_change_scores_by_rounding_alone(memory):
    contexts, rewards = clicks(50, seed=3)
    units = np.array([3.0, 0.7, 1e3, np.pi])
    one, other = auto(4, memory=memory), auto(4, memory=memory)
    for X, r in zip(contexts, rewards, strict=True):
        np.testing.assert_allclose(other.scores(X * units), one.scores(X), rtol=1e-6, atol=1e-6)
        arm = one.choose(X)
        one.update(X[arm], r[arm])
        other.update(X[arm] * units, r[arm])


@pytest.mark.parametrize("memory", ["exact", "online"])
def test_shipped_checks(memory):
    check_policy(auto(3, memory=memory))
    check_model(lambda: ScaledGLM(n_features=3, memory=memory))


def test_merged_models_know_what_one_would_that_saw_everything():
    contexts, rewards = clicks(64, n_arms=1, seed=4)
    X, r = contexts[:, 0], rewards[:, 0]
    X[:32, 1] = X[32:, 2] = 0.0
    whole, left, right = (ScaledGLM(n_features=4, regularization=0.03) for _ in range(3))
    whole.observe_many(X, r)
    left.observe_many(X[:32], r[:32])
    right.observe_many(X[32:], r[32:])
    left.merge(right)
    np.testing.assert_allclose(left.theta_hat, whole.theta_hat, rtol=1e-6, atol=1e-8)
    assert left.bias_factor == pytest.approx(whole.bias_factor, rel=1e-7)
    np.testing.assert_allclose(left.predict(X)[0], whole.predict(X)[0], rtol=1e-7)
    with pytest.raises(InvalidInputError, match="ScaledGLM"):
        left.merge(GLMRBMLE(n_features=4).model)


def test_badly_scaled_classes_need_no_tuning():
    rng = np.random.default_rng(1)
    n, p, K = 300, 5, 3
    y, centres = rng.integers(K, size=n), rng.standard_normal((K, p))
    features = (centres[y] + 0.6 * rng.standard_normal((n, p)) + 2.0) * 10.0 ** np.linspace(-2.0, 2.0, p)
    contexts = np.stack([np.kron(np.eye(K)[a], features) for a in range(K)], axis=1)
    rewards = (y[:, None] == np.arange(K)).astype(float)
    wrong = {}
    for name, policy in {
        "auto": auto(K * p, memory="online"),
        "default": GLMRBMLE(n_features=K * p, memory="online"),
    }.items():
        arms = policy.play(contexts, rewards)
        wrong[name] = int((arms != y).sum())
    assert wrong["auto"] < 0.5 * wrong["default"]
    assert wrong["auto"] < 0.25 * n  # any arm, always: 200 wrong


@pytest.mark.parametrize("memory", ["exact", "online"])
@pytest.mark.parametrize("seed", range(6))
def test_rows_that_become_the_same_are_one(memory, seed):
    """New scales may make two rows equal to the bit; what a file says of them must be what is there."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((5, 3)) / 3.0
    policy = auto(3, memory=memory)
    for _ in range(12):
        policy.update_many(X[rng.integers(5, size=7)], rng.integers(0, 2, 7).astype(float))
        other = auto(3, memory=memory)
        other.update_many(X[rng.integers(5, size=5)], rng.integers(0, 2, 5).astype(float))
        policy.merge(other)
        state = policy.state()
        assert len(np.unique(state["contexts"], axis=0)) == len(state["contexts"])
        policy.restore(state)
        again = policy.state()
        assert all(np.array_equal(again[name], state[name]) for name in state)
        assert state["counts"].sum() == state["n"] or memory == "online"
