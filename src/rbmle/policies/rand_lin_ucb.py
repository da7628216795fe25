"""RandLinUCB: a confidence bound whose width is drawn anew in every round, the same for all arms."""

from dataclasses import dataclass
from math import sqrt
from typing import Annotated, Any

import numpy as np

from rbmle import kernels
from rbmle.models.ridge_catalogue import RidgeCatalogue
from rbmle.params import Count, Integer, Optional, Real
from rbmle.policies.about import Facts, Provenance, Tuning, half_decades
from rbmle.policies.formulated import one_uniform
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.types import FloatArray, IntArray

# The weight of the widest bound before all are made to add up to one: optimism must keep a chance (the authors' code).
WIDEST = 1e-6


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """m_a + Z β √v_a; Z is the first point bank[0, j] whose cumulative chance bank[1, j] exceeds the uniform draw."""
    j = 0
    while draws[0] >= bank[1, j]:
        j += 1
    width = bank[0, j] * coefficients[0]
    for a in range(len(mean)):
        scores[a] = mean[a] + width * sqrt(max(variance[a], 0.0))
    return kernels.normal.first_max(scores)


@dataclass(kw_only=True, eq=False)
class RandLinUCB(LinearPolicy):
    """Play the largest m + Z β √v, with one Z of the round for all arms: a few points of [0, 1], small ones likely.

    Z is one of `points` equally spaced points of [0, 1], with weights as the density of N(0, spread²), but 10⁻⁶ for
    Z = 1, then normalised. β is the radius of a confidence set, loose as in the authors' comparisons:

        β = √λ S + σ √(d log((1 + T L²/λ) T)),   σ the noise, S ≥ ‖θ*‖, L ≥ ‖x‖, δ = 1/T

    With at most `points` values of Z the probabilities of `decide` are exact, and a decision draws one uniform number.

    The authors' code divides contexts and rewards by σ as well, and takes λ = 1 in β but 10⁻⁴ in V: that is
    `regularization=1e-4 * σ**2, width=σ * (√d + σ √(d log((1 + T L²) T)))` here, and is tested as such against a re-run
    of their experiment.

    horizon:       T; None puts the round t in its place, for whoever does not know T.
    noise:         σ.
    norm_bound:    S.
    context_bound: L.
    width:         β itself; None for the formula above.
    points:        M, how many values Z may have.
    spread:        the standard deviation of the weights of Z.

    >>> policy = RandLinUCB(n_features=2, width=4.0, points=3, spread=0.5)  # Z = 0, ½ or 1
    >>> policy.update([1.0, 0.0], 1.0)
    >>> policy.probabilities([[1.0, 0.0], [0.0, 1.0]]).round(3)  # ½ + 4Z √½ or 0 + 4Z
    array([0.622, 0.378])
    """

    title = "confidence bound of random width"
    notation = "m + Z β √v,  Z on 20 points of [0, 1]"
    source = "Vaswani, Mehrabian, Durand & Kveton 2020"
    kind = "linear: randomised"
    provenance = Provenance(
        defined_by="Vaswani, Mehrabian, Durand & Kveton 2020",
        read="code of its authors (vaswanis)",
        changed="β knows λ and the noise; theirs is reached by `width`",
        tested_against="a re-run of their linear suite by another implementation; chances by their definition and by "
        "served frequencies (chi-square)",
        primary=True,
    )
    tuning = Tuning("width", half_decades(0.03, 30.0), symbol="β")
    formula = index
    random = True

    horizon: Annotated[int | None, Optional(Count())] = None
    noise: Annotated[float, Real(0.0, open_low=True)] = 1.0
    norm_bound: Annotated[float, Real(0.0)] = 1.0
    context_bound: Annotated[float, Real(0.0, open_low=True)] = 1.0
    width: Annotated[float | None, Optional(Real(0.0))] = None
    points: Annotated[int, Count(2, 10**6)] = 20
    spread: Annotated[float, Real(0.0, open_low=True)] = 0.125
    seed: Annotated[int | None, Optional(Integer(0))] = 0

    @classmethod
    def theory(cls, facts: Facts) -> dict[str, Any]:
        """What β is made of."""
        return {
            "horizon": facts.horizon,
            "noise": facts.noise,
            "norm_bound": facts.norm_bound,
            "context_bound": facts.context_bound,
        }

    def __post_init__(self) -> None:
        z = np.linspace(0.0, 1.0, self.points) if Count(2, 10**6).holds(self.points) else np.zeros(1)
        super().__post_init__()
        weights = np.exp(-0.5 * (z / self.spread) ** 2)
        weights[-1] = WIDEST * sqrt(2.0 * np.pi) * self.spread  # the density itself has that factor
        self._weights = weights / weights.sum()
        cumulative = np.cumsum(self._weights)
        cumulative[-1] = 2.0  # beyond every draw
        self._bank = np.array([z, cumulative])
        self._middles = 0.5 * (np.append(0.0, cumulative[:-1]) + np.append(cumulative[:-1], 1.0))

    @property
    def bank(self) -> "FloatArray":
        """The points of Z and their cumulative chances, shape (2, M)."""
        return self._bank

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """β."""
        if self.width is not None:
            return np.full((len(rounds), 1), float(self.width))
        d, lam = self.n_features, self.regularization
        T = rounds if self.horizon is None else np.full(len(rounds), float(self.horizon))
        beta = sqrt(lam) * self.norm_bound + self.noise * np.sqrt(
            d * (np.log1p(T * self.context_bound**2 / lam) + np.log(T))
        )
        return np.column_stack([beta])

    draws = one_uniform

    def _chances(self, X: FloatArray, held: RidgeCatalogue | None, t: int, samples: int) -> FloatArray:
        return self._exact(X, np.array([0, len(X)], dtype=np.int64), held, t)

    def _chances_many(self, X: FloatArray, offsets: IntArray, t: int, samples: int) -> FloatArray:
        return self._exact(X, offsets, None, t)

    def _exact(self, X: FloatArray, offsets: IntArray, held: RidgeCatalogue | None, t: int) -> FloatArray:
        """The chance of every arm of every set: the formula is asked with each value of Z, whose chance its arm has."""
        c, model, chances = self._numbers(t)[None], self.model, np.zeros(len(X))
        for weight, middle in zip(self._weights, self._middles, strict=True):
            rule = self._rule(c, np.full((len(offsets) - 1, 1), middle))
            chosen = np.zeros(len(X))
            if held is None:
                code = kernels.linear.rounds.shares_of_many(rule, X, offsets, model.settle(), 1, chosen)
            else:
                code = kernels.linear.rounds.shares_fixed(rule, model.known(held).form(), chosen)
            if code < 0:
                raise self._no_arm(code, X, t)
            chances += weight * chosen
        return np.minimum(chances, 1.0)  # the weights may add up to an ulp more
