"""SquareCB: inverse gap weighting, chances in closed form from nothing but predicted rewards; for any model."""

from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from rbmle import kernels
from rbmle.models.link import link_of
from rbmle.params import Integer, Optional, Real
from rbmle.policies.about import Provenance, Tuning, half_decades
from rbmle.policies.base import Policy
from rbmle.policies.formulated import one_uniform
from rbmle.policies.glm import RegularizedGLM
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.types import FloatArray, IntArray


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """p_a = 1/(K + γ(t)(m_b − m_a)) of every arm but the best one b, which has the rest; an arm is drawn from these."""
    kernels.gaps.weigh(mean, coefficients, scores)
    return kernels.gaps.served(scores, draws[0])


def greediness(scale: float, exponent: float, rounds: FloatArray) -> FloatArray:
    """γ(t) = γ₀ (t−1)^ρ of the rounds, shape (B, 1)."""
    most = np.finfo(np.float64).max  # for infinity times a gap of 0 would be no number
    with np.errstate(over="ignore"):
        gamma = scale * np.minimum((rounds[:, None] - 1.0) ** exponent, most)
    return np.asarray(np.minimum(gamma, most))


@dataclass(kw_only=True, eq=False)
class InverseGaps(Policy):
    """What SquareCB has over any model: γ(t), and a number for the arm that is drawn."""

    source = "Foster & Rakhlin 2020; schedule of Vowpal Wabbit"
    kind = "inverse gap weighting"
    tuning = Tuning("gamma_scale", half_decades(1.0, 1000.0), default=10.0, symbol="γ₀")
    random = True

    gamma_scale: Annotated[float, Real(0.0)] = 10.0
    gamma_exponent: Annotated[float, Real(0.0)] = 0.5
    seed: Annotated[int | None, Optional(Integer(0))] = 0

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """γ(t)."""
        return greediness(self.gamma_scale, self.gamma_exponent, rounds)


@dataclass(kw_only=True, eq=False)
class SquareCB(InverseGaps, LinearPolicy):
    """Play an arm the less often the further its estimated mean is below the best one; scores are the chances.

        p_a = 1/(K + γ(ŷ_b − ŷ_a)) for a ≠ b = argmax ŷ,   p_b = 1 − Σ_{a≠b} p_a,   γ = γ₀ (t−1)^ρ

    The chance of every arm is exact and costs O(K): made for logs. Here ŷ = m, the ridge estimate; SquareCBGLM is the
    same over a generalized linear model. Gaps are in units of the reward, and so is 1/γ₀.

    By its authors γ is a constant that depends on the horizon and on the regret of the estimate; the schedule and its
    defaults are those of Vowpal Wabbit (`--squarecb`), which counts rewards from 0, so that the first round is uniform.
    Its `--elim` is left out. Tested against Vowpal Wabbit's own probabilities on the same predictions, to 1e-6.

    gamma_scale:    γ₀. Larger is greedier.
    gamma_exponent: ρ.

    >>> policy = SquareCB(n_features=2)
    >>> policy.probabilities([[1.0, 0.0], [0.0, 1.0]])
    array([0.5, 0.5])
    >>> policy.update([1.0, 0.0], 0.8)
    >>> policy.probabilities([[1.0, 0.0], [0.0, 1.0]]).round(4)  # 1/(2 + 10 · 0.4)
    array([0.8333, 0.1667])
    """

    title = "inverse gap weighting"
    notation = "p_a = 1/(K + γ(m_b − m_a)),  γ = γ₀ (t−1)^ρ"
    rewards = ("gaussian",)
    provenance = Provenance(
        defined_by="Foster & Rakhlin 2020",
        read="the code of Vowpal Wabbit (cb_explore_adf_squarecb.cc); of the paper the abstract",
        changed="γ = γ₀ (t−1)^ρ by Vowpal Wabbit's defaults, where the authors have a constant; its --elim is left out",
        tested_against="Vowpal Wabbit's own probabilities on the same predictions, to 1e-6",
    )
    formula = index

    draws = one_uniform

    def _chances(self, X: FloatArray, held: Any, t: int, samples: int) -> FloatArray:
        return self._scores(X, held, t)

    def _chances_many(self, X: FloatArray, offsets: IntArray, t: int, samples: int) -> FloatArray:
        chances = np.empty(len(X))
        self._ask_many(X, offsets, t, self._numbers(t), chances)
        return chances


@dataclass(kw_only=True, eq=False)
class SquareCBGLM(InverseGaps, RegularizedGLM):
    """SquareCB over a generalized linear model: ŷ_a = μ(x_aᵀθ̂), the estimated mean reward. Scores are the chances.

        p_a = 1/(K + γ(ŷ_b − ŷ_a)) for a ≠ b = argmax ŷ,   p_b = 1 − Σ_{a≠b} p_a,   γ = γ₀ (t−1)^ρ

    See SquareCB for where this is from and what was changed. Tested against the same rule in NumPy on the predictions
    of a general optimiser.

    gamma_scale:    γ₀. Larger is greedier.
    gamma_exponent: ρ.

    >>> policy = SquareCBGLM(n_features=2)
    >>> policy.update_many([[1.0, 0.0], [0.0, 1.0]], [1.0, 0.0])
    >>> policy.probabilities([[1.0, 0.0], [0.0, 1.0]]).round(3)  # 1/(2 + 10√2 · 0.198)
    array([0.792, 0.208])
    """

    title = "inverse gap weighting on a generalized linear estimate"
    notation = "p_a = 1/(K + γ(ŷ_b − ŷ_a)),  ŷ = μ(xᵀθ̂),  γ = γ₀ (t−1)^ρ"
    rewards = ("logistic",)
    provenance = replace(
        SquareCB.provenance, tested_against="the rule in NumPy on the predictions of a general optimiser"
    )

    def _scores(self, X: FloatArray, held: None, t: int) -> FloatArray:
        self._warn_if_slow()
        chances, link = np.empty(len(X)), link_of(self.model.family)
        if not kernels.glm.gaps.chances_of(link, X, self._estimate(), self._numbers.at(t), chances):
            raise self._unsolved()
        return chances

    def _choose(self, X: FloatArray, held: None, t: int) -> int:
        return int(kernels.gaps.served(self._scores(X, held, t), self.rng.random()))

    def _chances(self, X: FloatArray, held: None, t: int, samples: int) -> FloatArray:
        return self._scores(X, held, t)

    def _play_some(self, contexts: FloatArray, rewards: FloatArray, arms: IntArray) -> int:
        count, K = rewards.shape
        rule = self._numbers.block(self.t, count), self.rng.random(count)
        block = contexts, rewards, rule, arms
        if self.memory == "online":
            return int(self.model.play(kernels.glm.gaps.play_online, 0, *block))
        room = count if len(contexts) > 1 else K
        return int(self.model.play(kernels.glm.gaps.play, room, self.model.regularization, *block))
