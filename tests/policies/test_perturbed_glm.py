"""GLM-TSL, GLM-FPL and EVILL: θ̃ given its normal numbers, the law of those, and LinTS where all three are one."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import chi2

from rbmle import EVILL, GLMFPL, GLMTSL, LinTS
from rbmle.families import get

KINDS = (GLMTSL, GLMFPL, EVILL)


def learnt(kind, family="logistic", n=80, d=3, **settings):
    """A policy after n rewards, and what it saw."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, d)) / np.sqrt(d)
    r = get(family).sample(rng, X @ np.linspace(1.0, -1.0, d))
    policy = kind(n_features=d, family=family, warm_up=0, **settings)
    policy.update_many(X, r)
    return policy, X, r


def maximiser(family, X, r, lam, w):
    """argmax ℓ(θ) − ½λ‖θ‖² + wᵀθ by a general optimiser and a last Newton step."""
    link = get(family)

    def value(theta):
        z = X @ theta
        gradient = X.T @ (r - link.mean(z)) - lam * theta + w
        return -(link.log_likelihood(z, r).sum() - 0.5 * lam * theta @ theta + w @ theta), -gradient

    found = minimize(value, np.zeros(X.shape[1]), jac=True, method="BFGS", options={"gtol": 1e-9})
    curvature = (X.T * link.derivative(X @ found.x)) @ X + lam * np.eye(X.shape[1])
    return found.x - np.linalg.solve(curvature, value(found.x)[1]), curvature


def drawn(policy):
    """The θ̃ of the next decision: scores of the unit vectors."""
    return policy.scores(np.eye(policy.n_features))


def perturbations(policy, X, r, count):
    """w of many decisions, recovered from θ̃: w = λθ̃ − Σ (r − μ(xᵀθ̃)) x."""
    link, lam = get(policy.family), policy.regularization
    found = []
    for _ in range(count):
        theta = drawn(policy)
        policy.rng.standard_normal(policy.n_features)  # the next decision's numbers
        found.append(lam * theta - X.T @ (r - link.mean(X @ theta)))
    return np.array(found)


def agrees(sample, covariance):
    """Whether a sample can be N(0, covariance): Σ wᵀC⁻¹w is χ², and so are its means."""
    n, d = sample.shape
    white = np.linalg.solve(np.linalg.cholesky(covariance), sample.T)
    total, mean = (white**2).sum(), n * (white.mean(axis=1) ** 2).sum()
    pairs = n * sum((white[i] * white[j]).mean() ** 2 for i in range(d) for j in range(i))
    bounds = (chi2.ppf(1e-4, n * d), chi2.isf(1e-4, n * d))
    return bounds[0] < total < bounds[1] and mean < chi2.isf(1e-4, d) and pairs < chi2.isf(1e-4, d * (d - 1) / 2)


@pytest.mark.parametrize("family", ["logistic", "poisson", "gaussian"])
def test_thompson_samples_are_normal_around_the_estimate(family):
    policy, X, r = learnt(GLMTSL, family, scale=0.7, regularization=0.5)
    theta, curvature = maximiser(family, X, r, 0.5, np.zeros(3))
    sample = []
    for _ in range(2000):
        sample.append(drawn(policy) - theta)
        policy.rng.standard_normal(3)
    assert agrees(np.array(sample), 0.49 * np.linalg.inv(curvature))


@pytest.mark.parametrize("family", ["logistic", "poisson"])
def test_evill_perturbs_the_loss_by_its_curvature(family):
    """w = a(√λ z₀ + Σ √μ'(x_sᵀθ̂) z_s x_s) has the covariance a² H(θ̂)."""
    policy, X, r = learnt(EVILL, family, scale=0.6, regularization=0.5)
    _, curvature = maximiser(family, X, r, 0.5, np.zeros(3))
    assert agrees(perturbations(policy, X, r, 1500), 0.36 * curvature)


@pytest.mark.parametrize("prior", [0.0, 1.5])
def test_fpl_perturbs_every_reward(prior):
    """w = a Σ z_s x_s + b z₀ has the covariance a² Σ x xᵀ + b² I."""
    policy, X, r = learnt(GLMFPL, scale=0.5, prior_scale=prior)
    assert agrees(perturbations(policy, X, r, 1500), 0.25 * X.T @ X + prior**2 * np.eye(3))


@pytest.mark.parametrize("kind", [GLMFPL, EVILL])
@pytest.mark.parametrize("family", ["logistic", "poisson"])
def test_the_estimate_is_the_maximiser_of_its_own_perturbation(kind, family):
    """w is recovered from θ̃ alone, so a general optimiser must come back to the same θ̃: it is a maximum."""
    policy, X, r = learnt(kind, family)
    for _ in range(5):
        theta = drawn(policy)
        w = policy.regularization * theta - X.T @ (r - get(family).mean(X @ theta))
        policy.rng.standard_normal(3)
        assert maximiser(family, X, r, policy.regularization, w)[0] == pytest.approx(theta, abs=1e-8)


def test_with_gaussian_rewards_all_are_linear_thompson_sampling():
    """Of one generator: C and R of the same H make the same draw of EVILL and GLM-TSL; LinTS has the same law."""
    X = np.random.default_rng(1).normal(size=(4, 3))
    policies = [learnt(kind, "gaussian", seed=3)[0] for kind in (GLMTSL, EVILL)]
    assert policies[0].scores(X) == pytest.approx(policies[1].scores(X), rel=1e-10)
    _, seen, r = learnt(GLMTSL, "gaussian")
    linear = LinTS(n_features=3, scale=1.0, seed=4)
    linear.update_many(seen, r)
    shares = [each.probabilities(X, samples=20_000) for each in (*policies, linear)]
    assert np.abs(shares[0] - shares[2]).max() < 0.02
    assert np.abs(shares[1] - shares[2]).max() < 0.02


@pytest.mark.parametrize("kind", KINDS)
def test_served_arms_follow_the_told_chances_also_with_equal_arms_and_one_feature(kind):
    policy, _, _ = learnt(kind, d=1, n=12)
    X = np.array([[0.4], [-0.2], [0.4], [0.0]])
    arms = policy.choose_many(np.tile(X, (3000, 1, 1)))
    chances = policy.probabilities(X, samples=20_000)
    counts = np.bincount(arms, minlength=4)
    assert chances[2] == chances[3] == counts[2] == counts[3] == 0.0  # never after its equal, nor between the two
    spread = np.sqrt(3000 * chances[:2] * (1 - chances[:2]))
    assert (np.abs(counts[:2] - 3000 * chances[:2]) <= 5 * spread + 0.15 * spread).all()
    assert policy.choose([[0.3]]) == 0
    assert policy.probabilities([[0.3]]).tolist() == [1.0]


@pytest.mark.parametrize("kind", KINDS)
def test_separable_rewards_and_late_rounds_are_no_trouble(kind):
    policy = kind(n_features=2, regularization=1e-4)
    policy.update_many([[1.0, 0.0], [0.0, 1.0]] * 500, [1.0, 0.0] * 500)
    assert policy.choose([[1.0, 0.0], [0.0, 1.0]], t=10**12) == 0
    assert policy.probabilities([[1.0, 0.0], [0.0, 1.0]], t=10**12)[0] > 0.6
    assert np.isfinite(policy.scores(np.eye(2))).all()


def test_random_rounds_are_random():
    policy = GLMTSL(n_features=2, warm_up=None)
    assert policy.probabilities(np.eye(2)[[0, 1, 0]]).tolist() == pytest.approx([1 / 3] * 3)
    policy.update_many(np.eye(2), [1.0, 0.0])
    assert policy.probabilities(np.eye(2)[[0, 1, 0]])[2] == 0.0
    assert (GLMFPL(n_features=4).warm_up, EVILL(n_features=4).warm_up, GLMTSL(n_features=4).warm_up) == (None, 0, 0)


def test_a_mean_of_many_rewards_is_what_is_played():
    """With ten thousand rewards of each arm there is nothing left to explore."""
    for kind in KINDS:
        policy = kind(n_features=2, warm_up=0)
        policy.update_many(np.repeat(np.eye(2), 10_000, axis=0), np.tile([1.0] * 6 + [0.0] * 4, 2000))
        policy.update_many([[1.0, 0.0]] * 10_000, [1.0] * 10_000)
        assert policy.probabilities(np.eye(2))[0] == 1.0
        assert expit(policy.scores(np.eye(2))) == pytest.approx([0.8, 0.6], abs=0.03)
