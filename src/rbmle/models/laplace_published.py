"""Laplace-TS as the published tables were made: for comparison with those tables, not for use."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rbmle import kernels
from rbmle.errors import ConvergenceError, InvalidInputError
from rbmle.inputs import is_empty
from rbmle.models.glm import GLMModel
from rbmle.models.laplace import functions, read_state
from rbmle.types import FloatArray, IntArray


class PublishedLaplaceModel:
    """Differs from `LaplaceModel` in six ways, all of them needed for the printed digits:

    labels are 0 and 1, so that a reward of 0 teaches nothing; every arm gets a draw of its own; the whole history is
    fitted again after every reward; the penalty has weights q_i² instead of q_i; p = 1/(1+μ(−mᵀx)); and the newest
    reward is appended only after the fit. Normal numbers go to the weights in order of descending variance, as the
    singular value decomposition behind NumPy's `multivariate_normal` hands them out.
    """

    def __init__(self, *, n_features: int, regularization: float = 1.0) -> None:
        self.n_features = int(n_features)
        self.history = GLMModel(n_features=n_features, family="logistic", regularization=regularization)
        self.mean = np.zeros(self.n_features)
        self.variance = np.full(self.n_features, 1.0 / self.history.regularization)

    @property
    def n(self) -> int:
        """How many rewards have been learnt."""
        return self.history.n

    def observe(self, context: Any, reward: Any) -> None:
        """Learn that `context` (d,) gave `reward`, 0 or 1."""
        x, r = self.history.checked(context, reward)
        self._learn(x[None], np.array([r]))

    def observe_many(self, contexts: Any, rewards: Any) -> None:
        """Learn n rewards in order, the same as n calls of `observe`. Nothing is learnt if one is refused."""
        if is_empty(contexts, rewards):
            return
        self._learn(*self.history.checked_many(contexts, rewards))

    def _learn(self, X: FloatArray, r: FloatArray) -> None:
        before = self.state() if len(r) > 1 else None
        self.history.reserve(len(r))
        rows = kernels.glm.laplace_published.observe_many(
            self.history.store(), self.history.n_rows, functions(), self.mean, self.variance, X, r
        )
        self._learnt(rows, len(r), float(r @ r), before)

    def _learnt(self, rows: int, count: int, squares: float, before: dict[str, FloatArray] | None) -> None:
        """Count what kernels have learnt; where a fit failed go back to the state before."""
        if rows < 0:
            if before is not None:
                self.restore(before)
            raise ConvergenceError(f"The fit to {self.n} rewards was not reached; contexts are too extreme.")
        self.history.n_rows = rows
        self.history.counted(count, squares)

    def n_draws(self, n_arms: int) -> int:
        """How many normal numbers one decision takes: a w for every arm."""
        return n_arms * self.n_features

    def sample_scores(self, X: FloatArray, normals: FloatArray) -> FloatArray:
        """x_aᵀw_a of every arm, each with a draw of its own."""
        scores = np.empty(len(X))
        kernels.glm.laplace_published.sample_scores(X, self.mean, self.variance, normals, scores)
        return scores

    def shares(self, X: FloatArray, normals: FloatArray) -> FloatArray:
        """How often each arm is the best one in many draws, one per row."""
        shares = np.zeros(len(X))
        kernels.glm.laplace_published.shares(X, self.mean, self.variance, normals, shares)
        return shares

    def play(self, contexts: FloatArray, rewards: FloatArray, normals: FloatArray, arms: IntArray) -> None:
        """Choose and learn for a block of rounds; contexts (B, K, d), or (1, K, d) where the arms stay."""
        before = self.state()
        self.history.reserve(len(rewards) if len(contexts) > 1 else contexts.shape[1])
        rows = kernels.glm.laplace_published.play(
            contexts, rewards, normals, self.history.store(), self.history.n_rows, functions(), self.mean,
            self.variance, arms,
        )  # fmt: skip
        got = rewards[np.arange(len(rewards)), arms] if rows >= 0 else np.zeros(1)
        self._learnt(rows, len(rewards), float(got @ got), before)

    def merge(self, other: "PublishedLaplaceModel") -> None:
        """Join the histories and multiply the posteriors as `LaplaceModel.merge` does."""
        mine, theirs = 1.0 / self.variance, 1.0 / other.variance
        precision = mine + theirs - self.history.regularization
        self.mean[:] = (mine * self.mean + theirs * other.mean) / precision
        self.variance[:] = 1.0 / precision
        self.history.merge(other.history)

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays."""
        contexts, counts, sums = self.history.rows
        return {
            "n": np.array(float(self.n)),
            "mean": self.mean.copy(),
            "variance": self.variance.copy(),
            "contexts": contexts,
            "counts": counts,
            "sums": sums,
        }

    def restore(self, state: Mapping[str, FloatArray]) -> None:
        """Take over a state that `state` gave; refuses arrays that cannot be one and leaves the model as it was."""
        d = self.n_features
        new = read_state(state, {"n": (), "mean": (d,), "variance": (d,)})
        if not (new["variance"] > 0.0).all():
            raise InvalidInputError(f"state['variance'] must be positive. Got {new['variance'].min():g}.")
        rows = {name: state[name] for name in ("contexts", "counts", "sums")}
        squares = np.asarray(np.sum(rows["sums"]), dtype=np.float64)  # rewards are 0 and 1
        self.history.restore({"n": new["n"], "squares": squares, "theta_hat": np.zeros(d), **rows})
        self.mean[:], self.variance[:] = new["mean"], new["variance"]
