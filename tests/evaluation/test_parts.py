"""The same numbers however a log is cut, read and merged; one reading or two."""

import pickle
import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rbmle.errors import InvalidInputError, LogError
from rbmle.evaluation import evaluate, merge, partition_sums
from rbmle.logs import Log
from rbmle.logs import parts as log_parts

NAMES = ("ips", "snips", "clipped-ips", "dm", "dr", "sndr", "switch-dr", "dros")
OPTIONS = {"clip": 2.0, "switch_threshold": 1.5, "shrinkage": 3.0, "reward_range": (0.0, 1.0), "replicates": 50}
KINDS = ("asymptotic", "bootstrap", "kl", "clopper-pearson", "cressie-read")


@pytest.fixture
def files(world, tmp_path, monkeypatch):
    """A log in one file of small row groups, in many files, and in one part."""
    monkeypatch.setattr(log_parts, "PART_ROWS", 1)  # every row group is a part
    monkeypatch.setattr("rbmle.logs.parquet.PART_ROWS", 1)
    s, arms, r = world.draw(1, 900)
    columns = {
        "id": [f"d{i}" for i in range(900)], "contexts": world.X[s].tolist(), "arm": arms, "reward": r,
        "probabilities": world.p[s].tolist(), "probability": world.p[s, arms],
    }  # fmt: skip
    table = pa.table(columns)
    pq.write_table(table, tmp_path / "groups.parquet", row_group_size=170)
    pq.write_table(table, tmp_path / "whole.parquet")
    folder = tmp_path / "many"
    folder.mkdir()
    for place, start in enumerate(range(0, 900, 250)):
        pq.write_table(table.slice(start, 250), folder / f"part-{place}.parquet")
    return tmp_path


def numbers(found):
    """All numbers of an evaluation."""
    rows = []
    for each in found.estimates.values():
        rows += [each.value, each.standard_error, *each.difference]
        for one in each.intervals.values():
            rows += [one.low, one.high]
    return np.array(rows)


@pytest.mark.parametrize("model", ["ridge", "logistic"])
def test_parts_add_up_to_the_whole(world, files, model):
    def evaluated(name):
        return evaluate(files / name, world.target, estimators=NAMES, intervals=KINDS, reward_model=model, **OPTIONS)

    whole = evaluated("whole.parquet")
    assert whole.n == 900 and len(Log.read(files / "groups.parquet").parts) == 6
    tolerance = 1e-12 if model == "ridge" else 1e-6  # GLMModel with bounded memory merges to its own tolerance
    for name in ("groups.parquet", "many"):
        np.testing.assert_allclose(numbers(evaluated(name)), numbers(whole), rtol=tolerance, atol=tolerance)


def test_another_engine_is_a_function_of_five_lines(world, files):
    """Parts in any order on other machines: sums are pickled, sent, and merged in the order of the parts."""

    def elsewhere(task, parts):
        sent, order = pickle.dumps(task), list(parts)
        random.Random(0).shuffle(order)
        found = {part.place: pickle.dumps(partition_sums(pickle.loads(sent), part)) for part in order}
        return merge([pickle.loads(found[part.place]) for part in parts])

    every = (*KINDS, "sequence")  # whose guesses begin anew in every part, wherever that is read
    for name in ("groups.parquet", "many"):
        local, remote = (
            evaluate(files / name, Softmax(world.theta), estimators=NAMES, intervals=every, engine=engine, **OPTIONS)
            for engine in (None, elsewhere)
        )
        np.testing.assert_array_equal(numbers(local), numbers(remote))  # to the last bit


def test_merging_leaves_what_it_is_given_as_it_was(world, files):
    """Also where that is read-only memory, as Ray gives it."""
    kept = []

    def elsewhere(task, parts):
        kept.extend(partition_sums(task, part) for part in parts)
        for each in kept:
            freeze(each)
        before = pickle.dumps(kept)
        whole = merge(kept)
        assert pickle.dumps(kept) == before
        return whole

    found = evaluate(files / "groups.parquet", Softmax(world.theta), estimators=NAMES, engine=elsewhere, **OPTIONS)
    here = evaluate(files / "groups.parquet", Softmax(world.theta), estimators=NAMES, **OPTIONS)
    np.testing.assert_array_equal(numbers(found), numbers(here))


def freeze(thing):
    """Make all arrays in an object read-only."""
    if isinstance(thing, np.ndarray):
        thing.flags.writeable = False
        return
    inner = thing.values() if isinstance(thing, dict) else thing if isinstance(thing, list | tuple) else None
    for each in vars(thing).values() if inner is None and hasattr(thing, "__dict__") else inner or ():
        freeze(each)


class Softmax:
    """A target that can be pickled."""

    def __init__(self, theta):
        self.theta = theta

    def __call__(self, batch):
        scores = np.exp(2.0 * batch.cube @ self.theta)
        return scores / scores.sum(axis=1, keepdims=True)


def test_one_reading_gives_the_numbers_of_two(world, files):
    names = ("dm", "dr", "sndr", "switch-dr", "dros")
    one, two = (
        evaluate(files / "groups.parquet", world.target, estimators=names, intervals=kinds, **OPTIONS)
        for kinds in (("asymptotic",), ("asymptotic", "bootstrap"))  # the bootstrap takes a second reading
    )
    for name in names:
        assert one.value(name) == pytest.approx(two.value(name), rel=1e-12)
        assert one.standard_error(name) == pytest.approx(two.standard_error(name), rel=1e-9)
        assert tuple(one.difference(name)) == pytest.approx(tuple(two.difference(name)), rel=1e-9)


def test_ids_that_occur_twice_in_different_parts_are_found(world, files, tmp_path):
    table = pq.read_table(files / "whole.parquet")
    ids = table["id"].to_pylist()
    ids[880] = "d3"
    pq.write_table(table.set_column(0, "id", pa.array(ids)), tmp_path / "twice.parquet", row_group_size=100)
    with pytest.raises(LogError, match=r"row 880, column 'id': must be different.*row 3\."):
        evaluate(tmp_path / "twice.parquet", world.target)
    found = evaluate(Log.read(tmp_path / "twice.parquet", on_error="drop"), world.target)
    assert found.n == 899 and sum(found.skipped.values()) == 1


def test_a_log_that_is_read_once_serves_one_reading(world, files):
    table = pq.read_table(files / "whole.parquet")
    once = evaluate(Log.read(table.to_reader(100)), world.target)
    np.testing.assert_allclose(numbers(once), numbers(evaluate(table, world.target)), rtol=1e-12)
    with pytest.raises(InvalidInputError, match="has to be read again"):
        evaluate(Log.read(table.to_reader(100)), world.target, intervals="bootstrap")


def test_a_fault_in_the_last_part_leaves_no_result(world, files, tmp_path):
    table = pq.read_table(files / "whole.parquet")
    chances = table["probability"].to_numpy().copy()
    chances[899] = 0.0
    bad = table.set_column(5, "probability", pa.array(chances)).drop_columns("probabilities")
    pq.write_table(bad, tmp_path / "bad.parquet", row_group_size=100)
    with pytest.raises(LogError, match="row 899, column 'probability'"):
        evaluate(tmp_path / "bad.parquet", world.target)
    found = evaluate(Log.read(tmp_path / "bad.parquet", on_error="drop"), world.target)
    assert found.n == 899 and found.skipped == {"dropped: probability": 1}
    assert any("1 row was left out: dropped: probability." in line for line in found.verdict.lines)
