"""Checks of contexts, rewards and arms: what users pass in. A message names the argument, the rule and what came."""

import math
from typing import Any

import numpy as np

from rbmle.errors import InvalidInputError
from rbmle.types import FloatArray, IntArray

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


def as_block(contexts: Any, rewards: Any, n_features: int) -> tuple[FloatArray, FloatArray]:
    """Rounds for compiled code: contexts (B, K, d) or (1, K, d), rewards (B, K), finite and within limits."""
    X = _for_kernels(contexts, "contexts")
    if X.ndim != 3 or X.shape[2] != n_features or 0 in X.shape:
        raise InvalidInputError(f"contexts must have shape (rounds, n_arms, {n_features}). Got shape {X.shape}.")
    require_within(X, "contexts", LARGEST_CONTEXT)
    r = as_rewards_of_arms(rewards, X.shape[1])
    if len(X) not in (1, len(r)):
        raise InvalidInputError(
            f"contexts must be of {len(r)} rounds, as the rewards, or of 1 where arms stay. Got {len(X)}."
        )
    return X, r


def as_rewards_of_arms(rewards: Any, n_arms: int) -> FloatArray:
    """Rewards (B, K) of all arms for compiled code, finite and within limits."""
    r = _for_kernels(rewards, "rewards")
    if r.ndim != 2 or r.shape[1] != n_arms:
        raise InvalidInputError(f"rewards must have shape (rounds, {n_arms}). Got shape {r.shape}.")
    require_within(r, "rewards", LARGEST_REWARD)
    return r


def as_batch(contexts: Any, n_features: int) -> tuple[FloatArray, IntArray]:
    """Many sets of arms, (N, K, d) or a list of (K, d): all contexts (ΣK, d) and where each set starts and ends."""
    sets = list(contexts)
    if not sets:
        raise InvalidInputError("contexts must hold at least one set of arms. Got none.")
    parts = [as_contexts(one, n_features, f"contexts[{i}]") for i, one in enumerate(sets)]
    X = np.concatenate(parts)
    require_within(X, "contexts", LARGEST_CONTEXT)
    return X, np.cumsum([0, *(len(part) for part in parts)]).astype(np.int64)


def require_within(values: FloatArray, name: str, most: float) -> None:
    """Raise unless every number is finite and within ±most."""
    if values.size and not (float(values.max()) <= most and float(values.min()) >= -most):
        require_finite(values, name)
        raise InvalidInputError(f"{name} must stay within ±{most:g}. Got {float(np.abs(values).max()):g}.")


def _for_kernels(values: Any, name: str) -> FloatArray:
    if type(values) is np.ndarray and values.dtype is FLOAT and values.flags.carray:
        return values
    return np.array(as_numbers(values, name), order="C")


def as_round(t: Any) -> int:
    """A round, counted from 1."""
    if isinstance(t, int | np.integer) and not isinstance(t, bool) and t >= 1:
        return int(t)
    raise InvalidInputError(f"t must be an int from 1 on. Got {t!r}.")


def as_count(samples: Any) -> int:
    """How many samples to draw."""
    if isinstance(samples, int | np.integer) and not isinstance(samples, bool) and samples >= 1:
        return int(samples)
    raise InvalidInputError(f"samples must be an int from 1 on. Got {samples!r}.")


def as_share(floor: Any) -> float:
    """A share from 0 to 1."""
    if isinstance(floor, NUMBER) and 0.0 <= floor <= 1.0:
        return float(floor)
    raise InvalidInputError(f"floor must be a number from 0 to 1. Got {floor!r}.")
