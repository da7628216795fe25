"""contextualbandits: its online policies in our simulator."""

from typing import Any

import numpy as np

from rbmle.adapters.libraries import library
from rbmle.adapters.participant import Participant, Sees
from rbmle.errors import InvalidInputError, describe
from rbmle.types import FloatArray


class FromContextualBandits(Participant):
    """A policy of `contextualbandits.online` in `simulate`; its choices in their order are arms 0, 1, 2, …

    policy: one that learns by `partial_fit`. Most need rewards 0 and 1.
    sees: what it is shown, see `Participant`.

    Its LinUCB is ours on blocks with the same alpha and lambda_ (0.3.30), with `fit_intercept=False` and
    `use_float=False`; among arms that nothing tells apart it draws one.
    """

    distribution = "contextualbandits"

    def __init__(self, policy: Any, sees: Sees = "blocks") -> None:
        library("contextualbandits.online", "contextualbandits")
        if not hasattr(policy, "partial_fit") or not hasattr(policy, "nchoices"):
            raise InvalidInputError(f"policy must be one of contextualbandits.online. Got {describe(policy)}.")
        super().__init__(sees, int(policy.nchoices))
        self.policy = policy

    @property
    def params(self) -> dict[str, Any]:
        """For columns of results."""
        return {**super().params, "policy": type(self.policy).__name__}

    def _seen(self, X: FloatArray) -> Any:
        return super()._seen(X)[None]

    def _ask(self, X: FloatArray, seen: Any) -> int:
        answer = self.policy.predict(seen)[0]
        return int(answer) if self._names is None else self._names.index(answer)

    def _tell(self, X: FloatArray, seen: Any, arm: int, reward: float) -> None:
        name = arm if self._names is None else self._names[arm]
        self.policy.partial_fit(seen, np.array([name]), np.array([reward]))

    @property
    def _names(self) -> "list[Any] | None":
        names = self.policy.choice_names
        return None if names is None else list(names)
