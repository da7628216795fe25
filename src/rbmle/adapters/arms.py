"""From what another library shows, one context for all arms, to a context for every arm."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rbmle.errors import InvalidInputError, describe
from rbmle.features import Features, Number
from rbmle.policies.base import Policy

Pattern = Policy | Callable[..., Policy]
"""A policy, which stays as it is and is copied; or what makes one of `n_features=`, such as a policy's class."""


def learner_of(pattern: Pattern, n_features: int) -> Policy:
    """A policy of the adapter's own for contexts of this length."""
    if isinstance(pattern, Policy):
        if pattern.n_features != n_features:
            raise InvalidInputError(
                f"policy must have n_features={n_features}, for so long is a context here; or be a class or a function "
                f"of n_features. Got {pattern!r}."
            )
        return pattern.copy()
    made = pattern(n_features=n_features)
    if not isinstance(made, Policy):
        raise InvalidInputError(f"policy must be a policy or make one of n_features. Got {describe(made)}.")
    return made


def name_of(pattern: Pattern) -> str:
    """What a pattern is called."""
    inner = getattr(pattern, "func", pattern)
    return str(getattr(inner, "__name__", type(inner).__name__))


def own_block(names: Sequence[str], arms: Sequence[Any]) -> Features:
    """A model of its own for each arm, as the linear policies of other libraries have it: K blocks, no intercept."""
    shared = tuple(Number(str(name)) for name in names)
    if not shared:
        return Features(arm_ids=tuple(arms), intercept=False)
    return Features(shared=shared, arm_ids=tuple(arms), cross="all", alone="none", intercept=False)


def contexts_of(features: Any, shown: Any, arms: Sequence[Any]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The contexts (K, d) of some arms."""
    if isinstance(features, Features):
        return features.encode(shown, ids=arms)
    rows = [np.asarray(features(shown, arm), dtype=np.float64) for arm in arms]
    if any(row.ndim != 1 or row.shape != rows[0].shape for row in rows):
        shapes = ", ".join(str(row.shape) for row in rows)
        raise InvalidInputError(f"features must return as many numbers for every arm, (d,). Got shapes {shapes}.")
    return np.array(rows)
