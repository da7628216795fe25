"""Ridge regression with an ensemble of random targets beside the rewards."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rbmle import kernels, params
from rbmle.inputs import refuse_values
from rbmle.models.ridge import RidgeModel
from rbmle.models.state import read_state
from rbmle.params import Integer
from rbmle.random import generator
from rbmle.types import FloatArray, IntArray

# Rounds whose random targets are drawn together, and their place in the tree of seeds.
BLOCK, PRIOR, TARGETS = 256, 2, 3


class EnsembleRidge(RidgeModel):
    """A ridge model that regresses M random targets on the contexts too: s_j = √λ z_0j + Σ z_sj x_s, z standard normal.

    Given the contexts, V⁻¹s_j is a draw of N(0, V⁻¹), and θ̂ + σV⁻¹s_j one of the posterior: the members stand for it,
    the same ones from round to round. z of the n-th reward is a function of (key, n) alone, so that nothing random has
    to be kept; a new key counts from the next reward on, and for all where there was none yet.

    `merge` adds V, b and the targets; those are independent, as they should be, only where the two had different keys.

    >>> model = EnsembleRidge(n_features=2, members=5)
    >>> model.observe([1.0, 0.0], 3.0)
    >>> model.theta_hat, model.targets.shape
    (array([1.5, 0. ]), (5, 2))
    """

    _keeps_more = True

    def __init__(
        self, *, n_features: int, regularization: float = 1.0, members: int = 10, key: tuple[int, ...] = (0,)
    ) -> None:
        params.require("EnsembleRidge", "members", members, Integer(1))
        super().__init__(n_features=n_features, regularization=regularization)
        self._targets, self._prior = np.zeros((2, int(members), self._d))
        self.rekey(key)

    @property
    def members(self) -> int:
        """M."""
        return len(self._targets)

    @property
    def targets(self) -> FloatArray:
        """s_j, shape (M, d)."""
        return self._targets.copy()

    def rekey(self, key: tuple[int, ...]) -> None:
        """Take random targets from another place in the tree of seeds."""
        self._key = key
        self._drawn: tuple[int, FloatArray] = (-1, np.empty((0, 0)))
        if self._n == 0:
            self._prior[:] = np.sqrt(self._lam) * generator(*key, PRIOR).standard_normal(self._prior.shape)
            self._targets[:] = self._prior

    def noise(self, first: int, count: int) -> FloatArray:
        """z (count, M) of the rewards first, first + 1, …, counted from 0."""
        rows = np.empty((count, self.members))
        done = 0
        while done < count:
            number, start = divmod(first + done, BLOCK)
            if self._drawn[0] != number:
                drawn = generator(*self._key, TARGETS, number).standard_normal((BLOCK, self.members))
                self._drawn = number, drawn
            part = self._drawn[1][start : start + count - done]
            rows[done : done + len(part)] = part
            done += len(part)
        return rows

    def scores(self, X: FloatArray, scale: float, members: IntArray) -> FloatArray:
        """The scores (n, K) of arms X by each of `members` (n,), −1 standing for the largest of all."""
        scores: FloatArray = kernels.linear.ensemble.score_all(self.settle(), self._targets, X, scale, members)
        return scores

    def play_ensemble(
        self, contexts: FloatArray, rewards: FloatArray, scale: float, members: IntArray, arms: IntArray
    ) -> None:
        """Choose and learn in rounds (B, K, d), or (1, K, d) where arms stay; what was played is learnt and counted."""
        start, again = 0, False
        self._release()
        while start < len(rewards):
            stop = min(len(rewards), start + self._next_refresh - self._n)
            part, now = slice(start, stop), contexts[start:stop] if len(contexts) > 1 else contexts
            done, outcome = kernels.linear.ensemble.play(
                self._block, self._targets, now, rewards[part], self.noise(self._n, stop - start), scale,
                members[part], arms[part],
            )  # fmt: skip
            self._count(done)
            start += done
            if outcome == kernels.linear.ridge.REFUSED:
                failed = contexts[start if len(contexts) > 1 else 0, arms[start]]
                raise refuse_values(failed, float(rewards[start, arms[start]]))
            if outcome == kernels.linear.ridge.LOST and again and done == 0:
                raise self._lost()
            again = outcome == kernels.linear.ridge.LOST
            if outcome:
                self._invert()

    def _note(self, X: FloatArray, r: Any) -> None:
        rows = np.atleast_2d(X)
        # One by one, from left to right: the same sums to the bit, however the observations come in blocks.
        for x, z in zip(rows, self.noise(self._n, len(rows)), strict=True):
            self._targets += z[:, None] * x

    def merge(self, other: RidgeModel) -> None:
        """Add what `other` has learnt; one prior's share of the targets is taken out again, as one λI is."""
        super().merge(other)
        if isinstance(other, EnsembleRidge):  # for type checkers: the models are alike
            self._targets += other._targets - other._prior

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays: copies."""
        return {**super().state(), "targets": self.targets, "prior": self._prior.copy()}

    def restore(self, state: Mapping[str, FloatArray]) -> None:
        """Take over a state that `state` gave; refuses what cannot be one and leaves the model as it was."""
        new = read_state(state, {"targets": self._targets.shape, "prior": self._prior.shape})
        super().restore(state)
        self._targets[:], self._prior[:] = new["targets"], new["prior"]

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"targets": self.targets, "prior": self._prior.copy(), "key": self._key}

    def __setstate__(self, snapshot: dict[str, Any]) -> None:
        super().__setstate__(snapshot)
        self._targets, self._prior = snapshot["targets"].copy(), snapshot["prior"].copy()
        self._key, self._drawn = snapshot["key"], (-1, np.empty((0, 0)))
