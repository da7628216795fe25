"""Results on disk: tidy tables of regret and times, and a JSON manifest with checksums, in one folder."""

import hashlib
import json
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from rbmle import files, params
from rbmle.display.csv_text import from_csv, to_csv
from rbmle.errors import StateFileError
from rbmle.params import OneOf
from rbmle.simulation import binary
from rbmle.simulation.log import TrialLog
from rbmle.simulation.results import Results
from rbmle.types import FloatArray, IntArray

FORMAT = 3  # 1: the manifest had no checksum, and texts were written as they are; 3: binary columns, else it is 2
FORMS = ("csv", "parquet", "npz")
COLUMNS = ["policy", "trial", "round", "regret"]
LOG_COLUMNS = ["policy", "trial", "round", "arm", "probability", "reward"]
_LOCK = threading.Lock()


def save(results: Results, path: str | PathLike[str], form: str = "csv") -> None:
    """Write a folder. The manifest comes last and knows the other files: a broken write cannot pass for a whole one."""
    folder = Path(path)
    params.require("save", "form", form, OneOf(*FORMS))
    content = {"csv": to_texts, "parquet": binary.to_parquet, "npz": binary.to_npz}[form](results)
    sums = {name: hashlib.sha256(text).hexdigest() for name, text in content.items()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as reason:
        raise StateFileError(f"Results cannot be written to {folder}: {reason.strerror or reason}.") from reason
    with alone(folder):
        for name, text in content.items():
            files.write_bytes(folder / name, text)
        about = {"format": 2 if form == "csv" else FORMAT, "files": sums, **results.manifest}
        files.write_bytes(folder / "manifest.json", files.to_json(about))


def to_texts(results: Results) -> dict[str, bytes]:
    """Tables that anybody can read."""
    content = {
        "results.csv": to_csv(COLUMNS, results.table()),
        "seconds.csv": to_csv(["policy", "trial", "seconds"], timed(results)),
    }
    if results.logs:
        content["log.csv"] = to_csv(LOG_COLUMNS, logged(results))
    return content


def load(path: str | PathLike[str]) -> Results:
    """Read a folder that `save` wrote; refuses a damaged or newer one."""
    folder = Path(path)
    with files.explained(folder, "read"), alone(folder):
        manifest = read_manifest(folder / "manifest.json")
        try:
            form, sums = manifest.pop("format"), manifest.pop("files")
            content = {name: files.read_bytes(folder / name) for name in sums}
            for name, text in content.items():
                if hashlib.sha256(text).hexdigest() != sums[name]:
                    raise StateFileError(f"{folder / name} is damaged: its checksum is not the one in manifest.json.")
            if "results.parquet" in content:
                rounds, regret, seconds, logs = binary.from_parquet(content)
            elif "results.npz" in content:
                rounds, regret, seconds, logs = binary.from_npz(content)
            else:
                rounds, regret = curves(from_csv(content["results.csv"], plain=form == 1))
                seconds = times(from_csv(content["seconds.csv"], plain=form == 1))
                logs = read_log(from_csv(content["log.csv"])) if "log.csv" in content else {}
        except StateFileError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, StopIteration) as reason:
            raise StateFileError(f"{folder} does not hold results as rbmle writes them: {reason!r}.") from reason
    return Results(rounds, regret, seconds, manifest, logs)


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest, whole; that of format 1 had no checksum to tell."""
    text = files.read_bytes(path)
    try:
        form = json.loads(text)["format"]
    except (ValueError, KeyError, TypeError, RecursionError) as reason:
        raise StateFileError(f"{path.parent} does not hold results as rbmle writes them: {reason!r}.") from reason
    if isinstance(form, int) and form > FORMAT:
        raise StateFileError(f"{path.parent} has format {form}, this version reads up to {FORMAT}: update rbmle.")
    if form != 1 or b'"checksum"' in text:
        return files.from_json(text, path)
    manifest: dict[str, Any] = json.loads(text)
    return manifest


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other threads and, where the system can, other processes out of a folder: its files belong together."""
    with _LOCK:
        if not files.HAS_LOCKS:
            yield
            return
        handle = os.open(folder, os.O_RDONLY)
        try:
            files.lock(handle, wait=True)
            yield
        finally:
            os.close(handle)


def timed(results: Results) -> Iterator[tuple[str, int, float]]:
    """Tidy rows (policy, trial, seconds)."""
    for name, values in results.seconds.items():
        for trial, seconds in enumerate(values.tolist()):
            yield name, trial, seconds


def logged(results: Results) -> Iterator[tuple[Any, ...]]:
    """Tidy rows of all logs."""
    for name in results.logs:
        for row in zip(*(column.tolist() for column in results.log(name).values()), strict=True):
            yield (name, *row)


def curves(rows: Iterable[list[str]]) -> tuple[IntArray, dict[str, FloatArray]]:
    """Rounds, and the curves of every policy, from the tidy table."""
    values: dict[str, dict[int, list[float]]] = {}
    rounds: dict[int, None] = {}
    for name, trial, at, regret in rows:
        values.setdefault(name, {}).setdefault(int(trial), []).append(float(regret))
        rounds[int(at)] = None
    shaped = {name: np.array([by_trial[n] for n in range(len(by_trial))]) for name, by_trial in values.items()}
    return np.array(list(rounds), dtype=np.int64), shaped


def times(rows: Iterable[list[str]]) -> dict[str, FloatArray]:
    """Seconds per decision of every policy."""
    values: dict[str, list[float]] = {}
    for name, _, seconds in rows:
        values.setdefault(name, []).append(float(seconds))
    return {name: np.array(row) for name, row in values.items()}


def read_log(rows: Iterable[list[str]]) -> dict[str, TrialLog]:
    """Logs by policy."""
    values: dict[str, list[tuple[int, float, float]]] = {}
    trials: dict[str, int] = {}
    for name, trial, _, arm, chance, reward in rows:
        values.setdefault(name, []).append((int(arm), float(chance), float(reward)))
        trials[name] = int(trial) + 1
    logs = {}
    for name, table in values.items():
        arms, chances, rewards = (np.array(column).reshape(trials[name], -1) for column in zip(*table, strict=True))
        logs[name] = TrialLog(arms.astype(np.int32), chances, rewards)
    return logs
