"""The online knowledge gradient: what one more observation of an arm is worth, were it to teach of that arm alone."""

from dataclasses import dataclass
from math import inf, sqrt
from typing import Annotated, Any

import numpy as np

from rbmle import kernels
from rbmle.params import Count, Real
from rbmle.policies.about import Facts, Provenance, Tuning, half_decades
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.types import FloatArray


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """m_a + (T−t) σ̃_a f(−|m_a − max_{b≠a} m_b| / σ̃_a), f(z) = zΦ(z) + φ(z), σ̃_a² = v_a / (1 + 1/v_a).

    A single arm, or one that cannot change its mind, has nothing to gain.
    """
    remaining = coefficients[0]
    best, top, second = kernels.normal.best_and_second(mean)
    for a in range(len(mean)):
        other = second if a == best else top
        scores[a] = mean[a]
        if variance[a] > 0.0 and other > -inf:
            # As written: v/√(1 + v) is equal in algebra but rounds the ties of t = 1 differently.
            sigma = sqrt(variance[a] / (1.0 + 1.0 / variance[a]))
            if sigma > 0.0:
                scores[a] += remaining * sigma * kernels.normal.expected_excess(-abs(mean[a] - other) / sigma)
    return kernels.normal.first_max(scores)


@dataclass(kw_only=True, eq=False)
class Ahead(LinearPolicy):
    """A policy that weighs what an observation teaches over the rounds that remain."""

    horizon: Annotated[int, Count()]

    def effective_rounds(self, rounds: "FloatArray") -> "FloatArray":
        """Rounds themselves, for they are counted towards the horizon."""
        return rounds

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """Rounds that remain."""
        return np.column_stack([np.maximum(self.horizon - rounds, 0.0)])


@dataclass(kw_only=True, eq=False)
class AheadInNoise(Ahead):
    """One that knows how noisy rewards are."""

    tuning = Tuning("noise", half_decades(0.03, 3.0), 1.0, symbol="σ")

    noise: Annotated[float, Real(0.0, open_low=True)] = 1.0

    @classmethod
    def theory(cls, facts: Facts) -> dict[str, Any]:
        """The noise's σ; there is no bound of its regret."""
        return {"noise": facts.noise}

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """Rounds that remain, and σ."""
        return np.column_stack([super().coefficients(rounds), np.full(len(rounds), float(self.noise))])


@dataclass(kw_only=True, eq=False)
class KnowledgeGradient(Ahead):
    """Play the arm whose mean plus the value of what it would teach, over the rounds that remain, is largest.

    Beliefs about arms are taken as independent: an observation is valued by what it says of its own arm. In a linear
    model it says something of every arm; `CorrelatedKnowledgeGradient` counts that too. Noise has variance 1.

    horizon: T, the rounds to be played in all.
    """

    title = "online knowledge gradient, independent beliefs"
    notation = "m + (T−t) σ̃ f(−|m − max_other m| / σ̃),  σ̃² = v / (1 + 1/v)"
    source = "Ryzhov, Frazier & Powell 2010; Ryzhov, Powell & Frazier 2012"
    kind = "linear: information and knowledge"
    provenance = Provenance(
        defined_by="Ryzhov, Frazier & Powell 2010; Ryzhov, Powell & Frazier 2012",
        read="no text of theirs: the index as the paper's experiments state it",
        changed="beliefs about arms are taken as independent, which linear arms are not",
        tested_against="224 printed cells of Tables 1, 3, 4 and 5, digit for digit (together with the six other index "
        "methods) (as published: with v for √v); the formula in plain NumPy from a dense inverse, round by "
        "round",
    )
    formula = index
