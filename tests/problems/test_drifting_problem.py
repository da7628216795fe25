"""DriftingProblem: θ as it should move, arms of Russac's law, paths that depend on (seed, trial, round) alone."""

import math
import pickle
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.problems import Abrupt, BoundedReward, Drift, DriftingProblem, Gaussian, Rotation, Straight
from rbmle.testing import check_problem
from rbmle.types import FloatArray, IntArray

ABRUPT = Abrupt(thetas=((1.0, 0.0, 0.5), (-1.0, 0.0, 0.2)), starts=(30,))


@pytest.mark.parametrize("static", [True, False])
@pytest.mark.parametrize("family", [None, "logistic", "poisson"])
def test_passes_the_shipped_checks(static: bool, family: str | None) -> None:
    check_problem(DriftingProblem(ABRUPT, 4, static=static, family=family))


def test_russac_passes_the_shipped_checks() -> None:
    for problem in (DriftingProblem.russac_abrupt(), DriftingProblem.russac_smooth()):
        check_problem(problem, horizon=4000)


def test_abrupt_theta_of_russac() -> None:
    """In their simulator the breakpoints 1001, 2001, 3001 are rounds counted from 0."""
    drift = DriftingProblem.russac_abrupt().drift
    rounds = np.array([0, 1000, 1001, 2000, 2001, 3000, 3001, 5999])
    expected = [(1, 0), (1, 0), (-1, 0), (-1, 0), (0, 1), (0, 1), (0, -1), (0, -1)]
    assert drift.at(rounds).tolist() == [list(map(float, each)) for each in expected]


def test_smooth_theta_of_russac() -> None:
    """Values that their notebook prints of the true parameter."""
    drift = DriftingProblem.russac_smooth().drift
    printed = {0: (1.0, 0.0), 400: (0.9781476, 0.20791169), 2000: (0.5, 0.8660254), 3200: (0.0, 1.0), 5600: (0.0, 1.0)}
    np.testing.assert_allclose(drift.at(np.array(list(printed))), list(printed.values()), atol=5e-9)


def test_variations_that_russac_prints() -> None:
    assert DriftingProblem.russac_abrupt().drift.variation(6000) == pytest.approx(5.414213562373095, rel=1e-12)
    assert DriftingProblem.russac_smooth().drift.variation(3000) == pytest.approx(1.5702727100817697, rel=1e-12)


def test_arms_of_russac() -> None:
    """Even in the square; the share 1 − π/4 that lies outside of the disc is on its rim."""
    problem = DriftingProblem.russac_abrupt()
    arms = problem.rounds(0, 0, 0, 2000).contexts
    assert arms.shape == (2000, 50, 2)
    lengths = np.linalg.norm(arms, axis=2).ravel()
    rim = np.isclose(lengths, 1.0, rtol=1e-12)
    share, n = 1.0 - math.pi / 4.0, len(lengths)
    assert rim.mean() == pytest.approx(share, abs=5 * math.sqrt(share * (1 - share) / n))
    assert lengths.max() <= 1.0 + 1e-12
    # Within the disc the law is even: the squared length is U(0, 1).
    assert stats.kstest(lengths[~rim] ** 2, "uniform").pvalue > 1e-4
    # On the rim there is more towards the corners: density of the angle ∝ 1/(2 cos²φ) − 1/2 on |φ| < π/4.
    angles = np.arctan2(arms[..., 1].ravel()[rim], arms[..., 0].ravel()[rim])
    folded = np.abs((angles + np.pi / 4) % (np.pi / 2) - np.pi / 4)
    cdf = lambda phi: (np.tan(phi) - phi) / (1.0 - np.pi / 4)  # noqa: E731
    assert stats.kstest(folded, cdf).pvalue > 1e-4


@pytest.mark.parametrize("static", [True, False])
def test_means_and_noise(static: bool) -> None:
    drift = Straight(thetas=((0.0, 1.0), (1.0, 0.0), (0.0, 0.5)), stops=(100, 1500, 2000))
    problem = DriftingProblem(drift, 3, static=static, noise=Gaussian(scale=0.3))
    block = problem.rounds(4, 1, 0, 3000)
    assert block.contexts.shape == (1 if static else 3000, 3, 2)
    assert block.mean_rewards.shape == (3000, 3)
    for t in (0, 100, 800, 1500, 1750, 2999):
        share = min(max((t - 100) / 1400, 0.0), 1.0)
        theta = [share, 1.0 - share] if t <= 1500 else [max(2000 - t, 0) / 500, 0.5 * min((t - 1500) / 500, 1.0)]
        by_hand = [sum(x * w for x, w in zip(arm, theta, strict=True)) for arm in block.contexts_of(t)]
        np.testing.assert_allclose(block.mean_rewards[t], by_hand, atol=1e-12)
    residuals = block.rewards - block.mean_rewards
    assert residuals.std() == pytest.approx(0.3, rel=0.05)
    assert abs(residuals.mean()) < 5 * 0.3 / math.sqrt(residuals.size)


def test_generalized_linear_means() -> None:
    block = DriftingProblem(ABRUPT, 5, family="logistic").rounds(0, 0, 0, 60)
    scores = np.array([block.contexts[t] @ ABRUPT.thetas[int(t >= 30)] for t in range(60)])
    np.testing.assert_allclose(block.mean_rewards, 1.0 / (1.0 + np.exp(-scores)), rtol=1e-12)
    assert set(np.unique(block.rewards)) == {0.0, 1.0}


@pytest.mark.parametrize("static", [True, False])
def test_a_path_does_not_depend_on_how_it_is_cut(static: bool) -> None:
    drift = Rotation((0.0, 2.0, 0.0), (0.0, 0.0, -2.0), rounds=1200)
    whole = DriftingProblem(drift, 4, static=static).rounds(7, 3, 0, 2600)
    problem = DriftingProblem(drift, 4, static=static)
    parts = [problem.rounds(7, 3, start, stop) for start, stop in pairwise((0, 1, 1023, 1025, 2047, 2600))]
    for name in ("mean_rewards", "rewards"):
        assert np.array_equal(np.concatenate([getattr(part, name) for part in parts]), getattr(whole, name))
    assert np.array_equal(problem.rounds(7, 3, 2000, 2010).mean_rewards, whole.mean_rewards[2000:2010])
    twin = pickle.loads(pickle.dumps(problem))
    assert np.array_equal(twin.rounds(7, 3, 5, 9).rewards, whole.rewards[5:9])


def test_drifting_means_where_a_chunk_is_one_round() -> None:
    """So many arms that rounds are drawn one by one."""
    problem = DriftingProblem(Abrupt(((1.0,), (-1.0,)), starts=(1,)), 2**22, static=True, contexts="box")
    block = problem.rounds(0, 0, 0, 2)
    assert np.array_equal(block.mean_rewards[1], -block.mean_rewards[0])


def test_rotation_in_more_dimensions_keeps_norm_and_plane() -> None:
    first, last = (1.0, 2.0, 2.0), (0.0, 3.0, 0.0)
    path = Rotation(first, last, rounds=50).at(np.arange(80))
    np.testing.assert_allclose(path[[0, 50, 79]], [first, last, last], atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(path, axis=1), 3.0, rtol=1e-12)
    np.testing.assert_allclose(path @ np.cross(first, last), 0.0, atol=1e-12)
    turned = np.arccos(np.clip((path[1:51] * path[:50]).sum(axis=1) / 9.0, -1.0, 1.0))
    np.testing.assert_allclose(turned, math.acos(2.0 / 3.0) / 50, rtol=1e-9)
    still = Rotation(first, first, rounds=5).at(np.arange(7))
    np.testing.assert_allclose(still, np.tile(first, (7, 1)))


def test_describes_itself() -> None:
    problem = DriftingProblem(ABRUPT, 4, noise="uniform")
    assert problem.params["drift"]["arguments"]["starts"] == [30]
    assert repr(problem).startswith("DriftingProblem(Abrupt(thetas=((1.0, 0.0, 0.5)")
    assert "family='logistic'" in repr(DriftingProblem(ABRUPT, 4, family="logistic"))


def bad_drift(**changed: object) -> Drift:
    return Abrupt(**{"thetas": ((1.0, 0.0), (0.0, 1.0)), "starts": (5,), **changed})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: bad_drift(thetas=((1.0,), (1.0, 2.0))), "'thetas' parameter of Abrupt must be rows of finite numbers"),
        (lambda: bad_drift(thetas=((1.0,), (math.nan,))), "'thetas'"),
        (lambda: bad_drift(starts=()), "'starts' parameter of Abrupt must be ascending ints from 1 on"),
        (lambda: bad_drift(starts=(0,)), "'starts'"),
        (lambda: bad_drift(thetas=((1.0,),) * 3, starts=(9, 5)), "'starts'"),
        (lambda: bad_drift(starts=5), "'starts'"),
        (lambda: bad_drift(starts=(2.5,)), "'starts'"),
        (lambda: Rotation((1.0, 0.0), (-1.0, 0.0), rounds=3), "'last' parameter of Rotation .* nor opposite"),
        (lambda: Rotation((1.0, 0.0), (2.0, 0.0), rounds=3), "same length"),
        (lambda: Rotation((0.0, 0.0), (0.0, 0.0), rounds=3), "neither 0"),
        (lambda: Rotation((1.0, 0.0), (1.0,), rounds=3), "'last'"),
        (lambda: Rotation((1.0, 0.0), (0.0, 1.0), rounds=0), "'rounds'"),
        (lambda: Straight(((1.0,), (2.0,)), stops=(0,)), "'stops' parameter of Straight"),
        (lambda: DriftingProblem((1.0, 0.0), 3), "'drift' parameter of DriftingProblem must be a drift such as"),
        (lambda: DriftingProblem(ABRUPT, 0), "'n_arms'"),
        (lambda: DriftingProblem(ABRUPT, 3, static=1), "'static'"),
        (lambda: DriftingProblem(ABRUPT, 3, noise=BoundedReward()), "'drift' parameter .* norm of at most 1 "),
        (lambda: DriftingProblem(ABRUPT, 3, family="cauchy"), "'family'"),
        (lambda: DriftingProblem(ABRUPT, 3, family="logistic", noise="uniform"), "'noise' .* linear means only"),
        (lambda: DriftingProblem(Abrupt(((800.0,),)), 3, family="poisson"), "parameter of DriftingProblem"),
        (lambda: ABRUPT.variation(0), "'horizon'"),
    ],
)
def test_bad_parameters(make: object, words: str) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        make()  # type: ignore[operator]


class Misshapen(Drift):
    """A drift of somebody's own, of which θ has another shape."""

    n_features, norm = 2, 1.0

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape

    def at(self, rounds: IntArray) -> FloatArray:
        return np.ones(self.shape)


@pytest.mark.parametrize("shape", [(2,), (1, 2), (9, 3), (9, 2, 2)])
@pytest.mark.parametrize("static", [True, False])
def test_a_drift_of_another_shape_is_refused(shape: tuple[int, ...], static: bool) -> None:
    with pytest.raises(InvalidInputError, match=r"at must return shape \(\d+, 2\). Got shape"):
        DriftingProblem(Misshapen(shape), n_arms=3, static=static).rounds(0, 0, 0, 9)
