"""From what holds a log to its parts: which columns there are, and what the first row says of all."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rbmle.errors import InvalidInputError, MissingFileError
from rbmle.logs import arrays, text
from rbmle.logs.check import checked
from rbmle.logs.columns import BY_NAME, COLUMNS, PER_ARM
from rbmle.logs.parts import PART_ROWS, Part, RawPart, StreamPart, TablePart, held_parts
from rbmle.logs.raw import OnError, Raw, Reading

PARQUET, CSV, JSONL = (".parquet", ".pq"), (".csv", ".csv.gz"), (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")

# How every SQLite file begins.
SQLITE = b"SQLite format 3\0"


class Found(NamedTuple):
    """What a log is made of."""

    name: str
    parts: Sequence[Part]
    reading: Reading
    columns: tuple[str, ...]
    metadata: Mapping[str, Any]


class TextFormat(NamedTuple):
    """A format of text files: how lines become rows, and the columns they then have."""

    parse: text.Parse
    present: tuple[str, ...]


def renaming(columns: Mapping[str, Any] | None) -> dict[str, str | tuple[str, ...]]:
    """What our columns are called elsewhere, checked."""
    if not isinstance(columns, Mapping | None):
        raise InvalidInputError(f"columns must be a dict from our names to yours. Got {columns!r}.")
    new: dict[str, str | tuple[str, ...]] = {}
    for name, called in (columns or {}).items():
        if name not in BY_NAME:
            raise InvalidInputError(f"columns must map names among {', '.join(BY_NAME)}. Got {name!r}.")
        several = isinstance(called, Sequence) and not isinstance(called, str)
        if several and called and all(isinstance(each, str) for each in called):
            new[name] = tuple(called)
        elif isinstance(called, str):
            new[name] = called
        else:
            raise InvalidInputError(f"columns[{name!r}] must be a name or a list of names. Got {called!r}.")
    return new


def held(values: Any) -> Any:
    """What can be an array, such as a frame or a column of one, as an array; lists and arrays as they are."""
    if isinstance(values, np.ndarray | list | tuple) or not hasattr(values, "__array__"):
        return values
    return np.asarray(values)


def ndim(values: Any) -> int:
    """How deep an array or a list is, by its first row; 1 where there is none."""
    if isinstance(values, np.ndarray) or hasattr(values, "ndim"):
        return int(values.ndim)
    depth = 0
    while isinstance(values, list | tuple) and values:
        values, depth = values[0], depth + 1
        if isinstance(values, np.ndarray):
            return depth + values.ndim
    return max(depth, 1)


def found_in(source: Any, reading: Reading) -> Found:
    """Whatever `Log.read` takes."""
    if isinstance(source, str | PathLike):
        return in_files(Path(source), reading)
    if isinstance(source, Mapping):
        there = {name: held(source[name]) for name in source if name in BY_NAME and name not in reading.columns}
        for name, called in reading.columns.items():
            if isinstance(called, str) and called in source:
                there[name] = held(source[called])
            elif not isinstance(called, str) and all(each in source for each in called):
                there[name] = np.column_stack([source[each] for each in called])
        return of_columns(there, reading, "mapping", tuple(source))
    return in_stream(source, reading)


def of_columns(columns: Mapping[str, Any], reading: Reading, label: str, names: Sequence[str] | None = None) -> Found:
    """Columns in memory, checked at once."""
    present = require_columns(list(columns), reading, label, list(columns) if names is None else names)
    contexts = columns.get("contexts")
    if reading.n_arms is None and "eligible" not in columns and isinstance(contexts, np.ndarray) and contexts.ndim == 3:
        # An array has as many arms in every row; lists may not.
        reading = replace(reading, n_arms=contexts.shape[1] or None)
    raws = arrays.raws_of({name: columns[name] for name in present}, reading, label)
    first = next(raws, None)
    if first is None:
        raise InvalidInputError(f"{label} must hold at least one row. Got none.")
    known, row, batches = seen_first(first, reading), 0, []
    for raw in chain([first], raws):
        raw.faults.reading = known
        batches.append(checked(raw, known, row))
        row += raw.n
    return Found(label, held_parts(label, batches), known, present, {})


def in_files(path: Path, reading: Reading) -> Found:
    """Files of one kind."""
    from rbmle.logs.folders import files_in

    endings = (*PARQUET, *CSV, *JSONL)
    paths = files_in(path, endings) if path.is_dir() else [path]
    kinds = {kind_of(each) for each in paths}
    if is_database(path):
        raise InvalidInputError(f"{path} is a database. An agent's journal has a log: Agent.open({str(path)!r}).log().")
    if len(kinds) != 1 or None in kinds:
        raise InvalidInputError(
            f"{path} must be a file that ends in one of {', '.join(endings)}, or a folder of files of one kind."
        )
    kind = kinds.pop()
    if kind == "parquet":
        from rbmle.logs.arrow import metadata_of
        from rbmle.logs.parquet import parquet_parts

        parts, schema, names = parquet_parts(paths, path if path.is_dir() else path.parent)
        metadata = metadata_of(schema)
        return opened(parts, with_told(reading, metadata), names, path, metadata)
    missing = [each for each in paths if not each.is_file()]
    if missing:
        raise MissingFileError(f"{missing[0]} cannot be read: it does not exist, or is no file.")
    parse = text.csv_rows if kind == "csv" else text.json_lines
    names = text.header_of(paths[0]) if kind == "csv" else text.first_keys(paths[0])
    present = require_columns(our_names(names, reading), reading, str(path), names)
    texts = [text.TextPart(each, 0 if not place else None, parse, present) for place, each in enumerate(paths)]
    return opened(texts, reading, names, path, {})


def is_database(path: Path) -> bool:
    """Whether a file is one of SQLite's, as the journals of agents are."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE


def of_text(path: str | PathLike[str], kind: TextFormat, on_error: OnError) -> Found:
    """One text file of another library's format."""
    place = Path(path)
    part = text.TextPart(place, 0, kind.parse, kind.present)
    return opened([part], Reading(on_error=on_error), kind.present, place, {})


def in_stream(source: Any, reading: Reading) -> Found:
    """Frames, tables, streams, functions that open streams."""
    from rbmle.logs.arrow import metadata_of, stream_of

    opens = callable(source) and not hasattr(source, "__arrow_c_stream__")
    stream = stream_of(source() if opens else source)
    schema, metadata = stream.schema, metadata_of(stream.schema)
    parts: list[Part]
    if opens:
        parts = [StreamPart("stream", make=lambda: stream_of(source()))]
    elif type(source).__name__ == "RecordBatchReader":
        parts = [StreamPart("stream", once=stream)]
    else:
        table = stream.read_all()
        parts = [
            TablePart("table", start, table.slice(start, PART_ROWS))
            for start in range(0, max(table.num_rows, 1), PART_ROWS)
        ]
    return opened(parts, with_told(reading, metadata), schema.names, parts[0].label, metadata)


def with_told(reading: Reading, metadata: Mapping[str, Any]) -> Reading:
    """K as the file says it, unless the caller does."""
    told = metadata.get("n_arms")
    return reading if reading.n_arms is not None or not isinstance(told, int) else replace(reading, n_arms=told)


def opened(
    parts: Sequence[Part], reading: Reading, names: Sequence[str], label: object, metadata: Mapping[str, Any]
) -> Found:
    """A log that is read when somebody goes through it, once its first row was seen."""
    present = require_columns(our_names(names, reading), reading, str(label), names)
    for place, part in enumerate(parts):
        if isinstance(part, RawPart):
            raws = part.raws(reading)
            first = next((raw for raw in raws if raw.n), None)
            if first is not None:
                if isinstance(part, StreamPart) and part.make is None:
                    parts = [*parts[:place], BegunPart(part, first, raws), *parts[place + 1 :]]
                return Found(str(label), parts, seen_first(first, reading), present, metadata)
    raise InvalidInputError(f"{label} must hold at least one row. Got none.")


class BegunPart(StreamPart):
    """A stream that flows once, of which the first batch was looked at."""

    def __init__(self, part: StreamPart, first: Raw, rest: Iterator[Raw]) -> None:
        super().__init__(part.label)
        self.begun: Iterator[Raw] | None = chain([first], rest)

    def raws(self, reading: Reading, only: Sequence[str] | None = None) -> Iterator[Raw]:
        """Its columns."""
        if self.begun is None:
            self._stream()
        begun, self.begun = self.begun, None
        for raw in begun or ():
            raw.faults.reading = reading
            yield raw


def seen_first(raw: Raw, reading: Reading) -> Reading:
    """What the first row says of all: d, and K where arms are known by their places alone."""
    contexts, shared = raw.columns.get("contexts"), raw.columns.get("context")
    d: int | None = None
    if contexts is not None:
        d = int(contexts.values.shape[1])
    elif shared is not None:
        d = first_size(shared)
    K = reading.n_arms
    if K is None and "eligible" not in raw.columns:
        known = next((raw.columns[name] for name in PER_ARM if name in raw.columns), None)
        if known is None:
            raise InvalidInputError(
                f"{raw.faults.source}: the log must say how many arms there are, by a column with a value per arm "
                f"({', '.join(PER_ARM)}) or by n_arms=…"
            )
        if contexts is None:
            K = first_size(known)
    return replace(reading, n_features=d or None, n_arms=K)


def first_size(lists: Any) -> int | None:
    """The length of the first list that is not empty."""
    sizes = np.diff(lists.offsets)
    full = sizes[sizes > 0]
    return int(full[0]) if len(full) else None


def our_names(names: Sequence[str], reading: Reading) -> list[str]:
    """Our names of the columns that are there."""
    found = []
    for name in BY_NAME:
        called = reading.columns.get(name, name)
        if set((called,) if isinstance(called, str) else called) <= set(names):
            found.append(name)
    return found


def require_columns(present: Sequence[str], reading: Reading, label: str, names: Sequence[str]) -> tuple[str, ...]:
    """The columns that are there, in our order; an error where one that is needed, or named, is not."""
    wanted = [column.name for column in COLUMNS if column.needed or column.name in reading.columns]
    missing = [reading.called(name) for name in wanted if name not in present]
    if missing:
        raise InvalidInputError(
            f"{label} must have the column {' and '.join(map(repr, missing))}. It has {', '.join(names) or 'none'}; "
            "columns={'reward': 'clicks', …} says what yours are called."
        )
    if "contexts" in present and "context" in present:
        raise InvalidInputError(f"{label} must have 'contexts' or 'context', not both.")
    if "settled" in present and "time" not in present:
        raise InvalidInputError(
            f"{label} must have 'time' where it has 'settled': rows are read up to the first open one."
        )
    return tuple(column.name for column in COLUMNS if column.name in present)


def kind_of(path: Path) -> str | None:
    """ "parquet", "csv" or "jsonl" by the ending of a name."""
    name = path.name.lower()
    for kind, endings in (("parquet", PARQUET), ("csv", CSV), ("jsonl", JSONL)):
        if name.endswith(endings):
            return kind
    return None
