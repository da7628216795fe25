"""JSON lines and CSV, line by line; errors name the line."""

import csv
import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np

from rbmle.errors import LogError, describe
from rbmle.files import explained
from rbmle.logs.columns import BY_NAME, Column
from rbmle.logs.parts import RawPart
from rbmle.logs.raw import Faults, Raw, Reading
from rbmle.logs.rows import Row, from_rows

# Lines of a batch.
LINES = 4096
# A row, or what is wrong with its line; with the number of the line, from 1.
Line: TypeAlias = tuple[int, Row | str]
Parse: TypeAlias = Callable[[IO[str], Reading, str], Iterator[Line]]


class TextPart(RawPart):
    """A text file, read by one of the functions that make rows of lines.

    present: our names of the columns it has
    """

    def __init__(self, path: Path, first: int | None, parse: Parse, present: Sequence[str]) -> None:
        self.path, self.first, self.parse, self.present, self.label = path, first, parse, tuple(present), str(path)

    def raws(self, reading: Reading, only: Sequence[str] | None = None) -> Iterator[Raw]:
        """Its columns."""
        with text_of(self.path) as file:
            lines = self.parse(file, reading, self.label)
            while some := list(islice(lines, LINES)):
                yield raw_of_lines(some, self.present, self.label, reading)

    def beginning(self, first: int) -> "TextPart":
        """The part with the number of its first row."""
        return TextPart(self.path, first, self.parse, self.present)


def raw_of_lines(lines: Sequence[Line], present: Sequence[str], source: str, reading: Reading) -> Raw:
    """Columns of lines; those that are no rows are bad."""
    faults = Faults(source, np.array([number for number, _ in lines]), reading, unit="line")
    unread = {place: row for place, (_, row) in enumerate(lines) if isinstance(row, str)}
    for place, text in unread.items():
        one = np.zeros(len(lines), dtype=np.bool_)
        one[place] = True
        faults.note(one, "", lambda i, text=text: text)  # type: ignore[misc]
    return from_rows([{} if isinstance(row, str) else row for _, row in lines], present, faults)


def text_of(path: Path) -> IO[str]:
    """A text file, packed or not."""
    with explained(path, "read"):
        if path.name.lower().endswith(".gz"):
            return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
        return path.open(encoding="utf-8-sig", newline="")


def lines_of(file: IO[str], source: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, from 1, without their ends."""
    number = 0
    try:
        for number, line in enumerate(file, start=1):
            yield number, line.rstrip("\r\n")
    except (UnicodeDecodeError, OSError, EOFError) as reason:
        raise LogError(
            f"{source} cannot be read behind line {number}: {reason}.", row=number, source=source
        ) from reason


def json_lines(file: IO[str], reading: Reading, source: str) -> Iterator[Line]:
    """A JSON object a line; empty lines are none."""
    for number, line in lines_of(file, source):
        if line.strip():
            found = json_object(line)
            yield number, found if isinstance(found, str) else renamed(found, reading)


def json_object(line: str) -> dict[str, Any] | str:
    """The object of a line, or what is wrong with it."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as reason:
        return f"must be a JSON object. {reason}: {describe(line)}."
    return found if isinstance(found, dict) else f"must be a JSON object. Got {describe(line)}."


def renamed(row: Mapping[str, Any], reading: Reading) -> Row:
    """A row by our names of its columns."""
    new = {}
    for name in BY_NAME:
        called = reading.columns.get(name, name)
        if isinstance(called, str):
            if called in row:
                new[name] = row[called]
        elif all(each in row for each in called):
            new[name] = [row[each] for each in called]
    return new


def csv_rows(file: IO[str], reading: Reading, source: str) -> Iterator[Line]:
    """A row a line below a header; lists are JSON in a cell, or several columns side by side; empty is null."""
    reader = csv.reader(line + "\n" for _, line in lines_of(file, source))
    try:
        header = next(reader, [])
        for cells in reader:
            number = reader.line_num
            if not cells:
                continue
            if len(cells) != len(header):
                yield number, f"must hold {len(header)} values, as the header does. Got {len(cells)}."
                continue
            texts = dict(zip(header, cells, strict=True))
            yield number, {name: cell_of(BY_NAME[name], value) for name, value in renamed(texts, reading).items()}
    except csv.Error as reason:
        raise LogError(f"{source}, line {reader.line_num}: {reason}.", row=reader.line_num, source=source) from reason


def header_of(path: Path) -> list[str]:
    """The names of the columns of a CSV file."""
    with text_of(path) as file:
        return next(csv.reader(line for _, line in lines_of(file, str(path))), [])


def first_keys(path: Path) -> list[str]:
    """The keys of the objects in the first lines of a file of JSON lines."""
    names: dict[str, None] = {}
    with text_of(path) as file:
        for number, line in lines_of(file, str(path)):
            found = json_object(line) if line.strip() else {}
            if isinstance(found, dict):
                names |= dict.fromkeys(found)
            if number >= LINES:
                break
    return list(names)


def cell_of(column: Column, text: str | list[str]) -> Any:
    """The value of a cell; text that cannot be one is left for the checks to name."""
    if isinstance(text, list):
        return [number_of(each) for each in text]
    if text == "":
        return None
    if column.kind in ("number", "whole"):
        return number_of(text)
    if column.kind == "flag":
        return {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower(), text)
    if column.kind == "text":
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def number_of(text: str) -> float | str:
    """The number of a text, or the text."""
    try:
        return float(text)
    except ValueError:
        return text
