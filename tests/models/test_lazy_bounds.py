"""Bounds in place of means and variances of very many arms: true ones, and the arms of who looks at all of them."""

import copy
import functools
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbmle import GPUCB, KGStar, LinRBMLE, LinUCB
from rbmle.models import ridge_bounds
from rbmle.models.ridge_bounds import VERY_MANY
from rbmle.policies.formulas import variances
from rbmle.policies.linear import LinearPolicy

KINDS = ["sphere", "sizes", "low rank", "twins", "near"]


@pytest.fixture
def eager(monkeypatch):
    """Bounds begin as soon as they can and end only where an array is full."""
    monkeypatch.setattr(ridge_bounds, "SOONEST", 2)
    monkeypatch.setattr(ridge_bounds, "FEW", 1)
    monkeypatch.setattr(ridge_bounds, "TOO_MANY", 1)


def arms_of(rng, K, d, kind):
    X = rng.standard_normal((K, d))
    if kind == "low rank":
        X = rng.standard_normal((K, 2)) @ rng.standard_normal((2, d)) + 0.05 * X
    if kind == "twins":
        return X[rng.integers(0, K // 3, K)]
    if kind == "near":
        return X[rng.integers(0, 5, K)] * (1.0 + 1e-9 * rng.standard_normal((K, d)))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X * np.exp(rng.standard_normal((K, 1))) if kind == "sizes" else X


def side_by_side(make, X, rounds, rng):
    """One catalogue with bounds and one without learn the same: they choose the same. How many rounds had bounds."""
    theta, held = rng.standard_normal(X.shape[1]), 0
    lazy, plain = make(n_features=X.shape[1]).fix_arms(X), make(n_features=X.shape[1]).fix_arms(X)
    plain._held.bounds = None
    for t in range(rounds):
        arm = lazy.choose()
        assert arm == plain.choose(), t
        held += lazy._held.bounds.held
        reward = float(X[arm] @ theta + rng.standard_normal())
        lazy.update(arm, reward)
        plain.update(arm, reward)
    np.testing.assert_allclose(lazy.scores(), plain.scores(), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(lazy.policy.model.theta_hat, plain.policy.model.theta_hat, rtol=1e-9, atol=1e-9)
    return held


@pytest.mark.usefixtures("eager")
@settings(max_examples=20, deadline=None)
@given(
    make=st.sampled_from([LinRBMLE, LinUCB, GPUCB]),
    d=st.sampled_from([1, 3, 6, 13]),
    kind=st.sampled_from(KINDS),
    seed=st.integers(0, 10**6),
)
def test_the_arms_of_all_scores(make, d, kind, seed):
    rng = np.random.default_rng(seed)
    X = arms_of(rng, VERY_MANY + seed % 7, d, kind)
    assert side_by_side(make, X, 60, rng) > 20


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("make", [LinRBMLE, LinUCB])
def test_three_thousand_rounds(make, kind):
    rng = np.random.default_rng(9)
    X = arms_of(rng, 5000, 16, kind)
    assert side_by_side(make, X, 3000, rng) > 200 or kind == "near"


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("lam", [1e-6, 1.0, 1e3])
@pytest.mark.parametrize("kind", KINDS)
def test_bounds_are_true(lam, kind):
    """Of what is computed from θ̂ and V⁻¹ in every round, and of dense algebra where rounding leaves that alone."""
    rng = np.random.default_rng(3)
    X = arms_of(rng, VERY_MANY, 5, kind)
    catalogue = LinUCB(n_features=5, regularization=lam).fix_arms(X)
    V, b, seen = lam * np.eye(5), np.zeros(5), 0
    for _ in range(50):
        arm = catalogue.choose()
        bounds = catalogue._held.bounds
        if bounds.held:
            seen += 1
            top, reach, since = bounds._bounds
            numbers = [(catalogue._held.theta, catalogue._held.inverse)]
            if lam >= 1.0:
                numbers.append((np.linalg.solve(V, b), np.linalg.inv(V)))
            for theta, inverse in numbers:
                assert (top + reach * (catalogue._held.drift[0] - since) >= X @ theta).all()
                assert (reach * reach >= np.einsum("ij,ij->i", X @ inverse, X)).all()
        reward = rng.standard_normal()
        catalogue.update(arm, reward)
        V += np.outer(X[arm], X[arm])
        b += reward * X[arm]
    assert seen > 10


def with_bounds(make=LinRBMLE, d=4):
    rng = np.random.default_rng(1)
    X = arms_of(rng, VERY_MANY, d, "sizes")
    catalogue = make(n_features=d).fix_arms(X)
    for _ in range(12):
        catalogue.update(catalogue.choose(), rng.standard_normal())
    return catalogue, X


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("what", ["learn elsewhere", "merge", "restore", "refresh", "look", "play", "copy"])
def test_whatever_else_happens_bounds_are_dropped(what):
    catalogue, X = with_bounds()
    policy, bounds = catalogue.policy, catalogue._held.bounds
    catalogue.choose()
    assert bounds.held
    rng = np.random.default_rng(2)
    other = LinRBMLE(n_features=4)
    other.update_many(rng.standard_normal((9, 4)), 5.0 + rng.standard_normal(9))
    if what == "learn elsewhere":
        policy.update([9.0, 9.0, 0.0, 1.0], 500.0)
    elif what == "merge":
        policy.merge(other)
    elif what == "restore":
        policy.restore(other.state())
    elif what == "refresh":
        policy.model._consolidate()
    elif what == "look":
        np.testing.assert_allclose(catalogue.scores(), policy.scores(X), rtol=1e-9)
        assert not bounds.held
    elif what == "play":
        catalogue.play(rng.standard_normal((3, len(X))))
        assert not bounds.held
    else:
        catalogue = copy.deepcopy(catalogue)
        policy = catalogue.policy
    for _ in range(8):
        arm = catalogue.choose()
        assert arm == policy.choose(X)
        catalogue.update(arm, rng.standard_normal())


@pytest.mark.usefixtures("eager")
def test_other_formulas_have_none():
    catalogue, X = with_bounds(functools.partial(KGStar, horizon=100))
    assert not catalogue._held.bounds.held
    assert catalogue.choose() == catalogue.policy.choose(X)


@dataclass(kw_only=True, eq=False)
class Shy(LinearPolicy):
    """m − 0.1 v: nothing that grows with v bounds it."""

    formula = variances

    def coefficients(self, rounds):
        return np.full((len(rounds), 1), -0.1)


@pytest.mark.usefixtures("eager")
def test_an_index_that_falls_with_the_variance_has_none():
    catalogue, X = with_bounds(Shy)
    assert not catalogue._held.bounds.held
    assert catalogue.choose() == catalogue.policy.choose(X)
    wide = np.random.default_rng(0).standard_normal((VERY_MANY, 14))
    shy = Shy(n_features=14)
    shy.update_many(wide[:50], wide[:50, 0])
    assert shy.choose(wide) == np.argmax(shy.scores(wide))
