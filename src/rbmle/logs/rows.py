"""Rows as Python objects, a dict each, as columns: what JSON, CSV and other libraries' formats are read through."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from rbmle import kernels
from rbmle.errors import describe
from rbmle.inputs import is_whole
from rbmle.logs.batch import offsets_of
from rbmle.logs.columns import COLUMNS, Column
from rbmle.logs.raw import Faults, Lists, Raw, Scalars
from rbmle.types import FloatArray, KeyArray

Row = Mapping[str, Any]
NUMBERS, FLAG = (int, float, np.integer, np.floating, np.bool_), (bool, np.bool_)
NOTHING = np.empty(0)
NO_MATRIX = np.empty((0, 0))


def from_rows(rows: Sequence[Row], present: Sequence[str], faults: Faults) -> Raw:
    """Columns of rows whose values are of Python's own types; a key that is missing in a row is null.

    present: our names of the columns that the log has. Faults may know of rows that could not be read at all.
    """
    raw = Raw(faults, {})
    for column in COLUMNS:
        if column.name not in present:
            continue
        cells = [row.get(column.name) for row in rows]
        if column.kind == "text":
            texts = texts_of(column, cells, faults)
            raw.keys, raw.labels[column.name] = keys_of_texts(texts), texts
        elif column.kind == "texts":
            raw.labels[column.name] = [cell if isinstance(cell, list) else [] for cell in cells]
            sizes = [len(cell) for cell in raw.labels[column.name]]
            raw.columns[column.name] = Lists(NOTHING, offsets_of(sizes), nulls(cells))
        elif column.kind in ("numbers", "wholes", "matrix"):
            raw.columns[column.name] = lists_of(column, cells, faults)
        else:
            raw.columns[column.name] = scalars_of(column, cells, faults)
    return raw


def nulls(cells: Sequence[Any]) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """(n,) where there is nothing."""
    return np.array([cell is None for cell in cells], dtype=np.bool_)


def at(faults: Faults, row: int, column: str, text: str) -> None:
    """Note one bad cell."""
    if not faults.bad[row]:
        one = np.zeros(faults.n, dtype=np.bool_)
        one[row] = True
        faults.note(one, column, lambda i: text)


def scalars_of(column: Column, cells: Sequence[Any], faults: Faults) -> Scalars:
    """Numbers, whole numbers, flags; dates and times in ISO 8601 where a time is wanted."""
    values = np.full(len(cells), np.nan)
    for row, cell in enumerate(cells):
        if cell is None:
            continue
        if column.name == "time" and isinstance(cell, str | datetime):
            try:
                values[row] = seconds_of(cell)
            except ValueError:
                at(faults, row, column.name, f"must be seconds, or a date and time (ISO 8601). Got {describe(cell)}.")
        elif isinstance(cell, FLAG) == (column.kind == "flag") and isinstance(cell, NUMBERS):
            values[row] = as_float(cell)
        else:
            wanted = "true or false" if column.kind == "flag" else "a number"
            at(faults, row, column.name, f"must be {wanted}. Got {describe(cell)}.")
    return Scalars(values, nulls(cells))


def as_float(number: Any) -> float:
    """A number as a float; an int beyond all floats is infinite."""
    try:
        return float(number)
    except OverflowError:
        return float("inf")


def seconds_of(moment: str | datetime) -> float:
    """Seconds since 1970; what has no zone is UTC."""
    when = moment if isinstance(moment, datetime) else datetime.fromisoformat(moment)
    return (when if when.tzinfo is not None else when.replace(tzinfo=UTC)).timestamp()


def lists_of(column: Column, cells: Sequence[Any], faults: Faults) -> Lists:
    """Lists of numbers, or of lists of numbers of one length."""
    deep, parts, width = column.kind == "matrix", list[FloatArray](), None
    for row, cell in enumerate(cells):
        part = NO_MATRIX if deep else NOTHING
        if cell is not None:
            try:
                found = np.array(cell, dtype=np.float64) if plain(cell) else None
            except (ValueError, TypeError, OverflowError):
                found = None
            if found is not None and found.size == 0:
                pass
            elif found is None or found.ndim != 1 + deep:
                what = "a list of lists of numbers, all of one length" if deep else "a list of numbers"
                at(faults, row, column.name, f"must be {what}. Got {describe(cell)}.")
            elif deep and width is not None and found.shape[1] != width:
                text = f"must be of {width} numbers per arm, as in the rows before. Got {found.shape[1]}."
                at(faults, row, column.name, text)
            else:
                part, width = found, found.shape[-1] if deep else None
        parts.append(part)
    offsets = offsets_of([len(part) for part in parts])
    full = [part for part in parts if part.size]
    values = np.concatenate(full) if full else NO_MATRIX if deep else NOTHING
    return Lists(values, offsets, nulls(cells))


def plain(cell: Any) -> bool:
    """Whether a cell holds numbers alone: NumPy would read "1.5" and true as numbers too."""
    if isinstance(cell, list | tuple):
        return all(map(plain, cell))
    if isinstance(cell, np.ndarray):
        return cell.dtype.kind in "fiu"
    return isinstance(cell, NUMBERS) and not isinstance(cell, FLAG)


def texts_of(column: Column, cells: Sequence[Any], faults: Faults) -> list[str]:
    """Ids: text, or whole numbers by their digits."""
    texts = []
    for row, cell in enumerate(cells):
        if not (isinstance(cell, str) or is_whole(cell)):
            at(faults, row, column.name, f"must be text or a whole number. Got {describe(cell)}.")
        texts.append(str(cell))
    return texts


def keys_of_texts(texts: Sequence[str]) -> KeyArray:
    """64-bit keys of ids."""
    parts = [text.encode("utf-8", "surrogatepass") for text in texts]
    keys = np.empty(len(parts), dtype=np.uint64)
    data = np.frombuffer(b"".join(parts) or b"\0", dtype=np.uint8).copy()
    kernels.logs.keys.of_texts(data, offsets_of([len(part) for part in parts]), keys)
    return keys
