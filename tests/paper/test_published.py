"""Methods as the published tables were made: by their formulas, kept out of the public classes."""

from dataclasses import fields

import numpy as np
import pytest
from scipy.stats import norm

import rbmle
from rbmle.kernels.linear import vids
from rbmle.paper.published import (
    PublishedBayesUCB,
    PublishedKGStar,
    PublishedKnowledgeGradient,
    PublishedVIDS,
    authors_policies,
    published_policies,
)
from rbmle.paper.published.vids import pair
from rbmle.testing import check_policy

T = 500
LINEAR = [
    (PublishedBayesUCB, {}),
    (PublishedKnowledgeGradient, {"horizon": T}),
    (PublishedKGStar, {"horizon": T}),
    (PublishedVIDS, {"samples": 200}),
]


def f(z):
    return z * norm.cdf(z) + norm.pdf(z)


def others_best(m):
    return np.array([max(np.delete(m, a)) for a in range(len(m))])


def bayes_ucb(m, v, t):
    return m + norm.ppf(1 - 1 / t) * v


def knowledge_gradient(m, v, t):
    sigma = np.sqrt(v**2 / (1 + 1 / v**2))
    return m + (T - t) * sigma * f(-np.abs(m - others_best(m)) / sigma)


def kg_star(m, v, t):
    scores = []
    for a, other in enumerate(others_best(m)):
        delta, s = m[a] - other, v[a]
        r = (delta / s) ** 2
        low = (-1 + r + np.sqrt(1 + 6 * r + r**2)) / (4 * s**2)
        high = (1 + r + np.sqrt(1 + 10 * r + r**2)) / (4 * s**2)
        count = T - t if T - t <= low else 1 if delta == 0 or high <= 1 else np.ceil((low + high) / 2)
        s_m = np.sqrt((count + 1) * s**2 / ((1 / s) ** 2 + count + 1))
        scores.append(m[a] - m.max() + (T - t) * s_m * f(-abs(delta) / (s_m + 1e-8)))
    return np.array(scores)


@pytest.mark.parametrize(
    ("cls", "definition"),
    [(PublishedBayesUCB, bayes_ucb), (PublishedKnowledgeGradient, knowledge_gradient), (PublishedKGStar, kg_star)],
)
@pytest.mark.parametrize("seed", range(8))
def test_scores_by_definition(cls, definition, seed):
    rng = np.random.default_rng(seed)
    d, K, n = 1 + seed, 2 + 3 * seed, 5 + 4 * seed
    X, r, contexts = rng.standard_normal((n, d)), rng.standard_normal(n), rng.standard_normal((K, d))
    policy = cls(n_features=d, horizon=T)
    policy.update_many(X, r)
    V = np.eye(d) + X.T @ X
    v = np.einsum("ki,ij,kj->k", contexts, np.linalg.inv(V), contexts)
    expected = definition(contexts @ np.linalg.solve(V, X.T @ r), v, n + 1)
    np.testing.assert_allclose(policy.scores(contexts), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(("cls", "arguments"), LINEAR, ids=lambda value: getattr(value, "__name__", ""))
def test_they_are_policies_like_any_other(cls, arguments):
    check_policy(cls(n_features=3, **arguments))


def test_the_public_classes_have_no_published_settings():
    oddities = {"spread", "when_certain", "grid"}
    for name in ("BayesUCB", "KnowledgeGradient", "KGStar", "VIDS"):
        assert not oddities & {field.name for field in fields(getattr(rbmle, name))}


def test_nine_methods_of_which_five_differ():
    published, authors = published_policies(4, 100), authors_policies(4, 100)
    assert list(published) == list(authors) == [
        "RBMLE", "LinUCB", "BUCB", "GPUCB", "GPUCBT", "KG", "KG*", "LinTS", "VIDS",
    ]  # fmt: skip
    differ = {
        name
        for name in published
        if type(published[name]) is not type(authors[name]) or published[name].params != authors[name].params
    }
    assert differ == {"BUCB", "KG", "KG*", "LinTS", "VIDS"}
    assert all(isinstance(published[name], type(authors[name])) for name in published)


def test_vids_tries_a_grid_of_shares():
    rng = np.random.default_rng(2)
    for _ in range(20):
        gain, gap = rng.uniform(0.01, 1.0, 5), rng.uniform(0.0, 1.0, 5)
        ratios = []
        for a, b, q in (vids.best_pair(gain, gap), pair(gain, gap, 1000, 0.5)):
            ratios.append((q * gap[a] + (1 - q) * gap[b]) ** 2 / (q * gain[a] + (1 - q) * gain[b]))
        assert ratios[1] == pytest.approx(ratios[0], rel=0.02, abs=1e-5)
        assert (999 * q) % 1 == pytest.approx(0.0, abs=1e-9) or (999 * q) % 1 == pytest.approx(1.0, abs=1e-9)


def test_vids_plays_the_smallest_gain_once_any_is_tiny():
    gap, gain = np.array([0.3, 0.1, 0.2]), np.array([0.5, 1e-9, 0.2])
    assert pair(gain, gap, 1000, 0.5)[:2] == (1, 1)
    gain[2] = 1e-9
    assert {pair(gain, gap, 1000, u)[0] for u in (0.1, 0.9)} == {1, 2}


def test_vids_as_published_fails_on_varying_contexts_and_by_its_authors_does_not():
    """The rule of smallest gain plays almost blindly: regret linear in T. 2000 rounds show it."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 10, 3))
    X /= np.linalg.norm(X, axis=-1, keepdims=True)
    mean = X @ np.array([-0.3, 0.5, 0.8])
    rewards = mean + rng.standard_normal(mean.shape)
    halves = {}
    for cls in (rbmle.VIDS, PublishedVIDS):
        arms = cls(n_features=3, samples=300).play(X, rewards)
        halves[cls] = (mean.max(axis=1) - mean[np.arange(2000), arms]).reshape(2, 1000).sum(axis=1)
    assert halves[rbmle.VIDS].sum() < 60
    assert halves[rbmle.VIDS][1] < halves[rbmle.VIDS][0]
    assert halves[PublishedVIDS][1] > halves[PublishedVIDS][0] > 200
