"""Ridge regression, learnt one reward at a time."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rbmle import kernels, params
from rbmle.errors import InvalidInputError
from rbmle.inputs import (
    as_context,
    as_contexts,
    as_numbers,
    as_observations,
    as_reward,
    is_empty,
    refuse_values,
    require_finite,
)
from rbmle.params import Integer, Real
from rbmle.types import FloatArray

if TYPE_CHECKING:
    from collections.abc import Callable


# Observations between two refreshes of the inverse: few enough for rounding, so many that their cost does not show.
REFRESH = 8192


class RidgeModel:
    """V = λI + Σ x xᵀ, its inverse, b = Σ r x and θ̂ = V⁻¹b, all started together from λ.

    V and b are kept exactly; the inverse follows by rank-one updates and is computed anew from V at powers of 4
    and then every 8192 observations, so that rounding does not pile up, not even from a very small λ.

    >>> model = RidgeModel(n_features=2)
    >>> model.observe([1.0, 0.0], 3.0)
    >>> mean, variance = model.predict([[1.0, 0.0], [0.0, 1.0]])
    >>> mean, variance
    (array([1.5, 0. ]), array([0.5, 1. ]))
    """

    def __init__(self, *, n_features: int, regularization: float = 1.0) -> None:
        params.require("RidgeModel", "n_features", n_features, Integer(1))
        params.require("RidgeModel", "regularization", regularization, Real(0.0, open_low=True))
        self.n_features = int(n_features)
        self.regularization = float(regularization)
        self.n = 0
        self.plan_refresh()
        self.version = 0  # changes whenever the arrays below change, so that whoever derives from them can tell
        self._late: Callable[[], None] | None = None
        d = self.n_features
        self._V = self.regularization * np.eye(d)
        self._V_inv = np.eye(d) / self.regularization
        self._b = np.zeros(d)
        self._theta_hat = np.zeros(d)
        self._volume = np.array([0.0, 1.0])

    @property
    def V(self) -> FloatArray:
        """λI + Σ x xᵀ, shape (d, d)."""
        return self.arrays()[0].copy()

    @property
    def V_inv(self) -> FloatArray:
        """V⁻¹, shape (d, d)."""
        return self.arrays()[1].copy()

    @property
    def b(self) -> FloatArray:
        """Σ r x, shape (d,)."""
        return self.arrays()[2].copy()

    @property
    def theta_hat(self) -> FloatArray:
        """The ridge estimate V⁻¹b, shape (d,)."""
        return self.arrays()[3].copy()

    @property
    def log_det(self) -> float:
        """log(det V / det λI): how much has been learnt."""
        volume = self.arrays()[4]
        return float(volume[0] + np.log(volume[1]))

    def arrays(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
        """(V, V⁻¹, b, θ̂, volume) themselves, up to date, for kernels."""
        self.settle()
        return self._V, self._V_inv, self._b, self._theta_hat, self._volume

    def predict(self, contexts: Any) -> tuple[FloatArray, FloatArray]:
        """Means x_aᵀθ̂ and variances x_aᵀV⁻¹x_a of K contexts (K, d)."""
        X = as_contexts(contexts, self.n_features)
        require_finite(X, "contexts")
        _, V_inv, _, theta, _ = self.arrays()
        mean, variance = np.empty(len(X)), np.empty(len(X))
        kernels.ridge.predict(X, theta, V_inv, mean, variance)
        return mean, variance

    def observe(self, context: Any, reward: Any) -> None:
        """Learn that `context` (d,) gave `reward`."""
        x, r = as_context(context, self.n_features), as_reward(reward)
        if not kernels.ridge.observe(*self.arrays(), x, r):
            raise refuse_values(x, r)
        self.counted(1)

    def observe_many(self, contexts: Any, rewards: Any) -> None:
        """Learn n rewards: the same, to the last bit, as n calls of `observe`. Nothing is learnt if one is refused."""
        if is_empty(contexts, rewards):
            return
        X, r = as_observations(contexts, rewards, self.n_features)
        start = 0
        while start < len(r):
            stop = min(len(r), start + self.until_refresh())
            kernels.ridge.observe_many(*self.arrays(), X[start:stop], r[start:stop])
            self.counted(stop - start)
            start = stop

    def until_refresh(self) -> int:
        """How many observations may come before the inverse is due for a refresh."""
        return self.next_refresh - self.n

    def counted(self, observations: int) -> None:
        """Note that kernels have put observations into the arrays."""
        self.n += observations
        self.version += 1
        if self.n >= self.next_refresh:
            self.refresh()

    def refresh(self) -> None:
        """Compute V⁻¹, θ̂ and the determinant anew from V and b."""
        kernels.ridge.refresh(
            self._V, self._V_inv, self._b, self._theta_hat, self._volume, self.n_features * np.log(self.regularization)
        )
        self.version += 1
        self.plan_refresh()

    def plan_refresh(self) -> None:
        """Set when the inverse is due for a refresh: at powers of 4 from 4d on, then every 8192 observations."""
        next_power = 1 << (max(self.n, 4 * self.n_features - 1).bit_length() + 1) // 2 * 2
        self.next_refresh = min(next_power, self.n - self.n % REFRESH + REFRESH)

    def merge(self, other: "RidgeModel") -> None:
        """Learn all that `other` has learnt: exact, since V and b are sums. What both have seen counts twice."""
        if (self.n_features, self.regularization) != (other.n_features, other.regularization):
            raise InvalidInputError(
                f"merge needs models of the same n_features and regularization. Got {self!r} and {other!r}."
            )
        V, _, b, _, _ = self.arrays()
        more_V, _, more_b, _, _ = other.arrays()
        V += more_V - self.regularization * np.eye(self.n_features)
        b += more_b
        self.n += other.n
        self.refresh()

    def late_updates(self, source: "Callable[[], None]") -> None:
        """Let `source` keep observations to itself until somebody asks for the arrays (fixed arms do)."""
        self.settle_others(source)
        self._late = source

    def settle_others(self, source: "Callable[[], None]") -> None:
        """Fetch observations kept back by anybody but `source`."""
        if self._late is not source:
            self.settle()

    def settle(self) -> None:
        """Fetch observations that were kept back."""
        if self._late is not None:
            source, self._late = self._late, None
            source()

    def add_sums(self, V: FloatArray, b: FloatArray) -> None:
        """Add Σ x xᵀ and Σ r x of observations already counted in `n`."""
        self._V += V
        self._b += b
        self.refresh()

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays."""
        V, V_inv, b, theta, volume = self.arrays()
        volume[:] = self.log_det, 1.0
        return {
            "V": V,
            "V_inv": V_inv,
            "b": b,
            "theta_hat": theta,
            "log_det": volume[:1],
            "n": np.array([float(self.n)]),
        }

    def restore(self, state: Mapping[str, FloatArray]) -> None:
        """Take over a state that `state` gave; refuses arrays of wrong shape and leaves the model as it was."""
        new = {name: as_numbers(state[name], name) for name in self.state()}
        for name, array in self.state().items():
            if new[name].shape != array.shape:
                raise InvalidInputError(f"state['{name}'] must have shape {array.shape}. Got {new[name].shape}.")
            require_finite(new[name], f"state['{name}']")
        for target, name in zip(self.arrays()[:4], ("V", "V_inv", "b", "theta_hat"), strict=True):
            target[...] = new[name]
        self._volume[:] = new["log_det"][0], 1.0
        self.n = int(new["n"][0])
        self.plan_refresh()
        self.version += 1

    def __repr__(self) -> str:
        return f"RidgeModel(n_features={self.n_features}, regularization={self.regularization}, n={self.n})"
