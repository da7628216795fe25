"""Files that are whole or not there: one atomic write, and plain arrays or JSON that carry a checksum of themselves.

A file is written under a temporary name beside its target, brought to the disk, and renamed. Whoever reads meanwhile
sees the old file; whoever is killed meanwhile leaves the old file and a temporary one, which the next write into that
folder removes: it is not locked by a living process any more.
"""

import hashlib
import io
import json
import math
import os
import re
import secrets
import stat
import struct
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rbmle.errors import FileAccessError, MissingFileError, StateFileError

# Without them (Windows) nobody can tell a dead writer's file from a slow one's, and none is cleaned up.
HAS_LOCKS = os.name == "posix"
if HAS_LOCKS:
    import fcntl

PREFIX, SUFFIX = ".rbmle-", ".tmp"

NumberArray: TypeAlias = NDArray[Any]
HEADER = "header"
# NumPy's format 1.0, and its description as NumPy writes it. A pattern, for an expression would have to be evaluated.
MAGIC = b"\x93NUMPY\x01\x00"
ARRAY = re.compile(rb"\{'descr': '([<|][fiub][1248])', 'fortran_order': (False|True), 'shape': \(([\d, ]*)\), \} *\n")
# What zipfile, json and NumPy raise on bytes that make no sense to them.
UNREADABLE = (
    *(
        OSError,
        ValueError,
        LookupError,
        TypeError,
        EOFError,
        AttributeError,
        RuntimeError,
        ArithmeticError,
        MemoryError,
    ),
    *(zipfile.BadZipFile, zipfile.LargeZipFile, struct.error),
)


def write_atomically(path: str | PathLike[str], write: Callable[[IO[bytes]], object]) -> None:
    """Let `write` fill a new file, then put it in the place of `path`; on any failure `path` is what it was.

    A link is followed, what it points at is replaced. The mode of a replaced file is kept, a new one has the mode that
    the process gives all its files. Folders, devices and pipes are refused.
    """
    with explained(path, "written"):
        target, mode = target_of(Path(path))
        remove_stale(target.parent)
        temporary, handle = create(target.parent)
        try:
            with os.fdopen(handle, "wb") as file:  # its lock goes when it is closed, after the renaming
                write(file)
                file.flush()
                if mode is not None:
                    os.chmod(temporary, mode)  # noqa: PTH101
                os.fsync(file.fileno())
                if os.name != "nt":
                    temporary.replace(target)
            if os.name == "nt":  # does not rename open files
                temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync_folder(target.parent)


def write_bytes(path: str | PathLike[str], content: bytes) -> None:
    """Put a file of this content in the place of `path`, whole or not at all."""
    write_atomically(path, lambda file: file.write(content))


def read_bytes(path: str | PathLike[str]) -> bytes:
    """The content of a regular file."""
    with explained(path, "read"):
        place = Path(path)
        if not stat.S_ISREG(place.stat().st_mode):  # a pipe would wait for ever, a device may never end
            raise FileAccessError(f"{place} cannot be read: it is not a regular file.")
        return place.read_bytes()


def to_json(content: dict[str, Any]) -> bytes:
    """JSON text with a checksum of all that it says."""
    return json.dumps({**content, "checksum": digest(content)}, indent=2, ensure_ascii=False).encode()


def from_json(text: bytes, path: str | PathLike[str]) -> dict[str, Any]:
    """What `to_json` was given; an error that names the file where the text was changed."""
    try:
        content: dict[str, Any] = json.loads(text)
        known = content.pop("checksum")
        right = known == digest(content)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as reason:
        raise StateFileError(f"{path} is not JSON as rbmle writes it: {reason!r}.") from reason
    if not right:
        raise StateFileError(f"{path} is damaged: its checksum does not match its content.")
    return content


def digest(content: Any) -> str:
    """A checksum of plain data, whatever the order of its names."""
    return hashlib.sha256(canonical(content)).hexdigest()


def canonical(content: Any) -> bytes:
    """The one text of plain data, whatever the order of its names."""
    return json.dumps(content, sort_keys=True, ensure_ascii=False).encode()


def write_arrays(path: str | PathLike[str], header: dict[str, Any], arrays: Mapping[str, NumberArray]) -> None:
    """Put arrays and a JSON header into one file (.npz) with a checksum of all, whole or not at all.

    The same content is the same bytes. Nothing in the file is of a kind that could be executed when it is read.
    """
    write_atomically(path, archive_of(header, arrays))


def arrays_to_bytes(header: dict[str, Any], arrays: Mapping[str, NumberArray]) -> bytes:
    """The content of the file that `write_arrays` writes."""
    content = io.BytesIO()
    archive_of(header, arrays)(content)
    return content.getvalue()


def archive_of(header: dict[str, Any], arrays: Mapping[str, NumberArray]) -> Callable[[IO[bytes]], None]:
    """What writes arrays and a header into an open file."""
    plain = {name: little(array, name) for name, array in arrays.items()}
    if HEADER in plain:
        raise StateFileError(f"An array cannot be called {HEADER!r}: that is the name of the file's own description.")
    text = json.dumps({**header, "checksum": digest_arrays(header, plain)}, ensure_ascii=False)

    def write(file: IO[bytes]) -> None:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            for name, array in {HEADER: np.frombuffer(text.encode(), dtype=np.uint8), **plain}.items():
                content = io.BytesIO()
                np.lib.format.write_array(content, array, version=(1, 0), allow_pickle=False)
                archive.writestr(zipfile.ZipInfo(f"{name}.npy"), content.getbuffer())

    return write


def read_arrays(path: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, NumberArray]]:
    """Header and arrays of a file that `write_arrays` or version 0.1 wrote; an error that names it if it was changed.

    No more memory is taken than the file has bytes (twice that for a moment), whatever sizes it declares.
    """
    return arrays_from_bytes(read_bytes(path), path)


def arrays_from_bytes(content: bytes, path: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, NumberArray]]:
    """Header and arrays of the content of such a file; `path` is for messages."""
    try:
        arrays = {name: parse_array(raw) for name, raw in members(content).items()}
        header: dict[str, Any] = json.loads(arrays.pop(HEADER).tobytes())
        known = header.pop("checksum")
        right = known == digest_arrays(header, arrays)
    except UNREADABLE as reason:
        raise StateFileError(f"{path} is not a file of rbmle's, or is damaged: {reason!r}.") from reason
    if not right:
        raise StateFileError(f"{path} is damaged: its checksum does not match its content.")
    return header, arrays


def members(content: bytes) -> dict[str, bytes]:
    """The members of an archive that are stored as they are; compressed ones could be of any size."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = archive.infolist()
        if sum(entry.file_size for entry in entries) > len(content):
            raise ValueError("it declares more than it holds")
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
            raise ValueError("it is compressed")
        names = [entry.filename.removesuffix(".npy") for entry in entries]
        if len(set(names)) < len(names):
            raise ValueError("it holds two arrays of one name")
        return {name: archive.read(entry) for name, entry in zip(names, entries, strict=True)}


def parse_array(raw: bytes) -> NumberArray:
    """An array of numbers in NumPy's format. What it says of itself is compared with its size before it is believed."""
    start = 10 + int.from_bytes(raw[8:10], "little")
    said = ARRAY.fullmatch(raw[10:start]) if raw.startswith(MAGIC) else None
    if said is None:
        raise ValueError("it holds something that is not an array of numbers")
    kind, shape = np.dtype(said[1].decode()), tuple(int(size) for size in said[3].split(b",") if size.strip())
    if math.prod(shape) * kind.itemsize != len(raw) - start:
        raise ValueError(f"an array of shape {shape} has another size than it says")
    order: Literal["F", "C"] = "F" if said[2] == b"True" else "C"
    return np.array(np.frombuffer(raw, kind, offset=start).reshape(shape, order=order), order="C")


def little(array: Any, name: str) -> NumberArray:
    """An array of numbers in the byte order of files."""
    values = np.asarray(array)
    if values.dtype.kind not in "fiub" or values.dtype.itemsize > 8:
        raise StateFileError(f"{name} cannot be written: it must be an array of real numbers. Got {values.dtype}.")
    return np.asarray(values, dtype=values.dtype.newbyteorder("<"), order="C")


def digest_arrays(header: Mapping[str, Any], arrays: Mapping[str, NumberArray]) -> str:
    """A checksum of plain data and arrays."""
    whole = hashlib.sha256(canonical(header))
    for name in sorted(arrays):
        array = arrays[name]
        whole.update(f"{name} {array.dtype.str} {array.shape}".encode())
        whole.update(np.ascontiguousarray(array).tobytes())
    return whole.hexdigest()


@contextmanager
def explained(path: str | PathLike[str], what: str) -> Iterator[None]:
    """Turn what the system says into one error that names the file."""
    try:
        yield
    except StateFileError:
        raise
    except FileNotFoundError as reason:
        missing = path if what == "read" else Path(path).parent
        raise MissingFileError.of(reason, f"{path} cannot be {what}: {missing} does not exist.") from reason
    except OSError as reason:
        raise FileAccessError.of(reason, f"{path} cannot be {what}: {reason.strerror or reason}.") from reason
    except ValueError as reason:  # a NUL in the name
        raise StateFileError(f"{str(path)!r} cannot be {what}: {reason}.") from reason


def target_of(path: Path) -> tuple[Path, int | None]:
    """The file that a path leads to through links, and its mode if it is there; raises unless it can be replaced."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return Path(os.path.realpath(path)), None
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "a device or a pipe, which a file must not replace"
        raise FileAccessError(f"{path} cannot be written: it is {kind}.")
    return Path(os.path.realpath(path)), stat.S_IMODE(mode)


def create(folder: Path) -> tuple[Path, int]:
    """A new file with a short name of its own, locked for as long as it is open."""
    while True:
        temporary = folder / f"{PREFIX}{secrets.token_hex(8)}{SUFFIX}"
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        lock(handle, wait=True)
        if os.fstat(handle).st_nlink > 0 or not HAS_LOCKS:
            return temporary, handle
        os.close(handle)  # another writer took it for a dead one's before it was locked


def remove_stale(folder: Path) -> None:
    """Remove temporary files of writers that are no more."""
    if not HAS_LOCKS:
        return
    for entry in os.scandir(folder):
        if entry.name.startswith(PREFIX) and entry.name.endswith(SUFFIX):
            with suppress(OSError):  # gone meanwhile, or another user's
                handle = os.open(entry.path, os.O_WRONLY | os.O_NOFOLLOW)
                try:
                    if lock(handle, wait=False):
                        Path(entry.path).unlink(missing_ok=True)
                finally:
                    os.close(handle)


def lock(handle: int, *, wait: bool) -> bool:
    """Lock a file until it is closed, by the death of the process at the latest; whether that could be done."""
    if not HAS_LOCKS:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:  # held, or a file system without locks
        return False
    return True


def sync_folder(folder: Path) -> None:
    """Bring a renaming to the disk, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
