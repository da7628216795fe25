"""The same rows from whatever holds them."""

import gzip
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rbmle.errors import InvalidInputError, InvalidParameterError, LogError, MissingFileError
from rbmle.evaluation import evaluate
from rbmle.logs import Log
from rbmle.logs.columns import FORMAT, METADATA


def test_lists_frames_and_tables_hold_the_same_rows(sample, same):
    plain = Log.read(sample.columns)
    assert plain.columns == tuple(sample.columns) and plain.n_features == 2 and plain.n_arms is None
    table = pa.table(sample.columns)
    for source in (table, pl.DataFrame(sample.columns), pd.DataFrame(sample.columns), lambda: table.to_reader(7)):
        log = Log.read(source)
        same(log, plain)
        same(log, plain)  # and again
    same(Log.read(table.to_reader(7)), plain)


def test_some_rows_of_any_frame(sample, same):
    """Rows are left out: those after the frontier, those of another part of a selection, bad ones."""
    table, few = pa.table(sample.columns), np.arange(40) % 3 > 0
    plain = Log.read({name: [v for v, kept in zip(values, few, strict=True) if kept] for name, values in
                      sample.columns.items()})  # fmt: skip
    for source in (sample.columns, table, pl.DataFrame(sample.columns), pd.DataFrame(sample.columns)):
        cut = Log.read(source).map(lambda batch: batch.take(few[batch.rows]))
        same(cut, plain)
        for name in ("id", "arms"):
            assert cut.to_frame()[name].tolist() == plain.to_frame()[name].tolist()


def test_a_stream_flows_once_and_says_so(sample):
    log = Log.read(pa.table(sample.columns).to_reader())
    assert sum(map(len, log)) == 40
    with pytest.raises(InvalidInputError, match="stream that was read already"):
        list(log)


def test_arrow_types_of_all_sizes(sample, same):
    table = pa.table(sample.columns)
    wide = table.set_column(2, "contexts", table["contexts"].cast(pa.large_list(pa.large_list(pa.float64()))))
    wide = wide.set_column(0, "id", table["id"].cast(pa.large_string()))
    same(Log.read(wide), Log.read(sample.columns))
    same(Log.read(wide.slice(3, 20)), Log.read({name: values[3:23] for name, values in sample.columns.items()}))
    X = np.arange(24.0).reshape(4, 3, 2)
    inner = pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), 2)
    fixed = {"contexts": pa.FixedSizeListArray.from_arrays(inner, 3), "arm": [0, 1, 2, 0], "reward": [0.5] * 4}
    same(Log.read(pa.table(fixed)), Log.from_arrays(arms=fixed["arm"], rewards=fixed["reward"], contexts=X))
    same(Log.read(pa.table(fixed).slice(1, 2)), Log.from_arrays(arms=[1, 2], rewards=[0.5] * 2, contexts=X[1:3]))
    small = {**fixed, "contexts": pa.array(X.tolist(), pa.list_(pa.list_(pa.float32())))}
    same(Log.read(pa.table(small)), Log.read(pa.table(fixed)))


def test_contexts_of_a_table_are_not_copied():
    values = pa.array(np.arange(600.0))
    inner = pa.FixedSizeListArray.from_arrays(values, 2)
    table = pa.table({"contexts": pa.FixedSizeListArray.from_arrays(inner, 3), "arm": [0] * 100, "reward": [1.0] * 100})
    (batch,) = Log.read(table)
    assert np.shares_memory(batch.contexts, values.to_numpy())


def test_times_of_every_kind_are_seconds_since_1970():
    moments = pd.to_datetime(["2026-11-18 12:00:00.123456789", "1969-12-31 23:59:59.5"])
    seconds = np.array([1795003200 + 0.123456789, -0.5])
    base = {"arm": [0, 1], "reward": [1.0, 0.0]}
    for unit in ("ms", "us", "ns"):
        for zone in (None, "Europe/Berlin"):
            times = pa.array(moments.tz_localize("UTC") if zone else moments).cast(pa.timestamp(unit, zone), safe=False)
            (batch,) = Log.read(pa.table({**base, "time": times}), n_arms=2)
            np.testing.assert_allclose(batch.time, seconds, atol={"ms": 1e-3, "us": 1e-6, "ns": 2.4e-7}[unit], rtol=0)
    texts = ["2026-11-18T13:00:00.125+01:00", "1969-12-31T23:59:59.500"]
    (batch,) = Log.read({**base, "time": texts}, n_arms=2)
    np.testing.assert_allclose(batch.time, [1795003200.125, -0.5])
    (batch,) = Log.read(pa.table({**base, "time": pa.array([20775, 0], pa.date32())}), n_arms=2)
    np.testing.assert_array_equal(batch.time, [20775 * 86400.0, 0.0])


def test_parquet_files_folders_and_partitions(sample, same, tmp_path):
    table, plain = pa.table(sample.columns), Log.read(sample.columns)
    one = tmp_path / "one.parquet"
    pq.write_table(table, one, row_group_size=7)
    log = Log.read(one)
    same(log, plain)
    assert [batch.rows[0] for batch in log] == [0]
    folder = tmp_path / "many"
    for day, start in enumerate(range(0, 40, 15)):
        place = folder / f"day={day}"
        place.mkdir(parents=True)
        pq.write_table(table.slice(start, 15), place / "part-0.parquet")
    (folder / "_SUCCESS").write_text("")
    (folder / "_skip.parquet").write_text("not read")
    many = Log.read(folder)
    same(many, plain)
    assert [part.first for part in many.parts] == [0, 15, 30]
    assert np.concatenate([batch.rows for batch in many]).tolist() == list(range(40))


def test_columns_in_the_names_of_folders(tmp_path):
    """As pandas, Spark and Hive write partitions: the columns they are made by are not in the files."""
    frame = pd.DataFrame({"arm": [0, 1, 1, 0], "reward": [1.0, 0.5, 0.25, 0.0], "p": [0.5, 0.5, 0.25, 0.75]})
    frame["day"], frame["eur"] = pd.to_datetime(["2026-11-18", "2026-11-19"] * 2).date, ["a/b", "c", "c", "a/b"]
    frame.to_parquet(tmp_path / "log", partition_cols=["day", "arm", "eur"])
    log = Log.read(tmp_path / "log", columns={"time": "day", "probability": "p"}, n_arms=2)
    assert log.columns == ("time", "arm", "probability", "reward") and log.scanned.rows == 4
    rows = sorted(
        (*row,) for each in log for row in zip(each.time, each.arm, each.probability, each.reward, strict=True)
    )
    day = 20775 * 86400.0
    assert rows == [(day, 0, 0.5, 1.0), (day, 1, 0.25, 0.25), (day + 86400, 0, 0.75, 0.0), (day + 86400, 1, 0.5, 0.5)]
    frame["reward"] = [1.0, 0.5, None, 0.0]
    frame.to_parquet(tmp_path / "odd", partition_cols=["reward"])  # a row without a reward lies in a folder of nulls
    with pytest.raises(LogError, match=r"row 0, column 'reward': must be a number.*Got null"):
        list(Log.read(tmp_path / "odd", columns={"probability": "p"}, n_arms=2))
    with pytest.raises(InvalidInputError, match="must hold numbers. Got string"):
        list(Log.read(tmp_path / "log", columns={"probability": "eur"}, n_arms=2))


def test_text_files(sample, same, tmp_path):
    plain = Log.read(sample.columns)
    (tmp_path / "log.jsonl").write_text("\n" + sample.jsonl(), encoding="utf-8")
    (tmp_path / "log.jsonl.gz").write_bytes(gzip.compress(sample.jsonl().encode()))
    names = list(sample.columns)
    lists = ("contexts", "eligible", "arms", "probabilities")
    frame = pd.DataFrame(sample.columns)
    for name in lists:
        frame[name] = frame[name].map(json.dumps)
    frame.to_csv(tmp_path / "log.csv", index=False, columns=names[::-1])
    for name in ("log.jsonl", "log.jsonl.gz", "log.csv"):
        same(Log.read(tmp_path / name), plain)
    folder = tmp_path / "many"
    folder.mkdir()
    lines = sample.jsonl().splitlines(keepends=True)
    (folder / "a.jsonl").write_text("".join(lines[:10]), encoding="utf-8")
    (folder / "b.jsonl").write_text("".join(lines[10:]), encoding="utf-8")
    same(Log.read(folder), plain)


def test_columns_by_other_names_and_side_by_side(tmp_path, same):
    theirs = {
        "what": [0, 1],
        "p": [0.5, 0.25],
        "clicks": [1, 0],
        "age": [3.0, 4.0],
        "hour": [9, 10],
        "note": ["a", "b"],
    }
    names = {"arm": "what", "probability": "p", "reward": "clicks", "context": ["age", "hour"]}
    ours = Log.from_arrays(
        arms=[0, 1],
        rewards=[1.0, 0.0],
        probabilities=[0.5, 0.25],
        contexts=np.array([[3.0, 9.0], [4.0, 10.0]]),
        n_arms=2,
    )
    pd.DataFrame(theirs).to_csv(tmp_path / "log.csv", index=False)
    pd.DataFrame(theirs).to_json(tmp_path / "log.jsonl", orient="records", lines=True)
    sources = (theirs, {name: np.array(values) for name, values in theirs.items()}, pd.DataFrame(theirs))
    for source in (*sources, tmp_path / "log.csv", tmp_path / "log.jsonl"):
        log = Log.read(source, columns=names, n_arms=2)
        same(log, ours)
        assert log.columns == ("context", "arm", "probability", "reward")


def test_writing_and_reading_back_is_exact(sample, same, tmp_path):
    plain = Log.read(sample.columns, adaptive=True)
    plain.to_parquet(tmp_path / "log.parquet")
    plain.to_jsonl(tmp_path / "log.jsonl")
    back = Log.read(tmp_path / "log.parquet")
    assert back.adaptive is True and back.columns == plain.columns
    same(back, plain)
    same(Log.read(tmp_path / "log.jsonl"), plain)
    frame = plain.to_frame()
    assert frame["id"].tolist() == sample.columns["id"] and frame["arms"].tolist() == sample.columns["arms"]
    same(Log.read(frame), plain)
    again = tmp_path / "again.parquet"
    back.to_parquet(again)
    assert pq.read_table(again).equals(pq.read_table(tmp_path / "log.parquet"))


def test_what_a_file_says_of_itself(tmp_path):
    table = pa.table({"arm": [0, 1], "reward": [1.0, 0.0]})

    def write(text):
        pq.write_table(table.replace_schema_metadata({METADATA: text}), tmp_path / "log.parquet")
        return tmp_path / "log.parquet"

    log = Log.read(write(json.dumps({"format": FORMAT, "n_arms": 2, "adaptive": True, "horizon": 60})))
    assert (log.n_arms, log.adaptive, log.metadata["horizon"]) == (2, True, 60)
    assert Log.read(tmp_path / "log.parquet", adaptive=False).adaptive is False
    with pytest.raises(InvalidInputError, match="format 2; this version reads format 1"):
        Log.read(write(json.dumps({"format": 2})))
    with pytest.raises(InvalidInputError, match="must be JSON with a format"):
        Log.read(write("{"))


def test_settled_frontier_and_void_rows(sample):
    log = Log.read(sample.columns)
    assert log.frontier == sample.columns["time"][39] and log.scanned.rows == 40
    rows = [batch for part in log.parts for batch in log.usable.batches(part, 0)]
    assert sum(map(len, rows)) == 38
    assert rows[0].skipped == {"not settled": 1, "void: settled without a reward": 1}
    columns = {**sample.columns, "settled": [i not in (5, 39) for i in range(40)]}
    early = Log.read(columns)
    assert early.frontier == sample.columns["time"][5]
    assert sum(len(batch) for batch in early.usable.batches(early.parts[0], 0)) == 5


def test_rows_of_another_number_of_arms_where_arms_have_places_alone():
    log = Log.read({"arm": [0, 1], "reward": [1.0, 0.0], "contexts": [[[1.0], [2.0]], [[1.0], [2.0], [3.0]]]})
    (batch,) = log
    assert batch.n_arms is None and batch.sizes.tolist() == [2, 3] and batch.numbers.tolist() == [0, 1, 0, 1, 2]
    with pytest.raises(InvalidInputError, match="different numbers of arms"):
        batch.cube  # noqa: B018 - the property raises


def test_what_is_no_log_is_refused(tmp_path, sample):
    (tmp_path / "log.txt").write_text("")
    for source, error, words in (
        (tmp_path / "log.txt", InvalidInputError, "must be a file that ends in"),
        (tmp_path / "none.jsonl", MissingFileError, "does not exist"),
        (tmp_path / "none.parquet", MissingFileError, "does not exist"),
        (tmp_path, MissingFileError, "there is no file in it"),
        (pl.DataFrame(sample.columns).lazy(), InvalidInputError, "collect"),
        (3, InvalidInputError, "Arrow stream interface"),
        ({"arm": [], "reward": []}, InvalidInputError, "at least one row"),
        (
            pa.table({"arm": pa.array([], pa.int64()), "reward": pa.array([], pa.float64())}),
            InvalidInputError,
            "one row",
        ),
        ({"arm": [0], "reward": [1.0]}, InvalidInputError, "how many arms"),
        ({"arm": [0, 1], "reward": [1.0]}, InvalidInputError, "a value for each row"),
        ({"arm": np.zeros((2, 2)), "reward": [1.0, 1.0]}, InvalidInputError, "shape"),
    ):
        with pytest.raises(error, match=words):
            Log.read(source)
    with pytest.raises(InvalidInputError, match="columns must map names among"):
        Log.read(sample.columns, columns={"probabilty": "p"})
    with pytest.raises(InvalidParameterError, match="one of 'raise', 'drop'"):
        Log.read(sample.columns, on_error="ignore")


def test_frames_and_their_columns_in_the_place_of_arrays(same):
    rng = np.random.default_rng(0)
    arms, rewards, p, x = rng.integers(0, 3, 50), rng.random(50), rng.dirichlet(np.ones(3), 50), rng.random((50, 2))
    plain = Log.from_arrays(arms=arms, rewards=rewards, probabilities=p, contexts=x)
    for column, frame in ((pd.Series, pd.DataFrame), (pl.Series, pl.DataFrame)):
        same(
            Log.from_arrays(
                arms=column(arms), rewards=column(rewards), probabilities=frame(p), contexts=frame(x), n_arms=3
            ),
            plain,
        )
        columns = {"arm": column(arms), "reward": column(rewards), "probabilities": frame(p), "context": frame(x)}
        same(Log.read(columns), plain)
        for chances in (frame(p), p):
            assert evaluate(plain, chances, estimators="ips").value("ips") == pytest.approx(rewards.mean(), rel=1e-12)
        modelled = evaluate(plain, p, estimators="dm", reward_model=frame(np.tile([0.0, 1.0, 2.0], (50, 1))))
        assert modelled.value("dm") == pytest.approx((p[:, 1] + 2.0 * p[:, 2]).mean(), rel=1e-12)


def test_a_frame_whose_cells_are_arrays(same):
    X = np.random.default_rng(0).standard_normal((20, 3, 2))
    columns = {"arm": [1] * 20, "reward": [0.5] * 20}
    plain = Log.read({**columns, "contexts": X})
    same(Log.read(pd.DataFrame({**columns, "contexts": list(X)})), plain)
    same(Log.read(pd.DataFrame({**columns, "contexts": X.tolist()})), plain)
