"""LinTS: Thompson sampling from a Gaussian posterior, as wide as practice or as the theorem has it."""

from dataclasses import dataclass
from math import log, sqrt
from typing import Annotated, Any

import numpy as np

from rbmle import kernels
from rbmle.models.factored_ridge import FactoredRidge
from rbmle.models.ridge import RidgeModel
from rbmle.params import Flag, Integer, Optional, Real
from rbmle.policies.about import Facts, Provenance, Tuning, half_decades
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.types import FloatArray


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """x_aᵀθ̃, θ̃ = θ̂ + v C⁻ᵀz with V = C Cᵀ and z standard normal, so that θ̃ ~ N(θ̂, v² V⁻¹).

    With coefficients[1] = 0 what is below m_a becomes m_a; with −∞ nothing does.
    """
    for a in range(len(mean)):
        step = 0.0
        for i in range(len(draws)):
            step += root[a, i] * draws[i]
        scores[a] = mean[a] + max(coefficients[0] * step, coefficients[1])
    return kernels.normal.first_max(scores)


@dataclass(kw_only=True, eq=False)
class LinTS(LinearPolicy):
    """Draw a parameter from N(θ̂, v² V⁻¹) and play the arm that is best for it.

    For noise of standard deviation `scale` and the prior N(0, scale²/λ I), v = scale makes θ̃ a draw of the posterior:
    this is what everybody compares with. The authors' proof needs v = R √(24/ε · d · ln(1/δ)), some ten times as wide;
    `scale=None` asks for it.

    scale:      v; None for the authors' v, to which the next three belong.
    noise:      R, the scale of sub-Gaussian noise.
    delta:      δ of the authors' bound, in (0, 1).
    epsilon:    ε of the authors' bound, in (0, 1]; the published tables left it out, which is ε = 1.
    optimistic: whether an arm never scores below its estimate: max(m, xᵀθ̃) (May, Korda, Lee & Leslie 2012).

    >>> policy = LinTS(n_features=2, optimistic=True)
    >>> policy.update([1.0, 0.0], 1.0)
    >>> bool((policy.scores([[1.0, 0.0], [0.0, 1.0]]) >= [0.5, 0.0]).all())
    True
    """

    title = "Thompson sampling"
    notation = "xᵀθ̃,  θ̃ ~ N(θ̂, v² V⁻¹)"
    source = "Agrawal & Goyal 2013"
    kind = "linear: randomised"
    provenance = Provenance(
        defined_by="Agrawal & Goyal 2013",
        read="no text of theirs: v as the paper's experiments state it",
        changed="by default v is the width of the posterior, which practice uses; scale=None gives the theorem's, "
        "optimistic= is an option",
        tested_against="the formula in plain NumPy from a dense inverse; served frequencies by chi-square",
    )
    tuning = Tuning("scale", half_decades(0.01, 10.0), 1.0, symbol="v")
    formula = index
    needs_root = True
    projects = True
    random = True

    scale: Annotated[float | None, Optional(Real(0.0, open_low=True))] = 1.0
    noise: Annotated[float, Real(0.0, open_low=True)] = 1.0
    delta: Annotated[float, Real(0.0, 1.0, open_low=True, open_high=True)] = 0.5
    epsilon: Annotated[float, Real(0.0, 1.0, open_low=True)] = 0.9
    optimistic: Annotated[bool, Flag()] = False
    seed: Annotated[int | None, Optional(Integer(0))] = 0

    def new_model(self) -> RidgeModel:
        """A ridge model that has seen nothing, and keeps what draws are made with."""
        if self.forgetting is not None:
            return super().new_model()
        return FactoredRidge(n_features=self.n_features, regularization=self.regularization)

    @classmethod
    def theory(cls, facts: Facts) -> dict[str, Any]:
        """v = R √(24/ε · d · ln(1/δ)) with R the scale of the noise."""
        return {"scale": None, "noise": facts.noise, "delta": facts.delta}

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """v, and the least that a draw may add to an estimate, in every round."""
        proven = self.noise * sqrt(24.0 / self.epsilon * self.n_features * log(1.0 / self.delta))
        width = proven if self.scale is None else self.scale
        return np.tile([width, 0.0 if self.optimistic else -np.inf], (len(rounds), 1))

    def draws(self, rng: np.random.Generator, count: int) -> "FloatArray":
        """z of every decision."""
        return rng.standard_normal((count, self.n_features))
