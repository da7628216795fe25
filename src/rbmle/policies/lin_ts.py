"""LinTS: Thompson sampling from a widened posterior."""

from dataclasses import dataclass
from math import log, sqrt
from typing import Annotated

import numpy as np

from rbmle import kernels
from rbmle.params import Integer, Optional, Real
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.types import FloatArray


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """x_aᵀθ̃, θ̃ = θ̂ + v C⁻ᵀz with V = C Cᵀ and z standard normal, so that θ̃ ~ N(θ̂, v² V⁻¹)."""
    for a in range(len(mean)):
        step = 0.0
        for i in range(len(draws)):
            step += root[a, i] * draws[i]
        scores[a] = mean[a] + coefficients[0] * step
    return kernels.normal.first_max(scores)


@dataclass(kw_only=True, eq=False)
class LinTS(LinearPolicy):
    """Draw a parameter from N(θ̂, v² V⁻¹) and play the arm that is best for it.

    v = R √(24/ε · d · ln(1/δ)) is what the authors' proof needs, and far wider than the posterior: for noise of a known
    size `scale` is the width that practice uses, and with the prior N(0, scale²/λ I) θ̃ is then a draw of the posterior.

    scale:   v itself; None for the authors' v. With a number, the three below have no say.
    noise:   R, the scale of sub-Gaussian noise.
    delta:   δ of the authors' bound, in (0, 1).
    epsilon: ε of the authors' bound, in (0, 1]; the published tables left it out, which is ε = 1.
    """

    title = "Thompson sampling with a guarantee"
    notation = "xᵀθ̃,  θ̃ ~ N(θ̂, v² V⁻¹),  v = R √(24/ε · d · ln(1/δ))"
    source = "Agrawal & Goyal 2013"
    formula = index
    needs_root = True
    random = True

    noise: Annotated[float, Real(0.0, open_low=True)] = 1.0
    delta: Annotated[float, Real(0.0, 1.0, open_low=True, open_high=True)] = 0.5
    epsilon: Annotated[float, Real(0.0, 1.0, open_low=True)] = 0.9
    scale: Annotated[float | None, Optional(Real(0.0, open_low=True))] = None
    seed: Annotated[int | None, Optional(Integer(0))] = 0

    def coefficients(self, rounds: FloatArray) -> FloatArray:
        """v in every round."""
        proven = self.noise * sqrt(24.0 / self.epsilon * self.n_features * log(1.0 / self.delta))
        return np.full((len(rounds), 1), proven if self.scale is None else self.scale)

    def draws(self, rng: np.random.Generator, count: int) -> FloatArray:
        """z of every decision."""
        return rng.standard_normal((count, self.n_features))
