"""VIDS: information-directed sampling with the variance of the mean as information."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from rbmle import kernels
from rbmle.inputs import as_contexts, require_finite
from rbmle.params import Integer, OneOf, Optional
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.types import FloatArray

# Decisions whose pair rules are averaged for `probabilities`; each one rests on `samples` draws.
PROBABILITY_DECISIONS = 16


@formula
def index(mean, variance, root, volume, coefficients, draws, scores):  # type: ignore[no-untyped-def]
    """The chance of each arm by the pair rule; one of the two is drawn. `draws`: z of all samples (d, M), a uniform."""
    K, d = root.shape
    M = (len(draws) - 1) // d
    grid, published = int(coefficients[0]), coefficients[1] > 0.0
    gain, gap = np.empty(K), np.empty(K)
    kernels.vids.moments(mean, root, draws[: M * d].reshape(d, M), gain, gap)
    first, second, q = kernels.vids.best_pair(gain, gap, grid, published, draws[M * d])
    scores[:] = 0.0
    scores[first] += q
    scores[second] += 1.0 - q
    return first if draws[M * d] < q else second


@dataclass(kw_only=True, eq=False)
class VIDS(LinearPolicy):
    """Draw samples of θ, and play the pair of arms with the least squared regret per information about the best arm.

    With p_a the share of samples for which arm a is best and μ̄_a their mean: gain g_a = x_aᵀL x_a for
    L = Σ p_a (μ̄_a−μ̄)(μ̄_a−μ̄)ᵀ, regret Δ_a = Σ_b p_b x_bᵀμ̄_b − x_aᵀμ̄; minimise (qΔ_a + (1−q)Δ_b)² / (q g_a + (1−q) g_b).

    samples: M.
    grid:    points tried for q; None takes the minimum in closed form.
    when_certain: "least_regret" by its authors: the arm of least regret once no arm has information left.
        "least_gain" as published: the arm of *smallest* gain as soon as any gain is below 1e-6.
    """

    title = "variance-based information-directed sampling"
    notation = "argmin (qΔ_a + (1−q)Δ_b)² / (q g_a + (1−q) g_b)"
    source = "Russo & Van Roy 2018, Algorithms 3 and 6"
    formula = index
    needs_root = True
    random = True

    samples: Annotated[int, Integer(1)] = 10_000
    grid: Annotated[int | None, Optional(Integer(2))] = None
    when_certain: Annotated[str, OneOf("least_regret", "least_gain")] = "least_regret"
    seed: Annotated[int, Integer(0)] = 0

    def coefficients(self, rounds: FloatArray) -> FloatArray:
        """Points of the grid (0: none), and which rule when information is exhausted."""
        row = [float(self.grid or 0), float(self.when_certain == "least_gain")]
        return np.tile(row, (len(rounds), 1))

    def draws(self, rng: np.random.Generator, count: int) -> FloatArray:
        """z of all samples, and which of the pair."""
        numbers = np.empty((count, self.samples * self.n_features + 1))
        for row in numbers:
            rng.standard_normal(out=row[:-1])
            row[-1] = rng.random()
        return numbers

    def probabilities(self, contexts: Any) -> FloatArray:
        """The chance of each arm, averaged over the pair rules of 16 sets of samples."""
        X = as_contexts(contexts, self.n_features)
        require_finite(X, "contexts")
        twin = self.copy()
        twin.reseed(0)
        chances: FloatArray = np.mean([twin.scores(X) for _ in range(PROBABILITY_DECISIONS)], axis=0)
        return chances
