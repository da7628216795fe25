"""Logistic regression with independent Gaussian weights, learnt one reward at a time (Chapelle & Li 2011)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rbmle import kernels, params
from rbmle.errors import ConvergenceError, InvalidInputError
from rbmle.families import Logistic
from rbmle.inputs import as_numbers, as_observation, as_observations, is_empty, require_finite
from rbmle.models.glm import link_of, unlearnt
from rbmle.params import Integer, Real
from rbmle.types import FloatArray, IntArray


def functions() -> IntArray:
    """The logistic link as kernels know it."""
    return link_of(Logistic())[2]


class LaplaceModel:
    """Weights N(m_i, 1/q_i), independent of each other, from m = 0 and q = λ. A reward, y = 1 for 1 and −1 for 0, does:

    m ← argmin ½Σ q_i(w_i−m_i)² + log(1+e^{−y wᵀx}),   q_i ← q_i + x_i² p(1−p),   p = μ(mᵀx)

    Only the newest reward is used and then forgotten: O(d) memory. The order of rewards matters a little.

    >>> model = LaplaceModel(n_features=2)
    >>> model.observe([1.0, 0.0], 1.0)
    >>> model.mean.round(4), model.precision.round(4)
    (array([0.4011, 0.    ]), array([1.2402, 1.    ]))
    """

    def __init__(self, *, n_features: int, regularization: float = 1.0) -> None:
        params.require("LaplaceModel", "n_features", n_features, Integer(1))
        params.require("LaplaceModel", "regularization", regularization, Real(0.0, open_low=True))
        self.n_features = int(n_features)
        self.regularization = float(regularization)
        self.n = 0
        self.mean = np.zeros(self.n_features)
        self.precision = np.full(self.n_features, self.regularization)

    def checked(self, context: Any, reward: Any) -> tuple[FloatArray, float]:
        """A context and a reward of 0 or 1, or an error."""
        x, r = as_observation(context, reward, self.n_features)
        Logistic().require_support(np.asarray(r))
        return x, r

    def checked_many(self, contexts: Any, rewards: Any) -> tuple[FloatArray, FloatArray]:
        """Contexts and rewards of 0 or 1, or an error."""
        X, r = as_observations(contexts, rewards, self.n_features)
        Logistic().require_support(r, "rewards")
        return X, r

    def observe(self, context: Any, reward: Any) -> None:
        """Learn that `context` (d,) gave `reward`, 0 or 1."""
        x, r = self.checked(context, reward)
        if not kernels.glm.laplace.observe(self.mean, self.precision, functions(), x, r):
            raise unlearnt(self, x, r)
        self.n += 1

    def observe_many(self, contexts: Any, rewards: Any) -> None:
        """Learn n rewards in order, the same as n calls of `observe`. Nothing is learnt if one is refused."""
        if is_empty(contexts, rewards):
            return
        X, r = self.checked_many(contexts, rewards)
        before = self.state()
        done = kernels.glm.laplace.observe_many(self.mean, self.precision, functions(), X, r)
        if done < len(r):
            self.restore(before)
            raise unlearnt(self, X[done], float(r[done]))
        self.n += done

    def n_draws(self, n_arms: int) -> int:
        """How many normal numbers one decision takes: one w for all arms."""
        return self.n_features

    def sample_scores(self, X: FloatArray, normals: FloatArray) -> FloatArray:
        """x_aᵀw of every arm for one draw w."""
        scores = np.empty(len(X))
        kernels.glm.laplace.sample_scores(X, self.mean, self.precision, normals, scores)
        return scores

    def shares(self, X: FloatArray, normals: FloatArray) -> FloatArray:
        """How often each arm is the best one in many draws, one per row."""
        shares = np.zeros(len(X))
        kernels.glm.laplace.shares(X, self.mean, self.precision, normals, shares)
        return shares

    def play(self, contexts: FloatArray, rewards: FloatArray, normals: FloatArray, arms: IntArray) -> None:
        """Choose and learn for a block of rounds; contexts (B, K, d), or (1, K, d) where the arms stay."""
        done = kernels.glm.laplace.play(contexts, rewards, normals, self.mean, self.precision, functions(), arms)
        self.n += done
        if done < len(rewards):
            raise ConvergenceError(f"Reward {self.n + 1} could not be learnt by {type(self).__name__}.")

    def merge(self, other: "LaplaceModel") -> None:
        """Multiply the two posteriors and divide by the prior, which both contain: precisions add up.

        That is exact for Gaussian likelihoods and an approximation here, as the posterior itself is.
        """
        precision = self.precision + other.precision - self.regularization
        self.mean[:] = (self.precision * self.mean + other.precision * other.mean) / precision
        self.precision[:] = precision
        self.n += other.n

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays."""
        return {"n": np.array(float(self.n)), "mean": self.mean.copy(), "precision": self.precision.copy()}

    def restore(self, state: Mapping[str, FloatArray]) -> None:
        """Take over a state that `state` gave; refuses arrays that cannot be one and leaves the model as it was."""
        new = read_state(state, {"n": (), "mean": (self.n_features,), "precision": (self.n_features,)})
        if not (new["precision"] > 0.0).all():
            raise InvalidInputError(f"state['precision'] must be positive. Got {new['precision'].min():g}.")
        self.n = int(new["n"])
        self.mean[:], self.precision[:] = new["mean"], new["precision"]


def read_state(state: Mapping[str, FloatArray], shapes: Mapping[str, tuple[int, ...]]) -> dict[str, FloatArray]:
    """The arrays of a state, of these shapes and finite, or an error."""
    new = {name: as_numbers(state[name], name) for name in shapes}
    for name, shape in shapes.items():
        if new[name].shape != shape:
            raise InvalidInputError(f"state['{name}'] must have shape {shape}. Got {new[name].shape}.")
        require_finite(np.atleast_1d(new[name]), f"state['{name}']")
    return new
