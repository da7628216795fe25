"""The verdict of `make bench-old`: what counts as slower, and what a lucky process may not decide."""

import numpy as np
import pytest
from benchmarks.against import TREE, arguments, checkout, interval
from benchmarks.rows import MORE, ROWS


def pairs(ratios, spread=0.01, count=5):
    rng = np.random.default_rng(1)
    return [ratio * np.exp(spread * rng.standard_normal(count)) for ratio in ratios]


def test_a_ratio_without_noise_is_its_own_interval():
    assert interval(pairs([1.2] * 6, spread=0.0)) == (1.2, 1.2, 1.2)


def test_ten_per_cent_slower_in_every_process_is_slower():
    ratio, low, high = interval(pairs([1.1] * 6))
    assert 1.05 < low <= ratio <= high < 1.15


def test_one_version_in_twelve_processes_is_not_slower_than_itself():
    # as measured: a process keeps its luck for as long as it lives
    ratio, low, high = interval(pairs([1.09, 0.94, 1.0, 1.09, 1.09, 1.0]))
    assert low < 1.05 < high
    assert low <= ratio <= high


def test_one_bad_process_of_six_decides_nothing():
    assert interval(pairs([1.0] * 5 + [1.5]))[1] < 1.05


def test_at_least_thirty_pairs_of_every_row_by_default():
    options = arguments([])
    assert options.pairs >= 30
    assert -(-options.pairs // options.processes) * options.processes >= options.pairs
    assert not ROWS.keys() & MORE.keys()


def test_sources_of_the_tree():
    assert (checkout(TREE) / "rbmle" / "__init__.py").exists()


@pytest.mark.parametrize("row", ["linear, simulated, arms stay, d=3 K=10", "LinUCB, choose and update, d=10 K=10"])
def test_every_piece_of_work_begins_anew(row):
    work = ROWS[row].make()
    first, second = work(), work()
    assert np.array_equal(first(), second())  # arms played, where work returns them
