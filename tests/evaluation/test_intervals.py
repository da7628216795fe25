"""Intervals against general solvers, quadrature, and other people's functions."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import binomtest, f

from rbmle import kernels
from rbmle.evaluation import evaluate
from rbmle.evaluation.intervals.bernstein import empirical_bernstein
from rbmle.evaluation.intervals.binomial import chernoff, clopper_pearson, divergence
from rbmle.evaluation.intervals.bootstrap import simultaneous, studentised
from rbmle.evaluation.intervals.cressie_read import WeightSums, cressie_read
from rbmle.evaluation.intervals.sequence import log_mixture, lower_bound
from rbmle.evaluation.kinds import KINDS
from rbmle.evaluation.names import ESTIMATORS


def sums_of(w, r):
    y = w * r
    return WeightSums(len(w), w.sum(), (w**2).sum(), y.sum(), (w * y).sum(), (y**2).sum())


def solved(w, r, room, reward, extra, sign):
    """The least mean of sign · w r over shares (1 + δ)/N of n + 1 rows, by a general solver (SLSQP)."""
    w, y = np.append(w, extra), sign * np.append(w * r, extra * reward)
    N = len(w)
    A, b = np.array([np.ones(N), w]), np.array([0.0, N - w.sum()])
    found = minimize(
        lambda delta: (1.0 + delta) @ y / N, np.linalg.pinv(A) @ b, jac=lambda delta: y / N, method="SLSQP",
        constraints=[
            {"type": "eq", "fun": lambda delta: A @ delta - b, "jac": lambda delta: A},
            {"type": "ineq", "fun": lambda delta: room - delta @ delta, "jac": lambda delta: -2.0 * delta},
        ],
        options={"maxiter": 1000, "ftol": 1e-12},
    )  # fmt: skip
    # Near the optimum it often says that it cannot go on; what it has must be allowed.
    assert np.abs(A @ found.x - b).max() < 1e-7 and found.x @ found.x < room + 1e-7
    return sign * found.fun


@pytest.mark.parametrize("seed", range(4))
def test_cressie_read_is_the_solution_of_its_problem(seed):
    rng = np.random.default_rng(seed)
    n, largest = 12, 6.0
    w, r = rng.exponential(1.0 if seed % 2 else 0.8, n), rng.random(n)
    low, high = cressie_read(sums_of(w, r), 0.9, (-1.0, 2.0), (0.0, largest))
    assert -1.0 < low < high < 2.0
    room = f.ppf(0.9, 1, n)

    def needed(extra):
        """The least divergence with which the mean weight is 1."""
        all_w = np.append(w, extra)
        N = n + 1
        A = np.array([np.ones(N), all_w])
        delta = np.linalg.pinv(A) @ np.array([0.0, N * (1.0 - all_w.mean())])
        return (delta**2).sum()

    best = needed(largest if w.sum() < n else 0.0) + room
    for sign, reward, bound in ((1.0, -1.0, low), (-1.0, 2.0, high)):
        ends = [solved(w, r, best, reward, extra, sign) for extra in (0.0, largest) if needed(extra) <= best]
        expected = min(ends) if sign > 0 else max(ends)
        assert bound == pytest.approx(expected, abs=1e-5)


def test_cressie_read_without_a_bound_of_weights_is_the_limit():
    rng = np.random.default_rng(3)
    w, r = rng.exponential(1.0, 200), rng.random(200)
    for weights in (w, 1.2 * w):
        limit = cressie_read(sums_of(weights, r), 0.95, (0.0, 1.0))
        near = cressie_read(sums_of(weights, r), 0.95, (0.0, 1.0), (0.0, 1e7))
        assert limit == pytest.approx(near, rel=1e-4)
    same = cressie_read(sums_of(np.ones(50), np.full(50, 0.3)), 0.95, (0.0, 1.0))
    assert same[0] <= 0.3 <= same[1]


def test_the_mixture_is_the_integral():
    for S, v, rho in ((3.0, 5.0, 2.0), (10.0, 30.0, 1.0), (0.5, 2.0, 5.0), (40.0, 200.0, 50.0), (-3.0, 5.0, 2.0)):

        def density(u, rho=rho):
            return u ** (rho - 1.0) * math.exp(-rho * u)

        total = quad(density, 0.0, 1.0)[0]
        # λ = 1 − u: exp(λ S − ψ(λ) v), ψ(λ) = −log(1 − λ) − λ.
        mixed = quad(lambda u, S=S, v=v: math.exp((1 - u) * S + v * (math.log(u) + 1 - u)) * density(u), 0.0, 1.0)[0]
        assert log_mixture(S, v, rho) == pytest.approx(math.log(mixed / total), abs=1e-10)
    bound = lower_bound(1000, 500.0, 250.0, 100.0, 0.025)
    assert log_mixture(500.0 - 1000.0 * bound, 250.0, 100.0) == pytest.approx(math.log(40.0), abs=1e-9)
    assert lower_bound(10, 0.0, 2.5, 1.0, 0.025) == lower_bound(3, 1.0, 0.5, 1.0, 0.001) == 0.0


def test_one_step_never_gains():
    """E exp(λ(X − ν) − ψ(λ)(X − X̂)²) ≤ 1 for every law of X on two points, which are the worst, and every guess."""
    rng = np.random.default_rng(0)
    worst = 0.0
    for margin in (0.0, 1.0, 3.0):
        cap = 1.0 / (margin + 1.0)
        low = rng.uniform(cap - 1.0, 1.0, 20_000)  # rows are never below cap − 1
        high = low + rng.exponential(3.0, 20_000)
        chance, guess = rng.random(20_000), rng.uniform(cap - 3.0, cap, 20_000)
        lam = rng.random(20_000) * 0.999
        mean = chance * high + (1 - chance) * low
        psi = -np.log1p(-lam) - lam
        gains = sum(
            p * np.exp(lam * (x - mean) - psi * (x - guess) ** 2) for p, x in ((chance, high), (1 - chance, low))
        )
        worst = max(worst, float(gains.max()))
    assert 0.99 < worst <= 1.0 + 1e-9


def test_guesses_are_made_from_rows_before_and_capped():
    values, past, total = np.array([3.0, 0.0, 1.0, 2.0]), np.zeros(2), np.zeros(3)
    kernels.logs.sequence.follow(values, 1.0, past, total)
    guesses = [min(1.0, (0.5 + sum(values[:t])) / (t + 1)) for t in range(4)]
    assert total == pytest.approx([4.0, 6.0, sum((x - g) ** 2 for x, g in zip(values, guesses, strict=True))])
    again, halves = np.zeros(2), np.zeros(3)
    kernels.logs.sequence.follow(values[:2], 1.0, again, halves)
    kernels.logs.sequence.follow(values[2:], 1.0, again, halves)
    np.testing.assert_allclose(halves, total, rtol=1e-15)


def test_clopper_pearson_is_scipys():
    for k, n in ((0, 5), (1, 5), (5, 5), (37, 100)):
        exact = binomtest(k, n).proportion_ci(0.95, method="exact")
        assert clopper_pearson(k, n, 0.025) == pytest.approx(exact.low, abs=1e-12)
        assert 1.0 - clopper_pearson(n - k, n, 0.025) == pytest.approx(exact.high, abs=1e-12)


def test_the_chernoff_bound_solves_its_equation():
    for mean, n, alpha in ((0.5, 100, 0.025), (0.01, 50, 0.1), (0.999, 20, 0.025), (0.3, 10**6, 0.025)):
        q = chernoff(mean, n, alpha)
        assert 0.0 < q < mean and n * divergence(mean, q) == pytest.approx(math.log(1 / alpha), rel=1e-6)
    assert chernoff(1.0, 10, 0.025) == pytest.approx(0.025 ** (1 / 10), rel=1e-9)  # q^n = α
    assert chernoff(0.0, 10, 0.025) == 0.0
    # Valid for coins: the chance of so many successes is below α whatever the mean up to the bound.
    from scipy.stats import binom

    assert binom.sf(79, 100, chernoff(0.8, 100, 0.025)) <= 0.025


def test_empirical_bernstein_by_hand():
    # ln(2/0.05) = 3.6889: 0.5 − √(2 · 0.01 · 3.6889 / 1000) − 7 · 3.6889 / (3 · 999) = 0.5 − 0.0085894 − 0.0086161
    assert empirical_bernstein(0.5, 0.01, 1000, 1.0, 0.05) == pytest.approx(0.4827946, abs=1e-7)
    assert empirical_bernstein(0.1, 0.2, 5, 1.0, 0.05) == empirical_bernstein(0.5, 0.1, 1, 1.0, 0.05) == 0.0


def test_studentised_and_simultaneous_quantiles_by_hand():
    t = np.arange(-50.0, 51.0)  # 101 pivots: the 5 % and 95 % ones are −45 and 45
    assert studentised(1.0, 0.1, t, 0.9) == pytest.approx((1.0 - 4.5, 1.0 + 4.5))
    both = np.array([t, np.zeros(101)])
    assert simultaneous(both, 0.9) == simultaneous(both[::-1], 0.9) == pytest.approx(45.0, abs=1.0)
    # The larger of two independent pivots is larger than each.
    rng = np.random.default_rng(0)
    z = rng.standard_normal((2, 20_000))
    c = simultaneous(z, 0.95)
    assert c == pytest.approx(2.236, abs=0.03)  # (2Φ(c) − 1)² = 0.95


def test_every_interval_says_what_it_needs(world):
    log, pi = world.log(0, 500)
    options = {"clip": 2.0, "switch_threshold": 2.0, "shrinkage": 5.0, "largest_weight": 50.0, "replicates": 50}
    options |= {"reward_range": (0.0, 1.0), "reward_model": np.full((500, world.K), 0.5)}
    found = evaluate(log, pi, estimators=tuple(ESTIMATORS), intervals=tuple(KINDS), **options)
    seen = set()
    for name, each in found.estimates.items():
        for kind, interval in each.intervals.items():
            needs = "; ".join(interval.assumptions)
            seen.add(kind)
            assert "logged probabilities are true" in needs
            # Only the sequence is proved for policies that learn, and for logs that are watched.
            assert ("rows are independent" in needs) == ("looked at once" in needs) == (kind != "sequence")
            assert ("given all rows before" in needs) == (kind == "sequence")
            assert ("many rows" in needs) == (kind in ("asymptotic", "bootstrap", "cressie-read"))
            assert ("rewards lie in the range" in needs) == (kind not in ("asymptotic", "bootstrap"))
            chosen = {"sequence": "rho was", "kl": "clip was", "clopper-pearson": "clip was"}
            chosen |= dict.fromkeys(("empirical-bernstein", "cressie-read"), "the bound of weights was")
            assert ("chosen beforehand" in needs) == (kind in chosen) and chosen.get(kind, "") in needs
            # What clipping takes away is allowed for by the bounds that are made for it, and by no others.
            biased = name in ("dm", "clipped-ips", "switch-dr", "dros") and kind in ("asymptotic", "bootstrap")
            assert ("is right" in needs or "takes away is small" in needs) == biased
    assert seen == set(KINDS)
    frame = found.to_frame()
    assert (frame["assumptions"].str.len() > 20).all() and set(frame["interval"]) == seen
    free = evaluate(log, pi, estimators="ips", intervals="cressie-read", reward_range=(0.0, 1.0))
    assert "the bound of weights" not in "; ".join(free.interval("ips").assumptions)
