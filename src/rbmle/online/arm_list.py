"""The arms of an agent, as its users see them."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rbmle.errors import InvalidInputError, StateFileError, describe
from rbmle.features.rows import as_row
from rbmle.inputs import as_context, require_within
from rbmle.online.core import Core
from rbmle.online.ids import as_arm, to_json
from rbmle.online.journal.base import Event
from rbmle.plain import from_plain, to_plain
from rbmle.types import ArrayLike, Row


class ArmList:
    """Arms that can be served: `agent.arms`. Adding and retiring are events of the journal, known to all workers."""

    def __init__(self, core: Core, now: Callable[[], float]) -> None:
        self._core, self._now = core, now

    def add(self, id: Any, features: "ArrayLike | Row | None" = None) -> None:
        """Add an arm, or bring back one that was retired.

        features: with the agent's `features`, the columns of the arm, a dict or a row; else a context (d,), so that
            `decide` needs none. An arm that was there before must have the same: ids are never used for something else.
        """
        arm, state = as_arm(id), self._core.state
        row = self._row(arm, features)
        with self._core.lock:
            known = arm in state.arms.rows
            if known and state.arms.rows[arm] != row:
                raise InvalidInputError(
                    f"id must be a new one for an arm of other features. Got {describe(arm)}, which was added with "
                    f"{describe(state.arms.rows[arm])}."
                )
            if known and arm not in state.arms.retired:
                return
        self._core.commit([Event("arm", self._now(), None, None, {"id": to_json(arm), "row": row})])

    def _row(self, arm: Any, features: Any) -> Any:
        """What is told of an arm, as plain data, checked as `decide` would."""
        state = self._core.state
        if state.features is not None:
            names = state.features.arm_names
            values = as_row(features, names, "features")
            state.features.arm_numbers(values, arm)
            try:
                return [from_plain(to_plain(value, name)) for name, value in zip(names, values, strict=True)]
            except StateFileError as reason:
                raise InvalidInputError(f"features must be text and numbers: {reason}") from reason
        if features is None:
            return None
        x = as_context(features, state.policy.n_features, "features")
        require_within(x, "features", 1e70)
        return np.asarray(x).tolist()

    def retire(self, id: Any) -> None:
        """Serve an arm no more. Rewards of its decisions still count; its id stays taken."""
        arm, core = as_arm(id), self._core
        if arm not in core.state.arms.numbers:  # without the lock: to sync is to wait for whoever writes
            core.sync()
        with core.lock:
            if arm not in core.state.arms.numbers:
                raise InvalidInputError(f"id must be that of an arm. Got {describe(arm)}.")
            if arm in core.state.arms.retired:
                return
        core.commit([Event("retire", self._now(), None, None, {"id": to_json(arm)})])

    def __iter__(self) -> Iterator[Any]:
        """The arms that were added and are not retired."""
        with self._core.lock:
            return iter(self._core.state.arms.active)

    def __len__(self) -> int:
        return len(self._core.state.arms.active)

    def __contains__(self, id: object) -> bool:
        return id in self._core.state.arms.active

    @property
    def retired(self) -> frozenset[Any]:
        """The arms that were retired."""
        return frozenset(self._core.state.arms.retired)

    @property
    def numbers(self) -> dict[Any, int]:
        """The number of every arm, by which logs know it."""
        with self._core.lock:
            return dict(self._core.state.arms.numbers)

    def __repr__(self) -> str:
        return f"{len(self)} arms: {', '.join(map(repr, list(self)[:10]))}"
