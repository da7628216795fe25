"""MABWiser: its policies in our simulator."""

from typing import Any

import numpy as np

from rbmle.adapters.libraries import library
from rbmle.adapters.participant import Participant, Sees
from rbmle.errors import InvalidInputError, describe
from rbmle.types import FloatArray


class FromMABWiser(Participant):
    """A `mabwiser.mab.MAB` in `simulate`; its arms in their order are arms 0, 1, 2, …

    MABWiser cannot be asked before it was fitted: until the first reward the first arm is played. (LinUCB would play
    the same: nothing tells its arms apart, and the first of equals wins.)

    mab: with as many arms as the problem; contextual or not.
    sees: what a contextual policy is shown, see `Participant`.
    fitted: whether it was fitted already, and can be asked at once.

    Its LinUCB is ours on blocks, `LinUCB(alpha=alpha, regularization=1.0)`, at l2_lambda=1. With another l2_lambda it
    starts from V⁻¹ = λ I instead of I/λ (2.7.4).
    """

    distribution = "mabwiser"

    def __init__(self, mab: Any, sees: Sees = "blocks", *, fitted: bool = False) -> None:
        kind = library("mabwiser.mab", "mabwiser").MAB
        if not isinstance(mab, kind):
            raise InvalidInputError(f"mab must be a mabwiser.mab.MAB. Got {describe(mab)}.")
        super().__init__(sees, len(mab.arms))
        self.mab = mab
        self.fitted = fitted

    @property
    def params(self) -> dict[str, Any]:
        """For columns of results."""
        return {**super().params, "learning_policy": repr(self.mab.learning_policy)}

    def _seen(self, X: FloatArray) -> Any:
        return super()._seen(X)[None] if self.mab.is_contextual else None

    def _ask(self, X: FloatArray, seen: Any) -> int:
        if not self.fitted:
            return 0
        return list(self.mab.arms).index(self.mab.predict(seen))

    def _tell(self, X: FloatArray, seen: Any, arm: int, reward: float) -> None:
        self.mab.partial_fit(np.array([self.mab.arms[arm]]), np.array([reward]), seen)
        self.fitted = True
