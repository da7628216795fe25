"""Noises: the right mean and variance, the stated range, one wording for bad parameters."""

import math

import numpy as np
import pytest

from rbmle.errors import InvalidParameterError, RbmleError
from rbmle.problems import BoundedReward, Gaussian, Noise, Rademacher, Uniform
from rbmle.problems.in_place import in_place
from rbmle.problems.noise import as_noise

N = 200_000
# The variance each noise must have around a mean of 0.4, by its textbook formula.
VARIANCES = [
    (Gaussian(), 1.0),
    (Gaussian(scale=0.5), 0.25),
    (Uniform(), 1.0),
    (Uniform(half_width=0.6), 0.12),
    (Rademacher(scale=2.0), 4.0),
    (BoundedReward(), 1.0 - 0.4**2),
    (BoundedReward(bound=2.0), 4.0 - 0.4**2),
]


@pytest.mark.parametrize(("noise", "variance"), VARIANCES, ids=repr)
@pytest.mark.parametrize("rng", [np.random.default_rng(1), in_place(1, 0, 0, N)], ids=["by a generator", "in place"])
def test_mean_and_variance(noise: Noise, variance: float, rng: np.random.Generator) -> None:
    rewards = noise.rewards(rng, np.full((N, 1), 0.4))
    error = math.sqrt(variance / N)
    assert rewards.mean() == pytest.approx(0.4, abs=5 * error)
    assert rewards.var() == pytest.approx(variance, rel=0.03)


@pytest.mark.parametrize("rng", [np.random.default_rng(2), in_place(2, 0, 0, 1000)], ids=["by a generator", "in place"])
def test_ranges(rng: np.random.Generator) -> None:
    means = np.linspace(-0.9, 0.9, 1000)[:, None]
    assert np.abs(Uniform(half_width=0.5).rewards(rng, means) - means).max() <= 0.5
    assert set(np.round(np.unique(Rademacher(scale=3.0).rewards(rng, means) - means), 9)) == {-3.0, 3.0}
    assert set(np.unique(BoundedReward(bound=1.5).rewards(rng, means))) == {-1.5, 1.5}


@pytest.mark.parametrize("noise", [Gaussian(), Uniform(), Rademacher(), BoundedReward()], ids=lambda noise: noise.name)
def test_sub_gaussian_with_parameter_one(noise: Noise) -> None:
    """E exp(s·(r − m)) ≤ exp(s²/2) for the default of every noise."""
    centred = noise.rewards(np.random.default_rng(3), np.full(N, 0.7)) - 0.7
    for s in (-1.5, -0.5, 0.5, 1.5):
        sample = np.exp(s * centred)
        assert sample.mean() <= math.exp(s**2 / 2) + 4 * sample.std() / math.sqrt(N)


def test_bounded_reward_is_certain_at_its_bounds() -> None:
    rewards = BoundedReward().rewards(np.random.default_rng(0), np.tile([1.0, -1.0], (500, 1)))
    assert (rewards == [1.0, -1.0]).all()


def test_names_stand_for_defaults() -> None:
    names = {"gaussian": Gaussian(), "uniform": Uniform(), "rademacher": Rademacher(), "bounded": BoundedReward()}
    assert {name: as_noise(name) for name in names} == names
    assert as_noise(Gaussian(scale=2.0)) == Gaussian(scale=2.0)
    assert Uniform(half_width=0.5).params == {"name": "uniform", "half_width": 0.5}


@pytest.mark.parametrize("bad", ["cauchy", None, 3.0])
def test_unknown_noise(bad: object) -> None:
    with pytest.raises(InvalidParameterError, match="The 'noise' parameter of problem must be one of 'gaussian'"):
        as_noise(bad)  # type: ignore[arg-type]


def test_bad_parameters() -> None:
    for make in (
        lambda: Gaussian(scale=-1.0),
        lambda: Uniform(half_width=math.nan),
        lambda: Rademacher(scale="big"),  # type: ignore[arg-type]
        lambda: BoundedReward(bound=0.0),
    ):
        with pytest.raises(RbmleError, match="parameter of"):
            make()
