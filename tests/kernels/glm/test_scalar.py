"""The equation of one reward against general root finders, for every link, over the whole range of rewards."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

from rbmle.families import Custom, Extended, Family, Gaussian, Logistic, Poisson
from rbmle.kernels.glm.scalar import solve
from rbmle.models.link import link_of

SOFTPLUS = Custom(
    name="softplus",
    mu=lambda z: math.log1p(math.exp(z)) if z < 30.0 else z,
    dmu=lambda z: 1.0 / (1.0 + math.exp(-z)) if z > -700.0 else 0.0,
    potential=lambda z: 0.0,  # the equation needs none
)
FAMILIES: list[tuple[Family, list[float]]] = [
    (Gaussian(), [-1e6, -3.0, 0.0, 0.5, 1e9]),
    (Logistic(), [0.0, 1.0]),
    (Logistic(fractions=True), [0.0, 0.3, 1.0]),
    (Poisson(), [0.0, 1.0, 7.0, 410.0, 500.0, 50_000.0, 1e6, 1e12]),
    (Extended(base=Poisson(), limit=3.0), [0.0, 5.0, 500.0, 1e6]),
    (Extended(base=Logistic(), limit=2.0), [0.0, 1.0]),
    (SOFTPLUS, [0.0, 2.0, 1e5]),
]


def equation(family: Family, z: float, v: float, r: float):
    """r − μ(z + vτ) − τ; overflow is minus infinity, which a bracketing root finder must not see."""
    most = 700.0 if family == Poisson() else math.inf
    return lambda tau: r - family.mean(min(z + v * tau, most)) - tau


@pytest.mark.parametrize(("family", "rewards"), FAMILIES, ids=lambda value: repr(value)[:40])
@pytest.mark.parametrize("v", [1e-8, 0.01, 1.0, 40.0, 1e5])
def test_it_is_the_root_that_a_general_root_finder_finds(family: Family, rewards: list[float], v: float) -> None:
    for r in rewards:
        for z in (-40.0, -3.0, 0.0, 0.7, 6.0, 30.0):
            tau, slope, good = solve(z, v, r, link_of(family))
            f, end = equation(family, z, v, r), r - family.mean(z)
            expected = brentq(f, min(end, 0.0), max(end, 0.0), xtol=1e-300, rtol=8.9e-16, maxiter=2000) if end else 0.0
            assert good
            # The score is what the estimate sees: τ itself is only known to the rounding of r and μ.
            size = 1.0 + abs(r) + abs(family.mean(z + v * tau)) + abs(tau)
            assert abs(tau - expected) * (1.0 + v * slope) < 1e-13 * size * (1.0 + abs(z) + v * abs(tau))
            assert slope == pytest.approx(family.derivative(z + v * tau), rel=1e-9)


@pytest.mark.parametrize("r", [0.0, 3.0, 410.0, 500.0, 50_000.0, 1e6])
@pytest.mark.parametrize("v", [0.1, 1.0, 10.0])
def test_the_score_maximises_quadratic_and_likelihood(r: float, v: float) -> None:
    """The same number by a general optimiser of ½(s − z)²/v − (r s − eˢ) over the score s, which knows no τ."""
    z = -0.4
    tau, _, good = solve(z, v, r, link_of(Poisson()))
    found = minimize_scalar(
        lambda s: 0.5 * (s - z) ** 2 / v - r * s + math.exp(s), bounds=(-20.0, 20.0), options={"xatol": 1e-12}
    )
    assert good
    assert z + v * tau == pytest.approx(found.x, abs=1e-5)


def test_a_mean_that_overflows_is_brought_back() -> None:
    tau, slope, good = solve(800.0, 1.0, 3.0, link_of(Poisson()))  # e^800 is infinite
    assert good
    assert tau == pytest.approx(3.0 - math.exp(800.0 + tau), rel=1e-9)
    assert slope == pytest.approx(3.0 - tau, rel=1e-9)


@pytest.mark.parametrize("mean", [lambda z: math.nan, lambda z: math.nan if z > 0.5 else z])
def test_what_has_no_solution_is_told(mean) -> None:
    broken = Custom(name="broken", mu=mean, dmu=lambda z: 1.0, potential=lambda z: 0.0)
    _, _, good = solve(0.0, 1.0, 5.0, link_of(broken))
    assert not good


def test_it_takes_few_steps_where_newton_alone_would_creep() -> None:
    calls = 0

    def mu(z: float) -> float:
        nonlocal calls
        calls += 1
        return math.exp(min(z, 700.0))

    counted = Custom(name="counted", mu=mu, dmu=lambda z: math.exp(min(z, 700.0)), potential=lambda z: 0.0)
    for r in (500.0, 50_000.0, 1e6):
        calls = 0
        assert solve(0.0, 1.0, r, link_of(counted))[2]
        assert calls < 100


def test_numbers_are_finite_or_refused_for_wild_arguments() -> None:
    rng = np.random.default_rng(0)
    for _ in range(2000):
        z, v = rng.normal() * 10.0 ** rng.uniform(-5, 80), 10.0 ** rng.uniform(-100, 100)
        r = float(rng.integers(0, 10)) * 10.0 ** int(rng.integers(0, 60))
        tau, slope, good = solve(z, v, r, link_of(Poisson()))
        assert not good or (math.isfinite(tau) and math.isfinite(slope))
