"""How functions become machine code: compiled when first called, then kept on disk for every later process."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from rbmle.kernels.cache import keep
from rbmle.kernels.part import declare

F = TypeVar("F", bound=Callable[..., Any])

REORDERED = {"reassoc", "contract"}


def _declare(function: F, **options: Any) -> F:
    declared = declare(function, nogil=True, **options)
    keep(declared, function)
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


def embedded(function: F) -> F:
    """As `inlined`, for a function that is handed a tuple of arrays in a loop: taken in as machine code.

    Arrays that are handed on are not counted anew then, each count an atomic operation. It should unpack the tuple in
    one assignment.
    """
    return cast(F, declare(function, nogil=True, forceinline=True))


def melted(function: F) -> F:
    """A small function of numbers, taken into the machine code of its caller, so that a loop over it is vector code."""
    return cast(F, declare(function, forceinline=True, fastmath={"contract"}))
