"""Checks of contexts, rewards and arms: what users pass in. A message names the argument, the rule and what came."""

import math
from typing import Any

import numpy as np

from rbmle.errors import InvalidInputError
from rbmle.types import FloatArray

FLOAT = np.dtype(np.float64)
NUMBER = (float, int, np.integer, np.floating, np.bool_)  # written out in the call, it would be built anew each time
# Squares of numbers up to these stay far from overflow, summed over many rounds too.
LARGEST_CONTEXT, LARGEST_REWARD = 1e70, 1e140


def as_contexts(contexts: Any, n_features: int, name: str = "contexts") -> FloatArray:
    """A C-contiguous float array of shape (K, d), K ≥ 1. Whether the numbers are finite is the kernels' to find out."""
    if (
        type(contexts) is np.ndarray
        and contexts.dtype is FLOAT
        and contexts.ndim == 2
        and contexts.shape[1] == n_features
        and contexts.shape[0] > 0
        and contexts.flags.c_contiguous
    ):
        return contexts
    array = as_numbers(contexts, name)
    if array.ndim != 2 or array.shape[1] != n_features:
        raise InvalidInputError(f"{name} must have shape (n_arms, {n_features}). Got shape {array.shape}.")
    if len(array) == 0:
        raise InvalidInputError(f"{name} must hold at least one arm. Got shape {array.shape}.")
    return array


def as_catalogue(contexts: Any, n_features: int) -> FloatArray:
    """Arms that stay: a copy of finite contexts (K, d), small enough to be squared."""
    X = as_contexts(contexts, n_features)
    require_finite(X, "contexts")
    if np.abs(X).max() > LARGEST_CONTEXT:
        raise InvalidInputError(f"contexts must stay below 1e70, or their squares overflow. Got {np.abs(X).max():g}.")
    return X.copy()


def as_context(context: Any, n_features: int, name: str = "context") -> FloatArray:
    """A contiguous float array of shape (d,)."""
    if (
        type(context) is np.ndarray
        and context.dtype is FLOAT
        and context.shape == (n_features,)
        and context.flags.c_contiguous
    ):
        return context
    array = as_numbers(context, name)
    if array.shape != (n_features,):
        raise InvalidInputError(f"{name} must have shape ({n_features},). Got shape {array.shape}.")
    return array


def as_numbers(values: Any, name: str) -> FloatArray:
    """Real numbers as a contiguous float array; ragged lists, text and complex numbers are refused."""
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "fiub":
            raise TypeError(f"an array of {array.dtype}")
        return np.ascontiguousarray(array, dtype=np.float64) if array.ndim else array.astype(np.float64)
    except (ValueError, TypeError) as reason:
        raise InvalidInputError(
            f"{name} must be an array of real numbers. Got {describe(values)}: {reason}"
        ) from reason


def as_reward(reward: Any, name: str = "reward") -> float:
    """A finite float."""
    if isinstance(reward, NUMBER) and math.isfinite(reward):
        return float(reward)
    raise InvalidInputError(f"{name} must be a finite number. Got {reward!r}.")


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
    require_finite(X, "contexts")
    largest = int(np.argmax(np.abs(X).max(axis=1)))
    if np.abs(X[largest]).max() > LARGEST_CONTEXT or np.abs(r).max() > LARGEST_REWARD:
        raise refuse_values(X[largest], float(r[np.argmax(np.abs(r))]))
    return X, r


def as_arm(arm: Any, n_arms: int) -> int:
    """A valid arm number."""
    if isinstance(arm, int | np.integer) and not isinstance(arm, bool) and 0 <= arm < n_arms:
        return int(arm)
    raise InvalidInputError(f"arm must be an int from 0 to {n_arms - 1}. Got {arm!r}.")


def require_finite(values: FloatArray, name: str) -> None:
    """Raise unless every number is finite; says where the first bad one is."""
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        where = tuple(int(i) for i in bad[0])
        raise InvalidInputError(f"{name} must be finite. Got {values[where]} at {name}[{', '.join(map(str, where))}].")


def refuse_values(context: FloatArray, reward: float) -> InvalidInputError:
    """Say why the kernels refused an observation: not finite, or so large that squares would overflow."""
    if not np.isfinite(context).all():
        require_finite(context, "context")
    return InvalidInputError(
        "context and reward must stay below about 1e75 and 1e150, or their squares overflow. Got a context of largest "
        f"entry {np.abs(context).max():g} and reward {reward:g}."
    )


def describe(values: Any) -> str:
    """Short text of a bad value for a message."""
    text = repr(values)
    return text if len(text) <= 80 else text[:77] + "..."
