"""Diagnostics against plain NumPy, and verdicts that say what is wrong in words."""

import math

import numpy as np
import pytest
from scipy.stats import f_oneway

from rbmle.evaluation import evaluate
from rbmle.evaluation.diagnostics import drift, span_of
from rbmle.logs import Log


def bare(arms, rewards, probabilities, **options):
    return Log.from_arrays(arms=arms, rewards=rewards, probabilities=probabilities, n_arms=2, **options)


def test_numbers_by_hand(world):
    s, arms, r = world.draw(0, 3000)
    log, pi = world.log(0, 3000)
    found = evaluate(log, pi, estimators="ips").diagnostics
    w = (pi / world.p[s])[np.arange(3000), arms]
    assert found.n == 3000
    assert found.effective_size == pytest.approx(w.sum() ** 2 / (w**2).sum(), rel=1e-12)
    assert found.mean_weight == pytest.approx(w.mean(), rel=1e-12)
    assert found.mean_weight_error == pytest.approx(w.std(ddof=1) / math.sqrt(3000), rel=1e-9)
    np.testing.assert_array_equal(found.largest, np.sort(w)[::-1][:10])
    np.testing.assert_allclose(w[found.largest_rows], found.largest, rtol=1e-15)
    assert found.largest_share == pytest.approx(np.sort(w)[-3:].sum() / w.sum(), rel=1e-12)
    assert found.smallest_probability == world.p[s, arms].min()
    assert found.never_served == 0.0 == found.unsupported
    assert abs(found.inverse_z) < 3.0 and found.calibration_p > 0.001 and found.drift_p > 0.001
    assert sum(each.arms for each in found.bins) <= 3000 * 4
    assert sum(span.n for span in found.spans) == 3000 and len(found.spans) == 20
    assert sum(span.n * span.reward for span in found.spans) == pytest.approx(r.sum())
    low, high = found.mean_weight_interval()
    assert low < 1.0 < high


def test_a_good_log_answers(world):
    log, pi = world.log(1, 4000)
    verdict = evaluate(log, pi).verdict
    assert verdict.grade == "answers" and len(verdict.lines) == 1
    assert (
        verdict.lines[0].startswith("The target would have earned 0.") and "than the logging policy" in verdict.lines[0]
    )
    same = evaluate(log, "logging", estimators="snips").verdict
    assert "not told apart from the logging policy" in str(same)


def test_three_rows_that_carry_the_weight():
    p = np.full(1000, 0.9)
    p[[10, 500, 800]] = 0.001
    arms = np.zeros(1000, dtype=int)
    found = evaluate(bare(arms, np.ones(1000), p), np.zeros(1000, dtype=int), estimators="snips")
    share = 3 / 0.001 / (3 / 0.001 + 997 / 0.9)
    assert found.verdict.grade == "cannot answer"
    assert found.verdict.lines[0] == "This log cannot tell what the target would have earned."
    assert f"Three rows carry {100 * share:.0f} % of the weight." in found.verdict.lines
    assert sorted(found.diagnostics.largest_rows[:3].tolist()) == [10, 500, 800]
    one = evaluate(bare([0, 0], [1.0, 1.0], [0.5, 0.5]), np.array([0, 1]), estimators="ips").verdict
    assert "Two rows carry 100 % of the weight." in one.lines


def test_a_target_that_was_never_served():
    found = evaluate(bare([0] * 100, [1.0] * 100, [1.0] * 100), np.ones(100, dtype=int), estimators=("ips", "snips"))
    assert found.verdict.grade == "cannot answer" and found.diagnostics.never_served == 1.0
    assert "would never have served what was served" in str(found.verdict)
    assert math.isnan(found.value("snips")) and found.value("ips") == 0.0


def test_choices_without_a_chance_in_the_log():
    chances = np.tile([0.5, 0.5, 0.0], (400, 1))
    arms = np.tile([0, 1], 200)
    log = Log.from_arrays(arms=arms, rewards=arms * 1.0, probabilities=chances)
    pi = np.tile([0.4, 0.2, 0.4], (400, 1))
    found = evaluate(log, pi, estimators="snips")
    assert found.diagnostics.unsupported == pytest.approx(0.4)
    assert "40 % of what the target would serve had no chance in the log" in str(found.verdict)
    assert found.verdict.grade == "cannot answer"
    small = evaluate(log, np.tile([0.49, 0.49, 0.02], (400, 1)), estimators="snips").verdict
    assert small.grade == "with care" and "2 % of what the target would serve had no chance" in str(small)


def test_wrong_probabilities_are_seen(world):
    s, arms, r = world.draw(0, 6000)
    wrong = np.sqrt(world.p)
    wrong /= wrong.sum(axis=1, keepdims=True)
    log = Log.from_arrays(arms=arms, rewards=r, probabilities=wrong[s], contexts=world.X[s])
    found = evaluate(log, world.pi[s], estimators="ips")
    assert found.diagnostics.calibration_p < 1e-6 and abs(found.diagnostics.inverse_z) > 4.0
    text = str(found.verdict)
    assert "not served as often as the logged probabilities say" in text and "1/p does not add up" in text
    halves = Log.from_arrays(arms=arms, rewards=r, probabilities=0.5 * world.p[s, arms], n_arms=4)
    found = evaluate(halves, world.pi[s], estimators="ips")
    assert found.diagnostics.mean_weight == pytest.approx(2.0, abs=0.2)
    assert "where they must average 1" in str(found.verdict)


def test_drift_is_seen():
    rng = np.random.default_rng(0)
    rewards = (rng.random(4000) < np.linspace(0.3, 0.5, 4000)).astype(float)
    steady = (rng.random(4000) < 0.4).astype(float)
    arms, p = rng.integers(0, 2, 4000), np.full(4000, 0.5)
    found = evaluate(bare(arms, rewards, p), "uniform", estimators="ips")
    assert found.diagnostics.drift_p < 1e-6 and "changed over time" in str(found.verdict)
    assert evaluate(bare(arms, steady, p), "uniform", estimators="ips").diagnostics.drift_p > 1e-3
    # The order of time, not that of rows, is looked at.
    order = rng.permutation(4000)
    mixed = bare(arms[order], rewards[order], p, times=order.astype(float))
    assert evaluate(mixed, "uniform", estimators="ips").diagnostics.drift_p > 1e-4  # blocks of 64 mixed rows


@pytest.mark.parametrize("name", ["dm", "clipped-ips", "switch-dr", "dros"])
def test_an_answer_that_rests_on_more_than_the_log_says_so(world, name):
    log, pi = world.log(1, 4000)
    options = {"clip": 2.0, "switch_threshold": 2.0, "shrinkage": 5.0}
    verdict = evaluate(log, pi, estimators=name, **options).verdict
    assert verdict.grade == "with care" and verdict.lines[1].startswith(f"{name} is right only if ")
    assert evaluate(log, pi, estimators=(name, "dr"), **options).verdict.grade == "answers"


def test_rewards_that_stopped_coming_are_drift():
    """Half of the log has nothing but zeros, which vary by nothing."""
    rng = np.random.default_rng(1)
    rewards = (rng.random(3000) < 0.4).astype(float)
    rewards[:1500] = 0.0
    arms, p = rng.integers(0, 2, 3000), np.full(3000, 0.5)
    found = evaluate(bare(arms, rewards, p), "uniform", estimators="ips")
    assert found.diagnostics.drift_p < 1e-12 and "changed over time" in str(found.verdict)
    still = evaluate(bare(arms, np.zeros(3000), p), "uniform", estimators="ips").diagnostics
    assert np.isnan(still.drift_p)


@pytest.mark.parametrize("chance", [0.4, 0.01, 0.003])
def test_drift_is_not_seen_where_there_is_none(chance):
    """The p-value is that of an analysis of variance for many rows, and seldom small, rare rewards or not."""
    rng, found = np.random.default_rng(2), []
    for _ in range(200):
        rewards = (rng.random((20, 250)) < chance).astype(float)
        sums = [np.array([250.0, 0.0, x.sum(), (x * x).sum(), 0.0, 0.0]) for x in rewards]
        found.append(drift(tuple(map(span_of, sums))))
    if chance == 0.4:
        assert found[-1] == pytest.approx(f_oneway(*rewards).pvalue, abs=5e-3)
    assert 0.01 <= np.mean(np.array(found) < 0.05) <= 0.1  # 0.05 but for chance
    assert np.mean(np.array(found) < 1e-3) <= 0.015


def test_what_was_left_out_and_who_wrote_the_log_is_said(world):
    s, arms, r = world.draw(3, 500)
    log = Log.from_arrays(arms=arms, rewards=r, probabilities=world.p[s], contexts=world.X[s], adaptive=True)
    found = evaluate(log, world.pi[s], estimators="ips", intervals=("asymptotic", "sequence"), reward_range=(0, 1))
    assert found.verdict.grade == "with care"
    assert "is proved for such logs, not asymptotic." in str(found.verdict)
    only = evaluate(log, world.pi[s], estimators="ips", intervals="sequence", reward_range=(0, 1))
    assert "learnt from it" not in str(only.verdict)


def test_blocks_are_put_together_where_there_are_many(monkeypatch, world):
    monkeypatch.setattr("rbmle.evaluation.weights.BLOCKS", 16)
    log, pi = world.log(0, 5000)
    found = evaluate(log, pi, estimators="ips").diagnostics
    assert 8 <= len(found.spans) <= 16 and sum(span.n for span in found.spans) == 5000
