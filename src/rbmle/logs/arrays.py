"""Arrays and lists as columns: a mapping by our names, no pyarrow needed."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from rbmle import kernels
from rbmle.errors import InvalidInputError
from rbmle.inputs import as_numbers
from rbmle.logs.batch import BATCH_BYTES, BATCH_ROWS
from rbmle.logs.columns import BY_NAME, Column
from rbmle.logs.raw import Faults, Lists, Raw, Reading, Scalars
from rbmle.logs.rows import Row, from_rows


def raws_of(columns: Mapping[str, Any], reading: Reading, source: str) -> Iterator[Raw]:
    """Batches of columns (n,), (n, K), (n, d), (n, K, d), or lists with a value per row."""
    sizes = {name: length(values, name) for name, values in columns.items()}
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise InvalidInputError(f"The columns of a log must have a value for each row. Got {told}.")
    n = next(iter(sizes.values()))
    per_row = sum(values.nbytes for values in columns.values() if isinstance(values, np.ndarray)) // max(n, 1)
    rows = int(np.clip(BATCH_BYTES // max(per_row, 1), 256, BATCH_ROWS))
    for start in range(0, n, rows):
        cut = {name: values[start : start + rows] for name, values in columns.items()}
        count = min(rows, n - start)
        yield raw_of(cut, Faults(source, np.arange(start, start + count), reading))


def length(values: Any, name: str) -> int:
    """How many rows a column has."""
    try:
        return len(values)
    except TypeError as reason:
        raise InvalidInputError(f"The column {name!r} of a log must be an array or a list. Got {values!r}.") from reason


def raw_of(columns: Mapping[str, Any], faults: Faults) -> Raw:
    """The columns of a batch: arrays as they are, lists through Python."""
    arrays = {name: values for name, values in columns.items() if is_array(name, values)}
    others = {name: list(values) for name, values in columns.items() if name not in arrays}
    rows: list[Row] = [dict(zip(others, cells, strict=True)) for cells in zip(*others.values(), strict=True)]
    raw = from_rows(rows, list(others), faults) if others else Raw(faults, {})
    for name, values in arrays.items():
        column = BY_NAME[name]
        if column.kind == "text":
            raw.keys, raw.labels[name] = np.empty(len(values), dtype=np.uint64), values
            kernels.logs.keys.of_numbers(np.array(values, dtype=np.int64), raw.keys)
        else:
            raw.columns[name] = column_of(column, values)
    return raw


def is_array(name: str, values: Any) -> bool:
    """Whether a column is an array of numbers, of any kind but object."""
    kinds = "i" if BY_NAME[name].kind == "text" else "fiub"
    return isinstance(values, np.ndarray) and values.dtype.kind in kinds and BY_NAME[name].kind != "texts"


def column_of(column: Column, values: Any) -> Scalars | Lists:
    """An array as a column of its kind."""
    n, name = len(values), column.name
    numbers = as_numbers(values, name)
    ndim = {"matrix": 3, "numbers": 2, "wholes": 2}.get(column.kind, 1)
    if numbers.ndim != ndim or 0 in numbers.shape[1:]:
        shape = {1: "(n,)", 2: "(n, d)" if name == "context" else "(n, K)", 3: "(n, K, d)"}[ndim]
        raise InvalidInputError(f"The column {name!r} of a log must have shape {shape}. Got shape {numbers.shape}.")
    none = np.zeros(n, dtype=np.bool_)
    if ndim == 1:
        return Scalars(numbers, none)
    size = numbers.shape[1]
    flat = numbers.reshape(n * size, -1) if ndim == 3 else numbers.reshape(-1)
    return Lists(flat, np.arange(0, n * size + 1, size), none)
