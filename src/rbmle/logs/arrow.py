"""Arrow record batches as columns: without a copy where the types allow it."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rbmle import kernels
from rbmle.errors import InvalidInputError, LogError, RbmleError
from rbmle.logs.batch import BATCH_ROWS
from rbmle.logs.columns import BY_NAME, COLUMNS, FORMAT, METADATA, Column
from rbmle.logs.raw import Faults, Lists, Raw, Reading, Scalars
from rbmle.types import BoolArray, FloatArray, IntArray, KeyArray

if TYPE_CHECKING:
    import pyarrow as pa


def pyarrow() -> Any:
    """The pyarrow module, or an error that says how to get it."""
    try:
        import pyarrow
    except ModuleNotFoundError as missing:
        raise RbmleError(
            "Data frames and Parquet files are read with pyarrow: pip install 'rbmle[arrow]'. A mapping of NumPy "
            "arrays and text files are read without it."
        ) from missing
    return pyarrow


def stream_of(source: Any) -> "pa.RecordBatchReader":
    """A stream of record batches from whatever offers one."""
    if type(source).__name__ == "LazyFrame":
        raise InvalidInputError("A log must be a frame that is there, not a lazy one: collect() it first.")
    if not hasattr(source, "__arrow_c_stream__"):
        raise InvalidInputError(
            "A log must be a mapping of arrays, a path, or an object with the Arrow stream interface such as a frame "
            f"of pandas 2.2 or polars, or a table of pyarrow. Got {type(source).__name__}."
        )
    pa = pyarrow()
    try:
        return pa.RecordBatchReader.from_stream(with_lists(source))
    except (pa.ArrowException, TypeError, ValueError) as reason:
        raise InvalidInputError(f"The log cannot be read as Arrow: {reason}") from reason


def with_lists(source: Any) -> Any:
    """A frame of pandas with lists of arrays where cells are arrays (K, d), which Arrow does not take."""
    if type(source).__module__.partition(".")[0] != "pandas" or not hasattr(source, "columns"):
        return source
    deep = [
        name for name in source.columns
        if source[name].dtype == object and any(getattr(cell, "ndim", 0) == 2 for cell in source[name].iloc[:1])
    ]  # fmt: skip
    return source.assign(**{name: [None if cell is None else list(cell) for cell in source[name]] for name in deep})


def metadata_of(schema: "pa.Schema") -> dict[str, Any]:
    """What a file says of itself under our key; a format newer than ours is refused."""
    text = (schema.metadata or {}).get(METADATA.encode())
    if text is None:
        return {}
    try:
        found = json.loads(text)
        newer = not isinstance(found["format"], int) or found["format"] > FORMAT
    except (ValueError, KeyError, TypeError) as reason:
        raise InvalidInputError(
            f"The metadata {METADATA!r} of a log must be JSON with a format. Got {text!r}."
        ) from reason
    if newer:
        raise InvalidInputError(f"The log is of format {found['format']!r}; this version reads format {FORMAT}.")
    return dict(found)


def schema_for(names: Iterable[str], metadata: Mapping[str, Any]) -> "pa.Schema":
    """The schema of a log with some of the columns, and what it says of itself."""
    pa = pyarrow()
    double, text = pa.float64(), pa.string()
    kinds = {"text": text, "number": double, "whole": pa.int64(), "flag": pa.bool_(), "numbers": pa.list_(double)}
    kinds |= {"wholes": pa.list_(pa.int64()), "texts": pa.list_(text), "matrix": pa.list_(pa.list_(double))}
    told = {METADATA: json.dumps({"format": FORMAT, **metadata})}
    return pa.schema([(name, kinds[BY_NAME[name].kind]) for name in names], metadata=told)


def raws_of(batches: Iterable["pa.RecordBatch"], reading: Reading, source: str, first: int) -> Iterator[Raw]:
    """The columns of record batches, at most BATCH_ROWS rows at a time; first: the number of the first row."""
    try:
        for batch in batches:
            for start in range(0, batch.num_rows, BATCH_ROWS):
                part = batch.slice(start, BATCH_ROWS)
                yield raw_of(part, reading, source, first)
                first += part.num_rows
    except (pyarrow().ArrowException, OSError) as reason:
        raise LogError(f"{source} cannot be read behind row {first}: {reason}.", row=first, source=source) from reason


def raw_of(batch: "pa.RecordBatch", reading: Reading, source: str, first: int) -> Raw:
    """The columns of a record batch; first: the number of its first row in its file."""
    faults = Faults(source, np.arange(first, first + batch.num_rows), reading)
    raw, there = Raw(faults, {}), set(batch.schema.names)
    for column in COLUMNS:
        called = reading.columns.get(column.name, column.name)
        names = (called,) if isinstance(called, str) else called
        if not there.issuperset(names):
            continue
        arrays = [batch.column(name) for name in names]
        if len(arrays) > 1:
            raw.columns[column.name] = side_by_side(column, arrays, reading)
        elif column.kind == "text":
            texts = without_views(arrays[0])
            raw.keys, raw.labels[column.name] = keys_of(texts, faults), texts
        elif column.kind == "texts":
            raw.columns[column.name], raw.labels[column.name] = texts_of(arrays[0], reading), without_views(arrays[0])
        elif column.kind in ("numbers", "wholes"):
            raw.columns[column.name] = lists_of(column, arrays[0], reading)
        elif column.kind == "matrix":
            raw.columns[column.name] = matrix_of(column, arrays[0], faults)
        else:
            raw.columns[column.name] = scalars_of(column, arrays[0], reading)
    return raw


def refused(column: Column, kind: Any, reading: Reading) -> InvalidInputError:
    """A column of a type that cannot be what it must be."""
    wanted = {
        "text": "text or whole numbers", "number": "numbers", "whole": "whole numbers", "flag": "true or false",
        "numbers": "lists of numbers", "wholes": "lists of whole numbers", "texts": "lists of text",
        "matrix": "lists of lists of numbers",
    }[column.kind]  # fmt: skip
    return InvalidInputError(f"The column {reading.called(column.name)!r} must hold {wanted}. Got {kind}.")


def null_of(array: Any) -> BoolArray:
    """(n,) where an array is null."""
    if array.null_count == 0:
        return np.zeros(len(array), dtype=np.bool_)
    found: BoolArray = array.is_null().to_numpy(zero_copy_only=False)
    return found


def floats_of(array: Any) -> FloatArray:
    """An array of numbers as float64: the very memory where it is that; null is NaN."""
    pa = pyarrow()
    if not pa.types.is_float64(array.type):
        array = array.cast(pa.float64(), safe=False)
    values: FloatArray = array.to_numpy(zero_copy_only=False)
    return values


def is_number(kind: Any) -> bool:
    """Whether an Arrow type is one of real numbers."""
    types = pyarrow().types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) or types.is_null(kind))


def is_list(kind: Any) -> bool:
    """Whether an Arrow type is a list of any size."""
    types = pyarrow().types
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def scalars_of(column: Column, array: Any, reading: Reading) -> Scalars:
    """Numbers, flags, dates and times."""
    pa, kind, null = pyarrow(), array.type, null_of(array)
    if column.name == "time" and (pa.types.is_timestamp(kind) or pa.types.is_date(kind)):
        return Scalars(seconds_of(array), null)
    suits = is_number(kind) if column.kind != "flag" else pa.types.is_boolean(kind) or pa.types.is_integer(kind)
    if not suits:
        raise refused(column, kind, reading)
    if pa.types.is_boolean(kind):
        array = array.cast(pa.int8())
    return Scalars(floats_of(array), null)


def seconds_of(array: Any) -> FloatArray:
    """Dates and times as seconds since 1970, UTC (Arrow keeps those with a zone in UTC)."""
    pa = pyarrow()
    if pa.types.is_date(array.type):
        array = array.cast(pa.timestamp("ms"))
    per_second = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[array.type.unit]
    whole, null = array.cast(pa.int64()), null_of(array)
    ticks = whole.fill_null(0).to_numpy(zero_copy_only=False)
    seconds, rest = np.divmod(ticks, int(per_second))  # a float of all nanoseconds would round to 256 of them
    return np.where(null, np.nan, seconds + rest / per_second)


def starts_of(array: Any) -> tuple[IntArray, Any]:
    """Where the lists of an array begin and end in its values, from 0, and those values; null lists are empty."""
    pa = pyarrow()
    if pa.types.is_fixed_size_list(array.type):
        size = array.type.list_size
        if array.null_count == 0:
            values = array.values.slice(array.offset * size, len(array) * size)
            return np.arange(0, (len(array) + 1) * size, size or 1)[: len(array) + 1].astype(np.int64), values
        sizes = np.where(null_of(array), 0, size)
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), array.flatten()
    offsets = array.offsets.to_numpy().astype(np.int64)
    if array.null_count == 0:
        return offsets - offsets[0], array.values.slice(offsets[0], offsets[-1] - offsets[0])
    sizes = np.where(null_of(array), 0, np.diff(offsets))
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), array.flatten()


def lists_of(column: Column, array: Any, reading: Reading) -> Lists:
    """Lists of numbers."""
    if not is_list(array.type) or not is_number(array.type.value_type):
        raise refused(column, array.type, reading)
    offsets, values = starts_of(array)
    return Lists(floats_of(values), offsets, null_of(array))


def texts_of(array: Any, reading: Reading) -> Lists:
    """How long lists of text are: what they hold is for people."""
    if not is_list(array.type):
        raise refused(BY_NAME["arms"], array.type, reading)
    offsets, _ = starts_of(array)
    return Lists(np.empty(0), offsets, null_of(array))


def matrix_of(column: Column, array: Any, faults: Faults) -> Lists:
    """Lists of lists of numbers, all inner ones of the length that is the commonest in the batch."""
    kind = array.type
    if not is_list(kind) or not is_list(kind.value_type) or not is_number(kind.value_type.value_type):
        raise refused(column, kind, faults.reading)
    offsets, inner = starts_of(array)
    starts, values = starts_of(inner)
    sizes = np.diff(starts)
    d = faults.reading.n_features or (int(sizes[0]) if len(sizes) else 0)
    if len(sizes) == 0 or bool((sizes == d).all()):
        return Lists(floats_of(values).reshape(len(sizes), d), offsets, null_of(array))
    owner, odd = np.repeat(np.arange(len(array)), np.diff(offsets)), sizes != d
    bad = np.bincount(owner[odd], minlength=len(array)).astype(np.bool_)
    faults.note(
        bad, column.name,
        lambda i: f"must be of {d} numbers per arm, as in the rows before. Got {sizes[odd & (owner == i)][0]}.",
    )  # fmt: skip
    good = ~bad[owner]  # all lists of rows without a fault
    kept = np.where(bad, 0, np.diff(offsets))
    whole = floats_of(values)[np.repeat(good, sizes)].reshape(-1, d)
    return Lists(whole, np.concatenate([[0], np.cumsum(kept)]).astype(np.int64), null_of(array))


def side_by_side(column: Column, arrays: list[Any], reading: Reading) -> Lists:
    """Several columns of numbers as one of lists."""
    for array in arrays:
        if column.kind not in ("numbers", "wholes") or not is_number(array.type):
            raise refused(column, f"several columns, one of them of {array.type}", reading)
    n, m = len(arrays[0]), len(arrays)
    values = np.column_stack([floats_of(array) for array in arrays]).reshape(-1)
    return Lists(values, np.arange(0, n * m + 1, m), np.zeros(n, dtype=np.bool_))


def keys_of(array: Any, faults: Faults) -> KeyArray:
    """64-bit keys of ids."""
    pa, keys = pyarrow(), np.empty(len(array), dtype=np.uint64)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    null = null_of(array)
    faults.note(null, "id", lambda i: "must be text or a whole number. Got null.")
    if pa.types.is_signed_integer(array.type) or (pa.types.is_integer(array.type) and array.type.bit_width < 64):
        numbers = array.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
        kernels.logs.keys.of_numbers(np.array(numbers), keys)
        return keys
    if not (pa.types.is_integer(array.type) or str(array.type) in ("string", "large_string", "string_view")):
        raise refused(BY_NAME["id"], array.type, faults.reading)
    texts = converted(array, pa.large_string())
    if null.any():
        texts = texts.fill_null("")
    _, offsets, data = texts.buffers()
    starts = np.frombuffer(offsets, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    end = int(starts[-1]) if len(starts) else 0
    letters = np.frombuffer(data, dtype=np.uint8)[:end] if end else np.zeros(1, dtype=np.uint8)
    kernels.logs.keys.of_texts(np.array(letters[int(starts[0]) :]), starts - starts[0], keys)
    return keys


def without_views(array: Any) -> Any:
    """Text, or lists of it, of which Arrow can take some: it cannot of views, as polars has them."""
    pa = pyarrow()
    if str(array.type) == "string_view":
        return converted(array, pa.large_string())
    if is_list(array.type) and str(array.type.value_type) == "string_view":
        return converted(array, pa.large_list(pa.large_string()))
    return array


def converted(array: Any, kind: Any) -> Any:
    """An array as another type. Arrow 16 cannot cast views of text, as polars has them."""
    try:
        return array.cast(kind)
    except pyarrow().ArrowNotImplementedError:
        return pyarrow().array(array.to_pylist(), kind)
