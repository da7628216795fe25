"""Every row of a log that is longer than what a reader takes at a time, from every kind of source, in its place."""

import csv
import gzip
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rbmle.errors import LogError
from rbmle.evaluation import evaluate
from rbmle.logs import Log, arrow, batch, text

ROWS = 2 * text.LINES + 3
ARM = np.arange(ROWS) % 3
REWARD = np.arange(ROWS) / 8.0
CHANCES = np.array([0.25, 0.5, 0.25])
COLUMNS = {"arm": ARM, "probability": CHANCES[ARM], "reward": REWARD}


def as_csv(folder):
    with (folder / "log.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(zip(*(values.tolist() for values in COLUMNS.values()), strict=True))
    return Log.read(folder / "log.csv", n_arms=3)


def lines_of(start, end):
    rows = zip(*(values[start:end].tolist() for values in COLUMNS.values()), strict=True)
    return "".join(json.dumps(dict(zip(COLUMNS, row, strict=True))) + "\n" for row in rows)


def as_jsonl(folder):
    (folder / "log.jsonl.gz").write_bytes(gzip.compress(lines_of(0, ROWS).encode()))
    return Log.read(folder / "log.jsonl.gz", n_arms=3)


def as_folder_of_text(folder):
    for place, start in enumerate(range(0, ROWS, 5000)):
        (folder / f"{place}.jsonl").write_text(lines_of(start, start + 5000))
    return Log.read(folder, n_arms=3)


def as_dsjson(folder):
    with (folder / "log.dsjson").open("w") as file:
        for arm, reward in zip(ARM.tolist(), REWARD.tolist(), strict=True):
            others = [each for each in range(3) if each != arm]
            chances = [CHANCES[each] for each in (arm, *others)]
            event = {"_label_cost": -reward, "a": [1 + each for each in (arm, *others)], "p": chances}
            file.write(json.dumps({"EventId": str(file.tell()), "Timestamp": "2026-11-18T12:00:00Z", **event}) + "\n")
    return Log.from_dsjson(folder / "log.dsjson")


def as_cb_text(folder):
    with (folder / "log.vw").open("w") as file:
        for arm, reward in zip(ARM.tolist(), REWARD.tolist(), strict=True):
            label = f"0:{-reward}:{CHANCES[arm]} "
            file.write("".join(f"{label if place == arm else ''}| a\n" for place in range(3)) + "\n")
    return Log.from_cb_text(folder / "log.vw")


def as_parquet(folder):
    pq.write_table(pa.table(COLUMNS), folder / "log.parquet", row_group_size=1000)
    return Log.read(folder / "log.parquet", n_arms=3)


def as_stream(folder):
    return Log.read(lambda: pa.table(COLUMNS).to_reader(777), n_arms=3)


def as_pandas(folder):
    return Log.read(pd.DataFrame(COLUMNS), n_arms=3)


def as_polars(folder):
    return Log.read(pl.DataFrame(COLUMNS), n_arms=3)


def as_arrays(folder):
    return Log.from_arrays(arms=ARM, rewards=REWARD, probabilities=CHANCES[ARM], n_arms=3)


def as_lists(folder):
    return Log.read({name: values.tolist() for name, values in COLUMNS.items()}, n_arms=3)


SOURCES = (
    as_csv, as_jsonl, as_folder_of_text, as_dsjson, as_cb_text, as_parquet, as_stream, as_pandas, as_polars, as_arrays,
    as_lists,
)  # fmt: skip


@pytest.mark.parametrize("source", SOURCES, ids=lambda make: make.__name__[3:])
def test_no_row_is_lost_between_two_batches(source, tmp_path, monkeypatch):
    for module in (arrow, batch):
        monkeypatch.setattr(module, "BATCH_ROWS", 1000)
    log = source(tmp_path)
    batches = list(log)
    for name, values in COLUMNS.items():
        np.testing.assert_array_equal(np.concatenate([getattr(each, name) for each in batches]), values)
    if log.name != str(tmp_path):  # of a folder of text nobody counts the rows of files before
        np.testing.assert_array_equal(np.concatenate([each.rows for each in batches]), np.arange(ROWS))
    assert log.scanned.rows == ROWS
    found = evaluate(log, "uniform", estimators="ips")
    assert found.n == ROWS
    assert found.value("ips") == pytest.approx(np.mean(REWARD / 3.0 / CHANCES[ARM]), rel=1e-12)


@pytest.mark.parametrize("row", [text.LINES - 1, text.LINES, text.LINES + 1, ROWS - 1])
def test_a_bad_line_at_the_seam_is_named(row, tmp_path):
    log = as_csv(tmp_path)
    lines = (tmp_path / "log.csv").read_text().splitlines()
    lines[row + 1] = "0,0.0,1.0"
    (tmp_path / "log.csv").write_text("\n".join(lines))
    with pytest.raises(LogError, match=rf"line {row + 2}, column 'probability': must be in \(0, 1\]. Got 0"):
        list(log)
