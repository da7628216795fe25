"""Files of data that installed packages carry: found without importing the package, and read as text."""

import bz2
import csv
import gzip
import importlib.util
import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from rbmle import files
from rbmle.errors import InvalidInputError, RbmleError
from rbmle.types import FloatArray


def content_of(name: str, package: str, place: str, install: str) -> bytes:
    """The unpacked content of a file within a package; an error that says how to get it."""
    try:
        found = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        found = None
    homes = list(found.submodule_search_locations or ()) if found is not None else []
    paths = [Path(home) / place for home in homes if (Path(home) / place).is_file()]
    if not paths:
        raise RbmleError(f"The data set {name!r} comes with {install}: pip install {install}.")
    raw = files.read_bytes(paths[0])
    if place.endswith(".gz"):
        return gzip.decompress(raw)
    if place.endswith(".bz2"):
        return bz2.decompress(raw)
    if place.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            return archive.read(archive.infolist()[0])
    return raw


def table(content: bytes, delimiter: str = ",") -> dict[str, list[str]]:
    """A table with a header, by columns."""
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig")), delimiter=delimiter))
    header, body = rows[0], [row for row in rows[1:] if row]
    return {name: [row[place] for row in body] for place, name in enumerate(header)}


def numbers(columns: dict[str, list[str]], *names: str) -> FloatArray:
    """Some columns as numbers, (n, len(names))."""
    return np.array([[float(value) for value in columns[name]] for name in names]).T


def require_checksum(found: Any, known: str | None) -> None:
    """Raise if a set is not the one that was described."""
    if known is not None and found.checksum != known:
        raise InvalidInputError(
            f"The data set {found.name!r} is not the one that rbmle knows: its checksum is {found.checksum[:16]}…, not "
            f"{known[:16]}…. The package that carries it has changed it; load(…, verify=False) takes it as it is."
        )
