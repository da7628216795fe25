"""Logistic regression with independent Gaussian weights, learnt one reward at a time (Chapelle & Li 2011)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rbmle import kernels, params
from rbmle.errors import ConvergenceError, InvalidInputError
from rbmle.families import Logistic
from rbmle.inputs import as_contexts, as_observation, as_observations, is_empty, require_contexts
from rbmle.models.glm import unlearnt
from rbmle.models.link import link_of
from rbmle.models.protocol import Sized
from rbmle.models.state import read_state, require_count, require_positive
from rbmle.params import Integer, Real
from rbmle.types import ArrayLike, FloatArray, IntArray, Number


def reward_of(model: Any, contexts: "ArrayLike") -> tuple[FloatArray, FloatArray]:
    """Mean rewards μ(xᵀm) of contexts (K, d) and their variances μ'(xᵀm)² Σ x_i²/q_i, of a model with `mean` and
    `precision`.
    """
    X = as_contexts(contexts, model.n_features)
    require_contexts(X)
    score, variance, family = X @ model.mean, (X * X) @ (1.0 / model.precision), Logistic()
    return family.mean(score), family.derivative(score) ** 2 * variance


class LaplaceModel(Sized):
    """Weights N(m_i, 1/q_i), independent of each other, from m = 0 and q = λ. A reward, y = 1 for 1 and −1 for 0, does:

    m ← argmin ½Σ q_i(w_i−m_i)² + log(1+e^{−y wᵀx}),   q_i ← q_i + x_i² p(1−p),   p = μ(mᵀx)

    Only the newest reward is used and then forgotten: O(d) memory. **The order of rewards matters**: N ones and then N
    zeros for one context leave an estimated mean of 0.30, 0.15 and 0.08 for N = 100, 1000 and 10 000, where half of all
    were ones. So rewards that come late, failures after successes above all, bias it; `GLMModel` does not suffer so.

    >>> model = LaplaceModel(n_features=2)
    >>> model.observe([1.0, 0.0], 1.0)
    >>> model.mean.round(4), model.precision.round(4)
    (array([0.4011, 0.    ]), array([1.2402, 1.    ]))
    """

    def __init__(self, *, n_features: int, regularization: float = 1.0) -> None:
        params.require("LaplaceModel", "n_features", n_features, Integer(1))
        params.require("LaplaceModel", "regularization", regularization, Real(0.0, open_low=True))
        self._d = int(n_features)
        self._lam = float(regularization)
        self._n = self._past = 0
        self._mean = np.zeros(self._d)
        self._precision = np.full(self._d, self._lam)

    @property
    def n(self) -> int:
        """How many rewards have been learnt."""
        return self._n

    @property
    def version(self) -> int:
        """Grows whenever something is learnt."""
        return self._past + self._n

    @property
    def mean(self) -> FloatArray:
        """m, shape (d,)."""
        return self._mean.copy()

    @property
    def precision(self) -> FloatArray:
        """q, shape (d,)."""
        return self._precision.copy()

    def predict(self, contexts: "ArrayLike") -> tuple[FloatArray, FloatArray]:
        """Mean rewards μ(xᵀm) of K contexts (K, d), and their variances μ'(xᵀm)² Σ x_i²/q_i."""
        return reward_of(self, contexts)

    def checked(self, context: "ArrayLike", reward: "Number") -> tuple[FloatArray, float]:
        """A context and a reward of 0 or 1, or an error."""
        x, r = as_observation(context, reward, self.n_features)
        Logistic().require_support(np.asarray(r))
        return x, r

    def checked_many(self, contexts: "ArrayLike", rewards: "ArrayLike") -> tuple[FloatArray, FloatArray]:
        """Contexts and rewards of 0 or 1, or an error."""
        X, r = as_observations(contexts, rewards, self.n_features)
        Logistic().require_support(r, "rewards")
        return X, r

    def observe(self, context: "ArrayLike", reward: "Number") -> None:
        """Learn that `context` (d,) gave `reward`, 0 or 1."""
        x, r = self.checked(context, reward)
        if not kernels.glm.laplace.observe(*self._arrays(), x, r):
            raise unlearnt(self, x, r)
        self._n += 1

    def observe_many(self, contexts: "ArrayLike", rewards: "ArrayLike") -> None:
        """Learn n rewards in order, the same as n calls of `observe`. Nothing is learnt if one is refused."""
        if is_empty(contexts, rewards):
            return
        X, r = self.checked_many(contexts, rewards)
        before = self.state()
        done = kernels.glm.laplace.observe_many(*self._arrays(), X, r)
        if done < len(r):
            self._take(before)
            raise unlearnt(self, X[done], float(r[done]))
        self._n += done

    def n_draws(self, n_arms: int) -> int:
        """How many normal numbers one decision takes: one w for all arms."""
        return self.n_features

    def sample_scores(self, X: FloatArray, normals: FloatArray) -> FloatArray:
        """x_aᵀw of every arm for one draw w."""
        scores = np.empty(len(X))
        kernels.glm.laplace.sample_scores(X, self._mean, self._precision, normals, scores)
        return scores

    def shares(self, X: FloatArray, normals: FloatArray) -> FloatArray:
        """How often each arm is the best one in many draws, one per row."""
        shares = np.zeros(len(X))
        kernels.glm.laplace.shares(X, self._mean, self._precision, normals, shares)
        return shares

    def play(self, contexts: FloatArray, rewards: FloatArray, normals: FloatArray, arms: IntArray) -> None:
        """Choose and learn for a block of rounds; contexts (B, K, d), or (1, K, d) where the arms stay."""
        done = kernels.glm.laplace.play(contexts, rewards, normals, *self._arrays(), arms)
        self._n += done
        if done < len(rewards):
            raise ConvergenceError(f"Reward {self._n + 1} could not be learnt by {type(self).__name__}.")

    def merge(self, other: "LaplaceModel") -> None:
        """Multiply the two posteriors and divide by the prior, which both contain: precisions add up.

        That is exact for Gaussian likelihoods and an approximation here, as the posterior itself is.
        """
        if (self._d, self._lam) != (other.n_features, other.regularization):
            raise InvalidInputError(f"merge needs models of the same n_features and regularization. Got {self._d}, "
                                    f"{self._lam:g} and {other.n_features}, {other.regularization:g}.")  # fmt: skip
        precision = self._precision + other._precision - self._lam
        self._mean[:] = (self._precision * self._mean + other._precision * other._mean) / precision
        self._precision[:] = precision
        self._n += other.n
        self._past += 1

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays of its own."""
        return {"n": np.array(float(self._n)), "mean": self.mean, "precision": self.precision}

    def restore(self, state: Mapping[str, FloatArray]) -> None:
        """Take over a state that `state` gave; refuses arrays that cannot be one and leaves the model as it was."""
        new = read_state(state, {"n": (), "mean": (self._d,), "precision": (self._d,)})
        require_count(new["n"])
        require_positive(new["precision"], "precision")
        self._take(new)

    def _take(self, new: Mapping[str, FloatArray]) -> None:
        """Make a checked state one's own."""
        self._past, self._n = self.version + 1 - int(new["n"]), int(new["n"])
        self._mean[:], self._precision[:] = new["mean"], new["precision"]

    def _arrays(self) -> tuple[FloatArray, FloatArray, Any]:
        """What kernels write: means, precisions; and the link."""
        return self._mean, self._precision, link_of(Logistic())
