"""Parquet files and folders of them, a few rows in memory at a time."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rbmle.errors import InvalidInputError, LogError, MissingFileError
from rbmle.logs.ahead import ahead
from rbmle.logs.arrow import pyarrow, raws_of
from rbmle.logs.batch import BATCH_ROWS
from rbmle.logs.parts import PART_ROWS, Part, RawPart
from rbmle.logs.raw import Raw, Reading

if TYPE_CHECKING:
    import pyarrow.parquet as pq

# Bytes of a batch that is read, few enough to stay in a processor's cache; and of a file that are fetched at a time:
# else a whole row group would be in memory, which may be most of the file.
READ_BYTES, BUFFER = 2**21, 2**20


class ParquetPart(RawPart):
    """Some row groups of a file that follow each other.

    within: the number of the first row in the file, which messages count from
    """

    def __init__(self, path: Path, groups: Sequence[int], first: int, within: int, rows: int) -> None:
        self.path, self.groups, self.first, self.within, self.rows = path, tuple(groups), first, within, rows
        self.label = str(path)

    def raws(self, reading: Reading, only: Sequence[str] | None = None) -> Iterator[Raw]:
        """Its columns."""
        with opened(self.path) as file:
            metadata = file.metadata
            size = sum(metadata.row_group(group).total_byte_size for group in self.groups)
            rows = int(np.clip(READ_BYTES * self.rows // max(size, 1), 256, BATCH_ROWS))
            there = file.schema_arrow.names
            names = [name for name in wanted(reading, only) if name in there]
            batches = file.iter_batches(batch_size=rows, row_groups=list(self.groups), columns=names)
            with closing(ahead(batches)) as coming:
                yield from raws_of(coming, reading, self.label, self.within)


def wanted(reading: Reading, only: Sequence[str] | None) -> list[str]:
    """The names, in the file, of the columns to be read."""
    from rbmle.logs.columns import BY_NAME

    names = []
    for name in BY_NAME if only is None else only:
        called = reading.columns.get(name, name)
        names += [called] if isinstance(called, str) else list(called)
    return names


def opened(path: Path) -> "pq.ParquetFile":
    """A Parquet file, or an error that names it."""
    pyarrow()
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(path, pre_buffer=False, buffer_size=BUFFER)
    except FileNotFoundError as reason:
        raise MissingFileError.of(reason, f"{path} cannot be read: it does not exist.") from reason
    except (pa.ArrowException, OSError, ValueError) as reason:
        raise LogError(f"{path} is not a Parquet file, or is cut off: {reason}.", source=str(path)) from reason


def parquet_parts(paths: Sequence[Path]) -> tuple[list[Part], Any]:
    """The parts of one file or several, in their order, and the schema that all have."""
    parts, first, schema = list[Part](), 0, None
    for path in paths:
        with opened(path) as file:
            if schema is None:
                schema = file.schema_arrow
            elif set(file.schema_arrow.names) != set(schema.names):
                here = ", ".join(sorted(set(file.schema_arrow.names) ^ set(schema.names)))
                raise InvalidInputError(f"All files of a log must have the same columns. {path} differs in {here}.")
            groups, rows, within = list[int](), 0, 0
            for group in range(file.metadata.num_row_groups):
                groups.append(group)
                rows += file.metadata.row_group(group).num_rows
                if rows >= PART_ROWS or group == file.metadata.num_row_groups - 1:
                    parts.append(ParquetPart(path, groups, first, within, rows))
                    first, within, groups, rows = first + rows, within + rows, [], 0
    return parts, schema


def files_in(folder: Path, endings: Sequence[str]) -> list[Path]:
    """The files of a folder and its folders (partitions, such as day=2026-11-18), in the order of their names."""
    found = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and path.name.lower().endswith(tuple(endings))
        and not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
    ]
    if not found:
        raise MissingFileError(f"{folder} cannot be read: there is no file in it that ends in {' or '.join(endings)}.")
    return found
