"""Estimates against their definitions, worked by hand or written a second time."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.evaluation import estimators as E
from rbmle.evaluation import evaluate
from rbmle.evaluation.moments import Moments
from rbmle.logs import Log

ALL = ("replay", "ips", "clipped-ips", "snips", "dm", "dr", "sndr", "switch-dr", "dros")
OPTIONS = {"clip": 1.5, "switch_threshold": 1.2, "shrinkage": 2.0}


def test_three_rows_by_hand():
    # Weights 2, 0 and 1; rewards 1, 1 and 0; the model says 0.5 of every arm served and 0.25, 0.5, 0.75 of the target.
    w, r, q, v = np.array([2.0, 0.0, 1.0]), np.array([1.0, 1.0, 0.0]), np.full(3, 0.5), np.array([0.25, 0.5, 0.75])
    by_hand = [
        (E.ips(w, r), 2 / 3), (E.clipped_ips(w, r, 1.5), 0.5), (E.snips(w, r), 2 / 3), (E.dm(v), 0.5),
        (E.dr(w, r, q, v), 0.5 + (1.0 - 0.5) / 3), (E.sndr(w, r, q, v), 0.5 + 0.5 / 3),
        (E.switch_dr(w, r, q, v, 1.0), 0.5 - 0.5 / 3),
        (E.dros(w, r, q, v, 4.0), 0.5 + (1.0 * 0.5 - 0.8 * 0.5) / 3),  # 4·2/(4 + 4) = 1 and 4·1/(1 + 4) = 0.8
        (E.replay(np.array([1.0, 0.0, 1.0]), r), 0.5),
    ]  # fmt: skip
    for terms, value in by_hand:
        assert E.value(terms) == pytest.approx(value, abs=1e-15)


def defined(w, r, q, v, match):
    """The nine estimates as they are defined, in plain NumPy."""
    n = len(w)
    shrunk = OPTIONS["shrinkage"] * w / (w**2 + OPTIONS["shrinkage"])
    return {
        "replay": sum(m * x for m, x in zip(match, r, strict=True)) / sum(match),
        "ips": sum(w * r) / n,
        "clipped-ips": sum(min(a, OPTIONS["clip"]) * x for a, x in zip(w, r, strict=True)) / n,
        "snips": sum(w * r) / sum(w),
        "dm": sum(v) / n,
        "dr": sum(v + w * (r - q)) / n,
        "sndr": sum(v) / n + sum(w * (r - q)) / sum(w),
        "switch-dr": sum(b + (a * (x - c) if a <= OPTIONS["switch_threshold"] else 0.0)
                         for a, x, c, b in zip(w, r, q, v, strict=True)) / n,
        "dros": sum(v + shrunk * (r - q)) / n,
    }  # fmt: skip


@pytest.mark.parametrize("all_chances", [True, False])
def test_all_nine_are_as_defined(world, all_chances):
    n = 400
    s, arms, r = world.draw(3, n)
    log, pi = world.log(3, n, all_chances)
    rows, predictions = np.arange(n), np.random.default_rng(1).random((n, world.K))
    found = evaluate(log, pi, estimators=ALL, reward_model=predictions, min_probability=0.05, **OPTIONS)
    w, q, v = (pi / world.p[s])[rows, arms], predictions[rows, arms], (pi * predictions).sum(axis=1)
    from rbmle import kernels

    places = np.empty(n)
    (batch,) = log
    kernels.logs.multipliers.uniform(batch.keys, 0, places)
    for name, value in defined(w, r, q, v, places < 0.05 * w).items():
        assert found.value(name) == pytest.approx(value, rel=1e-12), name


def test_standard_errors_are_those_of_the_jackknife(world):
    n = 300
    log, pi = world.log(5, n)
    predictions = np.random.default_rng(2).random((n, world.K))
    found = evaluate(log, pi, estimators=ALL[1:], reward_model=predictions, **OPTIONS)
    s, arms, r = world.draw(5, n)
    w, q = (pi / world.p[s])[np.arange(n), arms], predictions[np.arange(n), arms]
    v = (pi * predictions).sum(axis=1)
    without = [
        defined(*(np.delete(column, i) for column in (w, r, q, v, np.ones(n)))) for i in range(n)
    ]  # each row left out in turn
    for name in ALL[1:]:
        left = np.array([each[name] for each in without])
        jackknife = np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum())
        # Equal for means; for ratios to the order 1/n.
        assert found.standard_error(name) == pytest.approx(jackknife, rel=1e-9 if name in ("ips", "dm", "dr") else 0.02)


def test_the_logging_policy_on_its_own_log_is_its_mean_reward(world):
    s, _, r = world.draw(8, 5000)
    for all_chances in (True, False):
        log, _ = world.log(8, 5000, all_chances)
        for target in ("logging", world.p[s]):
            found = evaluate(log, target, estimators=("ips", "snips"))
            assert abs(found.value("ips") - r.mean()) <= 1e-12 >= abs(found.value("snips") - r.mean())
            assert found.difference("ips").low == pytest.approx(0.0, abs=1e-12)
    assert found.mean_reward == pytest.approx(r.mean(), rel=1e-14)


def test_a_constant_added_to_rewards_is_added_to_self_normalised_estimates(world):
    s, arms, r = world.draw(4, 500)
    values = []
    for shift in (0.0, 100.0):
        log = Log.from_arrays(arms=arms, rewards=r + shift, probabilities=world.p[s], contexts=world.X[s])
        found = evaluate(log, world.pi[s], estimators=("snips", "ips", "sndr", "dr"))
        values.append({name: found.value(name) for name in found.estimates})
    for name in ("snips", "sndr"):
        assert values[1][name] - values[0][name] == pytest.approx(100.0, rel=1e-9)
    assert abs(values[1]["ips"] - values[0]["ips"] - 100.0) > 0.1


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40), st.integers(1, 38), st.randoms(use_true_random=False))
def test_moments_do_not_hang_on_how_rows_are_split(values, cut, random):
    columns = np.array([values, values[::-1]])
    whole = Moments.of(columns)
    first, second = Moments.of(columns[:, :cut]), Moments.of(columns[:, cut:])
    second.merge(first)
    np.testing.assert_allclose(second.totals, whole.totals, rtol=4e-16, atol=1e-17)
    order = list(range(len(values)))
    random.shuffle(order)
    np.testing.assert_allclose(Moments.of(columns[:, order]).totals, whole.totals, rtol=4e-16, atol=1e-17)
    assert whole.first[0] == pytest.approx(math.fsum(values), rel=4e-16, abs=1e-17)


def test_options_that_must_be_chosen_are_asked_for(world):
    log, pi = world.log(0, 50)
    for name, option in (("clipped-ips", "clip"), ("switch-dr", "switch_threshold"), ("dros", "shrinkage")):
        with pytest.raises(InvalidParameterError, match=f"needs the option {option}"):
            evaluate(log, pi, estimators=name)
    with pytest.raises(InvalidParameterError, match="must name some of replay, ips"):
        evaluate(log, pi, estimators="doubly-robust")
    with pytest.raises(InvalidParameterError, match="has no option 'clipping'"):
        evaluate(log, pi, clipping=3.0)
    with pytest.raises(InvalidParameterError, match="'level' parameter of evaluate must be a float in"):
        evaluate(log, pi, level=95)
    with pytest.raises(InvalidInputError, match="estimator must be one of ips"):
        evaluate(log, pi, estimators="ips").value("dr")


def test_shrinkage_and_thresholds_at_their_ends(world):
    log, pi = world.log(2, 200)

    def value(name, **options):
        return evaluate(log, pi, estimators=name, **options).value(name)

    assert value("dros", shrinkage=0.0) == pytest.approx(value("dm"), rel=1e-12)
    assert value("dros", shrinkage=1e12) == pytest.approx(value("dr"), rel=1e-9)
    assert value("switch-dr", switch_threshold=0.0) == pytest.approx(value("dm"), rel=1e-12)
    assert value("switch-dr", switch_threshold=1e9) == pytest.approx(value("dr"), rel=1e-12)
    assert value("clipped-ips", clip=1e9) == pytest.approx(value("ips"), rel=1e-12)
