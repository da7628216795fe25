"""UCB-GLM: optimism around the maximum-likelihood estimate of a generalized linear model."""

from dataclasses import dataclass
from math import log, sqrt
from typing import Annotated, Any

import numpy as np

from rbmle import kernels
from rbmle.families import Extended, Logistic, get
from rbmle.models.glm import GLMModel
from rbmle.params import Count, Integer, Optional, Real
from rbmle.policies.about import Facts, Provenance, Tuning, half_decades
from rbmle.policies.base import one_hot
from rbmle.policies.glm import GLMPolicy
from rbmle.types import FloatArray, IntArray


@dataclass(kw_only=True, eq=False)
class UCBGLM(GLMPolicy):
    """Play τ rounds at random, then the arm of the largest xᵀθ̂ + χ‖x‖_{V⁻¹}, χ = (σ/κ) √(d/2 · log(1+2T/d) + log(1/δ)).

    θ̂ is the maximum-likelihood estimate without regularisation, V = Σ x xᵀ. That estimate does not exist while rewards
    can be separated without error (only zeros so far, say) or contexts do not span the space; the authors choose τ
    so large that this is unlikely. **While it does not exist** (`estimate_exists` tells) both θ̂ and V are taken with a
    ridge: the index is then that of a regularised UCB, finite, and no arm is given up for a streak of bad luck.
    Existence is certified, not guessed: a point is needed from which Newton's method provably converges.

    tau: τ; by default as many rounds as there are arms. Random rounds are those with t ≤ τ, t counted in rewards.
    sigma: σ, the sub-Gaussian scale of rewards; by default ½ for rewards of 0 and 1, else 1.
    kappa: κ, a lower bound of μ' near θ. Smaller is more cautious.
    delta: δ, the failure probability of the confidence bound.
    horizon: T.
    regularization: λ of V = λI + Σ x xᵀ alone, not of the estimate; 0 by its authors, 1 in the published tables.
    fallback: λ of the estimate while it does not exist without (V then has `regularization`, or 1 where that is 0).
        A tiny value lets the estimate run away, as the root finder of the published tables did: an arm with nothing but
        zeros may then never be played again.

    >>> policy = UCBGLM(n_features=2, horizon=100, tau=0)
    >>> policy.update_many([[1.0, 0.0]] * 4 + [[0.0, 1.0]] * 4, [1, 1, 1, 0, 1, 0, 0, 0])
    >>> policy.estimate_exists, (policy.scores([[1.0, 0.0], [0.0, 1.0]]) - policy.chi / 2).round(4)
    (True, array([ 1.0986, -1.0986]))
    """

    title = "optimism around the maximum-likelihood estimate"
    notation = "xᵀθ̂ + χ‖x‖_{V⁻¹},  χ = (σ/κ) √(d/2 · log(1+2T/d) + log(1/δ))"
    source = "Li, Lu & Zhou 2017, Algorithm 1"
    kind = "generalized linear: optimistic"
    provenance = Provenance(
        defined_by="Li, Lu & Zhou 2017, Algorithm 1",
        read="no text of theirs: the index as the paper's experiments state it",
        changed="a ridge while the maximum-likelihood estimate does not exist",
        tested_against="SciPy's optimisers; the printed tables to about 1 %",
    )
    tuning = Tuning("kappa", half_decades(0.03, 30.0), 0.1, symbol="κ")
    random = True

    horizon: Annotated[int, Count()]
    tau: Annotated[int | None, Optional(Integer(0))] = None
    sigma: Annotated[float | None, Optional(Real(0.0, open_low=True))] = None
    kappa: Annotated[float, Real(0.0, open_low=True)] = 0.1
    delta: Annotated[float, Real(0.0, 1.0, open_low=True)] = 0.1
    regularization: Annotated[float, Real(0.0)] = 0.0
    fallback: Annotated[float, Real(0.0, open_low=True)] = 1.0
    seed: Annotated[int | None, Optional(Integer(0))] = 0

    @classmethod
    def theory(cls, facts: Facts) -> dict[str, Any]:
        """κ = μ'(L(S + 1)), the least slope within distance 1 of θ*; σ = ½ for rewards of 0 and 1."""
        kappa = float(get(facts.family).derivative(facts.context_bound * (facts.norm_bound + 1.0)))
        return {"kappa": kappa, "delta": facts.delta}

    def new_model(self) -> GLMModel:
        """The history, identical contexts as one row."""
        return GLMModel(n_features=self.n_features, family=self.family)

    @property
    def chi(self) -> float:
        """χ, the weight of the width."""
        family = get(self.family)
        base = family.base if isinstance(family, Extended) else family
        sigma = self.sigma if self.sigma is not None else 0.5 if isinstance(base, Logistic) else 1.0
        d = self.n_features
        return sigma / self.kappa * sqrt(0.5 * d * log(1.0 + 2.0 * self.horizon / d) + log(1.0 / self.delta))

    @property
    def estimate_exists(self) -> bool:
        """Whether the maximum-likelihood estimate exists now; the fallback is in use if not."""
        with self.lock:
            return self._estimated(np.zeros((1, self.n_features)))[0]

    def _random_rounds(self, n_arms: int) -> int:
        """τ."""
        return n_arms if self.tau is None else self.tau

    def _choose(self, X: FloatArray, held: None, t: int) -> int:
        if t <= self._random_rounds(len(X)):
            return int(self.rng.integers(len(X)))
        self._warn_if_slow()
        return int(np.argmax(self._scores(X, held, t)))

    def _scores(self, X: FloatArray, held: None, t: int) -> FloatArray:
        """The index of every arm, also in rounds that are played at random."""
        return self._estimated(X)[1]

    def _estimated(self, X: FloatArray) -> tuple[bool, FloatArray]:
        """Whether the estimate exists, and the index of every arm."""
        scores = np.empty(len(X))
        kind = self.model.play(kernels.glm.ucb.score_all, 0, self._rule(), X, scores)
        if kind < 0:
            raise self._unsolved()
        return kind == 1, scores

    def _rule(self) -> tuple[float, float, float, float]:
        """The numbers of the index, `Optimism` of kernels.glm.ucb."""
        concordance = self.model.family.self_concordance
        known = -1.0 if concordance is None else float(concordance)
        return known, float(self.regularization), float(self.fallback), self.chi

    def _chances(self, X: FloatArray, held: None, t: int, samples: int) -> FloatArray:
        if t <= self._random_rounds(len(X)):
            return np.full(len(X), 1.0 / len(X))
        return one_hot(self._choose(X, held, t), len(X))

    def _play_some(self, contexts: FloatArray, rewards: FloatArray, arms: IntArray) -> int:
        count, K = rewards.shape
        explore = np.full(count, -1, dtype=np.int64)
        random = min(count, max(0, self._random_rounds(K) - self.t + 1))
        explore[:random] = [self.rng.integers(K) for _ in range(random)]
        room = count if len(contexts) > 1 else K
        return int(self.model.play(kernels.glm.ucb.play, room, self._rule(), contexts, rewards, explore, arms))
