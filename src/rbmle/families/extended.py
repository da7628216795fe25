"""The extended link of the paper's appendix."""

from dataclasses import dataclass
from typing import Annotated, Any, cast

import numpy as np

from rbmle import params
from rbmle.errors import InvalidParameterError
from rbmle.families.base import Family, vectorised
from rbmle.families.custom import Custom
from rbmle.params import Real
from rbmle.types import FloatArray

# Points at which the derivative of a link without known extremes is examined.
GRID = 20_001


@dataclass(frozen=True)
class Extended(Family):
    """The link μ̃: the base family's inside [−limit, limit], its tangents outside (b is quadratic there).

    Rewards and their support are the base family's; where the tangent leaves the range of means, a reward is drawn at
    the nearest mean that exists.
    """

    base: Family
    limit: Annotated[float, Real(0.0, open_low=True)]

    def __post_init__(self) -> None:
        params.check(self)
        if isinstance(self.base, Extended):
            raise InvalidParameterError(f"The 'base' parameter of Extended must be a plain family. Got {self.base!r}.")

    @property
    def code(self) -> int:  # type: ignore[override]
        """The base family's number in the kernels."""
        return self.base.code

    @property
    def support(self) -> str:  # type: ignore[override]
        """The rewards that there are, in words."""
        return self.base.support

    @property
    def self_concordance(self) -> float | None:  # type: ignore[override]
        """The base family's: log μ̃' is constant outside, so no steeper than inside."""
        return self.base.self_concordance

    def _slopes(self) -> FloatArray:
        """μ' at all points where a built-in link has its extremes, on a fine grid for links of users."""
        points = np.linspace(-self.limit, self.limit, GRID if isinstance(self.base, Custom) else 3)
        return cast(FloatArray, self.base.derivative(points))

    @property
    def kappa(self) -> float:  # type: ignore[override]
        """κ_μ = min μ' over [−limit, limit]; for a link of a user the least value on a fine grid."""
        return float(self._slopes().min())

    @property
    def lipschitz(self) -> float:  # type: ignore[override]
        """L_μ = max μ' over [−limit, limit]; for a link of a user the largest value on a fine grid."""
        return float(self._slopes().max())

    def mean(self, z: Any) -> Any:
        """μ inside, μ(±S) + μ'(±S)(z ∓ S) outside."""

        def formula(v: FloatArray) -> FloatArray:
            inside = np.clip(v, -self.limit, self.limit)
            return cast(FloatArray, self.base.mean(inside) + self.base.derivative(inside) * (v - inside))

        return vectorised(formula, z)

    def derivative(self, z: Any) -> Any:
        """μ' at the nearest point of [−limit, limit]."""
        return self.base.derivative(np.clip(z, -self.limit, self.limit))

    def b(self, z: Any) -> Any:
        """b inside; outside the quadratic that continues it with the tangent as derivative."""

        def formula(v: FloatArray) -> FloatArray:
            inside = np.clip(v, -self.limit, self.limit)
            out = v - inside
            base = self.base
            return cast(FloatArray, base.b(inside) + out * (base.mean(inside) + 0.5 * out * base.derivative(inside)))

        return vectorised(formula, z)

    def supports(self, rewards: FloatArray) -> Any:
        """What the base family supports."""
        return self.base.supports(rewards)

    def supports_sums(self, counts: FloatArray, sums: FloatArray) -> Any:
        """What the base family supports."""
        return self.base.supports_sums(counts, sums)

    def trouble(self, scores: FloatArray) -> str:
        """What the base family says."""
        return self.base.trouble(scores)

    def draw(self, rng: np.random.Generator, mean: FloatArray) -> FloatArray:
        """What the base family draws."""
        return self.base.draw(rng, mean)
