"""ECOLog: optimism for logistic rewards at a constant cost, without a history."""

from dataclasses import dataclass
from math import log, sqrt
from typing import Annotated, Any

import numpy as np

from rbmle.errors import ConvergenceError
from rbmle.families import Logistic
from rbmle.models.ecolog import ECOLogModel
from rbmle.params import Real
from rbmle.policies.about import Facts, Provenance
from rbmle.policies.base import Policy
from rbmle.policies.table import RoundTable
from rbmle.types import FloatArray, IntArray

# Rounds whose radius is computed at once.
BLOCK = 4096


@dataclass(kw_only=True, eq=False)
class ECOLog(Policy):
    """Play the arm of the largest μ(xᵀθ) + ρ ‖x‖_{W⁻¹}, with θ and W learnt one reward at a time (see ECOLogModel).

    ρ² = 2λS² + (1+S)² γ + Σ (2(1+S) (ℓ(θ̄) − ℓ(θ)) − ½‖θ − θ̄‖_W),  γ = √λ/2 + 2/√λ · log(2 √(1 + t/(4λ)) / δ)

    where θ̄ is what both labels at once would make of θ. For rewards of 0 and 1 and contexts of norm 1 at most. Memory
    and time of a decision stay the same for ever, O(d²) an arm; the order of rewards matters; `merge` is refused.

    norm_bound:     S ≥ ‖θ*‖; the estimate stays within it.
    delta:          δ, the chance that the confidence set fails in some round.
    regularization: λ, from which W starts.

    Where a reward breaks the condition μ'(xᵀθ̄) ≤ 2μ'(xᵀθ) of the proof their code stops with an error; here it goes on,
    and `policy.model.condition_failures` counts: the set is proved only while that is 0.

    >>> policy = ECOLog(n_features=2, norm_bound=2.0)
    >>> policy.update([1.0, 0.0], 1.0)
    >>> policy.choose([[1.0, 0.0], [0.0, 1.0]])
    1
    """

    title = "optimism at constant cost, logistic"
    notation = "μ(xᵀθ) + ρ_t ‖x‖_{W⁻¹}"
    source = "Faury, Abeille, Jun & Calauzènes 2022, ada-OFU-ECOLog"
    kind = "generalized linear: optimistic"
    rewards = ("logistic",)
    seconds = 3e-6
    provenance = Provenance(
        defined_by="Faury, Abeille, Jun & Calauzènes 2022",
        read="the authors' code (louisfaury/logistic_bandit) and its fork by Lee (nick-jhlee/logistic_bandit)",
        changed="each step is solved exactly where their code takes projected gradient steps; where a reward breaks "
        "the proof's condition it is counted instead of ending the run",
        tested_against="a constrained optimiser, step by step; the fork's regret on its own bench, 152.794 and 327.637",
        primary=True,
    )

    norm_bound: Annotated[float, Real(0.0, open_low=True)] = 1.0
    delta: Annotated[float, Real(0.0, 1.0, open_low=True, open_high=True)] = 0.05
    regularization: Annotated[float, Real(0.0, open_low=True)] = 1.0

    @classmethod
    def theory(cls, facts: Facts) -> dict[str, Any]:
        """S and δ."""
        return {"norm_bound": facts.norm_bound, "delta": facts.delta}

    def __post_init__(self) -> None:
        super().__post_init__()
        self._terms = RoundTable(self.radius_terms, self.params)

    def new_model(self) -> ECOLogModel:
        """A model that has seen nothing."""
        settings = {"norm_bound": self.norm_bound, "regularization": self.regularization}
        return ECOLogModel(n_features=self.n_features, **settings)

    @property
    def merge_is_exact(self) -> bool:
        """No: it is refused."""
        return False

    def radius_terms(self, rounds: "FloatArray") -> "FloatArray":
        """ρ² in its parts (B, 3): what depends on the round, and the weights of the two sums that the model keeps."""
        lam, S = self.regularization, self.norm_bound
        gamma = sqrt(lam) / 2.0 + 2.0 / sqrt(lam) * (0.5 * np.log1p(rounds / (4.0 * lam)) + log(2.0 / self.delta))
        known = 2.0 * lam * S**2 + (1.0 + S) ** 2 * gamma
        return np.column_stack([known, np.full(len(rounds), 2.0 * (1.0 + S)), np.full(len(rounds), -0.5)])

    def _scores(self, X: FloatArray, held: None, t: int) -> FloatArray:
        scores: FloatArray = self.model.scores(X, self._terms.at(t))
        return scores

    def _play(self, contexts: FloatArray, rewards: FloatArray) -> IntArray:
        arms = np.empty(len(rewards), dtype=np.int64)
        Logistic().require_support(rewards.ravel(), "rewards")
        for start in range(0, len(rewards), BLOCK):
            part = slice(start, min(start + BLOCK, len(rewards)))
            terms = np.ascontiguousarray(self._terms.block(self.t, part.stop - start))
            now = contexts[part] if len(contexts) > 1 else contexts
            if self.model.play(terms, now, rewards[part], arms[part]) < part.stop - start:
                raise ConvergenceError(f"Reward {self.t} could not be learnt by {self!r}: too extreme for doubles.")
        return arms
