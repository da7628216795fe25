"""Whether arrays can be the state of a generalized linear model."""

from collections.abc import Mapping

import numpy as np

from rbmle.errors import InvalidInputError
from rbmle.families import Family
from rbmle.inputs import LARGEST_CONTEXT
from rbmle.models.state import length_of, read_state, require_count, require_definite, require_inverse, require_mapping
from rbmle.types import FloatArray


def checked_state(state: Mapping[str, FloatArray], d: int, family: Family, window: int | None) -> dict[str, FloatArray]:
    """The arrays of a state with exact memory, or with a window of at most so many rows; or an error."""
    require_mapping(state)
    m, old = length_of(state, "counts"), window is not None and "H" in state
    shapes: dict[str, tuple[int, ...]] = {"n": (), "squares": ()}
    if window is not None:
        shapes["theta_hat"] = (d,)
    if old:  # version 0.1 wrote all in one quadratic
        new = as_window(read_state(state, {**shapes, "H": (d, d), "H_inv": (d, d)}))
    else:
        shapes |= {"contexts": (m, d), "counts": (m,), "sums": (m,)}
        if window is not None:
            shapes |= {"H_inv": (d, d), "folded": (d, d), "pull": (d,), "pending": ()}
        new = read_state(state, shapes)
    if window is not None:
        require_count(new["pending"], "pending")
        require_definite(new["H_inv"], "H_inv")
        require_definite(new["folded"], "folded")
    require_rows(new, family, window)
    if new["squares"] < 0.0:
        raise InvalidInputError(f"state['squares'] must be at least 0. Got {float(new['squares']):g}.")
    return new


def as_window(new: dict[str, FloatArray]) -> dict[str, FloatArray]:
    """A state of version 0.1 as that of an empty window."""
    require_inverse(new["H"], new["H_inv"], "'H' and 'H_inv'")
    rows = {"contexts": np.empty((0, len(new["H"]))), "counts": np.empty(0), "sums": np.empty(0)}
    return new | rows | {"folded": new["H"], "pull": new["H"] @ new["theta_hat"], "pending": np.array(0.0)}


def require_rows(new: Mapping[str, FloatArray], family: Family, window: int | None) -> None:
    """Rows that can be the history of n rewards, or a part of it."""
    n, counts, sums = require_count(new["n"]), new["counts"], new["sums"]
    kept = float(counts.sum())
    if (counts < 0.0).any() or not (counts == np.floor(counts)).all():
        raise InvalidInputError(f"state['counts'] must be whole numbers from 0 on. Got {counts.min():g} among them.")
    if kept > n or (window is None and kept != n):
        raise InvalidInputError(f"state['counts'] must sum to {'' if window is None else 'at most '}{n}. Got {kept:g}.")
    if window is not None and len(counts) > window:
        raise InvalidInputError(f"state['counts'] must have at most {window} entries. Got {len(counts)}.")
    bad = np.flatnonzero(~np.atleast_1d(family.supports_sums(counts, sums)))
    if len(bad):
        raise InvalidInputError(
            f"state['sums'] must be sums of rewards that are {family.support} for the family {family!r}. "
            f"Got {sums[bad[0]]:g} of {counts[bad[0]]:g} rewards."
        )
    largest = float(np.abs(new["contexts"]).max(initial=0.0))
    if largest > LARGEST_CONTEXT:
        raise InvalidInputError(f"state['contexts'] must stay below {LARGEST_CONTEXT:g}. Got {largest:g}.")
