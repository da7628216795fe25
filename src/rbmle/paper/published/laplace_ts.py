"""Laplace-TS as the published tables were made."""

from dataclasses import dataclass
from typing import Any

from rbmle.paper.published.laplace_model import PublishedLaplaceModel
from rbmle.policies.laplace_ts import LaplaceTS


@dataclass(kw_only=True, eq=False)
class PublishedLaplaceTS(LaplaceTS):
    """`LaplaceTS` with six differences (see `PublishedLaplaceModel`), for comparison with the published tables."""

    title = "Thompson sampling, logistic, independent weights, as published"
    source = "tables of Hung, Hsieh, Liu & Kumar 2021"

    def new_model(self) -> Any:
        """A history that is fitted again after every reward."""
        return PublishedLaplaceModel(n_features=self.n_features, regularization=self.regularization)
