"""How functions become machine code: compiled when first called, then kept on disk for every later process."""

import functools
import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numba
import platformdirs

F = TypeVar("F", bound=Callable[..., Any])


@functools.cache
def cache_folder() -> Path:
    """Folder of the machine code, named by a hash of all sources.

    numba renews an entry only when the file of the *outer* function changes and would go on running old code after an
    edit of a function inlined into it, so every version of our sources gets a folder of its own.
    """
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parents[1].rglob("*.py")):
        digest.update(source.read_bytes())
    return Path(platformdirs.user_cache_dir("rbmle", appauthor=False)) / digest.hexdigest()[:16]


@functools.cache
def announce() -> None:
    """Tell the user, once, why the first use takes a while."""
    folder = cache_folder()
    if not folder.exists():
        print("rbmle: compiling for first use; this takes some seconds and is kept for later runs.", file=sys.stderr)


@contextmanager
def our_cache() -> Iterator[bool]:
    """Send numba's cache to our folder while a function is declared. Yields False where nothing can be written."""
    announce()
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:  # a read-only home: compile in every process instead
        yield False
        return
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield True
    finally:
        numba.config.CACHE_DIR = before


def reordered(function: F) -> F:
    """As `compiled`, and sums may be taken in any order, which lets them run in vector instructions."""
    with our_cache() as writable:
        return numba.njit(cache=writable, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})(function)


def inlined(function: F) -> F:
    """As `compiled`, and put into the caller's body: a call that hands arrays on costs more than a short loop."""
    with our_cache() as writable:
        return numba.njit(cache=writable, nogil=True, error_model="numpy", inline="always")(function)


def compiled(function: F) -> F:
    """Compile for the argument types of the first call; releases the global lock, so threads run side by side."""
    with our_cache() as writable:
        return numba.njit(cache=writable, nogil=True, error_model="numpy")(function)
