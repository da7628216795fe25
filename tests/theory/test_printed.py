"""Where the formulas do not hold as printed, and that those used instead do: problems that break a printed bound."""

import math

import numpy as np
import pytest

from rbmle import GLMRBMLE, LinRBMLE, theory
from rbmle.families import Gaussian
from rbmle.theory import GLMBound, LinearBound


def test_potential_of_the_cited_lemma_bounds_the_sum_of_variances():
    rng = np.random.default_rng(0)
    for d, lam in [(2, 1.0), (5, 1.0), (5, 3.0)]:
        V, total = lam * np.eye(d), 0.0
        for t in range(1, 200):
            x = rng.standard_normal(d)
            x /= np.linalg.norm(x)
            total += x @ np.linalg.solve(V, x)
            V += np.outer(x, x)
            assert total <= theory.G1_determinant(np.array(float(t)), d=d, lam=lam) ** 2


def test_the_printed_potential_is_too_small_at_the_start():
    # one context per direction: each has variance 1 when it comes, so the sum after d rounds is d
    d = 8
    printed = theory.G1(np.array(float(d)), d=d, lam=1.0) ** 2
    assert printed < d < theory.G1_determinant(np.array(float(d)), d=d, lam=1.0) ** 2


def test_a_new_direction_in_every_round_breaks_the_printed_theorem_2():
    # In round t the arms are ±e_t: nothing is known of either, the first is taken, and it is the worse one.
    d, T, sigma = 51, 50, 0.01
    theta = np.full(d, -1 / math.sqrt(d))
    rng = np.random.default_rng(0)
    policy, regret = LinRBMLE(n_features=d), 0.0
    for t in range(T):
        contexts = np.zeros((2, d))
        contexts[:, t] = 1.0, -1.0
        means = contexts @ theta
        arm = policy.choose(contexts)
        policy.update(contexts[arm], means[arm] + sigma * rng.standard_normal())
        regret += means.max() - means[arm]
    assert regret == pytest.approx(100 / math.sqrt(51))  # 2 · 50 / √51 = 14.0
    assert LinearBound(n_features=d, noise_scale=sigma, potential="printed")(T) < 9 < regret
    assert regret < LinearBound(n_features=d, noise_scale=sigma)(T)


def test_a_bound_that_is_empty_again_later_is_not_said_to_hold_from_its_start():
    printed = LinearBound(n_features=51, noise_scale=0.01, potential="printed")
    assert printed(50) < 2 * 50
    assert printed(500) > 2 * 500
    first = printed.informative_horizon(2.0)
    assert printed(first - 1) >= 2 * (first - 1)
    assert (printed(np.arange(first, first + 5000)) < 2 * np.arange(first, first + 5000)).all()


def test_much_regularisation_breaks_the_printed_theorem_3():
    # Gaussian rewards without noise (σ-sub-Gaussian with every σ), so L = κ = 1. Arms (0.6, 0) and (0, 1), θ* = (1, 0).
    # The second arm pays nothing and so teaches nothing: both means stay 0, and GLM-RBMLE's index is a multiple of the
    # variance alone, 0.36/λ against 1/(λ+t−1): it is played in all T rounds.
    lam, T = 1e7, 10**6
    assert 0.36 / lam < 1 / (lam + T - 1)
    regret = 0.6 * T
    settings = {"n_features": 2, "L_mu": 1.0, "kappa_mu": 1.0, "regularization": lam}
    assert GLMBound(**settings, radius="printed")(T) < regret < GLMBound(**settings)(T)
    assert GLMBound(**settings, radius="printed", potential="printed")(T) < regret


def test_the_policy_really_plays_like_that():
    contexts = np.array([[0.6, 0.0], [0.0, 1.0]])
    for lam in (1e3, 1e7):
        policy = GLMRBMLE(n_features=2, family=Gaussian(), regularization=lam)
        for _ in range(200):
            assert policy.choose(contexts) == 1
            policy.update(contexts[1], 0.0)


def outside(radius: float, t: int, sigma: float = 1.0) -> float:
    """The chance that θ* = 0 lies outside of the radius after t times the context 1, λ = 1, Gaussian rewards.

    θ̂ = S / (t+1) with S ~ N(0, σ²t), so ‖θ̂ − θ*‖²_V = S² / (t+1), and P(|N(0, 1)| > z) = erfc(z / √2).
    """
    return math.erfc(radius / sigma * math.sqrt((t + 1) / t) / math.sqrt(2))


@pytest.mark.parametrize("t", [10, 100, 1000])
@pytest.mark.parametrize("delta", [1e-4, 1e-6, 1e-8])
def test_the_printed_radius_fails_too_often_where_delta_is_small(t, delta):
    rounds = np.array(float(t))
    printed = float(theory.G2(rounds, delta, d=1, sigma=1.0, kappa_mu=1.0))
    proved = float(theory.G2_proved(rounds, delta, d=1, lam=1.0, sigma=1.0, kappa_mu=1.0, theta_norm=0.0))
    assert outside(proved, t) < delta < outside(printed, t)


def test_regularisation_moves_the_estimate_by_as_much_as_the_radius_says():
    # no noise: ‖θ̂ − θ*‖_V = λ|θ*| / √(t+λ), at most √λ |θ*| and as good as that while t is small against λ
    for lam, t in [(1.0, 1), (100.0, 1), (1e6, 100)]:
        distance = lam / math.sqrt(t + lam)
        radius = float(theory.G2_proved(np.array(float(t)), 0.1, d=1, lam=lam, sigma=0.0, kappa_mu=1.0, theta_norm=1.0))
        assert distance <= radius == math.sqrt(lam)
