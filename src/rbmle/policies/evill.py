"""EVILL: exploration via linear loss perturbations in a generalized linear model."""

from dataclasses import dataclass

from rbmle.policies.about import Provenance, Tuning, half_decades
from rbmle.policies.perturbed_glm import PerturbedGLM


@dataclass(kw_only=True, eq=False)
class EVILL(PerturbedGLM):
    """Play the largest μ(xᵀθ̃), θ̃ = argmax ℓ(θ) − ½λ‖θ‖² + wᵀθ with w = a (√λ z₀ + Σ √μ'(x_sᵀθ̂) z_s x_s).

    θ̂ is the maximiser without wᵀθ; z₀ and all z_s are fresh normal numbers in every decision. Then w ~ N(0, a² H),
    H = Σ μ'(x_sᵀθ̂) x_s x_sᵀ + λI, and we draw it as a C z, C Cᵀ = H, with d numbers: the same law. One Newton step from
    θ̂ is θ̂ + H⁻¹w ~ N(θ̂, a² H⁻¹), a draw of `GLMTSL`; with the Gaussian family it is θ̃, and the two are one method.

    regularization: λ; 1 in its authors' comparison.
    scale: a; 1 in their comparison.
    warm_up: random rounds at the start; 120 in their comparison. None for as many as features.

    History is exact only: what online memory has folded away cannot be maximised over again.

    >>> policy = EVILL(n_features=2, seed=1)
    >>> policy.update_many([[1.0, 0.0]] * 50, [1.0] * 50)
    >>> policy.probabilities([[1.0, 0.0], [-1.0, 0.0]]).round(1)
    array([1., 0.])
    """

    title = "linearly perturbed likelihood, generalized linear"
    notation = "μ(xᵀθ̃),  θ̃ = argmax ℓ(θ) − ½λ‖θ‖² + wᵀθ,  w ~ N(0, a² H)"
    source = "Janz, Liu, Ayoub & Szepesvári 2024"
    kind = "generalized linear: randomised"
    seconds = 1e-5
    provenance = Provenance(
        defined_by="Janz, Liu, Ayoub & Szepesvári 2024",
        read="the authors' code (DavidJanz/EVILL-code)",
        changed="w is drawn from its law with d normal numbers, where their code draws one for every arm",
        tested_against="a general optimiser for θ̃ given w; the law of w; LinTS for the Gaussian family; the medians of "
        "their Figure 1",
        primary=True,
    )
    tuning = Tuning("scale", half_decades(0.03, 10.0), default=1.0, symbol="a")
    samples_by_default = 200
    law = "LOSS"
