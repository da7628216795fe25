"""GLM-FPL: follow the perturbed leader, rewards with normal noise in a generalized linear model."""

from dataclasses import dataclass
from typing import Annotated

from rbmle.params import Integer, Optional, Real
from rbmle.policies.about import Provenance, Tuning, half_decades
from rbmle.policies.perturbed_glm import PerturbedGLM


@dataclass(kw_only=True, eq=False)
class GLMFPL(PerturbedGLM):
    """Fit θ̃ to the rewards r_s + a z_s, z_s fresh normal numbers in every decision, and play the largest μ(xᵀθ̃).

    Noise in the rewards adds wᵀθ to the log-likelihood, w = a Σ z_s x_s ~ N(0, a² Σ x_s x_sᵀ), so that
    θ̃ = argmax ℓ(θ) − ½λ‖θ‖² + wᵀθ. We draw w from that law with d normal numbers, not one for every reward.
    The code of RandUCB cuts z_s off at ±6 for every arm; here it is normal.

    regularization: λ, 1 in EVILL's comparison; 1e-4 in that of RandUCB.
    scale: a; 1 in the code of RandUCB, ½ (the largest standard deviation of a 0/1 reward) in EVILL's comparison.
    prior_scale: b, adds b z₀ to w, z₀ standard normal; 0 by definition, 1 in EVILL's comparison.
    warm_up: random rounds at the start; None for as many as features: without rewards nothing is perturbed, and every
        arm is as good as the first. The code of RandUCB plays the first d arms.

    History is exact only: what online memory has folded away has no rewards left to perturb.

    >>> policy = GLMFPL(n_features=2, seed=1)
    >>> policy.update_many([[1.0, 0.0]] * 50, [1.0] * 50)
    >>> policy.probabilities([[1.0, 0.0], [-1.0, 0.0]]).round(1)
    array([1., 0.])
    """

    title = "perturbed rewards, generalized linear"
    notation = "μ(xᵀθ̃),  θ̃ = argmax ℓ(θ) − ½λ‖θ‖² + wᵀθ,  w = a Σ z_s x_s"
    source = "Kveton et al. 2020, GLM-FPL"
    kind = "generalized linear: randomised"
    seconds = 1e-5
    provenance = Provenance(
        defined_by="Kveton, Zaheer, Szepesvári, Li, Ghavamzadeh & Boutilier 2020",
        read="two implementations by others (vaswanis/randucb and DavidJanz/EVILL-code)",
        changed="a ridge λ, so that θ̃ always exists; w is drawn from its law with d normal numbers, and not cut off",
        tested_against="a general optimiser for θ̃ given w; the law of w; the medians of EVILL's Figure 1",
    )
    tuning = Tuning("scale", half_decades(0.03, 10.0), default=1.0, symbol="a")
    samples_by_default = 200
    law = "RESPONSES"

    warm_up: Annotated[int | None, Optional(Integer(0))] = None
    prior_scale: Annotated[float, Real(0.0)] = 0.0

    @property
    def _prior(self) -> float:
        return self.prior_scale
