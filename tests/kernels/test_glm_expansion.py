"""Bounds of GLM-RBMLE's index: by self-concordance, by expansion to fourth order, and by gradients of all arms."""

import itertools
import math

import numpy as np
import pytest

from rbmle import kernels
from rbmle.families import Gaussian, Logistic, Poisson
from rbmle.policies.glm_rbmle import GLMRBMLE

KNOWN, named = kernels.glm.prune.look, kernels.glm.named


def bounded(rng, family, K, d, n, alpha_scale, regularization=1.0, unit=False):
    """The solved indices of K arms after n random rewards, and what the start and then the expansion know of them."""

    def draw(count):
        X = rng.normal(size=(count, d))
        return X / (np.linalg.norm(X, axis=1, keepdims=True) if unit else math.sqrt(d))

    policy = GLMRBMLE(n_features=d, family=family, regularization=regularization)
    if n:
        X = draw(n)
        policy.update_many(X, family.sample(rng, X @ draw(1)[0]))
    contexts = draw(K)
    model, (alpha, eta) = policy.model, policy._numbers.at(policy.t).tolist()
    alpha *= alpha_scale
    scores, theta, known = np.empty(K), np.empty((K, d)), np.empty((K, KNOWN.N_KNOWN))
    scratch, step = named.Scratch(model.scratch(), np.empty((2 * d + 2, d))), np.empty((K, d))
    index = alpha, eta, 0.0, False
    assert kernels.glm.index.solve_all(model.problem(), index, contexts, scores, theta, scratch.work)
    middle, white = policy.model.theta_hat + 0.02 * rng.normal(size=d), np.empty((d, K))
    likelihood, rule = named.named(model.problem()), named.Rule(*policy._rule(K, alpha, eta))
    arms = named.Arms(contexts, middle, white)
    points = named.Points(theta, step, known, np.empty((1, d)), np.empty((1, d + 1, d)), np.empty(2))
    assert kernels.glm.start.start_from(likelihood, rule, arms, known, scratch)
    started = known.copy()
    kernels.glm.prune.closer.come_closer(likelihood, rule, arms, points, scratch)
    return scores, started, known


@pytest.mark.parametrize("family", [Gaussian(), Logistic(), Poisson(), Logistic().extended(1.0)], ids=repr)
def test_bounds_contain_every_solved_index(family):
    rng = np.random.default_rng(4)
    certified = 0
    for _ in range(150):
        d, n = int(rng.integers(1, 7)), int(rng.choice([0, 5, 60, 400]))
        lam = float(rng.choice([0.2, 1.0, 5.0]))
        scores, started, known = bounded(rng, family, 12, d, n, 10.0 ** -rng.uniform(0.0, 1.5), lam)
        for bounds in (started, known):
            assert (bounds[:, KNOWN.LOW] <= scores).all()
            assert (scores <= bounds[:, KNOWN.HIGH]).all()
        certified += int(np.isfinite(started[:, KNOWN.HIGH]).sum())
        assert np.array_equal(np.isfinite(started[:, KNOWN.LOW]), np.isfinite(started[:, KNOWN.HIGH]))
    assert certified > 300


@pytest.mark.parametrize(
    ("family", "alpha_scale"), [(Logistic(), 1.7), (Poisson(), 6.0), (Logistic().extended(3.0), 1.7)], ids=repr
)
def test_the_expansion_leaves_few_arms_open(family, alpha_scale):
    """With α so large that the first bounds leave many of 200 arms open."""
    rng = np.random.default_rng(5)
    before = after = 0
    for _ in range(20):
        scores, started, known = bounded(rng, family, 200, 4, 1000, alpha_scale, unit=True)
        assert (known[:, KNOWN.LOW] <= scores).all()
        assert (scores <= known[:, KNOWN.HIGH]).all()
        before += int((started[:, KNOWN.HIGH] >= scores.max()).sum())
        after += int((known[:, KNOWN.HIGH] >= scores.max()).sum())
    assert before > 1000
    assert before > 10 * after


@pytest.mark.parametrize(
    ("family", "least"),
    [(Gaussian(), 0), (Logistic(), 50), (Poisson(), 50), (Logistic().extended(1.0), 50)],
    ids=repr,
)
def test_bounds_by_gradients_contain_every_solved_index(family, least):
    """With many features, where the first bounds often say little; those of Gaussian rewards are exact."""
    rng = np.random.default_rng(7)
    closer = 0
    for _ in range(40):
        d, n, K = int(rng.integers(12, 41)), int(rng.choice([0, 40, 300, 1500])), int(rng.integers(2, 61))
        lam, scale = float(rng.choice([0.01, 0.2, 1.0, 5.0])), 10.0 ** -rng.uniform(-0.3, 1.5)
        scores, started, known = bounded(rng, family, K, d, n, scale, lam, unit=bool(rng.integers(2)))
        assert (known[:, KNOWN.LOW] <= scores).all()
        assert (scores <= known[:, KNOWN.HIGH]).all()
        closer += int((known[:, KNOWN.HIGH] < started[:, KNOWN.HIGH]).sum())
    assert closer >= least


@pytest.mark.parametrize(
    ("family", "alpha_scale"), [(Logistic(), 1.0), (Poisson(), 3.0), (Logistic().extended(3.0), 1.0)], ids=repr
)
def test_gradients_leave_few_arms_open(family, alpha_scale):
    rng = np.random.default_rng(8)
    before = after = 0
    for _ in range(10):
        scores, started, known = bounded(rng, family, 100, 20, 2000, alpha_scale, unit=True)
        before += int((started[:, KNOWN.HIGH] >= scores.max()).sum())
        after += int((known[:, KNOWN.HIGH] >= scores.max()).sum())
    print(before, after)
    assert before > 300
    assert after < 20


def test_tensors_and_products_are_the_sums_they_stand_for():
    rng = np.random.default_rng(6)
    tensors = kernels.glm.prune.tensors
    for d, n, B in ((1, 16, 3), (2, 16, 5), (5, 48, 8)):
        XT, R, weights = rng.normal(size=(d, n)), np.tril(rng.normal(size=(d, d))), rng.normal(size=(3, n))
        P = d * (d + 1) // 2
        rows, pairs = np.empty((d, n)), np.empty((P, n))
        third, fourth, fifth = np.empty((P, d)), np.empty((P, P)), np.empty((P, P))
        tensors.pairs_of_rows(XT, n, R, rows, pairs)
        tensors.fill(rows, pairs, weights, third, fourth, fifth)
        white = R @ XT
        T = np.einsum("n,in,jn,kn->ijk", weights[0], white, white, white)
        Q, F = (np.einsum("n,in,jn,kn,ln->ijkl", w, white, white, white, white) for w in weights[1:])
        at = rng.normal(size=(d, B))
        products, curve, cubic, quartic = np.empty((P, B)), np.empty((P, B)), np.empty((d, B)), np.empty((d, B))
        form, norm = np.empty(B), np.empty(B)
        tensors.pairs_of(at, products)
        tensors.contract(third, fourth, at, products, curve, cubic, quartic)
        tensors.contract_fifth(d, fifth, products, form, norm)
        FF = np.einsum("ijkl,ka,la->ija", F, at, at)
        A = np.einsum("ijk,ka->ija", T, at) + 0.5 * np.einsum("ijkl,ka,la->ija", Q, at, at)
        assert np.allclose(cubic, np.einsum("ijk,ja,ka->ia", T, at, at))
        assert np.allclose(quartic, np.einsum("ijkl,ja,ka,la->ia", Q, at, at, at))
        assert np.allclose(form, np.einsum("ija,ia,ja->a", FF, at, at))
        assert np.allclose(norm, (FF**2).sum(axis=(0, 1)))
        assert np.allclose(curve, [A[i, j] for i, j in itertools.combinations_with_replacement(range(d), 2)])
        vectors, out = rng.normal(size=(d, B)), np.empty((d, B))
        tensors.curve_times(curve, vectors, out)
        assert np.allclose(out, np.einsum("ija,ja->ia", A, vectors))
        sizes = np.empty(3)
        tensors.norms(third, fourth, fifth, sizes)
        for a in range(B):
            length = np.linalg.norm(at[:, a])
            assert np.linalg.norm(T @ at[:, a]) <= sizes[0] * length * (1.0 + 1e-12)
            assert np.linalg.norm(Q @ at[:, a] @ at[:, a]) <= sizes[1] * length**2 * (1.0 + 1e-12)
            assert np.linalg.norm(FF[:, :, a]) <= sizes[2] * length**2 * (1.0 + 1e-12)


def test_the_fourth_derivative_of_the_logistic_mean_is_below_its_constant():
    h = 0.02
    z = np.arange(-6.0, 6.0, 0.001)
    mean = Logistic().mean
    fourth = (mean(z - 2 * h) - 4 * mean(z - h) + 6 * mean(z) - 4 * mean(z + h) + mean(z + 2 * h)) / h**4
    assert np.abs(fourth).max() == pytest.approx(kernels.glm.prune.tensors.LOGISTIC_FIFTH, rel=1e-3)
    p = 1.0 / (1.0 + math.exp(-0.8426))
    w = p * (1.0 - p)
    assert abs(w * (1.0 - 2.0 * p) * (1.0 - 12.0 * w)) == pytest.approx(0.12768392, abs=1e-8)
    assert kernels.glm.prune.tensors.LOGISTIC_FIFTH > 0.127685
