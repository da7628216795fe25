"""Theorems 2 and 3 against numbers worked out here, step by step, with nothing but the standard library."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbmle import LinRBMLE, theory
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.problems import LinearProblem
from rbmle.schedules import Constant, OnePlusLog, Power, Sqrt
from rbmle.simulation import simulate
from rbmle.theory import GLMBound, LinearBound, glm_bound, linear_bound


def test_theorem_2_by_hand():
    # d = 2, λ = 1, δ = 0.1, σ = 1, T = 4, α(t) = √t
    radius = math.sqrt(2 * math.log(5 / 0.1)) + 1  # G0: (1 + 4) / (1 · 0.1) = 50
    potential_squared = 4 * math.log(3)  # G1²: 2 · 2 · log(1 + 4 / (2 · 1))
    printed_squared = 4 * math.log(2.5)  # 2 · 2 · log(5 / 2)
    halves = 0.5 * (1 + 1 / math.sqrt(2) + 1 / math.sqrt(3) + 0.5)
    by_hand = radius**2 * halves + 2 * radius * math.sqrt(potential_squared) + 0.5 * 2 * potential_squared
    assert linear_bound(4, n_features=2) == pytest.approx(by_hand, rel=1e-14)
    printed = radius**2 * halves + 2 * radius * math.sqrt(printed_squared) + 0.5 * 2 * printed_squared
    assert printed == pytest.approx(38.28, abs=0.01)  # 14.418 · 1.3922 + 2 · 3.7971 · 1.9145 + 3.6652
    assert linear_bound(4, n_features=2, potential="printed") == pytest.approx(printed, rel=1e-14)


def test_theorem_2_with_every_parameter_by_hand():
    # d = 3, λ = 2, δ = 0.05, σ = 0.5, T = 3, α(t) = 2t
    radius = 0.5 * math.sqrt(3 * math.log(5 / (2 * 0.05))) + math.sqrt(2)
    potential = math.sqrt(6 * math.log(1 + 3 / 6))
    terms = LinearBound(
        n_features=3, regularization=2.0, delta=0.05, noise_scale=0.5, bias=Power(scale=2.0, exponent=1.0)
    ).terms(3)
    assert terms["best_arm"] == pytest.approx(radius**2 * (1 / 4 + 1 / 8 + 1 / 12), rel=1e-14)
    assert terms["played_arm"] == pytest.approx(math.sqrt(3) * radius * potential, rel=1e-14)
    assert terms["bias"] == pytest.approx(3 * potential**2, rel=1e-14)


def test_theorem_3_by_hand():
    # L_μ = 2, κ_μ = 1/2: L³/(2κ²) = 16, so T₀ is the first t with η(t) = t > 32
    # C₁ = 2·16·16 + 4, C₂ = 2·8·4 + 4, C₃ = 2
    bound = GLMBound(n_features=2, L_mu=2.0, kappa_mu=0.5, boost=Power(exponent=1.0), noise_scale=0.5, delta=0.1)
    # G₂ with d = 2, λ = 1, T = 4, σ = ½, ‖θ‖ = 1: (½ √(2 log 3 + 2 log 10) + 1) / ½
    radius_squared = (math.sqrt(2 * math.log(3) + 2 * math.log(10)) + 2) ** 2
    potential_squared = 4 * math.log(3)
    terms = bound.terms(4)
    assert bound.start == 33
    assert terms["start"] == 33
    assert terms["bias"] == pytest.approx(516 * 2 * potential_squared, rel=1e-14)
    assert terms["played_arm"] == pytest.approx(68 * 2 * math.sqrt(potential_squared * radius_squared), rel=1e-14)
    assert terms["best_arm"] == pytest.approx(
        2 * radius_squared * (1 + 1 / math.sqrt(2) + 1 / math.sqrt(3) + 0.5), rel=1e-14
    )
    total = glm_bound(4, 2, delta=0.1, L_mu=2.0, kappa_mu=0.5, boost=Power(exponent=1.0), noise_scale=0.5)
    assert total == pytest.approx(sum(float(term) for term in terms.values()), rel=1e-14)


def test_theorem_3_as_printed_by_hand():
    settings = {"n_features": 2, "L_mu": 2.0, "kappa_mu": 0.5, "boost": Power(exponent=1.0), "noise_scale": 0.5}
    terms = GLMBound(**settings, potential="printed", radius="printed").terms(4)
    radius_squared = math.log(1 + 4) + math.log(10)  # G₂² with d = 2, T = 4, σ/κ = 1
    potential_squared = 4 * math.log(2.5)
    assert terms["bias"] == pytest.approx(516 * 2 * potential_squared, rel=1e-14)
    assert terms["played_arm"] == pytest.approx(68 * 2 * math.sqrt(potential_squared * radius_squared), rel=1e-14)
    assert terms["best_arm"] == pytest.approx(
        2 * radius_squared * (1 + 1 / math.sqrt(2) + 1 / math.sqrt(3) + 0.5), rel=1e-14
    )


def test_slopes_below_one_are_lifted_because_the_proof_needs_it():
    kappa = math.exp(-1) / (1 + math.exp(-1)) ** 2
    assert GLMBound(n_features=2, L_mu=0.25, kappa_mu=kappa).slopes == (1.0, kappa)
    assert GLMBound(n_features=2, L_mu=0.25, kappa_mu=kappa, as_given=True).slopes == (0.25, kappa)
    lifted = GLMBound(n_features=2, L_mu=0.25, kappa_mu=kappa).start
    assert lifted == math.floor(math.exp(1 / kappa**2 - 1)) + 1
    assert GLMBound(n_features=2, L_mu=0.25, kappa_mu=kappa, as_given=True).start == 1


@given(
    L=st.floats(0.3, 3.0),
    kappa=st.floats(0.2, 1.0),
    boost=st.one_of(
        st.builds(OnePlusLog, scale=st.floats(1.0, 20.0)),
        st.builds(Sqrt, scale=st.floats(0.5, 20.0)),
        st.builds(Power, scale=st.floats(0.5, 5.0), exponent=st.floats(0.3, 2.0)),
    ),
)
@settings(max_examples=200, deadline=None)
def test_start_against_trying_every_round(L, kappa, boost):
    rounds = np.arange(1.0, 20001)
    reached = np.flatnonzero(L**3 / (2 * kappa**2 * boost(rounds)) < 0.5)
    found = theory.T0(boost, L_mu=L, kappa_mu=kappa)
    assert found == rounds[reached[0]] if len(reached) else found > 20000


def test_start_is_strict_and_takes_functions():
    assert theory.T0(lambda t: t, L_mu=2.0, kappa_mu=1.0) == 9  # 8/(2t) < 1/2 means t > 8
    with pytest.raises(InvalidInputError, match="boost must be positive"):
        theory.T0(Constant(0.0), L_mu=1.0, kappa_mu=1.0)


def test_start_beyond_all_runs():
    assert theory.T0(OnePlusLog(), L_mu=1.0, kappa_mu=0.01) == math.inf
    assert theory.T0(Constant(1.0), L_mu=1.0, kappa_mu=0.5) == math.inf
    huge = theory.T0(OnePlusLog(), L_mu=1.0, kappa_mu=0.05)  # log T₀ = 399
    assert math.log(huge) == pytest.approx(399, rel=1e-12)
    assert glm_bound(100, 2, L_mu=1.0, kappa_mu=0.01) == math.inf


@pytest.mark.parametrize(
    "bound", [LinearBound(n_features=4), GLMBound(n_features=4, L_mu=1.0, kappa_mu=0.4)], ids=["linear", "glm"]
)
class TestBothBounds:
    def test_curve_agrees_with_single_horizons(self, bound):
        horizons = [[7, 10, 4096], [30000, 7, 2_000_000]]
        curve = bound(horizons)
        assert curve.shape == (2, 3)
        for row, values in zip(horizons, curve, strict=True):
            for T, value in zip(row, values, strict=True):
                assert bound(T) == pytest.approx(value, rel=1e-13)

    def test_rises_with_the_horizon(self, bound):
        assert (np.diff(bound(np.arange(4, 5000))) > 0).all()

    def test_grows_like_root_t_log_t(self, bound):
        T = 2.0 ** np.arange(40, 50)
        start = getattr(bound, "start", 0)
        ratio = (bound(T) - start) / (np.sqrt(T) * np.log(T))
        assert ratio[-1] == pytest.approx(ratio[0], rel=0.1)  # T^ε more or less would show as 2^(9ε)

    def test_sharper_for_a_larger_delta_and_less_noise(self, bound):
        assert replace(bound, delta=0.5)(1000) < bound(1000) < replace(bound, delta=0.01)(1000)
        assert replace(bound, noise_scale=0.5)(1000) < bound(1000)
        assert replace(bound, n_features=5)(1000) > bound(1000)

    def test_horizon_before_the_printed_potential_is_defined(self, bound):
        printed = replace(bound, potential="printed")
        with pytest.raises(InvalidInputError, match="horizon must be at least 3"):
            printed(2)
        assert printed(3) > 0
        assert bound(1) > 0

    @pytest.mark.parametrize("horizon", [0, -1, 2.5, math.nan, [], [10, 0], "10", 1e19])
    def test_bad_horizon(self, bound, horizon):
        with pytest.raises(InvalidInputError, match="horizon"):
            bound(horizon)


@pytest.mark.parametrize(("scale", "exponent"), [(1.0, 0.5), (0.3, 0.75), (2.0, 0.0), (1.0, 1.0)])
def test_long_sums_are_the_sums(scale, exponent):
    T = 5_000_001
    bound = LinearBound(n_features=1, noise_scale=0.0, bias=Power(scale=scale, exponent=exponent))
    direct = math.fsum(1 / (2 * scale * np.arange(1.0, T + 1) ** exponent))
    assert bound.terms([T, 10])["best_arm"][0] == pytest.approx(direct, rel=1e-11)  # G0 = 1 here


def test_plain_functions_as_bias():
    assert linear_bound(50, 2, bias=math.sqrt) == pytest.approx(linear_bound(50, 2), rel=1e-14)
    with pytest.raises(InvalidInputError, match="plain function"):
        linear_bound(10**7, 2, bias=math.sqrt)


@pytest.mark.parametrize("bias", [Power(exponent=-0.5), Constant(0.0), Constant(-1.0), lambda t: 5 - t])
def test_a_bias_that_falls_or_vanishes_is_refused(bias):
    with pytest.raises(InvalidInputError, match="bias must be positive"):
        linear_bound(10, 2, bias=bias)


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"n_features": 0}, "n_features"),
        ({"n_features": 2, "delta": 0.0}, "delta"),
        ({"n_features": 2, "delta": 1.0}, "delta"),
        ({"n_features": 2, "regularization": 0.5}, "regularization"),
        ({"n_features": 2, "noise_scale": -1.0}, "noise_scale"),
        ({"n_features": 2, "bias": 3.0}, "bias"),
    ],
)
def test_bad_parameters(parameters, name):
    with pytest.raises(InvalidParameterError, match=f"'{name}' parameter of LinearBound"):
        linear_bound(10, **parameters)


def test_smallest_slope_above_the_largest_is_refused():
    with pytest.raises(InvalidParameterError, match="kappa_mu"):
        GLMBound(n_features=2, L_mu=0.2, kappa_mu=0.3)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_informative_horizon_against_trying_every_round(d):
    bound = LinearBound(n_features=d)
    T = np.arange(d, 20000)
    assert bound.informative_horizon(2.0) == T[np.flatnonzero(bound(T) >= 2 * T)[-1] + 1]


def test_informative_horizon_at_once_and_never():
    quiet = LinearBound(n_features=1, noise_scale=0.0)
    assert quiet.informative_horizon(100.0) == 1
    assert LinearBound(n_features=2, bias=Constant(0.01)).informative_horizon(2.0) == math.inf


@pytest.mark.parametrize("static", [True, False])
def test_measured_regret_stays_below_the_bound(static):
    problem = LinearProblem((-0.3, 0.5, 0.8), n_arms=10, static=static)
    results = simulate({"LinRBMLE": LinRBMLE(n_features=3)}, problem, horizon=1000, trials=20, seed=3, n_jobs=1)
    curve = linear_bound(results.rounds, 3, delta=0.1)
    held = (results.regret["LinRBMLE"] <= curve).all(axis=1)
    assert held.mean() >= 0.9
