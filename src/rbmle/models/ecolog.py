"""Logistic regression inside a ball, learnt one reward at a time without a history (Faury et al. 2022)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rbmle import kernels, params
from rbmle.errors import InvalidInputError, NotMergeableError
from rbmle.families import Logistic
from rbmle.inputs import as_contexts, as_observation, as_observations, is_empty, require_contexts
from rbmle.models.glm import unlearnt
from rbmle.models.link import link_of
from rbmle.models.protocol import Sized
from rbmle.models.state import read_state, require_count, require_definite, require_inverse
from rbmle.params import Integer, Real
from rbmle.types import ArrayLike, FloatArray, IntArray, Number

# Places in the totals that kernels count in, kernels.glm.ecolog.
REWARDS, FAILED = 0, 3


class ECOLogModel(Sized):
    """θ, from 0, and W, from λI. A reward r of 0 or 1 for a context x does, with ℓ(z, r) = log(1 + eᶻ) − rz,

    θ ← argmin ½‖ϑ−θ‖²_W + ℓ(xᵀϑ, r) over ‖ϑ‖ ≤ S,   W ← W + μ'(xᵀθ) x xᵀ

    and then it is forgotten: O(d²) memory and time. The argmin is one root in one number, with one more number for the
    ball where it is reached. **The order of rewards matters**, and what two models know cannot be put together.

    >>> model = ECOLogModel(n_features=2, norm_bound=2.0)
    >>> model.observe([1.0, 0.0], 1.0)
    >>> model.theta_hat.round(4), model.W.round(4).tolist()
    (array([0.4011, 0.    ]), [[1.2402, 0.0], [0.0, 1.0]])
    """

    def __init__(self, *, n_features: int, norm_bound: float = 1.0, regularization: float = 1.0) -> None:
        params.require("ECOLogModel", "n_features", n_features, Integer(1))
        params.require("ECOLogModel", "norm_bound", norm_bound, Real(0.0, open_low=True))
        params.require("ECOLogModel", "regularization", regularization, Real(0.0, open_low=True))
        self._d, self._lam, self._S = int(n_features), float(regularization), float(norm_bound)
        self._past = 0
        self._W, self._W_inv = self._lam * np.eye(self._d), np.eye(self._d) / self._lam
        self._theta, self._totals = np.zeros(self._d), np.zeros(4)

    @property
    def n(self) -> int:
        """How many rewards have been learnt."""
        return int(self._totals[REWARDS])

    @property
    def version(self) -> int:
        """Grows whenever something is learnt."""
        return self._past + self.n

    @property
    def norm_bound(self) -> float:
        """S."""
        return self._S

    @property
    def theta_hat(self) -> FloatArray:
        """θ, shape (d,)."""
        return self._theta.copy()

    @property
    def W(self) -> FloatArray:
        """λI + Σ μ' x xᵀ, shape (d, d)."""
        return self._W.copy()

    @property
    def condition_failures(self) -> int:
        """How many rewards broke the condition of the confidence set, μ'(xᵀθ̄) ≤ 2μ'(xᵀθ)."""
        return int(self._totals[FAILED])

    def predict(self, contexts: "ArrayLike") -> tuple[FloatArray, FloatArray]:
        """Mean rewards μ(xᵀθ) of K contexts (K, d), and their variances μ'(xᵀθ)² xᵀW⁻¹x."""
        X = as_contexts(contexts, self._d)
        require_contexts(X)
        score, variance, family = X @ self._theta, ((X @ self._W_inv) * X).sum(axis=1), Logistic()
        return family.mean(score), family.derivative(score) ** 2 * variance

    def observe(self, context: "ArrayLike", reward: "Number") -> None:
        """Learn that `context` (d,) gave `reward`, 0 or 1."""
        x, r = as_observation(context, reward, self._d)
        Logistic().require_support(np.asarray(r))
        if not kernels.glm.ecolog.observe_many(self._arrays(), x[None], np.array([r])):
            raise unlearnt(self, x, r)

    def observe_many(self, contexts: "ArrayLike", rewards: "ArrayLike") -> None:
        """Learn n rewards in order, the same as n calls of `observe`. Nothing is learnt if one is refused."""
        if is_empty(contexts, rewards):
            return
        X, r = as_observations(contexts, rewards, self._d)
        Logistic().require_support(r, "rewards")
        before = self.state()
        done = kernels.glm.ecolog.observe_many(self._arrays(), X, r)
        if done < len(r):
            self._take(before)
            raise unlearnt(self, X[done], float(r[done]))

    def scores(self, X: FloatArray, terms: FloatArray) -> FloatArray:
        """μ(xᵀθ) + ρ‖x‖_{W⁻¹} of every arm, ρ² by `terms` (3,); see kernels.glm.ecolog.score."""
        scores = np.empty(len(X))
        kernels.glm.ecolog.score_all(self._arrays(), terms, X, scores)
        return scores

    def play(self, terms: FloatArray, contexts: FloatArray, rewards: FloatArray, arms: IntArray) -> int:
        """Choose and learn for a block of rounds; how many went well, which are learnt and counted."""
        return int(kernels.glm.ecolog.play(self._arrays(), terms, contexts, rewards, arms))

    def merge(self, other: "ECOLogModel") -> None:
        """Refused: every reward was learnt from where the one before had led."""
        raise NotMergeableError(
            "ECOLog cannot be merged: it keeps no rewards, and each was learnt from the estimate before it. "
            "Learn all rewards with one policy."
        )

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays of its own."""
        sums = {"n": np.array(float(self.n)), "sums": self._totals[1:].copy()}
        return sums | {"theta_hat": self.theta_hat, "W": self.W, "W_inv": self._W_inv.copy()}

    def restore(self, state: Mapping[str, FloatArray]) -> None:
        """Take over a state that `state` gave; refuses arrays that cannot be one and leaves the model as it was."""
        d = self._d
        new = read_state(state, {"n": (), "sums": (3,), "theta_hat": (d,), "W": (d, d), "W_inv": (d, d)})
        require_count(new["n"])
        require_definite(new["W"], "W")
        require_definite(new["W_inv"], "W_inv")
        require_inverse(new["W"], new["W_inv"], "'W' and 'W_inv'")
        if new["sums"][1] < 0.0 or new["sums"][2] < 0.0:
            raise InvalidInputError(
                f"state['sums'] must not be negative but for the first. Got {new['sums'].tolist()}."
            )
        if np.linalg.norm(new["theta_hat"]) > self._S * (1.0 + 1e-9):
            raise InvalidInputError(f"state['theta_hat'] must have a norm of at most {self._S:g}.")
        self._take(new)

    def _take(self, new: Mapping[str, FloatArray]) -> None:
        """Make a checked state one's own."""
        self._past = self.version + 1 - int(new["n"])
        self._totals[0], self._totals[1:] = float(new["n"]), new["sums"]
        self._theta[:], self._W[:], self._W_inv[:] = new["theta_hat"], new["W"], new["W_inv"]

    def _arrays(self) -> tuple[Any, ...]:
        """The `Eco` of kernels.glm.ecolog."""
        return self._W, self._W_inv, self._theta, self._totals, self._S, link_of(Logistic())
