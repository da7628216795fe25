"""Parquet files and folders of them, a few rows in memory at a time."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rbmle.errors import InvalidInputError, LogError, MissingFileError
from rbmle.logs.ahead import ahead
from rbmle.logs.arrow import pyarrow, raws_of
from rbmle.logs.batch import BATCH_ROWS
from rbmle.logs.folders import Told, told_by_folders, with_told
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
    told: columns that are not in the file but in the names of its folders
    """

    def __init__(
        self, path: Path, groups: Sequence[int], first: int, within: int, rows: int, told: Mapping[str, Told]
    ) -> None:
        self.path, self.groups, self.first, self.within, self.rows = path, tuple(groups), first, within, rows
        self.label, self.told = str(path), dict(told)

    def raws(self, reading: Reading, only: Sequence[str] | None = None) -> Iterator[Raw]:
        """Its columns."""
        with opened(self.path) as file:
            metadata = file.metadata
            size = sum(metadata.row_group(group).total_byte_size for group in self.groups)
            rows = int(np.clip(READ_BYTES * self.rows // max(size, 1), 256, BATCH_ROWS))
            there = file.schema_arrow.names
            asked = wanted(reading, only)
            names = [name for name in asked if name in there]
            told = {name: value for name, value in self.told.items() if name in asked and name not in there}
            batches = file.iter_batches(batch_size=rows, row_groups=list(self.groups), columns=names)
            with closing(ahead(batches)) as coming:
                whole = (with_told(batch, told) for batch in coming) if told else coming
                yield from raws_of(whole, reading, self.label, self.within)


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


def parquet_parts(paths: Sequence[Path], folder: Path) -> tuple[list[Part], Any, list[str]]:
    """The parts of one file or several of a folder, in their order, the schema that all have, and all columns."""
    parts, first, schema = list[Part](), 0, None
    by_folders = told_by_folders(folder, paths)
    for path, told in zip(paths, by_folders, strict=True):
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
                    parts.append(ParquetPart(path, groups, first, within, rows, told))
                    first, within, groups, rows = first + rows, within + rows, [], 0
    names = [] if schema is None else list(schema.names)
    return parts, schema, [*names, *(name for name in by_folders[0] if name not in names)]
