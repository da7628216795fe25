"""What a decision is asked about: the contexts of its arms, and their ids."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rbmle.errors import InvalidInputError, describe
from rbmle.inputs import as_contexts, require_contexts
from rbmle.online.fold import State
from rbmle.online.ids import as_arms, to_json
from rbmle.online.journal.base import Event
from rbmle.types import FloatArray


def arms_asked(state: State, contexts: Any, arms: Any) -> tuple[FloatArray, tuple[Any, ...] | None]:
    """Contexts (K, d) and the ids of the arms, None for 0 … K − 1. Numbers of arrays are left to be looked at."""
    known, features = state.arms, state.features
    ids = None if arms is None else as_arms(arms)
    if ids is None and known.rows:
        ids = known.active
        if not ids:
            raise InvalidInputError("arms must hold at least one id. All that were added are retired.")
    elif ids is not None and known.retired:
        gone = [arm for arm in ids if arm in known.retired]
        if gone:
            raise InvalidInputError(f"arms must not be retired. Got {describe(gone[0])}.")
    if features is not None:
        return encoded(state, contexts, arms, ids), ids
    if arms is not None and isinstance(arms, Mapping):  # which costs more than all else here
        raise InvalidInputError("arms must be a list of ids where the agent has no features. Got a mapping.")
    if contexts is None:
        if not ids:
            raise InvalidInputError("contexts must be given, or arms be added with theirs. Got none.")
        contexts = [row_of(state, arm) for arm in ids or ()]
    X = as_contexts(contexts, state.policy.n_features)
    if X is not contexts:
        require_contexts(X)
    if ids is not None and len(ids) != len(X):
        raise InvalidInputError(f"contexts must be those of {len(ids)} arms. Got {len(X)}.")
    if X is not contexts:
        state.policy._know(contexts)
    return X, ids


def encoded(state: State, shared: Any, arms: Any, ids: tuple[Any, ...] | None) -> FloatArray:
    """Contexts from what is known of the visitor and of the arms."""
    if ids is None:
        raise InvalidInputError("arms must be given, or be added to the agent, before it can decide. Got none.")
    if isinstance(arms, Mapping):
        rows = [arms[arm] for arm in arms]
    elif state.features.arm_names:
        rows = [row_of(state, arm) for arm in ids]
    else:
        rows = [{} for _ in ids]
    X: FloatArray = state.features.encode(shared, rows, ids)
    return X


def row_of(state: State, arm: Any) -> Any:
    """What was told of an arm when it was added."""
    row = state.arms.rows.get(arm)
    if row is None:
        raise InvalidInputError(f"arms must have been added with what is known of them. Got {describe(arm)}.")
    return row


def same_question(event: Event, X: FloatArray, ids: tuple[Any, ...] | None) -> bool:
    """Whether the decision of an event was among these arms."""
    asked = None if ids is None else [to_json(arm) for arm in ids]
    return (
        event.kind == "decision"
        and event.data["K"] == len(X)
        and event.data.get("arms") == asked
        and np.ascontiguousarray(X).tobytes() == event.body[: -8 * len(X)]
    )
