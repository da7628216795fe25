"""AugmentedGLMRBMLE: the biased likelihood of GLM-RBMLE, maximised inside of a likelihood-ratio set."""

from dataclasses import dataclass
from math import log
from typing import Annotated, Any

import numpy as np

from rbmle import kernels
from rbmle.families import Gaussian, Logistic
from rbmle.models.glm import GLMModel
from rbmle.params import FunctionOfRound, Real, ScheduleLike
from rbmle.policies.about import Provenance, Tuning, half_decades
from rbmle.policies.ofuglb import BoundedGLM
from rbmle.schedules import Sqrt, evaluate
from rbmle.types import FloatArray, IntArray


@dataclass(kw_only=True, eq=False)
class AugmentedGLMRBMLE(BoundedGLM):
    """GLM-RBMLE whose biased estimate must not leave a confidence set: the smaller optimism of the two.

        index = max { f(θ) + α(t) θᵀx : f(θ) ≥ −L(θ̂_S) − β_t² − ½λS² },   f(θ) = −L(θ) − ½λ‖θ‖²

    L is the negative log-likelihood, θ̂_S its minimiser over ‖θ‖ ≤ S and β_t² the radius of `OFUGLB`. Its set, the ball
    included, lies inside this one, which therefore holds θ with probability 1 − δ. Along GLM-RBMLE's path θ̄(s), the
    maximisers of f(θ) + s θᵀx, the set ends at one s₁(x): the index is that of θ̄(min(α(t), s₁)). Where the set does not
    bind it is GLM-RBMLE's without boost (η = 1), and for α → ∞ arms are ranked by their highest score in the set.

    Every arm is solved, by one or a few maximisations. For logistic rewards, and for Gaussian ones of variance 1 with
    the radius of AMM-UCB, where this is `AugmentedRBMLE`; the history is kept exactly. Mete, Singh & Kumar do this for
    linear quadratic control. The form for bandits is ours and has no guarantee that was published.

    bias: α(t), positive and growing.
    regularization: λ.

    >>> policy = AugmentedGLMRBMLE(n_features=2, norm_bound=2.0, bias=lambda t: 10.0)
    >>> policy.update_many([[1.0, 0.0]] * 40, [1.0] * 40)
    >>> policy.scores([[0.1, 0.0], [0.0, 1.0]]).round(3)  # without the set −3.442 and 43.758
    array([-3.442, 34.273])
    """

    title = "biased likelihood inside of a likelihood-ratio set"
    notation = "max f(θ) + α(t) θᵀx : f(θ) ≥ −L(θ̂_S) − β_t² − ½λS²,  f = −L − ½λ‖θ‖²"
    source = "after Mete, Singh & Kumar 2022 (for control); for bandits here"
    kind = "generalized linear: reward-biased"
    seconds = 1e-4
    provenance = Provenance(
        defined_by="Mete, Singh & Kumar 2022 for linear quadratic control; for bandits here",
        read="the abstract; for the radius the code of Lee, Yun & Jun 2024",
        changed="everything but the idea: the set is that of OFUGLB, the problem a bandit",
        tested_against="a constrained optimiser (SLSQP); GLM-RBMLE without boost where the set does not bind; with "
        "Gaussian rewards AugmentedRBMLE",
    )
    tuning = Tuning("bias", half_decades(0.003, 3.0), 1.0, Sqrt, "c of α(t) = c √t")
    families = (Logistic, Gaussian)

    bias: Annotated[ScheduleLike, FunctionOfRound()] = Sqrt()
    regularization: Annotated[float, Real(0.0, open_low=True)] = 1.0

    def new_model(self) -> GLMModel:
        """The history, identical contexts as one row."""
        return GLMModel(n_features=self.n_features, family=self.family, regularization=self.regularization)

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """β_t² but for what the data add to it, and α(t)."""
        if isinstance(self.model.family, Logistic):
            radius = super().coefficients(rounds)[:, 0]
        else:
            radius = np.full(len(rounds), log(1.0 / self.delta))
        return np.column_stack([radius, evaluate(self.bias, rounds, "bias")])

    def _ball(self) -> tuple[float, float]:
        """S and λ."""
        return float(self.norm_bound), float(self.regularization)

    def _scores(self, X: FloatArray, held: None, t: int) -> FloatArray:
        self._warn_if_slow()
        scores, (slack, alpha) = np.empty(len(X)), self._numbers.at(t)
        cap: tuple[Any, ...] = *self._ball(), float(slack)
        if not self.model.play(kernels.glm.augmented.score_all, 0, cap, float(alpha), X, scores):
            raise self._unsolved()
        return scores

    def _play_some(self, contexts: FloatArray, rewards: FloatArray, arms: IntArray) -> int:
        count, K = rewards.shape
        block = self._ball(), self._numbers.block(self.t, count), contexts, rewards, arms
        return int(self.model.play(kernels.glm.augmented.play, count if len(contexts) > 1 else K, *block))
