import math

import numpy as np
import pytest
from scipy.special import log1p

from rbmle import kernels
from rbmle.families import Gaussian, Logistic, Poisson
from rbmle.kernels.glm.named import Link
from rbmle.models import GLMModel
from rbmle.models.link import link_of


def filled(family, z):
    work = np.empty((4, len(z)))
    work[0] = z
    kernels.glm.link.fill_link(Link(*link_of(family)), len(z), work)
    return work[1:]


@pytest.mark.parametrize(
    "family", [Gaussian(), Logistic(), Poisson(), Logistic().extended(1.0), Poisson().extended(2.0)], ids=repr
)
def test_links_equal_the_families(family):
    z = np.concatenate([np.linspace(-40.0, 40.0, 4001), [0.0, 1e-17, -1e-17, 300.0, -300.0, 1.0, -1.0]])
    mu, dmu, b = filled(family, z)
    assert np.allclose(mu, family.mean(z), rtol=1e-13, atol=1e-13 * (family.kappa > 0.0))
    assert np.allclose(dmu, family.derivative(z), rtol=1e-14, atol=1e-300)
    assert np.allclose(b, family.b(z), rtol=1e-12, atol=1e-300)


def test_links_at_the_ends_of_the_line():
    z = np.array([-1e300, -746.0, 710.0, 1e300])
    mu, _, b = filled(Logistic(), z)
    assert np.allclose(mu, [0.0, 0.0, 1.0, 1.0], atol=1e-300)
    assert np.allclose(b, [0.0, 0.0, 710.0, 1e300], atol=1e-300)
    mu, _, _ = filled(Poisson(), z)
    assert mu[0] < 1e-300
    assert mu[2] == mu[3] == math.inf


def test_root_of_the_inverse():
    rng = np.random.default_rng(0)
    for d in (1, 2, 5, 13):
        A = rng.normal(size=(d, d + 3))
        H = A @ A.T
        R = np.empty((d, d))
        assert kernels.glm.root.invert_root(H.copy(), R)
        assert np.allclose(R.T @ R @ H, np.eye(d), atol=1e-8)
        out, v = np.empty(d), rng.normal(size=d)
        assert kernels.glm.root.apply_root(R, v, out) == pytest.approx(v @ np.linalg.solve(H, v))
        kernels.glm.root.apply_transposed(R, out.copy(), out)
        assert np.allclose(out, np.linalg.solve(H, v))
    assert not kernels.glm.root.invert_root(-np.eye(3), np.empty((3, 3)))


def test_interval_is_the_exact_integral_of_its_bounds():
    """For the worst case allowed, curvature e^{∓ρs} on a ray, the maximum has a closed form."""
    for u in (1e-6, 0.05, 0.099, 0.101, 0.5, 0.95):
        delta, rho = 2.0, u / 2.0
        _, high = kernels.glm.prune.bounds.interval(0.0, delta**2, rho, 0.0, 0.0, 0.0, 0.0)
        s = -log1p(-u) / rho
        worst = delta * s - (math.exp(-rho * s) + rho * s - 1.0) / rho**2
        assert high >= worst * (1.0 - 1e-9) - 1e-4 * (u < 1e-3)
        assert high <= 0.5 * delta**2 * (1.0 + u) / (1.0 - u)
    low, high = kernels.glm.prune.bounds.interval(0.0, 4.0, 1.0, 0.0, 0.0, 0.0, 0.0)
    assert (low, high) == (-math.inf, math.inf)


def test_rows_are_hashed_by_value():
    model = GLMModel(n_features=3)
    rng = np.random.default_rng(2)
    X = rng.integers(-2, 3, size=(500, 3)).astype(float) * -1.0  # many repeats, and minus zeros
    model.observe_many(X, np.ones(500))
    distinct, counts = np.unique(X + 0.0, axis=0, return_counts=True)
    contexts, found, _ = model.rows
    order = np.lexsort(contexts.T[::-1])
    assert np.array_equal(contexts[order], distinct)
    assert np.array_equal(found[order], counts)
