"""Intervals against the truth: how often they hold what they are to hold, over logs of a known value."""

import numpy as np
import pytest
from scipy.special import gammainc, gammaln

from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.evaluation import evaluate
from rbmle.evaluation.intervals.sequence import lower_bound

ROWS = 1000


def evaluated(world, logs, **options):
    """Values and hits of intervals over many logs."""
    values, hits = {}, {}
    for seed in range(logs):
        log, pi = world.log(10_000 + seed, ROWS)
        found = evaluate(log, pi, seed=seed, **options)
        for name, each in found.estimates.items():
            values.setdefault(name, []).append(each.value)
            for kind, interval in each.intervals.items():
                hits.setdefault((name, kind), []).append(world.value in interval)
    return {name: np.array(each) for name, each in values.items()}, {key: np.mean(each) for key, each in hits.items()}


@pytest.mark.long
def test_asymptotic_and_bootstrap_intervals_cover(make_world):
    world = make_world(1, K=4, d=3)
    values, hits = evaluated(
        world, 1000, estimators=("ips", "snips", "dr"), intervals=("asymptotic", "bootstrap"), replicates=300
    )
    for key, share in hits.items():
        assert 0.92 <= share <= 0.98, (key, share)
    # Unbiased, and the better for a fair model.
    for name, each in values.items():
        assert abs(each.mean() - world.value) < 4.0 * each.std() / np.sqrt(1000), name
    assert np.mean((values["dr"] - world.value) ** 2) < np.mean((values["ips"] - world.value) ** 2)


def test_intervals_cover_in_short(make_world):
    """The same on fewer logs, with bounds as wide as so few ask for."""
    world = make_world(1, K=4, d=3)
    kinds = ("asymptotic", "cressie-read", "clopper-pearson", "kl", "empirical-bernstein")
    values, hits = evaluated(
        world, 250, estimators=("ips", "snips", "dr", "clipped-ips"), intervals=kinds, clip=20.0,
        reward_range=(0.0, 1.0), largest_weight=float((world.pi / world.p).max()),
    )  # fmt: skip
    for (name, kind), share in hits.items():
        if kind == "asymptotic":
            assert 0.91 <= share <= 0.985, (name, share)
        else:
            assert share >= 0.93, (name, kind, share)
    assert np.mean((values["dr"] - world.value) ** 2) < np.mean((values["ips"] - world.value) ** 2)


def bounds_hold(X, mean, rho, alpha, cap=1.0):
    """(logs,) whether the lower sequence of rows X (logs, times) is at or below the mean at all times together."""
    logs, times = X.shape
    t = np.arange(1, times + 1)
    before = np.concatenate([np.zeros((logs, 1)), X.cumsum(axis=1)[:, :-1]], axis=1)
    guess = np.minimum(cap, (0.5 * cap + before) / t)
    v = ((X - guess) ** 2).cumsum(axis=1)
    S = X.cumsum(axis=1) - t * mean
    total = np.maximum(S + v + rho, 1e-12)
    log_m = (
        S + v + rho * np.log(rho) - (v + rho) * np.log(total)
        + gammaln(v + rho) + np.log(np.maximum(gammainc(v + rho, total), 1e-300))
        - gammaln(rho) - np.log(gammainc(rho, rho))
    )  # fmt: skip
    return (log_m < np.log(1.0 / alpha)).all(axis=1)


def test_the_confidence_sequence_holds_at_all_times_together(make_world):
    world, logs = make_world(2, K=4, d=3), 1000
    rng = np.random.default_rng(0)
    s = rng.integers(0, 16, (logs, ROWS))
    arms = (world.p[s].cumsum(axis=2) > rng.random((logs, ROWS, 1))).argmax(axis=2)
    r = (rng.random((logs, ROWS)) < world.mu[s, arms]).astype(float)
    w = (world.pi / world.p)[s, arms]
    q = np.clip(world.mu + 0.1 * rng.standard_normal(world.mu.shape), 0.0, 1.0)  # a fair model, known beforehand
    for margin in (None, 1.0):
        for rho in (10.0, 1000.0):
            hold = np.ones(logs, dtype=bool)
            for side in (0, 1):
                reward, model, mean = (r, q, world.value) if side == 0 else (1 - r, 1 - q, 1 - world.value)
                X, cap = w * reward, 1.0
                if margin is not None:
                    capped = np.minimum(model, margin * world.p / world.pi)
                    X = (w * (reward - capped[s, arms]) + (world.pi * capped).sum(axis=1)[s]) / (margin + 1.0)
                    mean, cap = mean / (margin + 1.0), 1.0 / (margin + 1.0)
                    assert X.min() >= cap - 1.0 - 1e-12
                hold &= bounds_hold(X, mean, rho, 0.025, cap)
            assert hold.mean() >= 0.95, (margin, rho, hold.mean())


@pytest.mark.parametrize("margin", [None, 1.0])
def test_evaluate_gives_that_sequence(make_world, margin):
    """The bounds of `evaluate` are where the mixture is 1/α, for rows worked out here."""
    world = make_world(2, K=4, d=3)
    s, arms, r = world.draw(0, 700)
    log, pi = world.log(0, 700)
    q = np.clip(world.mu + 0.1, 0.0, 1.0)
    found = evaluate(
        log, pi, estimators=("ips", "dr"), intervals="sequence", reward_range=(0.0, 1.0), reward_model=q[s], rho=50.0,
        margin=1.0 if margin is None else margin,
    )  # fmt: skip
    interval = found.interval("ips" if margin is None else "dr")
    w = (world.pi / world.p)[s, arms]
    for side, end in ((0, interval.low), (1, 1.0 - interval.high)):
        reward, model = (r, q) if side == 0 else (1 - r, 1 - q)
        X, cap = w * reward, 1.0
        if margin is not None:
            capped = np.minimum(model, margin * world.p / world.pi)
            X, cap = (w * (reward - capped[s, arms]) + (world.pi * capped).sum(axis=1)[s]) / 2.0, 0.5
        t = np.arange(1, 701)
        before = np.concatenate([[0.0], X.cumsum()[:-1]])
        v = ((X - np.minimum(cap, (0.5 * cap + before) / t)) ** 2).sum()
        assert end == pytest.approx(lower_bound(700, X.sum(), v, 50.0, 0.025) / cap, rel=1e-9)
    assert found.interval("dr").low < world.value < found.interval("dr").high


def test_doubly_robust_sequences_need_what_they_need(world):
    log, pi = world.log(0, 100)
    options = {"intervals": "sequence", "reward_range": (0.0, 1.0)}
    found = evaluate(log, pi, estimators=("ips", "dr"), **options)
    assert "sequence" in found.estimates["ips"].intervals and not found.estimates["dr"].intervals
    assert "dr has no confidence sequence here" in str(found.verdict)
    with pytest.raises(InvalidInputError, match="needs the logged probabilities of all arms"):
        evaluate(log, pi, estimators="dr", **options)
    with pytest.raises(InvalidParameterError, match="needs reward_range"):
        evaluate(log, pi, estimators="ips", intervals="sequence")
    with pytest.raises(InvalidParameterError, match="is for clipped-ips"):
        evaluate(log, pi, estimators="ips", intervals="kl", reward_range=(0.0, 1.0))
    with pytest.raises(InvalidInputError, match="must lie in reward_range"):
        evaluate(log, pi, estimators="ips", intervals="sequence", reward_range=(0.0, 0.5))
    with pytest.raises(InvalidInputError, match="needs largest_weight"):
        evaluate(log, pi, estimators="ips", intervals="empirical-bernstein", reward_range=(0.0, 1.0))
    for kind in ("empirical-bernstein", "cressie-read"):
        with pytest.raises(InvalidInputError, match="largest_weight must be above all weights"):
            evaluate(log, pi, estimators="ips", intervals=kind, reward_range=(0.0, 1.0), largest_weight=1.0)
    log, pi = world.log(0, 5000)
    scaled = evaluate(log, pi, estimators="ips", intervals="sequence", reward_range=(-1.0, 3.0))
    assert -1.0 < scaled.interval("ips").low < scaled.interval("ips").high < 3.0
