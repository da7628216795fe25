"""GLM-TSL: Thompson sampling from the Laplace approximation of a generalized linear posterior."""

from dataclasses import dataclass
from typing import Annotated

from rbmle.models.glm import GLMModel
from rbmle.params import OneOf
from rbmle.policies.about import Provenance, Tuning, half_decades
from rbmle.policies.perturbed_glm import PerturbedGLM


@dataclass(kw_only=True, eq=False)
class GLMTSL(PerturbedGLM):
    """Draw θ̃ from N(θ̂, a² H⁻¹) and play the arm of the largest μ(xᵀθ̃).

    θ̂ maximises ℓ(θ) − ½λ‖θ‖² and H = Σ μ'(x_sᵀθ̂) x_s x_sᵀ + λI, the full matrix: `LaplaceTS` keeps only a diagonal and
    passes over rewards once, which is another method. With the Gaussian family this is `LinTS(scale=a)`.

    regularization: λ, 1 in EVILL's comparison; 1e-4 in that of RandUCB.
    scale: a; 1 in both.
    warm_up: random rounds at the start; None for as many as features. EVILL's comparison has 120, RandUCB's none.
    memory: "online" draws from the θ̂ and H⁻¹ of a bounded part of the history, see GLMModel; a decision then takes
        O(d³ + Kd), whatever t.

    >>> policy = GLMTSL(n_features=2, seed=1)
    >>> policy.update_many([[1.0, 0.0]] * 50, [1.0] * 50)
    >>> policy.probabilities([[1.0, 0.0], [-1.0, 0.0]]).round(1)
    array([1., 0.])
    """

    title = "Thompson sampling, generalized linear, full covariance"
    notation = "μ(xᵀθ̃),  θ̃ ~ N(θ̂, a² H⁻¹)"
    source = "Kveton et al. 2020, GLM-TSL"
    kind = "generalized linear: randomised"
    provenance = Provenance(
        defined_by="Kveton, Zaheer, Szepesvári, Li, Ghavamzadeh & Boutilier 2020",
        read="two implementations by others (vaswanis/randucb and DavidJanz/EVILL-code)",
        changed="a ridge λ, so that θ̂ always exists",
        tested_against="the law N(θ̂, a² H⁻¹); LinTS for the Gaussian family; the medians of EVILL's Figure 1 and the "
        "generalized linear suite of RandUCB",
    )
    tuning = Tuning("scale", half_decades(0.03, 10.0), default=1.0, symbol="a")
    law = "POSTERIOR"

    memory: Annotated[str, OneOf("exact", "online")] = "exact"

    def __post_init__(self) -> None:
        self._require_not("memory", "online")
        super().__post_init__()

    def new_model(self) -> GLMModel:
        """A model of the family that has seen nothing."""
        if self.forgetting is not None:
            return super().new_model()
        return GLMModel(
            n_features=self.n_features, family=self.family, regularization=self.regularization, memory=self.memory
        )

    @property
    def merge_is_exact(self) -> bool:
        """With exact memory; with online memory two quadratics are added."""
        return super().merge_is_exact and self.memory == "exact"
