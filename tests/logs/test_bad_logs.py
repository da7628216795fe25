"""What no decision can have left is refused by file, row and column; or dropped, and counted."""

import json
import math

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rbmle.errors import InvalidInputError, LogError
from rbmle.logs import Log
from rbmle.logs.ids import Ids

NAN, INF = math.nan, math.inf
# Column, row, what stands there, and what the message says of it.
FAULTS = (
    ("probability", 3, 0.0, "must be in (0, 1]. Got 0"),
    ("probability", 3, 1.5, "must be in (0, 1]. Got 1.5"),
    ("probability", 3, -0.1, "must be in (0, 1]. Got -0.1"),
    ("probability", 3, NAN, "must be in (0, 1]. Got nan"),
    ("probability", 3, None, "must be in (0, 1]. Got null"),
    ("reward", 4, NAN, "must be finite and within"),
    ("reward", 4, INF, "must be finite and within"),
    ("arm", 5, -1, "eligible arms, 0 to 2. Got -1"),
    ("arm", 5, 3, "eligible arms, 0 to 2. Got 3"),
    ("arm", 5, None, "Got null"),
    ("contexts", 6, [[1.0, 2.0], [NAN, 1.0], [1.0, 1.0]], "must be finite and within ±1e70. Got nan at [1][0]"),
    ("contexts", 6, [[1.0, 2.0], [1.0, 1.0], [1.0, 1e99]], "Got 1e+99 at [2][1]"),
    ("contexts", 6, [[1.0, 2.0], [1.0], [1.0, 1.0]], "numbers"),
    ("contexts", 6, [[1.0], [1.0], [1.0]], "must be of 2 numbers per arm, as in the rows before. Got 1"),
    ("contexts", 6, [[1.0, 2.0]], "must have 1 values, one per arm, as 'contexts' has. Got 3"),
    ("contexts", 6, [], "must have a value for at least one arm"),
    ("contexts", 6, None, "Got null"),
    ("probabilities", 7, [0.5, 0.5], "must have 3 values, one per arm, as 'contexts' has. Got 2"),
    ("probabilities", 7, [0.5, 0.5, 0.5], "must add up to 1. They add up to 1.5"),
    ("probabilities", 7, [1.5, -0.25, -0.25], "must be chances in [0, 1]. Got 1.5"),
    ("probabilities", 7, [0.5, NAN, 0.5], "must be chances in [0, 1]. Got nan"),
    ("probabilities", 7, [0.25, 0.5, 0.25], "must be that of the arm served in 'probabilities'"),
    ("eligible", 8, [0, 1, 1], "must name every arm once. Got 1 twice"),
    ("eligible", 8, [0, 1, -2], "must be numbers of arms, 0 on. Got -2"),
    ("time", 9, NAN, "must be finite. Got nan"),
    ("time", 9, None, "Got null"),
    ("id", 2, None, "must be text or a whole number. Got"),
    ("settled", 2, None, "must be true or false. Got"),
)


def good(n=12):
    """Rows of three arms, without a fault."""
    return [
        {
            "id": f"d{i}", "time": float(i), "contexts": [[1.0, 0.5], [0.0, 1.0], [i / 10, 2.0]], "eligible": [2, 0, 1],
            "arm": i % 3, "probability": 0.25 if i % 3 else 0.5, "probabilities": [0.5, 0.25, 0.25], "reward": i / 20,
            "settled": True,
        }
        for i in range(n)
    ]  # fmt: skip


def with_fault(column, row, value):
    rows = good()
    rows[row][column] = value
    return rows


def as_columns(rows):
    return {name: [row[name] for row in rows] for name in rows[0]}


def as_table(rows, tmp_path):
    return pa.table(as_columns(rows))


def as_polars(rows, tmp_path):
    return pl.DataFrame(as_columns(rows), strict=False)


def as_parquet(rows, tmp_path):
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table(as_columns(rows)), path, row_group_size=4)
    return path


def as_jsonl(rows, tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def as_mapping(rows, tmp_path):
    return as_columns(rows)


def consume(source, **options):
    log = Log.read(source, **options)
    batches = [batch for index, part in enumerate(log.parts) for batch in log.usable.batches(part, index)]
    ids = Ids()
    for batch in batches:
        ids.add(batch.keys, batch.rows)
    ids.require_different(log)
    return batches


@pytest.mark.parametrize("shape", [as_table, as_polars, as_parquet, as_jsonl, as_mapping])
@pytest.mark.parametrize("column, row, value, words", FAULTS)
def test_a_bad_value_is_named_by_row_and_column_or_dropped(shape, column, row, value, words, tmp_path):
    source = shape(with_fault(column, row, value), tmp_path)
    with pytest.raises(LogError) as caught:
        consume(source)
    text = str(caught.value)
    assert words in text
    number = row + 1 if shape is as_jsonl else row
    if words.startswith("must have 1 values"):
        column = "eligible"  # the first that does not agree
    elif words.startswith("must be that of"):
        column = "probability"
    assert f"{'line' if shape is as_jsonl else 'row'} {number}, column {column!r}" in text
    assert (caught.value.row, caught.value.column) == (number, column)
    assert caught.value.source in text and (shape not in (as_parquet, as_jsonl) or str(source) in text)
    batches = consume(source, on_error="drop")
    kept = np.concatenate([batch.rows for batch in batches])
    assert kept.tolist() == [i for i in range(12) if i != row]
    counts = [count for batch in batches for count in batch.skipped.items()]
    assert counts == [(f"dropped: {column}", 1)]


def test_the_first_bad_row_is_the_one_that_is_named(tmp_path):
    rows = with_fault("reward", 9, INF)
    rows[2]["probability"] = 0.0
    with pytest.raises(LogError, match=r"row 2, column 'probability'"):
        consume(as_parquet(rows, tmp_path))
    batches = consume(as_parquet(rows, tmp_path), on_error="drop")
    assert sum(map(len, batches)) == 10


def test_theirs_is_the_name_in_the_message(tmp_path):
    columns = as_columns(with_fault("probability", 3, 0.0))
    columns["p"] = columns.pop("probability")
    with pytest.raises(LogError, match=r"row 3, column 'p': must be in \(0, 1\]"):
        consume(columns, columns={"probability": "p"})


@pytest.mark.parametrize("shape", [as_table, as_polars, as_parquet, as_jsonl, as_mapping])
def test_ids_that_occur_twice(shape, tmp_path):
    rows = good()
    rows[10]["id"] = rows[7]["id"] = "d4"
    with pytest.raises(LogError, match=r"(row|line) 7, column 'id': must be different.*row 4"):
        consume(shape(rows, tmp_path))
    dropping = Log.read(shape(rows, tmp_path), on_error="drop")
    for batches in (consume(shape(rows, tmp_path), on_error="drop"), list(dropping)):
        assert np.concatenate([batch.rows for batch in batches]).tolist() == [0, 1, 2, 3, 4, 5, 6, 8, 9, 11]
        assert sum(sum(batch.skipped.values()) for batch in batches) == 2
    dropping.to_parquet(tmp_path / "written.parquet")  # nobody else stumbles over them
    assert sum(map(len, consume(tmp_path / "written.parquet"))) == 10


def test_ids_are_compared_in_turns_where_there_are_many(monkeypatch, tmp_path):
    from rbmle.logs import ids

    monkeypatch.setattr(ids, "AT_ONCE", 5)
    consume(as_parquet(good(), tmp_path))
    rows = good()
    rows[11]["id"] = "d0"
    with pytest.raises(LogError, match=r"row 11, column 'id'"):
        consume(as_parquet(rows, tmp_path))


@pytest.mark.parametrize("column", ["arm", "reward"])
@pytest.mark.parametrize("shape", [as_table, as_polars, as_parquet, as_jsonl, as_mapping])
def test_missing_columns(shape, column, tmp_path):
    rows = [{name: value for name, value in row.items() if name != column} for row in good()]
    with pytest.raises(InvalidInputError, match=f"must have the column '{column}'. It has id, time"):
        Log.read(shape(rows, tmp_path))
    with pytest.raises(InvalidInputError, match="must have the column 'nothing'"):
        Log.read(shape(good(), tmp_path), columns={"time": "nothing"})


def test_a_reward_of_null_needs_a_column_that_says_what_it_means():
    columns = as_columns(with_fault("reward", 4, None))
    consume(columns)
    del columns["settled"]
    with pytest.raises(LogError, match="null is for logs with a column 'settled'"):
        consume(columns)


def test_numbers_of_arms_beyond_those_there_are():
    with pytest.raises(LogError, match=r"row 0, column 'eligible': must be numbers of arms, 0 to 1. Got 2"):
        consume(as_columns(good()), n_arms=2)


def test_rows_of_another_number_of_arms():
    columns = {"arm": [0, 1], "reward": [1.0, 0.0], "probabilities": [[0.5, 0.5], [0.25, 0.5, 0.25]]}
    with pytest.raises(LogError, match=r"row 1, column 'probabilities': must have a value for each of 2 arms.*Got 3"):
        consume(columns)


@pytest.mark.parametrize("kept", [0.3, 0.9, 0.999])
def test_a_parquet_file_that_is_cut_off(kept, tmp_path):
    path = as_parquet(good(), tmp_path)
    content = path.read_bytes()
    path.write_bytes(content[: int(kept * len(content))])
    with pytest.raises(LogError, match="is not a Parquet file, or is cut off"):
        Log.read(path)


def test_a_parquet_file_that_is_damaged_inside(tmp_path):
    path = as_parquet(good(400), tmp_path)
    content = bytearray(path.read_bytes())
    content[4:2000] = bytes(1996)
    path.write_bytes(content)
    with pytest.raises(InvalidInputError, match="log.parquet"):
        consume(path)


def test_text_that_is_no_row_is_named_by_its_line(tmp_path):
    path = tmp_path / "log.jsonl"
    lines = [json.dumps(row) for row in good()]
    lines[4] = '{"id": "d4", '
    lines[6] = "[1, 2]"
    path.write_text("\n".join(lines))
    with pytest.raises(LogError, match=r"log.jsonl, line 5: must be a JSON object"):
        consume(path)
    assert sum(map(len, consume(path, on_error="drop"))) == 10
    path.write_bytes("\n".join(lines[:3]).encode() + b"\n\xff\xfe")
    with pytest.raises(LogError, match="cannot be read behind line"):
        consume(path)
    table = tmp_path / "log.csv"
    table.write_text("arm,reward,probability\n0,1.0,0.5\n1,0.0\n1,zero,0.5\n")
    with pytest.raises(LogError, match=r"log.csv, line 3: must hold 3 values, as the header does. Got 2"):
        consume(table, n_arms=2)
    (batch,) = consume(table, n_arms=2, on_error="drop")
    assert len(batch) == 1 and batch.skipped == {"dropped: not a row": 1, "dropped: reward": 1}


@pytest.mark.parametrize(
    "column, value",
    [("reward", "1.0"), ("reward", True), ("arm", 0.5), ("probability", "half"), ("time", "tomorrow"),
     ("settled", "yes"), ("contexts", [["1.0", "2.0"]] * 3), ("contexts", 3.0), ("id", 1.5),
     ("probabilities", [True, False, False]), ("reward", 10**400)],
)  # fmt: skip
def test_values_of_another_kind(column, value, tmp_path):
    with pytest.raises(LogError, match=rf"line 3, column '{column}'"):
        consume(as_jsonl(with_fault(column, 2, value), tmp_path))


@pytest.mark.parametrize(
    "column, values, words",
    [("reward", ["a"] * 12, "numbers"), ("contexts", [[1.0]] * 12, "lists of lists of numbers"),
     ("id", [0.5] * 12, "text"), ("arms", [1] * 12, "lists of text"), ("settled", ["a"] * 12, "true"),
     ("probabilities", [["a"]] * 12, "lists of numbers")],
)  # fmt: skip
def test_columns_of_another_type(column, values, words):
    columns = {**as_columns(good()), column: values}
    with pytest.raises(InvalidInputError, match=f"The column '{column}' must hold {words}"):
        consume(pa.table(columns))
