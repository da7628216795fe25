"""Results on disk: a tidy CSV, the times, and a JSON manifest with checksums, in one folder."""

import csv
import hashlib
import io
import json
import os
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from rbmle.errors import StateFileError
from rbmle.simulation.results import Results
from rbmle.types import FloatArray, IntArray

FORMAT = 1
COLUMNS = ["policy", "trial", "round", "regret"]


def save(results: Results, path: str | PathLike[str]) -> None:
    """Write a folder. The manifest comes last and knows the other files: a broken write cannot pass for a whole one."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        times = (
            (name, trial, time) for name, all in results.seconds.items() for trial, time in enumerate(all.tolist())
        )
        files = {
            "results.csv": to_csv(COLUMNS, results.table()),
            "seconds.csv": to_csv(["policy", "trial", "seconds"], times),
        }
        for name, content in files.items():
            write(folder / name, content)
        header = {
            "format": FORMAT,
            "files": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
        }
        write(
            folder / "manifest.json", json.dumps({**header, **results.manifest}, indent=2, ensure_ascii=False).encode()
        )
    except OSError as reason:
        raise StateFileError(f"Results cannot be written to {folder}: {reason.strerror or reason}.") from reason


def load(path: str | PathLike[str]) -> Results:
    """Read a folder that `save` wrote; refuses a damaged or newer one."""
    folder = Path(path)
    try:
        manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_bytes())
        form, sums = manifest.pop("format"), manifest.pop("files")
        if form > FORMAT:
            raise StateFileError(f"{folder} has format {form}, this version reads up to {FORMAT}: update rbmle.")
        for name, expected in sums.items():
            if hashlib.sha256((folder / name).read_bytes()).hexdigest() != expected:
                raise StateFileError(f"{folder / name} is damaged: its checksum is not the one in manifest.json.")
        rounds, regret = curves(folder / "results.csv")
        return Results(rounds, regret, times(folder / "seconds.csv"), manifest)
    except StateFileError:
        raise
    except OSError as reason:
        raise StateFileError(f"No results can be read from {folder}: {reason.strerror or reason}.") from reason
    except (ValueError, KeyError, TypeError, AttributeError) as reason:
        raise StateFileError(f"{folder} does not hold results as rbmle writes them: {reason!r}.") from reason


def curves(path: Path) -> tuple[IntArray, dict[str, FloatArray]]:
    """Rounds, and the curves of every policy, from the tidy table."""
    values: dict[str, dict[int, list[float]]] = {}
    rounds: dict[int, None] = {}
    for name, trial, at, regret in rows(path):
        values.setdefault(name, {}).setdefault(int(trial), []).append(float(regret))
        rounds[int(at)] = None
    shaped = {name: np.array([by_trial[n] for n in range(len(by_trial))]) for name, by_trial in values.items()}
    return np.array(list(rounds), dtype=np.int64), shaped


def times(path: Path) -> dict[str, FloatArray]:
    """Seconds per decision of every policy."""
    values: dict[str, list[float]] = {}
    for name, _, seconds in rows(path):
        values.setdefault(name, []).append(float(seconds))
    return {name: np.array(row) for name, row in values.items()}


def rows(path: Path) -> Iterable[list[str]]:
    """The rows of a CSV file below its header."""
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        next(reader)
        yield from reader


def to_csv(columns: list[str], table: Iterable[tuple[Any, ...]]) -> bytes:
    """A CSV file; floats are written so that they read back exactly."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(table)
    return text.getvalue().encode()


def write(path: Path, content: bytes) -> None:
    """Replace a file in one step: readers see the old one or the new one, never half of it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
