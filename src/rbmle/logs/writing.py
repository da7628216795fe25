"""Logs as files and frames, with the columns that everything else reads."""

import json
from collections.abc import Iterator
from os import PathLike
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from rbmle.errors import RbmleError
from rbmle.files import write_atomically
from rbmle.logs.arrow import converted, pyarrow, schema_for
from rbmle.logs.batch import Batch
from rbmle.logs.columns import BY_NAME

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from rbmle.logs.log import Log


def record_batch(batch: Batch, schema: "pa.Schema") -> "pa.RecordBatch":
    """A batch as Arrow."""
    pa = pyarrow()
    return pa.record_batch([array_of(batch, field.name, field.type) for field in schema], schema=schema)


def array_of(batch: Batch, name: str, kind: Any) -> Any:
    """A column of a batch as an Arrow array."""
    pa, offsets = pyarrow(), batch.offsets
    if name in ("id", "arms"):
        values = batch.labels[name]
        array = values if isinstance(values, pa.Array) else pa.array([plain(each) for each in values])
        return converted(array, kind)
    values = getattr(batch, name)
    if name == "reward":
        return pa.array(values, mask=np.isnan(values))
    if name == "context":
        n, d = values.shape
        return pa.ListArray.from_arrays(np.arange(0, n * d + 1, d, dtype=np.int32), pa.array(values.reshape(-1)))
    if name == "contexts":
        N, d = values.shape
        inner = pa.ListArray.from_arrays(np.arange(0, N * d + 1, d, dtype=np.int32), pa.array(values.reshape(-1)))
        return pa.ListArray.from_arrays(offsets.astype(np.int32), inner)
    if BY_NAME[name].kind in ("numbers", "wholes"):
        return pa.ListArray.from_arrays(offsets.astype(np.int32), pa.array(values))
    return pa.array(values)


def plain(value: Any) -> Any:
    """An id, or a list of ids, as text."""
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(each) for each in value]
    return str(value)


def batches_of(log: "Log") -> "tuple[pa.Schema, Iterator[pa.RecordBatch]]":
    """A log as Arrow, batch by batch."""
    told = {**log.metadata, "adaptive": log.adaptive, "n_arms": log.n_arms}
    schema = schema_for(log.columns, {name: value for name, value in told.items() if value is not None})
    return schema, (record_batch(batch, schema) for batch in log)


def to_parquet(log: "Log", path: str | PathLike[str]) -> None:
    """One Parquet file, whole or not at all."""
    pyarrow()
    import pyarrow.parquet as pq

    schema, batches = batches_of(log)

    def write(file: IO[bytes]) -> None:
        with pq.ParquetWriter(file, schema, compression="zstd") as writer:
            for batch in batches:
                writer.write_batch(batch)

    write_atomically(path, write)


def to_jsonl(log: "Log", path: str | PathLike[str]) -> None:
    """One file of JSON lines, whole or not at all; numbers read back exactly."""

    def write(file: IO[bytes]) -> None:
        for batch in log:
            for row in rows_of(batch, log.columns):
                file.write(json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n")

    write_atomically(path, write)


def rows_of(batch: Batch, columns: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """The rows of a batch as Python's own objects."""
    ends = batch.offsets.tolist()
    lists = {name: column_of(batch, name) for name in columns}
    per_arm = {name for name in ("contexts", "eligible", "probabilities") if name in lists}
    for i in range(len(batch)):
        row = {name: values[ends[i] : ends[i + 1]] if name in per_arm else values[i] for name, values in lists.items()}
        if np.isnan(batch.reward[i]):
            row["reward"] = None
        yield row


def column_of(batch: Batch, name: str) -> list[Any]:
    """A column as a list."""
    if name in ("id", "arms"):
        values = batch.labels[name]
        return [plain(each) for each in (values.to_pylist() if hasattr(values, "to_pylist") else values)]
    found: list[Any] = getattr(batch, name).tolist()
    return found


def to_frame(log: "Log") -> "pd.DataFrame":
    """A pandas data frame."""
    try:
        import pandas
    except ModuleNotFoundError as missing:
        raise RbmleError("Data frames need pandas: pip install 'rbmle[report]'.") from missing
    rows = [row for batch in log for row in rows_of(batch, log.columns)]
    frame: pd.DataFrame = pandas.DataFrame(rows, columns=list(log.columns))
    return frame
