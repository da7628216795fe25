"""Ridge regression that learns the scales of features and rewards, for methods that must not be tuned to units."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rbmle import kernels
from rbmle.errors import InvalidInputError
from rbmle.inputs import as_contexts, as_observation, as_observations, is_empty, refuse_values, require_finite
from rbmle.models.ridge import RidgeModel
from rbmle.models.scales import Scales
from rbmle.types import FloatArray

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

    def __init__(self, *, n_features: int, regularization: float = 0.1) -> None:
        super().__init__(n_features=n_features, regularization=regularization)
        self.scales = Scales(self.n_features)
        self.reward_squares = 0.0
        self.bias_factor = 0.0

    def scaled(self, contexts: FloatArray) -> FloatArray:
        """Contexts (…, d) as kernels are to see them: x/S."""
        return self.scales.apply(contexts)

    def rounds_alike(self, contexts: FloatArray) -> int:
        """How many rounds of contexts (B, K, d) can be played before anything is renewed; at least 1."""
        return self.scales.rounds_alike(contexts[: self.until_refresh()])

    def predict(self, contexts: Any) -> tuple[FloatArray, FloatArray]:
        """Means x_aᵀθ̂ and variances of K contexts (K, d), which are in any unit."""
        X = as_contexts(contexts, self.n_features)
        require_finite(X, "contexts")
        return super().predict(self.scaled(X))

    def observe(self, context: Any, reward: Any) -> None:
        """Learn that `context` (d,) gave `reward`."""
        x, r = as_observation(context, reward, self.n_features)
        if not kernels.ridge.observe(*self.arrays(), self.scaled(x), r):
            raise refuse_values(x, r)
        self.told(x[None], np.array([r]))
        self.counted(1)

    def observe_many(self, contexts: Any, rewards: Any) -> None:
        """Learn n rewards: the same, to the last bit, as n calls of `observe`. Nothing is learnt if one is refused."""
        if is_empty(contexts, rewards):
            return
        X, r = as_observations(contexts, rewards, self.n_features)
        before, start = self.state(), 0
        while start < len(r):
            stop = start + self.rounds_alike(X[start:, None])
            done = kernels.ridge.observe_many(*self.arrays(), self.scaled(X[start:stop]), r[start:stop])
            if done < stop - start:
                self.restore(before)
                raise refuse_values(X[start + done], float(r[start + done]))
            self.told(X[start:stop], r[start:stop])
            self.counted(stop - start)
            start = stop

    def told(self, contexts: FloatArray, rewards: FloatArray) -> None:
        """Note the contexts (n, d) and rewards (n,) that kernels have just learnt, before they are counted."""
        self.scales.learn(contexts)
        self.reward_squares = float(np.cumsum(np.append(self.reward_squares, rewards * rewards))[-1])

    def told_sums(self, contexts: FloatArray, times: FloatArray, reward_squares: float) -> None:
        """The same of contexts (K, d) learnt `times` (K,) times each."""
        pulled = times > 0.0
        self.scales.learn(contexts[pulled], times[pulled])
        self.reward_squares += reward_squares

    def plan_refresh(self) -> None:
        """Set when the inverse is due for a refresh: when everything is renewed, at powers of two, and as usual."""
        super().plan_refresh()
        self.next_refresh = min(self.next_refresh, 1 << self.n.bit_length())

    def refresh(self) -> None:
        """Compute V⁻¹, θ̂ and the determinant anew; at powers of two, everything."""
        if self.n & (self.n - 1) == 0:
            self.renew(self.scales.scale)
        else:
            super().refresh()

    def renew(self, old: FloatArray) -> None:
        """Everything that depends on units anew, from the sums. `old`: the scales that V and b are in."""
        if self.n:
            self.scales.renew(self.n)
            self.rescale(self.scales.since(old))
        super().refresh()
        self.bias_factor = self.current_factor()

    def rescale(self, ratio: FloatArray) -> None:
        """Multiply what was learnt as if every z had been multiplied by `ratio` (d,)."""
        prior = self.regularization * np.eye(self.n_features)
        self._V[:] = prior + (ratio[:, None] * ratio) * (self._V - prior)
        self._b *= ratio

    def current_factor(self) -> float:
        """σ̂/√max(d_eff, 1), α(t)/√t."""
        if self.n == 0 or self.reward_squares == 0.0:
            return float(self.n > 0)
        unexplained = max(self.reward_squares - float(self._b @ self._theta_hat), ROUNDING * self.reward_squares)
        d_eff = self.n_features - self.regularization * float(np.trace(self._V_inv))
        return float(np.sqrt(unexplained / self.n / max(d_eff, 1.0)))

    def merge(self, other: RidgeModel) -> None:
        """Learn all that `other` has learnt: sums are added and everything is renewed from them."""
        mine = self.n_features, self.regularization
        if not isinstance(other, ScaledRidge) or mine != (other.n_features, other.regularization):
            raise InvalidInputError(
                f"merge needs models of the same kind, n_features and regularization. Got {self!r} and {other!r}."
            )
        V, _, b, _, _ = self.arrays()
        more_V, _, more_b, _, _ = other.arrays()
        old, theirs = self.scales.scale, other.scales.scale
        self.scales.add(other.scales)
        self.n += other.n
        self.reward_squares += other.reward_squares
        # Both are brought to one scale: mine where I have seen the feature, else theirs.
        ratio = self.scales.since(theirs)
        V += (ratio[:, None] * ratio) * (more_V - self.regularization * np.eye(self.n_features))
        b += ratio * more_b
        self.renew(np.where(old > 0.0, old, theirs))

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays."""
        units = {"reward_squares": np.array([self.reward_squares]), "bias_factor": np.array([self.bias_factor])}
        volume = self.arrays()[4].copy()
        state = {name: array.copy() for name, array in super().state().items()}
        self._volume[:] = volume  # reading changes nothing, not even how the determinant is split
        return {**state, **units, **self.scales.state()}

    def restore(self, state: Mapping[str, FloatArray]) -> None:
        """Take over a state that `state` gave; refuses arrays of wrong shape and leaves the model as it was."""
        super().restore(state)
        self.reward_squares = float(state["reward_squares"][0])
        self.bias_factor = float(state["bias_factor"][0])
        self.scales.restore(state)

    def __repr__(self) -> str:
        return f"ScaledRidge(n_features={self.n_features}, regularization={self.regularization}, n={self.n})"
