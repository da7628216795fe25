"""Generalized linear models that learn the scales of features, for methods that must not be tuned to units."""

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np

from rbmle import kernels
from rbmle.errors import ConvergenceError, InvalidInputError, RbmleError
from rbmle.inputs import as_contexts, is_empty, require_contexts
from rbmle.models.glm import ROWS, GLMModel, inverse_of
from rbmle.models.scales import SHAPES, Scales
from rbmle.models.state import read_state
from rbmle.types import ArrayLike, FloatArray, Number


class ScaledGLM(GLMModel):
    """A GLMModel of contexts z = x/S, S learnt (see models.scales); rows, θ̂ and H are those of z.

    At n = 1, 2, 4, 8, …, and when models are merged, S is renewed, what is kept is multiplied accordingly, and

        κ̂ = (tr H − λd)/n,    d_eff = d − λ tr H⁻¹,    bias_factor = ½ √(κ̂ / max(d_eff, 1)).

    z has a mean square norm of 1, so that κ̂ is the mean information μ'‖z‖² of a reward. Before the first reward the
    factor is ½. After a renewal a context seen before may take a new row, its last bit being another.

    >>> model = ScaledGLM(n_features=2, regularization=0.03)
    >>> model.observe([1000.0, 0.0], 1.0)
    >>> mean, _ = model.predict([[1000.0, 0.0], [0.0, 0.001]])
    >>> mean.round(3)
    array([0.925, 0.5  ])
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.scales = Scales(self.n_features)
        self._bias_factor = 0.5

    @property
    def bias_factor(self) -> float:
        """½ √(κ̂/max(d_eff, 1)) of the last renewal."""
        return self._bias_factor

    def scaled(self, contexts: FloatArray) -> FloatArray:
        """Contexts (…, d) as kernels are to see them: x/S."""
        return self.scales.apply(contexts)

    def predict_score(self, contexts: "ArrayLike") -> tuple[FloatArray, FloatArray]:
        """Scores x_aᵀθ and their variances for K contexts (K, d)."""
        return super().predict_score(self._checked_and_scaled(contexts))

    def means(self, contexts: "ArrayLike") -> FloatArray:
        """Mean rewards of K contexts (K, d)."""
        return super().means(self._checked_and_scaled(contexts))

    def _checked_and_scaled(self, contexts: Any) -> FloatArray:
        X = as_contexts(contexts, self.n_features)
        require_contexts(X)
        return self.scaled(X)

    def observe(self, context: "ArrayLike", reward: "Number") -> None:
        """Learn that `context` (d,) gave `reward`."""
        x, r = self.checked(context, reward)
        super().observe(self.scaled(x), r)
        self.scales.learn(x[None])
        if self.n & (self.n - 1) == 0:
            self._renew(self.scales.scale)

    def observe_many(self, contexts: "ArrayLike", rewards: "ArrayLike") -> None:
        """Learn n rewards, the same as n calls of `observe`. Nothing is learnt if one is refused."""
        if is_empty(contexts, rewards):
            return
        before = self.state()
        try:
            for x, r in zip(*self.checked_many(contexts, rewards), strict=True):
                self.observe(x, r)
        except RbmleError:
            self.restore(before)
            raise

    def _renew(self, old: FloatArray) -> None:
        """Everything in new scales. `old`: the scales that it is in."""
        if self.n == 0:
            return
        self.scales.renew(self.n)
        self._multiply(self.scales.since(old))
        try:
            information = float(np.trace(self.H)) - self.regularization * self.n_features
            d_eff = self.n_features - self.regularization * float(np.trace(self.H_inv))
        except ConvergenceError:
            return  # what was learnt is learnt; who asks for the estimate is told, and the factor stays
        self._bias_factor = 0.5 * float(np.sqrt(max(information, 0.0) / self.n / max(d_eff, 1.0)))

    def _multiply(self, ratio: FloatArray) -> None:
        """What contexts z were is now that of contexts ratio · z."""
        if self._online:
            prior, both = self.regularization * np.eye(self.n_features), ratio[:, None] * ratio
            self._H_inv[:] = inverse_of(prior + both * (inverse_of(self._H_inv) - prior))
            self._A[:] = prior + both * (self._A - prior)
            self._b *= ratio
        self._theta /= ratio
        contexts, counts, sums = self.rows
        self._totals[ROWS] = 0.0
        self._allocate(len(self._counts))
        kernels.glm.rows.put_many(self._rows(), contexts * ratio, counts, sums)  # rows may have become the same
        self._past += 1

    def merge(self, other: GLMModel) -> None:
        """Learn all that `other` has learnt: both are brought to one scale, added, and everything is renewed."""
        if not isinstance(other, ScaledGLM):
            raise InvalidInputError(f"merge needs a ScaledGLM. Got {other!r}.")
        theirs, twin = other.scales.scale, copy.deepcopy(other)
        scales = copy.deepcopy(self.scales)
        scales.add(other.scales)
        twin._multiply(scales.since(theirs))
        super().merge(twin)
        self.scales = scales
        self._renew(scales.scale)

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays of its own."""
        return {**super().state(), **self.scales.state(), "bias_factor": np.array(self._bias_factor)}

    def restore(self, state: Mapping[str, FloatArray]) -> None:
        """Take over a state that `state` gave; refuses what cannot be one and leaves the model as it was."""
        d = self.n_features
        new = read_state(state, {"bias_factor": (), **dict.fromkeys(SHAPES, (d,)), "feature_norm": (1,)})
        for name, values in new.items():
            if (values < 0.0).any():
                raise InvalidInputError(f"state['{name}'] must not be negative. Got {values.min():g}.")
        super().restore(state)
        self._bias_factor = float(new["bias_factor"])
        self.scales.restore(new)
