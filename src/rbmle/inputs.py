"""Checks of contexts, rewards and arms: what users pass in. A message names the argument, the rule and what came."""

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from rbmle.errors import InvalidInputError
from rbmle.errors import describe as describe  # other modules have it from here
from rbmle.types import FloatArray, IntArray

FLOAT, SINGLE = np.dtype(np.float64), np.dtype(np.float32)
# Written out in the call, it would be built anew each time. np.integer would let in times.
NUMBER: tuple[Any, ...] = (float, int, np.floating, np.bool_, *{np.dtype(code).type for code in "bhilqBHILQ"})
# What lists mostly hold; anything else in them is looked at. (A masked number in a list of lists is NaN to NumPy.)
HARMLESS = frozenset({float, int, list, tuple, np.ndarray, np.float64})
# Squares of numbers up to these stay far from overflow, summed over many rounds too.
LARGEST_CONTEXT, LARGEST_REWARD = 1e70, 1e140
LARGEST_ROUND = 2**53
Look = Callable[[FloatArray, float], bool]
LIMITS = (
    f"contexts must stay within ±{LARGEST_CONTEXT:.0e} and rewards within ±{LARGEST_REWARD:.0e}, or their squares "
    "overflow."
).replace("e+", "e")


def within(values: FloatArray, largest: float) -> bool:
    """Whether all numbers are finite and at most `largest` in size."""
    return values.size == 0 or bool(values.min() >= -largest and values.max() <= largest)


def as_contexts(contexts: Any, n_features: int, name: str = "contexts") -> FloatArray:
    """A C-contiguous, writeable float64 array of shape (K, d), K ≥ 1: the caller's own where it is one already.

    That is all: the numbers may still be NaN, infinite or beyond LARGEST_CONTEXT. Kernels look at each of them anyway
    and say so without a pass of its own; the caller then finds out which it was with `require_contexts`.
    """
    if (
        type(contexts) is np.ndarray
        and contexts.dtype is FLOAT
        and contexts.ndim == 2
        and contexts.shape[1] == n_features
        and contexts.shape[0] > 0
        and contexts.flags.carray
    ):
        return contexts
    array = as_numbers(contexts, name)
    if array.ndim != 2 or array.shape[1] != n_features:
        raise InvalidInputError(f"{name} must have shape (n_arms, {n_features}). Got shape {array.shape}.")
    if len(array) == 0:
        raise InvalidInputError(f"{name} must hold at least one arm. Got shape {array.shape}.")
    return array if array.flags.carray else array.copy()  # read-only arrays are another type to compiled code


def is_single(contexts: Any, n_features: int) -> bool:
    """Whether contexts are an array of single precision, and otherwise as `as_contexts` returns them."""
    return (
        type(contexts) is np.ndarray
        and contexts.dtype is SINGLE
        and contexts.ndim == 2
        and contexts.shape[1] == n_features
        and contexts.shape[0] > 0
        and contexts.flags.carray
    )


def as_catalogue(contexts: Any, n_features: int) -> FloatArray:
    """Arms that stay: a copy of finite contexts (K, d), small enough to be squared."""
    X = as_contexts(contexts, n_features)
    require_contexts(X)
    return X.copy()


def as_batch(contexts: Any, n_features: int, look: Look = within) -> tuple[FloatArray, IntArray]:
    """The contexts of N decisions as one array X (ΣK, d) and offsets (N+1,): decision i has rows offsets[i:i+1].

    contexts: an array (N, K, d), or a list of N arrays (K_i, d). X is C-contiguous, finite and within the limits.
    look: a faster `within`.
    """
    if isinstance(contexts, np.ndarray):
        array = as_numbers(contexts, "contexts")
        if array.ndim != 3 or array.shape[2] != n_features or array.shape[1] == 0:
            raise InvalidInputError(
                f"contexts must have shape (n_decisions, n_arms, {n_features}) or be a list of arrays "
                f"(n_arms, {n_features}). Got shape {array.shape}."
            )
        N, K, d = array.shape
        X, sizes = array.reshape(N * K, d), np.full(N, K)
    elif isinstance(contexts, list | tuple):
        sets = [as_contexts(each, n_features, f"contexts[{i}]") for i, each in enumerate(contexts)]
        X = np.concatenate(sets or [np.empty((0, n_features))])
        sizes = np.array([len(each) for each in sets], dtype=np.int64)
    else:
        raise InvalidInputError(
            f"contexts must be an array (n_decisions, n_arms, {n_features}) or a list of arrays "
            f"(n_arms, {n_features}). Got {describe(contexts)}."
        )
    if len(sizes) == 0:
        raise InvalidInputError("contexts must be those of at least one decision. Got none.")
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    X = as_plain(X, "contexts")
    if not look(X, LARGEST_CONTEXT):
        row = int(np.argwhere(~(np.abs(X) <= LARGEST_CONTEXT))[0, 0])
        which = int(np.searchsorted(offsets, row, side="right")) - 1
        require_contexts(X[offsets[which] : offsets[which + 1]], f"contexts[{which}]")
    return X, offsets


def as_block(
    contexts: Any, rewards: Any, n_features: int, look: Look = within, trust: bool = False
) -> tuple[FloatArray, FloatArray]:
    """A block of rounds for compiled code: contexts (B, K, d), or (1, K, d) where arms stay, and rewards (B, K) of all.

    Both are C-contiguous, aligned, writeable float64, finite and within the limits: the caller's own arrays where they
    are that already, copies otherwise. `look`: a faster `within`; `trust`: do not look at contexts (of many rounds).
    """
    X = as_plain(contexts, "contexts")
    if X.ndim != 3 or X.shape[2] != n_features or 0 in X.shape:
        raise InvalidInputError(f"contexts must have shape (n_rounds, n_arms, {n_features}). Got shape {X.shape}.")
    if not (trust and len(X) > 1) and not look(X, LARGEST_CONTEXT):
        require_contexts(X)
    r = as_rewards_of_arms(rewards, X.shape[1], look)
    if len(X) not in (1, len(r)):
        raise InvalidInputError(
            f"contexts must be of {len(r)} rounds, as the rewards are, or of 1 where arms stay. Got {len(X)}."
        )
    return X, r


def as_rewards_of_arms(rewards: Any, n_arms: int, look: Look = within) -> FloatArray:
    """Rewards (B, K) of all arms for compiled code, as `as_block` returns them."""
    r = as_plain(rewards, "rewards")
    if r.ndim != 2 or r.shape[1] != n_arms:
        raise InvalidInputError(f"rewards must have shape (n_rounds, {n_arms}), one per arm. Got shape {r.shape}.")
    if not look(r, LARGEST_REWARD):
        require_within(r, "rewards", LARGEST_REWARD)
    return r


def as_plain(values: Any, name: str) -> FloatArray:
    """Real numbers as an array that compiled code takes: C-contiguous, aligned, writeable."""
    if type(values) is np.ndarray and values.dtype is FLOAT and values.flags.carray:
        return values
    return np.array(as_numbers(values, name), order="C")


def as_context(context: Any, n_features: int, name: str = "context") -> FloatArray:
    """A contiguous float array of shape (d,)."""
    if (
        type(context) is np.ndarray
        and context.dtype is FLOAT
        and context.shape == (n_features,)
        and context.flags.carray
    ):
        return context
    array = as_numbers(context, name)
    if array.shape != (n_features,):
        raise InvalidInputError(f"{name} must have shape ({n_features},). Got shape {array.shape}.")
    return array if array.flags.carray else array.copy()


def as_numbers(values: Any, name: str) -> FloatArray:
    """Real numbers as a contiguous float array; ragged lists, text, complex, masked and sparse ones are refused."""
    kind = type(values)
    if kind is list or kind is tuple:
        if not HARMLESS.issuperset(map(type, values)):
            for each in values:
                unwrapped(each, name)
    elif kind is not np.ndarray:
        values = unwrapped(values, name)
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "fiub":
            raise TypeError(f"an array of {array.dtype}")
        if array.dtype.itemsize > 8:
            array = from_wide(array)
        return np.ascontiguousarray(array, dtype=np.float64) if array.ndim else array.astype(np.float64)
    except Exception as reason:  # an object's own __array__ may raise anything
        raise InvalidInputError(
            f"{name} must be an array of real numbers. Got {describe(values)}: {reason}"
        ) from reason


def unwrapped(values: Any, name: str) -> Any:
    """What NumPy can make an array of without loss; an error with a hint where it would lose something in silence."""
    if "numpy.ma" in sys.modules and isinstance(values, np.ma.MaskedArray):  # NumPy loads it when first asked for
        raise InvalidInputError(
            f"{name} must not be masked: what the mask hides would be used. Fill it first (.filled)."
        )
    if hasattr(values, "toarray") and hasattr(values, "tocsr"):
        raise InvalidInputError(f"{name} must be an array, not a sparse matrix. Convert it first (.toarray()).")
    if type(values).__module__.split(".")[0] == "pandas" and hasattr(values, "to_numpy"):
        return from_pandas(values, name)
    return values


def from_pandas(values: Any, name: str) -> Any:
    """A table or a column whose types are numeric, those that may be missing (Int64, boolean) too, as float64."""
    kinds = list(values.dtypes) if hasattr(values, "columns") else [values.dtype]
    if all(isinstance(kind, np.dtype) for kind in kinds) or any(
        getattr(kind, "kind", "O") not in "fiub" for kind in kinds
    ):
        return values
    missing = np.argwhere(values.isna().to_numpy())
    if len(missing):
        where = ", ".join(str(int(i)) for i in missing[0])
        raise InvalidInputError(f"{name} must have no missing values. Got pandas.NA or NaN at {name}[{where}].")
    return values.to_numpy(dtype=np.float64)


def from_wide(array: Any) -> FloatArray:
    """Numbers of more than 64 bits, if they fit."""
    with np.errstate(over="ignore"):
        narrow: FloatArray = array.astype(np.float64)
    if (np.isinf(narrow) & np.isfinite(array)).any():
        raise OverflowError("a number too large for float64")
    return narrow


def as_reward(reward: Any, name: str = "reward") -> float:
    """A finite float. An array of no dimensions is a number too."""
    try:
        if isinstance(reward, NUMBER) and math.isfinite(reward):
            return float(reward)
        if type(reward) is np.ndarray and reward.ndim == 0:
            return as_reward(reward[()], name)
    except (OverflowError, TypeError) as reason:  # 10**400 is no float, a time is no number
        raise InvalidInputError(f"{name} must be a finite number. Got {describe(reward)}.") from reason
    raise InvalidInputError(f"{name} must be a finite number. Got {describe(reward)}.")


def as_rewards(rewards: Any, count: int, name: str = "rewards") -> FloatArray:
    """`count` finite floats."""
    array = as_numbers(rewards, name)
    if array.shape != (count,):
        raise InvalidInputError(f"{name} must have shape ({count},), one per context. Got shape {array.shape}.")
    require_finite(array, name)
    return array


def as_observation(context: Any, reward: Any, n_features: int) -> tuple[FloatArray, float]:
    """A finite context (d,) and reward that can be learnt from."""
    x, r = as_context(context, n_features), as_reward(reward)
    if not np.abs(x).max() <= LARGEST_CONTEXT or abs(r) > LARGEST_REWARD:
        raise refuse_values(x, r)
    return x, r


def is_empty(contexts: Any, rewards: Any) -> bool:
    """Whether a batch of observations holds none."""
    return as_numbers(rewards, "rewards").size == 0 == as_numbers(contexts, "contexts").size


def as_observations(contexts: Any, rewards: Any, n_features: int) -> tuple[FloatArray, FloatArray]:
    """n ≥ 1 finite contexts (n, d) and rewards (n,) that can be learnt from."""
    X = as_contexts(contexts, n_features)
    r = as_rewards(rewards, len(X))
    require_contexts(X)
    require_within(r, "rewards", LARGEST_REWARD)
    return X, r


def as_arm(arm: Any, n_arms: int) -> int:
    """A valid arm number."""
    if is_whole(arm) and 0 <= arm < n_arms:
        return int(arm)
    raise InvalidInputError(f"arm must be an int from 0 to {n_arms - 1}. Got {describe(arm)}.")


def as_round(t: Any) -> int:
    """A round of the caller's own, counted from 1, and so small that a float can count it."""
    if is_whole(t) and t > LARGEST_ROUND:
        raise InvalidInputError(f"t must be an int from 1 to 2⁵³. Got {describe(t)}.")
    return as_count(t, "t")


def as_count(count: Any, name: str = "samples") -> int:
    """A whole number, at least 1."""
    if is_whole(count) and count >= 1:
        return int(count)
    raise InvalidInputError(f"{name} must be an int from 1 on. Got {describe(count)}.")


def as_share(share: Any, name: str = "floor") -> float:
    """A number from 0 to 1."""
    if isinstance(share, NUMBER) and 0.0 <= share <= 1.0:
        return float(share)
    raise InvalidInputError(f"{name} must be a number from 0 to 1. Got {describe(share)}.")


def is_whole(value: Any) -> bool:
    """Whether a value is an integer; True and times are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)


def require_contexts(contexts: FloatArray, name: str = "contexts") -> None:
    """Raise unless all contexts are finite and small enough to be squared; says where the first bad number is."""
    require_within(contexts, name, LARGEST_CONTEXT)


def require_within(values: FloatArray, name: str, largest: float) -> None:
    """Raise unless every number is finite and at most `largest` in size; says where the first bad one is."""
    if not within(values, largest):
        require_finite(values, name)
        where = np.argwhere(np.abs(values) > largest)[0].tolist()
        raise InvalidInputError(f"{LIMITS} Got {values[tuple(where)]:g} at {name}{where}.")


def require_finite(values: FloatArray, name: str) -> None:
    """Raise unless every number is finite; says where the first bad one is."""
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        where = tuple(int(i) for i in bad[0])
        raise InvalidInputError(f"{name} must be finite. Got {values[where]} at {name}[{', '.join(map(str, where))}].")


def refuse_values(context: FloatArray, reward: float) -> InvalidInputError:
    """Say why the kernels refused an observation: not finite, or so large that squares would overflow."""
    require_finite(context, "context")
    largest = float(np.abs(context).max())
    if largest <= LARGEST_CONTEXT and abs(reward) <= LARGEST_REWARD:
        return InvalidInputError(
            f"What is learnt from a context of largest entry {largest:g} and reward {reward:g} overflows: "
            "regularization is too small for it, or features differ too much in size."
        )
    return InvalidInputError(f"{LIMITS} Got a context of largest entry {largest:g} and reward {reward:g}.")
