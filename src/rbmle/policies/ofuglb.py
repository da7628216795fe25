"""OFUGLB: optimism over the likelihood-ratio confidence set of a generalized linear model, in a ball."""

from dataclasses import dataclass
from math import e, log
from typing import Annotated, Any, ClassVar

import numpy as np

from rbmle import kernels
from rbmle.errors import InvalidParameterError
from rbmle.families import Family, Logistic, get
from rbmle.models.glm import GLMModel
from rbmle.params import Real
from rbmle.policies.about import Facts, Provenance
from rbmle.policies.glm import GLMPolicy
from rbmle.types import FloatArray, IntArray


@dataclass(kw_only=True, eq=False)
class BoundedGLM(GLMPolicy):
    """What methods share that know a ball ‖θ‖ ≤ S and need how steep the log-likelihood is in it.

    norm_bound: S, which ‖θ‖ does not exceed. The confidence set is one only for contexts of length at most 1.
    delta: δ, the chance that the confidence set ever misses θ.
    """

    rewards = ("logistic",)
    families: ClassVar[tuple[type[Family], ...]] = (Logistic,)  # those whose radius is known

    norm_bound: Annotated[float, Real(0.0, open_low=True)] = 1.0
    delta: Annotated[float, Real(0.0, 1.0, open_low=True, open_high=True)] = 0.05

    @classmethod
    def theory(cls, facts: Facts) -> dict[str, Any]:
        """S and δ."""
        return {"norm_bound": facts.norm_bound, "delta": facts.delta}

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(get(self.family), self.families):
            names = " or ".join(repr(family.__name__.lower()) for family in self.families)
            raise InvalidParameterError(
                f"The 'family' parameter of {type(self).__name__} must be {names}: for others no radius is known here. "
                f"Got {self.family!r} instead."
            )

    def new_model(self) -> GLMModel:
        """The history, identical contexts as one row."""
        return GLMModel(n_features=self.n_features, family=self.family)

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """β_t² = log(1/δ) + d log max(e, 2eS L_t/d), L_t = (1 + S/2)(n − 1) after n = t − 1 rewards (Theorem 3.1)."""
        d, S = self.n_features, float(self.norm_bound)
        steepness = (1.0 + 0.5 * S) * (rounds - 2.0)
        radius = log(1.0 / self.delta) + d * np.log(np.maximum(e, 2.0 * e * S * steepness / d))
        return np.asarray(radius)[:, None]

    def _slack(self, t: int) -> float:
        """The radius of the set."""
        return float(self._numbers.at(t)[0])


@dataclass(kw_only=True, eq=False)
class OFUGLB(BoundedGLM):
    """Play the arm of the largest u(x) = max xᵀθ over L(θ) − L(θ̂) ≤ β_t² and ‖θ‖ ≤ S.

    L is the negative log-likelihood, θ̂ its minimiser over ‖θ‖ ≤ S and β_t² = log(1/δ) + d log max(e, 2eS L_t/d),
    L_t = (1 + S/2)(n − 1). u is solved to a gap of 1e-11 S between its two sides by an interior-point method
    (kernels.glm.confidence); its authors call a general optimiser for every arm. Arms whose certified upper bound is
    below the best are not solved. The first decision is theirs too where nothing is known: the arm of the largest norm.

    Only the logistic family; the history is kept exactly. Tested against SLSQP and on the authors' own bench.

    >>> policy = OFUGLB(n_features=2, norm_bound=4.0)
    >>> policy.update_many([[1.0, 0.0]] * 40, [0.0] * 40)
    >>> policy.choose([[1.0, 0.0], [0.0, 0.1]]), policy.scores([[0.0, 0.5]]).round(6)
    (1, array([1.980034]))
    """

    title = "optimism over a likelihood-ratio set, logistic"
    notation = "max xᵀθ : L(θ) − L(θ̂) ≤ β_t², ‖θ‖ ≤ S"
    source = "Lee, Yun & Jun 2024, Theorem 3.1"
    kind = "generalized linear: optimistic"
    seconds = 5e-5
    provenance = Provenance(
        defined_by="Lee, Yun & Jun 2024",
        read="the authors' code (nick-jhlee/logistic_bandit)",
        changed="the same index, solved to 1e-11 by an interior-point method where their code calls SLSQP",
        tested_against="SLSQP on random histories; the regret of the authors' code on their own bench",
        primary=True,
    )

    def _scores(self, X: FloatArray, held: None, t: int) -> FloatArray:
        scores = np.empty(len(X))
        bound = float(self.norm_bound)
        if not self.model.play(kernels.glm.confidence.solve_all, 0, bound, self._slack(t), X, scores):
            raise self._unsolved()
        return scores

    def _choose(self, X: FloatArray, held: None, t: int) -> int:
        self._warn_if_slow()
        arm = self.model.play(kernels.glm.confidence.choose, 0, float(self.norm_bound), self._slack(t), X)
        if arm < 0:
            raise self._unsolved()
        return int(arm)

    def _play_some(self, contexts: FloatArray, rewards: FloatArray, arms: IntArray) -> int:
        count, K = rewards.shape
        slacks = np.ascontiguousarray(self._numbers.block(self.t, count)[:, 0])
        block = float(self.norm_bound), slacks, contexts, rewards, arms
        return int(self.model.play(kernels.glm.confidence.play, count if len(contexts) > 1 else K, *block))
