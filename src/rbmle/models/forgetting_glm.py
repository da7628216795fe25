"""Generalized linear models that forget: by a discount or with a window."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rbmle import kernels, params
from rbmle.errors import InvalidInputError, NotMergeableError
from rbmle.families import Family
from rbmle.inputs import LARGEST_CONTEXT
from rbmle.models.forgetting import Discount, Forgets, Forgetting, Window
from rbmle.models.glm import GLMModel
from rbmle.models.state import length_of, read_state, require_count, require_mapping
from rbmle.types import FloatArray

# How far the weights of a saved history may be from those that its number of rewards asks for.
SLACK = 1e-5


class ForgettingGLM(GLMModel):
    """θ̂ = argmax Σ w_s (r_s x_sᵀθ − b(x_sᵀθ)) − ½λ‖θ‖², where the weights w_s fall with every later reward.

    forgetting: `Discount(γ)`, w_s = γ^(n−s), or `Window(length)`, w_s = 1 for the last ones and 0 for those before.

    The history is kept as `GLMModel` does with exact memory, a row for every distinct context, with the weights for its
    count; rows that weigh less than 1e-9 are dropped, and those that a window has left. λ does not fade. Rewards age in
    the order in which they arrive, and two models have no common order: `merge` refuses.

    >>> model = ForgettingGLM(n_features=1, forgetting=Window(2))
    >>> model.observe_many([[1.0], [1.0], [1.0]], [0.0, 1.0, 1.0])
    >>> model.n, model.n_effective, model.rows[1:]
    (3, 2.0, (array([2.]), array([2.])))
    """

    def __init__(
        self,
        *,
        n_features: int,
        family: str | Family = "logistic",
        regularization: float = 1.0,
        forgetting: Forgetting,
    ) -> None:
        params.require(type(self).__name__, "forgetting", forgetting, Forgets())
        self._forgetting = forgetting
        super().__init__(n_features=n_features, family=family, regularization=regularization)

    def _new_totals(self) -> FloatArray:
        law, names = self._forgetting, kernels.glm.rows
        totals = np.zeros(names.RING + (2 * law.length if isinstance(law, Window) else 0))
        totals[names.GAMMA] = law.gamma if isinstance(law, Discount) else 1.0
        return totals

    @property
    def forgetting(self) -> Forgetting:
        """How rewards lose their weight."""
        return self._forgetting

    @property
    def n_effective(self) -> float:
        """The sum of the weights of all rewards."""
        return self._forgetting.effective(self.n)

    def merge(self, other: GLMModel) -> None:
        """Refused: what is forgotten depends on the order in which rewards came."""
        raise NotMergeableError(
            f"{type(self).__name__} cannot be merged: what {self._forgetting!r} leaves of a reward depends on how many "
            "came after it, and the rewards of two models have no common order. Learn from the rewards themselves."
        )

    def _ring(self) -> FloatArray:
        """Row and reward of the rewards in the window, the oldest first: (m, 2)."""
        names = kernels.glm.rows
        ring = self._totals[names.RING :].reshape(-1, 2)
        m, place = int(self._totals[names.FILLED]), int(self._totals[names.PLACE])
        return ring[:m].copy() if m < len(ring) else np.roll(ring, -place, axis=0)

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays of its own."""
        found = super().state()
        if isinstance(self._forgetting, Window):
            ring = self._ring()
            found |= {"window_rows": ring[:, 0].copy(), "window_rewards": ring[:, 1].copy()}
        return found

    def restore(self, state: Mapping[str, FloatArray]) -> None:
        """Take over a state that `state` gave; refuses what cannot be one and leaves the model as it was."""
        require_mapping(state)
        law, m, w = self._forgetting, length_of(state, "counts"), length_of(state, "window_rewards")
        shapes: dict[str, tuple[int, ...]] = {"n": (), "squares": ()}
        shapes |= {"contexts": (m, self._d), "counts": (m,), "sums": (m,)}
        if isinstance(law, Window):
            shapes |= {"window_rows": (w,), "window_rewards": (w,)}
        new = read_state(state, shapes)
        self._require_history(new)
        if isinstance(law, Window):
            require_ring(new, law.length)
        self._take(new)
        if isinstance(law, Window):
            names, length = kernels.glm.rows, law.length
            ring = self._totals[names.RING :].reshape(-1, 2)
            ring[:w] = np.column_stack([new["window_rows"], new["window_rewards"]])
            self._totals[names.FILLED], self._totals[names.PLACE] = w, w % length

    def _require_history(self, new: Mapping[str, FloatArray]) -> None:
        """Rows that can be what is left of n rewards."""
        counts, sums, n = new["counts"], new["sums"], require_count(new["n"])
        kept, asked = float(counts.sum()), self._forgetting.effective(n)
        if (counts < 0.0).any() or abs(kept - asked) > SLACK * max(asked, 1.0):
            raise InvalidInputError(
                f"state['counts'] must be weights that sum to {asked:g}, those of {n} rewards. Got a sum of {kept:g}."
            )
        slack = 1e-9 * (np.abs(sums) + 1.0)
        negative, two = np.atleast_1d(self._family.supports(np.array([-1.0, 2.0])))
        if (not negative and (sums < -slack).any()) or (not two and (sums > counts + slack).any()):
            raise InvalidInputError(f"state['sums'] must be sums of rewards that are {self._family.support}.")
        if new["squares"] < -SLACK:
            raise InvalidInputError(f"state['squares'] must be at least 0. Got {float(new['squares']):g}.")
        largest = float(np.abs(new["contexts"]).max(initial=0.0))
        if largest > LARGEST_CONTEXT:
            raise InvalidInputError(f"state['contexts'] must stay below {LARGEST_CONTEXT:g}. Got {largest:g}.")

    def __repr__(self) -> str:
        return (
            f"ForgettingGLM(n_features={self._d}, family={self._family!r}, regularization={self._lam}, "
            f"forgetting={self._forgetting!r}, n={self.n})"
        )


def require_ring(new: Mapping[str, Any], length: int) -> None:
    """The last rewards with the rows that they are counted in."""
    rows, n = new["window_rows"], float(new["n"])
    if len(rows) != min(n, length):
        raise InvalidInputError(f"state['window_rows'] must be the last {length} of {n:g} rewards. Got {len(rows)}.")
    whole = (rows == np.floor(rows)).all() and (rows >= 0.0).all() and (rows < len(new["counts"])).all()
    if not whole or (np.bincount(rows.astype(np.int64), minlength=len(new["counts"])) != new["counts"]).any():
        raise InvalidInputError("state['window_rows'] must be the rows of the rewards in the window. Got others.")
    if len(np.unique(new["contexts"] + 0.0, axis=0)) != len(new["contexts"]):
        raise InvalidInputError("state['contexts'] must be distinct, or its 'window_rows' mean others. Got equal ones.")
