"""Readers of tables: ARFF (as Weka and OpenML write it) and CSV. Categories become numbers, what is missing NaN."""

import csv
import re
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path

import numpy as np

from rbmle import files
from rbmle.datasets.base import Dataset
from rbmle.errors import InvalidInputError
from rbmle.types import FloatArray

MISSING = ("", "?", "na", "nan", "null")
# A value of an ARFF list or row and its comma: within quotes, where a backslash protects a quote, or bare.
VALUE = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,]*?))\s*,""")
ATTRIBUTE = re.compile(r"""@attribute\s+(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\S+)\s+(.+)$""", re.IGNORECASE)
NUMERIC = ("numeric", "real", "integer")


def read_arff(path: str | PathLike[str], name: str | None = None) -> Dataset:
    """An ARFF file whose last attribute is the class.

    A nominal attribute is coded by the places of its values in the file's own list (0, 1, …), a missing value is NaN.
    Sparse rows, text and dates are refused.
    """
    lists: list[list[str] | None] = []
    rows: list[list[str]] = []
    in_data = False
    for number, line in lines_of(path):
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        where = f"{path}, line {number}"
        if in_data:
            if line.startswith("{"):
                raise InvalidInputError(f"{where}: rows must be dense. Got a sparse one.")
            rows.append(values_of(line))
            if len(rows[-1]) != len(lists):
                raise InvalidInputError(f"{where} must hold {len(lists)} values. Got {len(rows[-1])}.")
        elif line.lower().startswith("@attribute"):
            lists.append(listed(line, where))
        elif line.lower().startswith("@data"):
            in_data = True
    if not rows or len(lists) < 2:
        raise InvalidInputError(f"{path} must declare at least 2 attributes and hold rows after @data.")
    if lists[-1] is None:
        raise InvalidInputError(f"{path}: the last attribute must be nominal, for it is the class.")
    columns = [coded(column, known, path) for column, known in zip(zip(*rows, strict=True), lists, strict=True)]
    without = np.flatnonzero(np.isnan(columns[-1]))
    if len(without):
        raise InvalidInputError(f"{path}: every row must have a class. Got none in row {without[0]}.")
    return Dataset(
        name or Path(path).stem, np.column_stack(columns[:-1]), columns[-1].astype(np.int64), tuple(lists[-1])
    )


def read_csv(
    path: str | PathLike[str] | Sequence[str | PathLike[str]], name: str | None = None, target: int = -1
) -> Dataset:
    """A table with commas whose column `target` is the class; several files of one table are put below each other.

    A column of numbers stays as it is, any other is coded by its sorted values; what is empty or "?" is NaN. The first
    row is taken for a header where it has text in a column that holds numbers otherwise.
    """
    paths = [path] if isinstance(path, str | PathLike) else list(path)
    rows: list[list[str]] = []
    for each in paths:
        new = [row for row in csv.reader(line for _, line in lines_of(each)) if row]
        if new and has_header(new):
            del new[0]
        rows += new
    if not rows:
        raise InvalidInputError(f"{' and '.join(map(str, paths))} must hold at least one row.")
    width = len(rows[0])
    odd = [number for number, row in enumerate(rows) if len(row) != width]
    if odd or width < 2:
        found = len(rows[odd[0]]) if odd else width
        raise InvalidInputError(
            f"{paths[0]}: every row must hold {max(width, 2)} values, as the first does. Got {found} in row {odd[:1]}."
        )
    if not -width <= target < width:
        raise InvalidInputError(f"target must be the number of one of {width} columns. Got {target}.")
    columns = [[value.strip() for value in column] for column in zip(*rows, strict=True)]
    labels = columns.pop(target)
    if any(label.lower() in MISSING for label in labels):
        raise InvalidInputError(f"{paths[0]}: every row must have a class. Got none in some.")
    classes = sorted(set(labels), key=lambda label: (number_of(label) is None, number_of(label), label))
    places = {label: number for number, label in enumerate(classes)}
    X = np.column_stack([coded(column, None, paths[0], guess=True) for column in columns])
    return Dataset(name or Path(paths[0]).stem, X, np.array([places[label] for label in labels]), tuple(classes))


def lines_of(path: str | PathLike[str]) -> Iterator[tuple[int, str]]:
    """The lines of a text file with their numbers."""
    try:
        text = files.read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as reason:
        raise InvalidInputError(f"{path} must be text in UTF-8: {reason}.") from reason
    return enumerate(text.splitlines(), start=1)


def listed(line: str, where: str) -> list[str] | None:
    """The values of a nominal attribute, None for a numeric one."""
    found = ATTRIBUTE.match(line)
    kind = found.group(1).split("%")[0].strip() if found else ""
    if kind.startswith("{") and kind.endswith("}"):
        return values_of(kind[1:-1])
    if kind.split(" ")[0].lower() in NUMERIC:
        return None
    raise InvalidInputError(f"{where}: attributes must be numeric or lists in braces. Got {line!r}.")


def values_of(text: str) -> list[str]:
    """Values between commas, without their quotes."""
    found = []
    for match in VALUE.finditer(text + ","):
        single, double, bare = match.groups()
        quoted = single if double is None else double
        found.append(bare if quoted is None else re.sub(r"\\(.)", r"\1", quoted))
    return found


def coded(column: Sequence[str], known: list[str] | None, path: object, guess: bool = False) -> FloatArray:
    """A column as numbers: places among the `known` values, or the numbers they are; missing ones NaN.

    guess: a column with a value that is no number is coded by its sorted values.
    """
    present = [value for value in column if value.lower() not in MISSING or (known is not None and value in known)]
    if known is None:
        numbers = {value: number_of(value) for value in set(present)}
        odd = sorted(value for value, number in numbers.items() if number is None)
        if not odd:
            return np.array([numbers.get(value, np.nan) for value in column], dtype=np.float64)
        if not guess:
            raise InvalidInputError(f"{path}: a numeric attribute must hold numbers. Got {odd[0]!r}.")
        known = sorted(set(present))
    places = {value: float(place) for place, value in enumerate(known)}
    strange = sorted(set(present) - set(places))
    if strange:
        raise InvalidInputError(f"{path}: a nominal attribute must hold one of {', '.join(known)}. Got {strange[0]!r}.")
    return np.array([places.get(value, np.nan) for value in column])


def has_header(rows: list[list[str]]) -> bool:
    """Whether the first row has text where all others have numbers."""
    others = rows[1:]
    for place, value in enumerate(rows[0]):
        column = [row[place].strip() for row in others if place < len(row)]
        numbers = [number_of(each) for each in column if each.lower() not in MISSING]
        is_text = number_of(value.strip()) is None and value.strip().lower() not in MISSING
        if is_text and numbers and None not in numbers:
            return True
    return False


def number_of(text: str) -> float | None:
    """The finite number that a text is, or None."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None
