"""Ridge regression that learns the scales of features and rewards, for methods that must not be tuned to units."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rbmle.errors import InvalidInputError
from rbmle.inputs import as_observation
from rbmle.models.ridge import RidgeModel
from rbmle.models.scales import Scales
from rbmle.models.state import read_state
from rbmle.types import ArrayLike, FloatArray, Number

# Of the squared rewards, what rounding may leave of a sum that is exactly explained.
ROUNDING = 1e-14


class ScaledRidge(RidgeModel):
    """A ridge model of contexts z = x/S, S learnt (see models.scales); V, V⁻¹, b and θ̂ are those of z.

    At n = 1, 2, 4, 8, …, and when models are merged, everything that depends on units is renewed from sums alone: S
    (V − λI and b are sums of products of z, so that a new S only multiplies them), and with it

        σ̂² = (Σ r² − bᵀθ̂)/n,    d_eff = d − λ tr V⁻¹,    bias_factor = σ̂/√max(d_eff, 1).

    Σ r² − bᵀθ̂ equals Σ e²/(1 + v) over one-step errors e and variances v before each reward. Where all rewards were 0
    the factor is 1: all means are 0 then, and only its sign matters. Before the first reward it is 0.

    >>> model = ScaledRidge(n_features=2, regularization=0.1)
    >>> model.observe([1000.0, 0.0], 3.0)
    >>> mean, variance = model.predict([[1000.0, 0.0], [0.0, 0.001]])
    >>> mean.round(3), variance.round(3)
    (array([2.727, 0.   ]), array([ 0.909, 10.   ]))
    """

    _keeps_more = True

    def __init__(self, *, n_features: int, regularization: float = 0.1) -> None:
        self.scales = Scales(int(n_features) if isinstance(n_features, int | np.integer) else 0)
        self._squares = 0.0
        self._bias_factor = 0.0
        super().__init__(n_features=n_features, regularization=regularization)

    @property
    def bias_factor(self) -> float:
        """σ̂/√max(d_eff, 1) of the last renewal."""
        return self._bias_factor

    def observe(self, context: "ArrayLike", reward: "Number") -> None:
        """Learn that `context` (d,) gave `reward`."""
        # Kernels, which see x/S, would take anything.
        super().observe(*as_observation(context, reward, self._d))

    def scaled(self, contexts: FloatArray) -> FloatArray:
        """Contexts (…, d) as kernels are to see them: x/S."""
        return self.scales.apply(contexts)

    def rounds_alike(self, contexts: FloatArray) -> int:
        """How many rounds of contexts (B, K, d) can be played before anything is renewed; at least 1."""
        return self.scales.rounds_alike(contexts[: super().rounds_alike(contexts)])

    def _note(self, X: FloatArray, r: Any) -> None:
        if np.size(r):
            for reward in np.atleast_1d(r).tolist():  # from left to right, as in `learn`
                self._squares += reward * reward
            self._looks_new = self.scales.learn(np.atleast_2d(X))

    def _plan_refresh(self) -> None:
        """Set when the inverse is due for a refresh: when everything is renewed, at powers of two, and as usual."""
        super()._plan_refresh()
        self._next_refresh = min(self._next_refresh, 1 << self._n.bit_length())

    def _refresh(self) -> None:
        """Compute V⁻¹, θ̂ and the determinant anew; at powers of two, everything."""
        if self._n & (self._n - 1) == 0:
            self._renew(self.scales.scale)
        super()._refresh()
        if self._n & (self._n - 1) == 0:
            self._bias_factor = self._current_factor()

    def _renew(self, old: FloatArray) -> None:
        """V and b in new scales, from the sums. `old`: the scales that they are in."""
        if self._n:
            self.scales.renew(self._n)
            ratio, prior = self.scales.since(old), self._lam * np.eye(self._d)
            self._V[:] = prior + (ratio[:, None] * ratio) * (self._V - prior)
            self._b *= ratio

    def _current_factor(self) -> float:
        """σ̂/√max(d_eff, 1), α(t)/√t."""
        if self._n == 0 or self._squares == 0.0:
            return float(self._n > 0)
        unexplained = max(self._squares - float(self._b @ self._theta), ROUNDING * self._squares)
        d_eff = self._d - self._lam * float(np.trace(self._V_inv))
        return float(np.sqrt(unexplained / self._n / max(d_eff, 1.0)))

    def merge(self, other: RidgeModel) -> None:
        """Learn all that `other` has learnt: sums are added and everything is renewed from them."""
        self._require_alike(other)
        if not isinstance(other, ScaledRidge):  # for type checkers: the models are alike
            return
        self._release()
        other.settle()
        old, theirs = self.scales.scale, other.scales.scale
        self.scales.add(other.scales)
        self._n += other._n
        self._squares += other._squares
        # Both are brought to one scale: mine where I have seen the feature, else theirs.
        ratio = self.scales.since(theirs)
        self._V += (ratio[:, None] * ratio) * (other._V - self._lam * np.eye(self._d))
        self._b += ratio * other._b
        self._renew(np.where(old > 0.0, old, theirs))
        super()._refresh()
        self._bias_factor = self._current_factor()

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays: copies."""
        units = {"reward_squares": np.array([self._squares]), "bias_factor": np.array([self._bias_factor])}
        return {**super().state(), **units, **self.scales.state()}

    def restore(self, state: Mapping[str, FloatArray]) -> None:
        """Take over a state that `state` gave; refuses what cannot be one and leaves the model as it was."""
        d = self._d
        shapes = {"reward_squares": (1,), "bias_factor": (1,), "feature_counts": (d,), "feature_squares": (d,)}
        new = read_state(state, {**shapes, "feature_scale": (d,), "feature_norm": (1,)})
        for name, values in new.items():
            if (values < 0.0).any():
                raise InvalidInputError(f"state['{name}'] must not be negative. Got {values.min():g}.")
        super().restore(state)
        self._squares, self._bias_factor = float(new["reward_squares"][0]), float(new["bias_factor"][0])
        self.scales.restore(new)

    def __getstate__(self) -> dict[str, Any]:
        units = {"squares": self._squares, "factor": self._bias_factor, "scales": self.scales.state()}
        return super().__getstate__() | units

    def __setstate__(self, snapshot: dict[str, Any]) -> None:
        if "scales" not in self.__dict__:
            self.scales = Scales(snapshot["d"])
        super().__setstate__(snapshot)
        self._squares, self._bias_factor = snapshot["squares"], snapshot["factor"]
        self.scales.restore(snapshot["scales"])
