"""The Poisson bootstrap: the right law, the same numbers however rows are split, and what it must come to."""

import math

import numpy as np
import pytest

from rbmle import kernels
from rbmle.evaluation import evaluate
from rbmle.evaluation.estimators import Form
from rbmle.evaluation.intervals.bootstrap import Replicates

KEYS = np.random.default_rng(0).integers(0, 2**64, 20_000, dtype=np.uint64)


def test_multipliers_are_poisson_and_independent():
    counts = np.empty((20_000, 50))
    kernels.logs.multipliers.poisson(KEYS, 3, counts)
    for k in range(6):
        chance = math.exp(-1.0) / math.factorial(k)
        share, error = (counts == k).mean(), math.sqrt(chance / counts.size)
        assert abs(share - chance) < 4.5 * error
    assert counts.max() >= 7  # 10⁶ numbers, 83 expected from 7 on
    together = np.corrcoef(counts.T)  # between replicates, the two halves of one word too
    assert np.abs(together - np.eye(50)).max() < 4.5 / math.sqrt(20_000)
    rows = np.corrcoef(counts[:60])
    assert np.abs(rows - np.eye(60)).max() < 5.5 / math.sqrt(50)


def test_they_are_a_function_of_seed_replicate_and_key_alone():
    whole, part, other = np.empty((100, 10)), np.empty((30, 10)), np.empty((100, 10))
    kernels.logs.multipliers.poisson(KEYS[:100], 3, whole)
    kernels.logs.multipliers.poisson(KEYS[50:80], 3, part)
    kernels.logs.multipliers.poisson(KEYS[:100], 4, other)
    np.testing.assert_array_equal(part, whole[50:80])
    assert not np.array_equal(other, whole)


def test_replicates_are_the_sums_they_should_be_and_add_up():
    rng = np.random.default_rng(1)
    columns, keys = rng.standard_normal((3, 1500)), KEYS[:1500]
    counts = np.empty((1500, 60))
    kernels.logs.multipliers.poisson(keys, 9, counts)
    whole = Replicates.empty(3, 60, 9)
    whole.add(columns, keys)
    split = Replicates.empty(3, 60, 9)
    for some in (slice(900, 1500), slice(0, 900)):
        part = Replicates.empty(3, 60, 9)
        part.add(columns[:, some], keys[some])
        split.merge(part)
    form = Form(True, True)
    values, errors = whole.estimates(form)
    for b in (0, 7, 59):
        n, (x, t, y) = counts[:, b].sum(), counts[:, b] * columns
        ratio = t.sum() / y.sum()
        assert values[b] == pytest.approx(x.sum() / n + ratio, rel=1e-11)
        terms = (columns[0] - x.sum() / n) + n / y.sum() * (columns[1] - ratio * columns[2])
        assert errors[b] == pytest.approx(math.sqrt((counts[:, b] * terms**2).sum()) / n, rel=1e-9)
    for one, other in zip(split.estimates(form), (values, errors), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11)


def test_a_normal_mean_has_students_interval(world):
    """For many rows of one law the interval comes to θ̂ ± 1.96 se."""
    log, pi = world.log(0, 4000)
    found = evaluate(log, pi, estimators=("ips", "snips"), intervals=("asymptotic", "bootstrap"), replicates=4000)
    for name in ("ips", "snips"):
        normal, drawn = found.interval(name, "asymptotic"), found.interval(name, "bootstrap")
        assert drawn.low == pytest.approx(normal.low, abs=0.25 * found.standard_error(name))
        assert drawn.high == pytest.approx(normal.high, abs=0.25 * found.standard_error(name))
    again = evaluate(log, pi, estimators="ips", intervals="bootstrap", replicates=4000)
    assert tuple(again.interval("ips")) == tuple(found.interval("ips", "bootstrap"))
    other = evaluate(log, pi, estimators="ips", intervals="bootstrap", replicates=4000, seed=1)
    assert tuple(other.interval("ips")) != tuple(again.interval("ips"))
