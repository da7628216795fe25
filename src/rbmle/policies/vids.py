"""VIDS: information-directed sampling with the variance of the mean as information."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from rbmle import kernels
from rbmle.errors import InvalidParameterError
from rbmle.params import Count, Integer, Optional
from rbmle.policies.about import Provenance
from rbmle.policies.base import Policy
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.random import generator
from rbmle.types import FloatArray

# Numbers in the bank beyond those of one decision, and the bank's place in the tree of seeds.
SPARE, BANK = 30_000, 1


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """The chance of each arm by the pair rule; one of the two is drawn.

    The samples are a stretch of the bank, mirrored twice at random: two normals (2d,), where to start, which arm.
    """
    K, d = root.shape
    M = int(coefficients[0])
    where, which = draws[2 * d], draws[2 * d + 1]
    mirrored = root.copy()
    kernels.linear.vids.reflect(mirrored, draws[:d])
    kernels.linear.vids.reflect(mirrored, draws[d : 2 * d])
    start = int(where * (bank.shape[1] - M + 1))
    gain, gap = np.empty(K), np.empty(K)
    kernels.linear.vids.moments(mean, mirrored, bank, start, M, gain, gap)
    first, second, q = kernels.linear.vids.best_pair(gain, gap)
    scores[:] = 0.0
    scores[first] += q
    scores[second] += 1.0 - q
    return first if which < q else second


@dataclass(kw_only=True, eq=False)
class VIDS(LinearPolicy):
    """Draw samples of θ, and play the pair of arms with the least squared regret per information about the best arm.

    With p_a the share of samples for which arm a is best and μ̄_a their mean: gain g_a = x_aᵀL x_a for
    L = Σ p_a (μ̄_a−μ̄)(μ̄_a−μ̄)ᵀ, regret Δ_a = Σ_b p_b x_bᵀμ̄_b − x_aᵀμ̄; minimise (qΔ_a + (1−q)Δ_b)² / (q g_a + (1−q) g_b).
    The arm of least regret is played once no arm has information left.

    Normal draws are kept in a bank and used again: each decision takes a random stretch of it, mirrored at two random
    planes. A mirror image of standard normal draws is one too, so that every decision has exactly the right samples;
    decisions share some of their randomness, and cost a third of what fresh draws would.

    samples: M. `decide` averages the pair rules of as many sets of M samples as its own `samples` says, 16 by default.
    """

    title = "variance-based information-directed sampling"
    notation = "argmin (qΔ_a + (1−q)Δ_b)² / (q g_a + (1−q) g_b)"
    source = "Russo & Van Roy 2018, Algorithms 3 and 6"
    kind = "linear: information and knowledge"
    costly = True
    seconds = 1.5e-4
    provenance = Provenance(
        defined_by="Russo & Van Roy 2018, Algorithms 3 and 6",
        read="no text of theirs: the algorithms as the paper's experiments state them",
        changed="the pair's share q in closed form instead of on a grid; samples from a bank of draws, mirrored at "
        "random",
        tested_against="the gain and regret of a dense computation on the same samples; the pair against a grid of q",
    )
    formula = index
    needs_root = True
    random = True
    samples_by_default = 16

    samples: Annotated[int, Count()] = 10_000
    seed: Annotated[int | None, Optional(Integer(0))] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._bank = np.empty((0, 0))
        self._bank_origin: tuple[int, ...] = ()

    @property
    def bank(self) -> "FloatArray":
        """Standard normal draws (d, M + spare), the same for a policy from its seed on."""
        if self._bank_origin != self.origin:
            d = self.n_features
            try:
                self._bank = generator(*self.origin, BANK).standard_normal((d, self.samples + SPARE // d))
            except (MemoryError, ValueError) as reason:  # NumPy says either of arrays that are too large
                raise InvalidParameterError(
                    f"{self.samples} samples of {d} features do not fit into memory: {reason}"
                ) from reason
            self._bank_origin = self.origin
        return self._bank

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """M."""
        return np.full((len(rounds), 1), float(self.samples))

    def draws(self, rng: np.random.Generator, count: int) -> "FloatArray":
        """Two mirrors, where to start in the bank, and which of the pair."""
        d = self.n_features
        numbers = np.empty((count, 2 * d + 2))
        for row in numbers:
            row[: 2 * d] = rng.standard_normal(2 * d)
            row[2 * d :] = rng.random(2)
        return numbers

    def _chances(self, X: FloatArray, held: Any, t: int, samples: int) -> FloatArray:
        """The mean of the pair rules of `samples` decisions."""
        chances: FloatArray = np.mean([self._scores(X, held, t) for _ in range(samples)], axis=0)
        return chances

    _chances_many = Policy._chances_many  # a pair rule at a time
