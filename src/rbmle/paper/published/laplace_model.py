"""Laplace-TS as the published tables were made: for comparison with those tables, not for use."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rbmle.errors import ConvergenceError
from rbmle.inputs import is_empty
from rbmle.models.glm import GLMModel
from rbmle.models.laplace import reward_of
from rbmle.models.state import length_of, read_state, require_positive
from rbmle.paper.published import laplace_kernel
from rbmle.types import ArrayLike, FloatArray, IntArray, Number


class PublishedLaplaceModel:
    """Differs from `LaplaceModel` in six ways, all of them needed for the printed digits:

    labels are 0 and 1, so that a reward of 0 teaches nothing; every arm gets a draw of its own; the whole history is
    fitted again after every reward; the penalty has weights q_i² instead of q_i; p = 1/(1+μ(−mᵀx)); and the newest
    reward is appended only after the fit. Normal numbers go to the weights in order of descending variance, as the
    singular value decomposition behind NumPy's `multivariate_normal` hands them out.
    """

    def __init__(self, *, n_features: int, regularization: float = 1.0) -> None:
        self._history = GLMModel(n_features=n_features, family="logistic", regularization=regularization)
        self._mean = np.zeros(self.n_features)
        self._variance = np.full(self.n_features, 1.0 / regularization)

    @property
    def n_features(self) -> int:
        """d, the length of a context."""
        return self._history.n_features

    @property
    def n(self) -> int:
        """How many rewards have been learnt."""
        return self._history.n

    @property
    def version(self) -> int:
        """Grows whenever something is learnt."""
        return self._history.version

    @property
    def mean(self) -> FloatArray:
        """m, shape (d,)."""
        return self._mean.copy()

    @property
    def precision(self) -> FloatArray:
        """q, shape (d,)."""
        return 1.0 / self._variance

    @property
    def variance(self) -> FloatArray:
        """1/q, shape (d,)."""
        return self._variance.copy()

    def predict(self, contexts: "ArrayLike") -> tuple[FloatArray, FloatArray]:
        """Mean rewards μ(xᵀm) of K contexts (K, d), and their variances μ'(xᵀm)² Σ x_i²/q_i."""
        return reward_of(self, contexts)

    def observe(self, context: "ArrayLike", reward: "Number") -> None:
        """Learn that `context` (d,) gave `reward`, 0 or 1."""
        x, r = self._history.checked(context, reward)
        self._run(laplace_kernel.observe_many, 1, x[None], np.array([r]))

    def observe_many(self, contexts: "ArrayLike", rewards: "ArrayLike") -> None:
        """Learn n rewards in order, the same as n calls of `observe`. Nothing is learnt if one is refused."""
        if is_empty(contexts, rewards):
            return
        X, r = self._history.checked_many(contexts, rewards)
        before = self.state() if len(r) > 1 else None
        self._run(laplace_kernel.observe_many, len(r), X, r, before=before)

    def _run(
        self,
        kernel: Callable[..., int],
        room: int,
        X: FloatArray,
        rewards: FloatArray,
        *more: Any,
        before: Mapping[str, FloatArray] | None = None,
    ) -> None:
        """Let a kernel learn; where a fit fails go back to the state before, if that is given."""
        done = self._history.play(kernel, room, self._mean, self._variance, X, rewards, *more)
        if done < len(rewards):
            if before is not None:
                self.restore(before)
            raise ConvergenceError(f"The fit to {self.n} rewards was not reached; contexts are too extreme.")

    def n_draws(self, n_arms: int) -> int:
        """How many normal numbers one decision takes: a w for every arm."""
        return n_arms * self.n_features

    def sample_scores(self, X: FloatArray, normals: FloatArray) -> FloatArray:
        """x_aᵀw_a of every arm, each with a draw of its own."""
        scores = np.empty(len(X))
        laplace_kernel.sample_scores(X, self._mean, self._variance, normals, scores)
        return scores

    def shares(self, X: FloatArray, normals: FloatArray) -> FloatArray:
        """How often each arm is the best one in many draws, one per row."""
        shares = np.zeros(len(X))
        laplace_kernel.shares(X, self._mean, self._variance, normals, shares)
        return shares

    def play(self, contexts: FloatArray, rewards: FloatArray, normals: FloatArray, arms: IntArray) -> None:
        """Choose and learn for a block of rounds; contexts (B, K, d), or (1, K, d) where the arms stay."""
        room = len(rewards) if len(contexts) > 1 else contexts.shape[1]
        self._run(laplace_kernel.play, room, contexts, rewards, normals, arms)

    def merge(self, other: "PublishedLaplaceModel") -> None:
        """Join the histories and multiply the posteriors as `LaplaceModel.merge` does."""
        mine, theirs = self.precision, other.precision
        precision = mine + theirs - self._history.regularization
        self._history.merge(other._history)
        self._mean[:] = (mine * self._mean + theirs * other._mean) / precision
        self._variance[:] = 1.0 / precision

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays."""
        contexts, counts, sums = self._history.rows
        return {
            "n": np.array(float(self.n)),
            "mean": self.mean,
            "variance": self.variance,
            "contexts": contexts,
            "counts": counts,
            "sums": sums,
        }

    def restore(self, state: Mapping[str, FloatArray]) -> None:
        """Take over a state that `state` gave; refuses arrays that cannot be one and leaves the model as it was."""
        d = self.n_features
        new = read_state(state, {"n": (), "mean": (d,), "variance": (d,)})
        require_positive(new["variance"], "variance")
        m = length_of(state, "counts")
        rows = read_state(state, {"contexts": (m, d), "counts": (m,), "sums": (m,)})
        squares = np.asarray(rows["sums"].sum())  # rewards are 0 and 1
        self._history.restore({"n": new["n"], "squares": squares, **rows})
        self._mean[:], self._variance[:] = new["mean"], new["variance"]
