"""Folders of files: which belong to a log, and what the names of folders say of them, such as day=2026-11-18."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import unquote

from rbmle.errors import MissingFileError

if TYPE_CHECKING:
    import pyarrow as pa

Told: TypeAlias = int | float | date | str | None
"""The value of a column that all rows of a file have, from the name of its folder."""

# What Hive and those who write like it call a folder of nulls.
NULL = "__HIVE_DEFAULT_PARTITION__"


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


def told_by_folders(folder: Path, paths: Sequence[Path]) -> list[dict[str, Told]]:
    """For each file the columns that the names of its folders hold: those that all files have, of one type in all."""
    texts = [dict(pairs(path.relative_to(folder).parent.parts)) for path in paths]
    columns = {name: typed([own[name] for own in texts]) for name in texts[0] if all(name in own for own in texts)}
    return [{name: values[place] for name, values in columns.items()} for place in range(len(paths))]


def pairs(parts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Names and values of folders such as day=2026-11-18."""
    for part in parts:
        name, equals, value = part.partition("=")
        if name and equals:
            yield unquote(name), unquote(value)


def typed(texts: Sequence[str]) -> list[Told]:
    """Whole numbers, numbers or dates where all values are such, else text."""
    known = [text for text in texts if text != NULL]
    for kind in (int, float, date.fromisoformat):
        try:
            values = {text: kind(text) for text in known}
        except ValueError:
            continue
        return [values.get(text) for text in texts]
    return [None if text == NULL else text for text in texts]


def with_told(batch: "pa.RecordBatch", told: Mapping[str, Told]) -> "pa.RecordBatch":
    """A batch with the columns that folders told."""
    import pyarrow as pa

    for name, value in told.items():
        batch = batch.append_column(name, pa.repeat(pa.scalar(value), batch.num_rows))
    return batch
