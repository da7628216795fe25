"""Logistic regression with a sequential estimator and a weight for every reward (Emmenegger, Mutný & Krause 2023)."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rbmle import kernels, params
from rbmle.errors import InvalidInputError
from rbmle.families import Family
from rbmle.inputs import is_empty
from rbmle.models.glm import GLMModel, unlearnt
from rbmle.models.glm_state import checked_state
from rbmle.models.link import link_of
from rbmle.models.state import read_state
from rbmle.params import Real
from rbmle.types import ArrayLike, FloatArray, Number

# How far weighted sums may be from what weights allow, by rounding.
ROUNDING = 1e-9


class SequentialGLM(GLMModel):
    """A GLMModel that keeps besides, for every reward r_s as it comes, a weight w_s and the loss of an estimator θ̂_s
    that has not seen it: what the set {Σ w_s (ℓ_s(θ) − ℓ_s(θ̂_s)) ≤ log(1/δ), ‖θ‖ ≤ S} is made of.

    The formulas are in kernels.glm.sequential. Weighted losses of equal contexts are one row too, so that memory grows
    with the distinct contexts alone. **The order of rewards matters** to θ̂_s: learning one takes an estimate.

    `merge` adds the weighted losses. Of two models that learnt from different rewards that is a confidence set again,
    for likelihood ratios multiply, but not the one that a single model would have.

    predictable: False lets θ̂_s see r_s, as published code does; then the set need not hold θ*.

    >>> model = SequentialGLM(n_features=2, norm_bound=2.0)
    >>> model.observe([1.0, 0.0], 1.0)  # θ̂ of the first reward is 0, and its loss log 2
    >>> model.weights.round(4), bool(np.isclose(model.loss, model.weights[0] * np.log(2)))  # 1/(1 + 2/(1 + μ'(2)))
    (array([0.3559]), True)
    """

    def __init__(
        self,
        *,
        n_features: int,
        family: str | Family = "logistic",
        norm_bound: float = 1.0,
        regularization: float = 1.0,
        predictable: bool = True,
    ) -> None:
        params.require("SequentialGLM", "norm_bound", norm_bound, Real(0.0, open_low=True))
        self._S, self._predictable = float(norm_bound), bool(predictable)
        self._weighted, self._losses = np.empty((2, 0)), np.zeros(1)
        super().__init__(n_features=n_features, family=family, regularization=regularization)

    @property
    def norm_bound(self) -> float:
        """S."""
        return self._S

    @property
    def weights(self) -> FloatArray:
        """Σ w_s of every row, shape (m,)."""
        return self._weighted[0, : self.n_rows].copy()

    @property
    def loss(self) -> float:
        """Σ w_s ℓ_s(θ̂_s)."""
        return float(self._losses[0])

    def _allocate(self, capacity: int) -> None:
        super()._allocate(capacity)
        weighted, m = np.zeros((2, capacity)), self.n_rows
        weighted[:, :m] = self._weighted[:, :m]
        self._weighted = weighted

    def memory_of_losses(self) -> tuple[Any, ...]:
        """The `Memory` of kernels.glm.sequential."""
        return self._rows(), self._weighted[0], self._weighted[1], self._losses

    def rule(self) -> tuple[float, float, float, bool]:
        """The `Rule` of kernels.glm.sequential."""
        return self._S, self.regularization, float(self.family.derivative(self._S)), self._predictable

    def play(self, kernel: Callable[..., int], room: int, *arguments: Any) -> int:
        """Run a compiled loop that learns, ``kernel(memory, link, *arguments)``, with room for so many new contexts."""
        self._reserve(room)
        return int(kernel(self.memory_of_losses(), link_of(self.family), *arguments))

    def observe(self, context: "ArrayLike", reward: "Number") -> None:
        """Learn that `context` (d,) gave `reward`."""
        x, r = self.checked(context, reward)
        if not self.play(kernels.glm.sequential.observe_many, 1, self.rule(), x[None], np.array([r])):
            raise unlearnt(self, x, r)

    def observe_many(self, contexts: "ArrayLike", rewards: "ArrayLike") -> None:
        """Learn n rewards in order, the same as n calls of `observe`. Nothing is learnt if one is refused."""
        if is_empty(contexts, rewards):
            return
        X, r = self.checked_many(contexts, rewards)
        before = self.state()
        done = self.play(kernels.glm.sequential.observe_many, len(r), self.rule(), X, r)
        if done < len(r):
            self._take(before)
            raise unlearnt(self, X[done], float(r[done]))

    def merge(self, other: GLMModel) -> None:
        """Learn all that `other` has learnt: rows, weighted rows and losses are added."""
        if not isinstance(other, SequentialGLM) or self.rule() != other.rule():
            raise InvalidInputError(
                "merge needs models of the same norm_bound, regularization and predictable. "
                f"Got {self!r} and {other!r}."
            )
        contexts, weighted = other.rows[0], other._weighted[:, : other.n_rows]
        super().merge(other)
        self._put_weighted(contexts, weighted)
        self._losses += other._losses

    def _put_weighted(self, contexts: FloatArray, weighted: FloatArray) -> None:
        """Add to the weighted losses of rows that are there."""
        rows = self._XT, self._weighted[0], self._weighted[1], self._table, self._totals
        kernels.glm.rows.put_many(rows, contexts, weighted[0].copy(), weighted[1].copy())

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays of its own."""
        m = self.n_rows
        return {**super().state(), "weighted": self._weighted[:, :m].copy(), "loss": np.array(self.loss)}

    def restore(self, state: Mapping[str, FloatArray]) -> None:
        """Take over a state that `state` gave; refuses what cannot be one and leaves the model as it was."""
        rows = checked_state(state, self.n_features, self.family, None)
        new = read_state(state, {"weighted": (2, len(rows["counts"])), "loss": ()})
        weights, sums = new["weighted"]
        slack = ROUNDING * (1.0 + rows["counts"])
        if (weights < 0.0).any() or (weights > rows["counts"] + slack).any():
            raise InvalidInputError("state['weighted'] must have weights from 0 to the count of their row.")
        if (sums < 0.0).any() or (sums > weights + slack).any():
            raise InvalidInputError("state['weighted'] must have sums from 0 to the weight of their row.")
        if new["loss"] < 0.0:
            raise InvalidInputError(f"state['loss'] must be at least 0. Got {float(new['loss']):g}.")
        self._take(rows | new)

    def _take(self, new: Mapping[str, FloatArray]) -> None:
        super()._take(new)
        self._weighted[:] = 0.0
        self._put_weighted(new["contexts"], new["weighted"])
        self._losses[0] = float(new["loss"])

    def __repr__(self) -> str:
        return (
            f"SequentialGLM(n_features={self.n_features}, family={self.family!r}, norm_bound={self._S}, "
            f"regularization={self.regularization}, predictable={self._predictable}, n={self.n})"
        )
