"""Where machine code is kept: a folder that only we can write to, and that may be full or damaged without harm."""

import functools
import hashlib
import os
import pickle
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numba
import platformdirs
from numba.core.caching import FunctionCache, IndexDataCacheFile

from rbmle.files import HAS_LOCKS, lock

if HAS_LOCKS:
    import fcntl

# What reading a damaged file ends in: the system's refusal, or anything that unpickling foreign bytes can raise.
DAMAGE = (OSError, EOFError, pickle.PickleError, ArithmeticError, AttributeError, ImportError, LookupError, MemoryError,
          RuntimeError, TypeError, ValueError)  # fmt: skip


# What kernels may import, and what formulas may besides: where compiled code can stand, and what it can refer to.
FOUNDATION = ("errors.py", "types.py", "docstrings.py", "params.py", "random.py", "files.py", "plain.py",
              "schedules.py", "inputs.py", "families", "theory", "kernels")  # fmt: skip
FORMULAS = (*FOUNDATION, "models", "policies", "paper/published")
KERNELS = ("rbmle.kernels.", "rbmle.families.")
# Seconds that a process waits for another one that is compiling the same function.
PATIENCE = 120.0
# What functions may refer to without being compiled anew each time.
LIBRARIES = ("rbmle", "numpy", "math", "numba", "builtins")
# The file whose lock whoever writes holds.
LOCK = ".lock"


@functools.cache
def version_of_sources(names: tuple[str, ...]) -> str:
    """A hash of files and folders of this package.

    numba renews an entry only when the file of the *outer* function changes and would go on running old code after an
    edit of a function inlined into it, so every version of our sources gets a folder of its own.
    """
    digest, home = hashlib.sha256(), Path(__file__).parents[1]
    for name in names:
        place = home / name
        for source in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            digest.update(f"{source.relative_to(home).as_posix()}\n".encode())
            digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder(module: str) -> Path | None:
    """The folder for functions of a module; None where there is none to be trusted, and all is compiled anew.

    It lies in the user's cache folder, or in the one that the environment variable RBMLE_CACHE_DIR names.
    """
    return folder_of(version_of_sources(FOUNDATION if module.startswith(KERNELS) else FORMULAS))


@functools.cache
def folder_of(version: str) -> Path | None:
    """The folder of a version of the sources, made where it is missing."""
    parent = os.environ.get("RBMLE_CACHE_DIR") or platformdirs.user_cache_dir("rbmle", appauthor=False)
    folder = Path(parent) / version
    try:
        if not folder.exists():
            say("compiling for first use; this takes some seconds and is kept for later runs.")
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        trusted = is_ours(folder)
    except OSError as reason:
        say(f"{parent} cannot be used ({reason.strerror}), so every process compiles anew.")
        return None
    if not trusted:
        say(f"{parent} belongs to somebody else or others may write to it, so every process compiles anew.")
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


def unkept(folder: Path, reason: BaseException) -> None:
    """Say why machine code is not kept."""
    why = reason.strerror if isinstance(reason, OSError) else type(reason).__name__
    say(f"machine code cannot be kept in {folder} ({why}), so every process compiles anew.")


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Write as the only one: of two that add to an index at the same time one would be forgotten."""
    handle = os.open(folder / LOCK, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        lock(handle, wait=True)
        yield
    finally:
        os.close(handle)


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


class Turn:
    """Whose turn it is to compile a function: of many processes that begin at once, one does, the others wait for it.

    A turn ends with its process at the latest. Where there can be no lock, or another takes too long, nobody waits.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def take(self) -> bool:
        """Wait for our turn; tells whether somebody else had it meanwhile."""
        if self._file is not None or not HAS_LOCKS:
            return False
        waited, latest = False, time.monotonic() + PATIENCE
        try:
            self._file = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            while self._is_others(self._file) and time.monotonic() < latest:
                waited = True
                time.sleep(0.02)
        except OSError:  # a folder we cannot write to, or a file system without locks
            self.end()
        return waited

    def end(self) -> None:
        """Let the next one."""
        if self._file is not None:
            with suppress(OSError):
                self._path.unlink()
            os.close(self._file)
            self._file = None

    @staticmethod
    def _is_others(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


class GuardedCache(FunctionCache):  # type: ignore[misc]
    """numba's cache in our folder. Whatever is wrong with it, code is compiled anew and the user's work goes on."""

    def __init__(self, function: Any, folder: Path, constants: str) -> None:
        self._folder, self._constants = folder, constants
        before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)
        try:
            super().__init__(function)
        finally:
            numba.config.CACHE_DIR = before
        plain: Any = self.__dict__["_cache_file"]
        place, stamp, name = plain._cache_path, plain._source_stamp, str(plain._index_name).removesuffix(".nbi")
        if function.__module__.startswith("rbmle."):  # the folder says the version, wherever the package is installed
            place, stamp, name = str(folder), folder.name, f"{function.__module__}.{name}"
        self._cache_file = CheckedFile(place, name, stamp)
        self._turn = Turn(Path(place) / f"{name}.turn")

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (*super()._index_key(sig, codegen), self._constants)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The machine code, or None where it is missing or damaged, and we are the one to compile it."""
        found = self._kept(sig, target_context)
        if found is None and self._turn.take():
            found = self._kept(sig, target_context)
            if found is not None:
                self._turn.end()
        return found

    def _kept(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except DAMAGE:
            say(f"machine code kept in {self._folder.parent} is damaged and is compiled anew.")
            self._forget()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep machine code for later processes, if that is possible."""
        try:
            with alone_in(self._folder):
                super().save_overload(sig, data)
        except DAMAGE as reason:
            unkept(self._folder.parent, reason)
        finally:
            self._turn.end()

    def _forget(self) -> None:
        """Drop a damaged index, so that the next process finds what is saved now."""
        try:
            self.flush()
        except OSError as reason:
            unkept(self._folder.parent, reason)


def keep(code: Any, function: Any) -> None:
    """Have numba keep the machine code of a function, where there is a folder for it and one can tell when it changes.

    numba looks at the function's file alone. What a user's function refers to is compiled into it too: numbers become
    part of the key, and one that calls functions of the user's own, or was typed in by hand, is compiled each time.
    """
    folder = cache_folder(function.__module__)
    constants = "" if is_library(function) else constants_of(function)
    if folder is None or constants is None:
        return
    try:
        code._cache = GuardedCache(function, folder, constants)
    except RuntimeError:  # it is of no file
        return


def constants_of(function: Any) -> str | None:
    """The numbers that a function names, with their values; None where it names what may change unseen."""
    found = []
    for name in sorted(names_in(function.__code__) & function.__globals__.keys()):
        value = function.__globals__[name]
        if isinstance(value, bool | int | float | complex | str | None):
            found.append(f"{name}={value!r}")
        elif not is_library(value):
            return None
    return " ".join(found)


def names_in(code: CodeType) -> set[str]:
    """Names that a piece of code may look up, inner functions included."""
    inner = (names_in(const) for const in code.co_consts if isinstance(const, CodeType))
    return set(code.co_names).union(*inner)


def is_library(value: Any) -> bool:
    """Whether a module, function or class is ours, or of what we compile with."""
    value = getattr(value, "py_func", value)
    if isinstance(value, ModuleType):
        name = value.__name__
    elif callable(value) and hasattr(value, "__name__"):
        name = getattr(value, "__module__", None) or ""
    else:
        return False
    return name.partition(".")[0] in LIBRARIES
