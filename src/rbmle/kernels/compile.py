"""How functions become machine code: compiled when first called, then kept on disk for every later process."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

from rbmle.kernels.cache import GuardedCache, cache_folder

F = TypeVar("F", bound=Callable[..., Any])

REORDERED = {"reassoc", "contract"}


def _declare(function: F, **options: Any) -> F:
    declared = numba.njit(nogil=True, error_model="numpy", **options)(function)
    if cache_folder() is not None:
        declared._cache = GuardedCache(function)
    return cast(F, declared)


def compiled(function: F) -> F:
    """Compile for the argument types of the first call; releases the global lock, so threads run side by side."""
    return _declare(function)


def reordered(function: F) -> F:
    """As `compiled`, and sums may be taken in any order, which lets them run in vector instructions."""
    return _declare(function, fastmath=REORDERED)


def inlined(function: F) -> F:
    """As `compiled`, and put into the caller's body: a call that hands arrays on costs more than a short loop."""
    return _declare(function, inline="always")


def melted(function: F) -> F:
    """A small function of numbers, taken into the machine code of its caller, so that a loop over it is vector code."""
    return cast(F, numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})(function))
