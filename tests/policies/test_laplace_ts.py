"""LaplaceTS against general optimisers, closed forms and a straightforward transcription of the published code."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

from rbmle import LaplaceTS, Policy
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.models.laplace import LaplaceModel
from rbmle.paper.legacy import LegacyDraws
from rbmle.paper.published import PublishedLaplaceTS
from rbmle.paper.published.laplace_model import PublishedLaplaceModel
from rbmle.problems import GLMProblem
from rbmle.simulation import simulate
from rbmle.testing import check_policy

DEFINITIONS = {"authors": LaplaceTS, "published": PublishedLaplaceTS}


def mu(z: float) -> float:
    return 1.0 / (1.0 + math.exp(-z))


def minimiser(weights: np.ndarray, centre: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """argmin ½Σ weights_i(w_i−centre_i)² + Σ_s log(1+e^{−y_s wᵀx_s}) by a general optimiser."""

    def value(w):
        return 0.5 * weights @ (w - centre) ** 2 + np.logaddexp(0.0, -y * (X @ w)).sum()

    def gradient(w):
        return weights * (w - centre) - X.T @ (y / (1.0 + np.exp(y * (X @ w))))

    def hessian(w):
        p = 1.0 / (1.0 + np.exp(-(X @ w) * y))
        return np.diag(weights) + (X.T * (p * (1.0 - p) * y * y)) @ X

    found = minimize(value, centre, jac=gradient, hess=hessian, method="trust-exact", options={"gtol": 1e-11})
    return found.x - np.linalg.solve(hessian(found.x), gradient(found.x))


@pytest.mark.parametrize("n_features", [3, 14])
@pytest.mark.parametrize("definition", DEFINITIONS)
def test_passes_the_shipped_checks(n_features: int, definition: str) -> None:
    check_policy(DEFINITIONS[definition](n_features=n_features))


@pytest.mark.parametrize("regularization", [0.1, 1.0, 30.0])
def test_an_update_is_the_minimiser(regularization: float) -> None:
    rng = np.random.default_rng(1)
    model = LaplaceModel(n_features=4, regularization=regularization)
    m, q = np.zeros(4), np.full(4, regularization)
    for _ in range(30):
        x, r = 2.0 * rng.standard_normal(4), float(rng.integers(2))
        model.observe(x, r)
        m = minimiser(q, m, x[None], np.array([2.0 * r - 1.0]))
        p = mu(m @ x)
        q = q + x**2 * p * (1.0 - p)
        np.testing.assert_allclose(model.mean, m, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(model.precision, q, rtol=1e-8)


def test_a_failure_is_a_success_of_the_opposite_context() -> None:
    x = np.array([0.3, -2.0, 1.0])
    left, right = LaplaceModel(n_features=3), LaplaceModel(n_features=3)
    left.observe(x, 0.0)
    right.observe(-x, 1.0)
    np.testing.assert_allclose(left.mean, right.mean, rtol=1e-14)
    np.testing.assert_allclose(left.precision, right.precision, rtol=1e-14)
    assert left.mean @ x < 0.0


@pytest.mark.parametrize("size", [1e-8, 1e4, 1e60])
def test_tiny_and_huge_contexts_stay_finite(size: float) -> None:
    model = LaplaceModel(n_features=2)
    for r in (0.0, 1.0, 1.0, 0.0):
        model.observe([size, -size], r)
        assert np.isfinite(model.mean).all()
        assert (model.precision >= 1.0).all()


def test_one_draw_for_all_arms_by_its_authors_one_per_arm_as_published() -> None:
    x = np.array([0.6, -0.8])
    one = LaplaceTS(n_features=2).scores([x, -x])
    assert one[0] == -one[1]
    each = PublishedLaplaceTS(n_features=2).scores([x, -x])
    assert each[0] != -each[1]


def test_draws_have_the_posterior_mean_and_variance() -> None:
    policy = LaplaceTS(n_features=2, regularization=4.0)
    policy.update_many([[1.0, 0.5]] * 20, [1.0] * 15 + [0.0] * 5)
    x = np.array([0.5, -1.0])
    drawn = np.array([policy.scores(x[None])[0] for _ in range(20_000)])
    mean, variance = x @ policy.model.mean, x**2 @ (1.0 / policy.model.precision)
    assert drawn.mean() == pytest.approx(mean, abs=5.0 * math.sqrt(variance / len(drawn)))
    assert drawn.var() == pytest.approx(variance, rel=0.05)


def test_chances_of_two_arms_in_closed_form() -> None:
    policy = LaplaceTS(n_features=2)
    policy.update_many([[1.0, 0.0], [0.6, 0.8]], [1.0, 0.0])
    X = np.array([[1.0, 0.0], [0.0, 1.0]])
    gap = X[0] - X[1]
    best = norm.cdf(gap @ policy.model.mean / math.sqrt(gap**2 @ (1.0 / policy.model.precision)))
    before = policy.rng.bit_generator.state
    np.testing.assert_allclose(policy.probabilities(X), [best, 1.0 - best], atol=0.02)
    assert policy.rng.bit_generator.state == before


def transcribed(X: np.ndarray, rewards: np.ndarray, stream: np.random.RandomState) -> tuple[list[int], np.ndarray]:
    """Laplace-TS the way the published tables were made, with NumPy's own draws and a general optimiser."""
    d = X.shape[2]
    m, variance, arms, seen, labels = np.zeros(d), np.ones(d), [], [], []
    for contexts, r in zip(X, rewards, strict=True):
        draws = [stream.multivariate_normal(m, np.diag(variance)) for _ in contexts]
        arm = int(np.argmax([mu(w @ x) for w, x in zip(draws, contexts, strict=True)]))
        if seen:
            history = np.array(seen)
            m = minimiser(1.0 / variance**2, m, history, np.array(labels))
            p = 1.0 / (1.0 + 1.0 / (1.0 + np.exp(history @ m)))
            variance = 1.0 / (1.0 / variance + history.T**2 @ (p * (1.0 - p)))
        seen.append(contexts[arm])
        labels.append(r[arm])
        arms.append(arm)
    return arms, np.concatenate([m, variance])


def test_as_published_is_the_transcription() -> None:
    block = GLMProblem((0.3, -0.5, 0.2), 6, static=False).rounds(0, 0, 0, 60)
    expected, state = transcribed(block.contexts, block.rewards, np.random.RandomState(7))
    policy = PublishedLaplaceTS(n_features=3)
    policy.rng = LegacyDraws(np.random.RandomState(7))  # type: ignore[assignment]
    assert policy.play(block.contexts, block.rewards).tolist() == expected
    np.testing.assert_allclose(np.concatenate([policy.model.mean, policy.model.variance]), state, rtol=1e-6)


def test_as_published_the_newest_reward_and_zeros_teach_nothing() -> None:
    model = PublishedLaplaceModel(n_features=2)
    model.observe([1.0, 0.0], 1.0)
    assert model.mean.tolist() == [0.0, 0.0]
    zeros = PublishedLaplaceModel(n_features=2)
    zeros.observe_many([[1.0, 0.0]] * 5, [0.0] * 5)
    assert zeros.mean.tolist() == [0.0, 0.0]
    assert zeros.variance[0] < 1.0
    model.observe([0.0, 1.0], 0.0)
    assert model.mean[0] > 0.0


def test_merging_adds_precisions() -> None:
    left, right = LaplaceModel(n_features=2, regularization=2.0), LaplaceModel(n_features=2, regularization=2.0)
    left.observe_many([[1.0, 0.0]] * 3, [1.0, 1.0, 0.0])
    right.observe_many([[0.0, 1.0]] * 2, [0.0, 0.0])
    first, second = left.state(), right.state()
    left.merge(right)
    # The two have seen different weights, so the merged posterior is that of each weight's own observer.
    np.testing.assert_allclose(left.precision, [first["precision"][0], second["precision"][1]], rtol=1e-14)
    np.testing.assert_allclose(left.mean, [first["mean"][0], second["mean"][1]], rtol=1e-14)
    assert left.n == 5


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize("bad", [0.5, -1.0, 2.0])
def test_rewards_other_than_0_and_1_are_refused(definition: str, bad: float) -> None:
    policy = DEFINITIONS[definition](n_features=2)
    policy.update([1.0, 0.0], 1.0)
    before = policy.state()
    with pytest.raises(InvalidInputError, match="reward must be 0 or 1"):
        policy.update([0.0, 1.0], bad)
    with pytest.raises(InvalidInputError, match=r"rewards must be 0 or 1 .* at rewards\[1\]"):
        policy.update_many([[0.0, 1.0], [1.0, 0.0]], [1.0, bad])
    with pytest.raises(InvalidInputError, match="rewards must be 0 or 1"):
        policy.play(np.eye(2)[None], np.array([[1.0, bad]]))
    with pytest.raises(InvalidInputError, match="contexts must stay within ±1e70"):
        policy.update_many([[0.0, 1.0], [1e90, 0.0]], [1.0, 0.0])
    assert all(np.array_equal(array, before[name]) for name, array in policy.state().items())


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_states_that_cannot_be_are_refused(definition: str) -> None:
    policy = DEFINITIONS[definition](n_features=2)
    spread = "precision" if definition == "authors" else "variance"
    for bad in (np.zeros(2), np.ones(3), np.array([1.0, np.nan])):
        with pytest.raises(InvalidInputError, match=spread):
            policy.restore({**policy.state(), spread: bad})


def test_bad_parameters() -> None:
    with pytest.raises(InvalidParameterError, match="'regularization'"):
        LaplaceModel(n_features=2, regularization=0.0)


def test_learns() -> None:
    problem = GLMProblem((1.5, -2.0, 1.0), 10)
    policies: dict[str, Policy] = {"ts": LaplaceTS(n_features=3), "blind": LaplaceTS(n_features=3, regularization=1e12)}
    results = simulate(policies, problem, horizon=2000, trials=10)
    assert results.final_regret("ts").mean() < 0.2 * results.final_regret("blind").mean()
