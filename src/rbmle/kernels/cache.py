"""Where machine code is kept: a folder that only we can write to, and that may be full or damaged without harm."""

import functools
import hashlib
import os
import pickle
import sys
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba.core.caching import FunctionCache, IndexDataCacheFile

# What reading a damaged file ends in: the system's refusal, or anything that unpickling foreign bytes can raise.
DAMAGE = (OSError, EOFError, pickle.PickleError, ArithmeticError, AttributeError, ImportError, LookupError, MemoryError,
          RuntimeError, TypeError, ValueError)  # fmt: skip


@functools.cache
def version_of_sources() -> str:
    """A hash of all sources.

    numba renews an entry only when the file of the *outer* function changes and would go on running old code after an
    edit of a function inlined into it, so every version of our sources gets a folder of its own.
    """
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parents[1].rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def cache_folder() -> Path | None:
    """The folder, made where it is missing; None where there is none to be trusted, and all is compiled anew.

    It lies in the user's cache folder, or in the one that the environment variable RBMLE_CACHE_DIR names.
    """
    parent = os.environ.get("RBMLE_CACHE_DIR") or platformdirs.user_cache_dir("rbmle", appauthor=False)
    folder = Path(parent) / version_of_sources()
    try:
        if not folder.exists():
            say("compiling for first use; this takes some seconds and is kept for later runs.")
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        trusted = is_ours(folder)
    except OSError as reason:
        say(f"{folder} cannot be used ({reason.strerror}), so every process compiles anew.")
        return None
    if not trusted:
        say(f"{folder} belongs to somebody else or others may write to it, so every process compiles anew.")
        return None
    return folder


def is_ours(folder: Path) -> bool:
    """Whether nobody else can put code there: it would run as ours."""
    if not hasattr(os, "getuid"):
        return True
    found = folder.stat()
    return found.st_uid == os.getuid() and not found.st_mode & 0o022


@functools.cache
def say(message: str) -> None:
    """Tell the user, once."""
    print(f"rbmle: {message}", file=sys.stderr)


def unkept(reason: BaseException) -> None:
    """Say why machine code is not kept."""
    why = reason.strerror if isinstance(reason, OSError) else type(reason).__name__
    say(f"machine code cannot be kept in {cache_folder()} ({why}), so every process compiles anew.")


class CheckedFile(IndexDataCacheFile):  # type: ignore[misc]  # numba's are not typed
    """numba's file of machine code with a checksum: damaged code must not run."""

    def _dump(self, obj: Any) -> bytes:
        data: bytes = super()._dump(obj)
        return hashlib.sha256(data).digest() + data

    def _load_index(self) -> dict[Any, str]:
        path = Path(self._index_path)
        if not path.exists():
            return {}
        with path.open("rb") as file:
            if pickle.load(file) != self._version:
                return {}
            stamp, overloads = unsealed(file.read())
        return overloads if stamp == self._source_stamp else {}

    def _load_data(self, name: str) -> Any:
        return unsealed(Path(self._data_path(name)).read_bytes())


def unsealed(data: bytes) -> Any:
    """The object behind its checksum."""
    if hashlib.sha256(data[32:]).digest() != data[:32]:
        raise pickle.UnpicklingError("damaged")
    return pickle.loads(data[32:])


class GuardedCache(FunctionCache):  # type: ignore[misc]
    """numba's cache in our folder. Whatever is wrong with it, code is compiled anew and the user's work goes on."""

    def __init__(self, function: Any) -> None:
        before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(cache_folder())
        try:
            super().__init__(function)
        finally:
            numba.config.CACHE_DIR = before
        plain: Any = self.__dict__["_cache_file"]
        name = str(plain._index_name).removesuffix(".nbi")
        self._cache_file = CheckedFile(plain._cache_path, name, plain._source_stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The machine code, or None where it is missing or damaged."""
        try:
            return super().load_overload(sig, target_context)
        except DAMAGE:
            say(f"machine code kept in {cache_folder()} is damaged and is compiled anew.")
            self._forget()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep machine code for later processes, if that is possible."""
        try:
            super().save_overload(sig, data)
        except DAMAGE as reason:
            unkept(reason)

    def _forget(self) -> None:
        """Drop a damaged index, so that the next process finds what is saved now."""
        try:
            self.flush()
        except OSError as reason:
            unkept(reason)
