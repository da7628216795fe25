"""A log larger than memory: IPS, SNIPS and DR with a cross-fitted ridge model, beside merely reading its columns.

    python -m benchmarks.logs [--rows 10000000] [--turns 2] [--folder FOLDER]

The log has 10 arms with 10 features each: 10⁷ rows are 10⁹ numbers, written as float32 (4.3 GB) into a temporary
file that is deleted in the end. Every contender is a process of its own, so that its peak memory is its own; they take
turns.

reading  all columns, batch by batch, with Arrow
rbmle    `evaluate` on the same file
numpy    the same estimates in plain vectorised NumPy: two readings, one for the model and one for the terms
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.log_worker import ARMS, FEATURES, theta

CONTENDERS = ("reading", "rbmle", "numpy")
GROUP = 2**20  # rows of a row group: Arrow's default


def write(path: Path, rows: int) -> None:
    """Softmax-like logging chances with a floor, linear rewards with noise of size one."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng, writer = np.random.default_rng(0), None
    inner, outer = FEATURES, ARMS
    for start in range(0, rows, GROUP // 8):
        n = min(GROUP // 8, rows - start)
        X = rng.standard_normal((n, ARMS, FEATURES), dtype=np.float32)
        p = 0.7 * rng.dirichlet(np.ones(ARMS), n) + 0.3 / ARMS
        arm = (p.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
        lists = pa.ListArray.from_arrays(np.arange(0, n * outer * inner + 1, inner, dtype=np.int32), X.reshape(-1))
        columns = {
            "contexts": pa.ListArray.from_arrays(np.arange(0, n * outer + 1, outer, dtype=np.int32), lists),
            "arm": arm,
            "probability": p[np.arange(n), arm],
            "reward": X[np.arange(n), arm] @ theta() + rng.standard_normal(n),
        }
        table = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table, row_group_size=GROUP)
    if writer is not None:
        writer.close()


def measured(contender: str, path: Path) -> dict[str, float]:
    """Seconds, peak memory in GiB and estimates of one contender."""
    call = [sys.executable, "-m", "benchmarks.log_worker", contender, str(path)]
    found: dict[str, float] = json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="where the temporary file is put; it needs 430 bytes a row")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        path = Path(folder) / "log.parquet"
        write(path, asked.rows)
        size = path.stat().st_size
        turns = [{name: measured(name, path) for name in CONTENDERS} for _ in range(asked.turns)]
    table = Table(
        title=f"{asked.rows:,} rows, {ARMS} arms × {FEATURES} features, float32, {size / 2**30:.2f} GiB",
        title_justify="left", caption="best of the turns; the ratio is the best within a turn", caption_justify="left",
    )  # fmt: skip
    for column in ("contender", "seconds", "÷ reading", "CPU s", "peak GiB", "ips", "snips", "dr"):
        table.add_column(column, justify="left" if column == "contender" else "right")
    for name in CONTENDERS:
        own = [turn[name] for turn in turns]
        ratio = min(turn[name]["seconds"] / turn["reading"]["seconds"] for turn in turns)
        seconds, cpu, peak = ([each[key] for each in own] for key in ("seconds", "cpu", "peak"))
        cells = [f"{min(seconds):.1f}", f"{ratio:.2f}", f"{min(cpu):.1f}", f"{max(peak):.2f}"]
        table.add_row(
            name, *cells, *(f"{own[0][each]:.6f}" if each in own[0] else "" for each in ("ips", "snips", "dr"))
        )
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
