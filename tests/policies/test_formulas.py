"""Every linear method against its definition in dense algebra, over random λ, d, K and t, through both paths.

The expected scores are written here a second time from the methods' papers, with NumPy and SciPy's distributions.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from rbmle import (
    GPUCB,
    IDS,
    OFUL,
    BayesUCB,
    CorrelatedKnowledgeGradient,
    EpsilonGreedy,
    GPUCBTuned,
    KGStar,
    KnowledgeGradient,
    LinRBMLE,
    LinTS,
    LinUCB,
    Uniform,
)
from rbmle.schedules import Constant, Power

T = 500


def others_best(m):
    return np.array([max(np.delete(m, a), default=-np.inf) for a in range(len(m))])


def f(z):
    return z * norm.cdf(z) + norm.pdf(z)


def rbmle(m, v, t, V, lam):
    return m + 0.5 * np.sqrt(t) * v


def rbmle_power(m, v, t, V, lam):
    return m + 0.5 * 2.0 * t**0.25 * v


def linucb(m, v, t, V, lam):
    return m + 1.7 * np.sqrt(v)


def bayes(m, v, t, V, lam):
    return m + norm.ppf(1 - 1 / t) * np.sqrt(v)


def bayes_log(m, v, t, V, lam):
    return m + norm.ppf(1 - 1 / (t * np.log(T) ** 2)) * np.sqrt(v)


def gpucb(m, v, t, V, lam):
    return m + np.sqrt(2 * np.log(len(m) * t**2 * np.pi**2 / (6 * 0.01))) * np.sqrt(v)


def gpucbt(m, v, t, V, lam):
    return m + np.sqrt(0.9 * np.log(t)) * np.sqrt(v)


def kg(m, v, t, V, lam):
    sigma = np.sqrt(v / (1 + 1 / v))
    return m + (T - t) * sigma * f(-np.abs(m - others_best(m)) / sigma)


def kg_star(m, v, t, V, lam, noise=1.0):
    """Every number of observations is tried; the variance of a mean goes from σ² v to 1/(1/(σ² v) + k/σ²)."""
    k = np.arange(1, T - t + 1)[:, None]
    before = noise**2 * v
    spread = np.sqrt(before - 1 / (1 / before + k / noise**2))
    value = spread * f(-np.abs(m - others_best(m)) / spread)
    return m - m.max() + (T - t) * (value / k).max(axis=0)


def kg_star_quiet(m, v, t, V, lam):
    return kg_star(m, v, t, V, lam, noise=0.3)


def ids(m, v, t, V, lam):
    d = len(V)
    beta = np.sqrt(np.linalg.slogdet(V)[1] - d * np.log(lam) + 2 * np.log(1 / 0.05)) + np.sqrt(lam) * 1.0
    gap = np.max(m + beta * np.sqrt(v)) - (m - beta * np.sqrt(v))
    return -(gap**2) / (0.5 * np.log(1 + v))


def growth(V, lam):
    return np.linalg.slogdet(V)[1] - len(V) * np.log(lam)


def oful_amm(m, v, t, V, lam):
    return m + np.sqrt(0.49 * (2 * np.log(1 / 0.01) + growth(V, lam)) + lam * 2.0**2) * np.sqrt(v)


def oful_det(m, v, t, V, lam):
    return m + (0.7 * np.sqrt(2 * np.log(1 / 0.01) + growth(V, lam)) + np.sqrt(lam) * 2.0) * np.sqrt(v)


def oful_trace(m, v, t, V, lam):
    d = len(V)
    return m + (0.7 * np.sqrt(2 * np.log(100) + d * np.log(1 + (t - 1) / (lam * d))) + np.sqrt(lam) * 2) * np.sqrt(v)


def greedy(m, v, t, V, lam):
    return m


CASES = {
    "LinRBMLE": (LinRBMLE, {}, rbmle),
    "LinRBMLE, other bias": (LinRBMLE, {"bias": Power(scale=2.0, exponent=0.25)}, rbmle_power),
    "LinRBMLE, callable": (LinRBMLE, {"bias": lambda t: t**0.5}, rbmle),
    "LinUCB": (LinUCB, {"alpha": 1.7}, linucb),
    "BayesUCB": (BayesUCB, {}, bayes),
    "BayesUCB, c = 2": (BayesUCB, {"c": 2.0, "horizon": T}, bayes_log),
    "GPUCB": (GPUCB, {"delta": 0.01}, gpucb),
    "GPUCBTuned": (GPUCBTuned, {}, gpucbt),
    "KG": (KnowledgeGradient, {"horizon": T}, kg),
    "KG*": (KGStar, {"horizon": T}, kg_star),
    "KG*, other noise": (KGStar, {"horizon": T, "noise": 0.3}, kg_star_quiet),
    "IDS": (IDS, {"delta": 0.05}, ids),
    "OFUL": (OFUL, {"noise": 0.7, "norm_bound": 2.0, "delta": 0.01}, oful_amm),
    "OFUL, det": (OFUL, {"noise": 0.7, "norm_bound": 2.0, "delta": 0.01, "radius": "det"}, oful_det),
    "OFUL, trace": (OFUL, {"noise": 0.7, "norm_bound": 2.0, "delta": 0.01, "radius": "trace"}, oful_trace),
    "EpsilonGreedy": (EpsilonGreedy, {"epsilon": Constant(0.0)}, greedy),
}


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=15, deadline=None)
@given(
    d=st.integers(1, 15),
    K=st.integers(2, 40),
    n=st.integers(1, 60),
    lam=st.sampled_from([0.1, 1.0, 10.0]),
    seed=st.integers(0, 10**6),
)
def test_scores_and_arm_by_definition(case, d, K, n, lam, seed):
    cls, arguments, definition = CASES[case]
    rng = np.random.default_rng(seed)
    X, r, contexts = rng.standard_normal((n, d)), rng.standard_normal(n), rng.standard_normal((K, d))
    policy = cls(n_features=d, regularization=lam, **arguments)
    policy.update_many(X[1:], r[1:])
    policy.update(X[0], r[0])

    V = lam * np.eye(d) + X.T @ X
    m = contexts @ np.linalg.solve(V, X.T @ r)
    v = np.einsum("ki,ij,kj->k", contexts, np.linalg.inv(V), contexts)
    expected = definition(m, v, n + 1, V, lam)

    np.testing.assert_allclose(policy.scores(contexts), expected, rtol=1e-6, atol=1e-9)
    arms = policy.fix_arms(contexts)
    np.testing.assert_allclose(arms.scores(), expected, rtol=1e-6, atol=1e-9)
    order = np.sort(expected)
    if order[-1] - order[-2] > 1e-6 * abs(order[-1]):
        assert policy.choose(contexts) == arms.choose() == int(np.argmax(expected))


@pytest.mark.parametrize("K", [6, 60])
def test_fixed_arms_follow_the_definition_for_many_rounds(K):
    """The rank-one updates of the fixed arms, in both of their forms, against dense algebra after every pull."""
    rng = np.random.default_rng(3)
    contexts = rng.standard_normal((K, 4))
    arms = LinUCB(n_features=4).fix_arms(contexts)
    V, b = np.eye(4), np.zeros(4)
    for _ in range(150):
        m = contexts @ np.linalg.solve(V, b)
        v = np.einsum("ki,ij,kj->k", contexts, np.linalg.inv(V), contexts)
        np.testing.assert_allclose(arms.scores(), m + np.sqrt(v), rtol=1e-9)
        arm, r = int(rng.integers(K)), float(rng.standard_normal())
        arms.update(arm, r)
        V, b = V + np.outer(contexts[arm], contexts[arm]), b + r * contexts[arm]


def test_bayes_ucb_starts_with_the_first_arm():
    policy = BayesUCB(n_features=2)
    assert policy.choose([[0.0, 0.0], [1.0, 0.0]]) == 0
    assert np.isneginf(policy.scores([[0.0, 0.0], [1.0, 0.0]])).all()


@pytest.mark.parametrize("cls", [KnowledgeGradient, CorrelatedKnowledgeGradient, KGStar])
def test_knowledge_gradients_of_one_arm_and_past_the_horizon(cls):
    policy = cls(n_features=2, horizon=3)
    assert policy.choose([[1.0, 0.0]]) == 0
    policy.update_many(np.eye(2)[[0, 0, 1, 1]], [1.0, 1.0, 0.2, 0.2])
    assert policy.choose(np.eye(2)) == 0  # nothing left to learn for: the best mean


@pytest.mark.parametrize("path", ["general", "fixed"])
def test_lin_ts_samples_have_the_posterior_moments(path):
    rng = np.random.default_rng(5)
    X, r, contexts = rng.standard_normal((12, 3)), rng.standard_normal(12), rng.standard_normal((40, 3))
    policy = LinTS(n_features=3, regularization=0.7, scale=None, noise=0.5, delta=0.3, epsilon=0.6, seed=1)
    policy.update_many(X, r)
    V = 0.7 * np.eye(3) + X.T @ X
    arms = policy.fix_arms(contexts)

    def scores(seed):
        policy.reseed(seed)
        return policy.scores(contexts) if path == "general" else arms.scores()

    draws = np.array([scores(seed) for seed in range(6000)])
    covariance = 0.5**2 * 24 / 0.6 * 3 * np.log(1 / 0.3) * contexts @ np.linalg.inv(V) @ contexts.T
    error = np.sqrt(np.diag(covariance) / len(draws))
    assert (np.abs(draws.mean(axis=0) - contexts @ np.linalg.solve(V, X.T @ r)) < 5 * error).all()
    np.testing.assert_allclose(np.cov(draws.T), covariance, atol=0.12 * np.diag(covariance).max())


def test_random_policies_match_their_chances():
    contexts = np.random.default_rng(0).standard_normal((4, 3))
    policy = EpsilonGreedy(n_features=3, epsilon=lambda t: 0.5)
    policy.update(contexts[2], 1.0)
    best = int(np.argmax(contexts @ policy.model.theta_hat))
    np.testing.assert_allclose(policy.probabilities(contexts), np.full(4, 0.125) + 0.5 * (np.arange(4) == best))
    shares = np.bincount([policy.choose(contexts) for _ in range(4000)], minlength=4) / 4000
    np.testing.assert_allclose(shares, policy.probabilities(contexts), atol=0.04)
    uniform = Uniform(n_features=3)
    np.testing.assert_allclose(uniform.probabilities(contexts), 0.25)
    shares = np.bincount([uniform.choose(contexts) for _ in range(4000)], minlength=4) / 4000
    np.testing.assert_allclose(shares, 0.25, atol=0.04)


def test_more_samples_than_can_be_held_at_once_are_the_same(monkeypatch):
    contexts = np.random.default_rng(0).standard_normal((5, 3))
    whole = LinTS(n_features=3, seed=4).decide(contexts, samples=500)
    fixed = LinTS(n_features=3, seed=4).fix_arms(contexts).decide(samples=500)
    monkeypatch.setattr("rbmle.policies.linear.MOST_DRAWS", 3 * 64)  # 64 samples at a time
    for parts in (LinTS(n_features=3, seed=4), LinTS(n_features=3, seed=4).fix_arms(contexts)):
        given = () if hasattr(parts, "n_arms") else (contexts,)
        decision = parts.decide(*given, samples=500)
        assert decision.probabilities.tolist() == whole.probabilities.tolist() == fixed.probabilities.tolist()
        assert abs(decision.probabilities.sum() - 1.0) < 1e-12


@pytest.mark.parametrize(
    "settings", [{"horizon": 2, "c": 1e9}, {"horizon": 1000, "c": 1e9}, {"horizon": 10**6, "c": 14.0}]
)
def test_bayes_ucb_has_a_quantile_however_near_to_1(settings):
    """Where 1 − 1/(t (log T)^c) rounds to 1 the quantile is −Φ⁻¹(1/(t (log T)^c)), and never infinite."""
    policy, X = BayesUCB(n_features=2, **settings), np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    scores = policy.scores(X, t=50)
    tail = max(1.0 / 50 / np.log(10**6) ** 14.0, np.finfo(float).tiny) if settings["c"] == 14.0 else None
    if settings["horizon"] == 2:  # log 2 < 1: level 0
        assert (scores == -np.inf).all()
        return
    quantile = norm.isf(tail) if tail else norm.isf(np.finfo(float).tiny)
    np.testing.assert_allclose(scores, quantile * np.array([0.0, 2.0, 1.0]), rtol=1e-12)
    assert policy.choose(X) == 1
