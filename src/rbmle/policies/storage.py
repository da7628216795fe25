"""Policies as files: plain arrays and a JSON header. Reading a file executes nothing that is in it."""

import hashlib
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from rbmle import families, schedules
from rbmle.errors import RbmleError, StateFileError
from rbmle.policies.base import Policy
from rbmle.random import from_state, state_of
from rbmle.types import FloatArray

FORMAT = 1
# What NumPy, zipfile and json raise on bytes that make no sense to them.
UNREADABLE = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    EOFError,
    AttributeError,
    NotImplementedError,
    zipfile.BadZipFile,
)


def save(policy: Policy, path: str | PathLike[str]) -> None:
    """Write a policy to one file. The file appears whole or not at all."""
    arrays = {name: np.asarray(array, order="C") for name, array in policy.state().items()}
    header = {
        "format": FORMAT,
        "policy": type(policy).__name__,
        "params": {name: to_plain(value, name) for name, value in policy.params.items()},
        "origin": policy.origin,
        "generator": state_of(policy.rng),
    }
    text = json.dumps({**header, "checksum": checksum(header, arrays)}, ensure_ascii=False)
    write_whole(Path(path), {"header": np.frombuffer(text.encode(), dtype=np.uint8), **arrays})


def write_whole(path: Path, arrays: Mapping[str, Any]) -> None:
    """Write beside the target, then rename: a crash leaves the old file or none."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, **arrays)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def load(path: str | PathLike[str]) -> Policy:
    """Read a policy that `policy.save` wrote; it goes on bit for bit. A policy of your own must be imported first.

    >>> import tempfile, pathlib
    >>> from rbmle.policies import LinUCB
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "policy.npz"
    >>> LinUCB(n_features=2, alpha=0.5).save(file)
    >>> load(file)
    LinUCB(n_features=2, regularization=1.0, alpha=0.5)
    """
    header, arrays = read(Path(path))
    if header["policy"] not in Policy.registry:
        known = ", ".join(sorted(Policy.registry))
        raise StateFileError(f"{path} holds a policy {header['policy']!r} that is not known here; known: {known}.")
    try:
        parameters = {name: from_plain(value) for name, value in header["params"].items()}
        policy = Policy.registry[header["policy"]](**parameters)
        policy.restore(arrays)
        policy.reseed(*header["origin"])
        policy.rng = from_state(header["generator"])
    except (RbmleError, TypeError, KeyError, AttributeError) as reason:
        raise StateFileError(f"{path} does not describe a valid {header['policy']}: {reason}") from reason
    return policy


def read(path: Path) -> tuple[dict[str, Any], dict[str, FloatArray]]:
    """Header and arrays of a file, checked for damage and version."""
    content = path.read_bytes()
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        header = json.loads(bytes(arrays.pop("header")).decode())
        stamp, version = header.pop("checksum"), header["format"]
    except UNREADABLE as reason:
        raise StateFileError(f"{path} is not a saved policy, or is damaged: {reason}") from reason
    if version != FORMAT:
        raise StateFileError(f"{path} has format {version}; this version of rbmle reads format {FORMAT}. Update rbmle.")
    if stamp != checksum(header, arrays):
        raise StateFileError(f"{path} is damaged: its checksum does not match its content.")
    return header, arrays


def checksum(header: Mapping[str, Any], arrays: Mapping[str, FloatArray]) -> str:
    """A digest of everything in the file."""
    digest = hashlib.sha256(json.dumps(header, sort_keys=True, ensure_ascii=False).encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def to_plain(value: Any, name: str) -> Any:
    """A parameter as JSON data."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, families.Family):
        return families.to_plain(value)
    return schedules.to_plain(value, name)


def from_plain(value: Any) -> Any:
    """A parameter from JSON data."""
    if isinstance(value, dict) and "schedule" in value:
        return schedules.from_plain(value)
    if isinstance(value, dict) and "family" in value:
        return families.from_plain(value)
    return value
