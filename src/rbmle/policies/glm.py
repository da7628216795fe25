"""What policies over a generalized linear model share: its parameters."""

from dataclasses import dataclass
from typing import Annotated

from rbmle.families import Family, Known
from rbmle.models.glm import GLMModel
from rbmle.params import OneOf, Real
from rbmle.policies.modelled import ModelledPolicy


@dataclass(kw_only=True, eq=False)
class GLMPolicy(ModelledPolicy[GLMModel]):
    """A policy over a GLMModel.

    family: of the rewards, a name ("logistic", "poisson", "gaussian") or a `rbmle.families.Family`.
    regularization: λ of the estimate.
    memory: "exact" keeps the history, identical contexts as one row; "online" keeps O(d²), see GLMModel.
    """

    family: Annotated[str | Family, Known()] = "logistic"
    regularization: Annotated[float, Real(0.0, open_low=True)] = 1.0
    memory: Annotated[str, OneOf("exact", "online")] = "exact"

    def new_model(self) -> GLMModel:
        """A model of the family that has seen nothing."""
        return GLMModel(
            n_features=self.n_features,
            family=self.family,
            regularization=self.regularization,
            memory=self.memory,
        )

    @property
    def merge_is_exact(self) -> bool:
        """With exact memory; with online memory two quadratics are added."""
        return self.memory == "exact"
