"""Least squares for rewards in [0, 1]."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rbmle.families.built_in import Gaussian
from rbmle.types import FloatArray


@dataclass(frozen=True)
class UnitGaussian(Gaussian):
    """The Gaussian family, whose estimate is least squares, for rewards that lie in [0, 1]."""

    support = "in [0, 1]"

    def supports(self, rewards: FloatArray) -> Any:
        """Numbers from 0 to 1."""
        return (rewards >= 0.0) & (rewards <= 1.0)

    def supports_sums(self, counts: FloatArray, sums: FloatArray) -> Any:
        """Numbers from 0 to the count."""
        return np.isfinite(sums) & (sums >= 0.0) & (sums <= counts)
