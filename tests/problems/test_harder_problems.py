"""Noise of other scales, means that are not linear, and arms that a greedy method gets stuck on."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from rbmle import EpsilonGreedy, LinRBMLE
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.problems import (
    Abrupt,
    ArmNoise,
    ContextNoise,
    DriftingProblem,
    Given,
    LinearProblem,
    Misspecification,
    Ripple,
)
from rbmle.problems.noise import as_noise
from rbmle.schedules import Constant
from rbmle.simulation import simulate
from rbmle.testing import check_problem

THETA = (0.3, -0.5, 0.2)
ARMS = ((2.0, 0.0, 0.0), (0.0, 1.0, 0.0), (3.0, 4.0, 0.0))


@pytest.mark.parametrize("static", [True, False])
@pytest.mark.parametrize("noise", [ArmNoise((0.1, 1.0, 2.0)), ContextNoise(), "by_context", "by_arm"])
def test_passes_the_shipped_checks(static: bool, noise: ArmNoise) -> None:
    check_problem(LinearProblem(THETA, 3, static=static, noise=noise, misspecification=0.2))
    check_problem(DriftingProblem(Abrupt((THETA,)), 3, static=static, noise=noise))


@pytest.mark.parametrize(
    ("noise", "scales"),
    [
        (ArmNoise((0.5, 1.0, 2.0)), (0.5, 1.0, 2.0)),
        (ArmNoise((0.5,)), (0.5, 0.5, 0.5)),
        # Shares of the first feature in the arms: 1, 0 and 3/5; of (0, 2, 0): 0, 1 and 4/5.
        (ContextNoise(low=0.5, high=1.5), (1.5, 0.5, 1.1)),
        (ContextNoise(low=0.5, high=1.5, direction=(0.0, 2.0, 0.0)), (0.5, 1.5, 1.3)),
    ],
)
def test_scales(noise: ArmNoise, scales: tuple[float, ...]) -> None:
    block = LinearProblem(THETA, 3, noise=noise, contexts=Given(ARMS)).rounds(0, 0, 0, 40_000)
    residuals = block.rewards - block.mean_rewards
    np.testing.assert_allclose(residuals.std(axis=0), scales, rtol=0.02)
    np.testing.assert_array_less(np.abs(residuals.mean(axis=0)), 5 * np.array(scales) / 200)
    for arm, scale in enumerate(scales):
        assert stats.kstest(residuals[:5000, arm] / scale, "norm").pvalue > 1e-3


def test_the_context_nothing_has_the_low_scale() -> None:
    assert ContextNoise(low=0.3).scales(np.zeros((1, 2, 3))).tolist() == [[0.3, 0.3]]


def test_noise_by_context_where_arms_vary() -> None:
    noise = ContextNoise(low=0.2, high=2.0)
    block = LinearProblem(THETA, 5, static=False, noise=noise).rounds(0, 0, 0, 20_000)
    scaled = (block.rewards - block.mean_rewards) / (0.2 + 1.8 * np.abs(block.contexts[..., 0]))
    assert scaled.std() == pytest.approx(1.0, abs=0.01)
    loud = np.abs(block.contexts[..., 0]) > 0.5
    assert scaled[loud].std() == pytest.approx(scaled[~loud].std(), abs=0.03)


def test_ripple_is_bounded_a_function_of_the_context_and_the_problem_s_own() -> None:
    plain = LinearProblem(THETA, 4, static=False)
    bent = LinearProblem(THETA, 4, static=False, misspecification=0.3)
    for seed, trial in ((0, 0), (1, 5)):
        a, b = plain.rounds(seed, trial, 0, 3000), bent.rounds(seed, trial, 0, 3000)
        assert np.array_equal(a.contexts, b.contexts)
        off = b.mean_rewards - a.mean_rewards
        assert 0.29 < np.abs(off).max() <= 0.3
        np.testing.assert_allclose(off, Ripple(size=0.3).at(a.contexts), atol=1e-12)
        np.testing.assert_allclose(b.rewards - b.mean_rewards, a.rewards - a.mean_rewards, atol=1e-12)
    assert not np.allclose(Ripple(seed=1).at(a.contexts), Ripple(seed=0).at(a.contexts))


def test_ripple_is_a_wave_of_its_frequency() -> None:
    """The second derivative along a line of direction u is −(frequency · cos of the angle to u)² times the wave."""
    ripple, h = Ripple(size=1.0, frequency=5.0, seed=3), 1e-4
    rates = []
    for axis in np.eye(3):
        x = np.array([[[0.1, 0.2, -0.3]]]) + np.array([[-h], [0.0], [h]]) * axis
        low, middle, high = ripple.at(x)[0]
        rates.append(-(low - 2 * middle + high) / h**2 / middle)
    assert sum(rates) == pytest.approx(25.0, rel=1e-4)  # the squares of u's entries add up to 1


def test_a_linear_model_cannot_learn_the_ripple() -> None:
    block = LinearProblem(THETA, 5, static=False, misspecification=0.3).rounds(0, 0, 0, 4000)
    X = block.contexts.reshape(-1, 3)
    off = block.mean_rewards.ravel() - X @ THETA
    fitted = X @ np.linalg.lstsq(X, off, rcond=None)[0]
    assert (off - fitted).std() > 0.9 * off.std()


class Step(Misspecification):
    """A user's own."""

    size = 0.5

    def at(self, contexts: np.ndarray) -> np.ndarray:
        return np.where(contexts[..., 0] > 0.0, 0.5, -0.5)


def test_a_misspecification_of_ones_own() -> None:
    problem = LinearProblem(THETA, 4, misspecification=Step())
    block = problem.rounds(0, 0, 0, 5)
    np.testing.assert_allclose(
        block.mean_rewards, block.contexts @ THETA + np.where(block.contexts[..., 0] > 0.0, 0.5, -0.5)
    )
    assert "misspecification" in problem.params
    assert "misspecification=Ripple(size=0.1" in repr(LinearProblem(THETA, 4, misspecification=0.1))


@pytest.mark.parametrize("noise", [1.0, 0.25])
def test_greedy_gets_stuck_as_often_as_a_random_walk_stays_positive(noise: float) -> None:
    trials, horizon, mean, gap = 400, 1000, 0.5, 0.4
    problem = LinearProblem.greedy_trap(noise=noise)
    policies = {
        "greedy": EpsilonGreedy(n_features=2, epsilon=Constant(0.0)),
        "LinRBMLE": LinRBMLE(n_features=2),
    }
    results = simulate(policies, problem, horizon=horizon, trials=trials, n_jobs=1)
    stuck = (results.final_regret("greedy") > gap * horizon - 1e-6).mean()
    k = np.arange(1, horizon + 1)
    expected = math.exp(-(stats.norm.cdf(-np.sqrt(k) * mean / noise) / k).sum())
    assert stuck == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / trials))
    assert stuck > 0.45
    assert results.final_regret("LinRBMLE").max() < 0.5 * gap * horizon


def test_the_trap_has_the_arms_and_means_it_says() -> None:
    problem = LinearProblem.greedy_trap(n_arms=4, mean=0.2, gap=0.3)
    block = problem.rounds(0, 0, 0, 3)
    assert np.array_equal(block.contexts[0], np.eye(4))
    np.testing.assert_allclose(block.mean_rewards, [[0.2, 0.2, 0.2, 0.5]])
    check_problem(problem)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ArmNoise((0.5, -1.0)), "'scales' parameter of ArmNoise must be .* finite numbers from 0 on"),
        (lambda: LinearProblem(THETA, 3, noise=ArmNoise((1.0, 2.0))), "'noise' .* 1 scale or one for each of 3 arms"),
        (lambda: ContextNoise(low=2.0), "must be low ≤ high and a direction that is not 0"),
        (lambda: ContextNoise(direction=(0.0, 0.0)), "a direction that is not 0"),
        (lambda: LinearProblem(THETA, 3, noise=ContextNoise(direction=(1.0,))), "'noise' .* direction of 3 features"),
        (lambda: Ripple(size=-0.1), "'size' parameter of Ripple"),
        (lambda: LinearProblem(THETA, 3, misspecification=-0.1), "'misspecification' parameter of LinearProblem"),
        (lambda: LinearProblem(THETA, 3, misspecification="large"), "'misspecification'"),  # type: ignore[arg-type]
        (
            lambda: LinearProblem((0.6, 0.0), 3, noise="bounded", misspecification=0.5),
            "'theta' .* norm of at most 0.5 with",
        ),
        (lambda: LinearProblem.greedy_trap(n_arms=1), "'n_arms'"),
        (lambda: LinearProblem.greedy_trap(gap=0.0), "'gap'"),
        (lambda: LinearProblem.greedy_trap(noise=-1.0), "'scale'"),
    ],
)
def test_bad_parameters(make: Callable[[], object], words: str) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        make()


def test_noise_by_context_needs_contexts() -> None:
    with pytest.raises(InvalidInputError, match="call rewards_at"):
        as_noise("by_context").rewards(np.random.default_rng(0), np.zeros((2, 2)))
