"""What a family of rewards offers."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rbmle.errors import InvalidInputError
from rbmle.plain import Registry
from rbmle.types import FloatArray

if TYPE_CHECKING:
    from rbmle.families.extended import Extended


# The numbers by which kernels know the families.
GAUSSIAN, LOGISTIC, POISSON, CUSTOM = 0, 1, 2, 3


class Family(ABC):
    """A family of rewards: μ, μ', b, and which rewards there are.

    self_concordance  the least c with |μ''| ≤ c μ' (log μ' is c-Lipschitz), or None where none is known; certified
                      bounds of the index need it, methods work without
    kappa, lipschitz  κ_μ = inf μ' and L_μ = sup μ' over the line
    """

    registry: ClassVar[Registry["Family"]] = Registry("family")
    code: ClassVar[int]
    support: ClassVar[str]
    self_concordance: float | None
    kappa: float
    lipschitz: float

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        Family.registry.add(cls)

    @abstractmethod
    def mean(self, z: Any) -> Any:
        """μ(z), the mean reward at score z."""

    @abstractmethod
    def derivative(self, z: Any) -> Any:
        """μ'(z)."""

    @abstractmethod
    def b(self, z: Any) -> Any:
        """b(z) with b' = μ."""

    @abstractmethod
    def supports(self, rewards: FloatArray) -> Any:
        """Which rewards the family can produce, as booleans."""

    def supports_sums(self, counts: FloatArray, sums: FloatArray) -> Any:
        """Which sums so many rewards of the family can have, as booleans; rounding of sums is not allowed for."""
        return np.isfinite(sums)

    @abstractmethod
    def draw(self, rng: np.random.Generator, mean: FloatArray) -> FloatArray:
        """Rewards with the given means."""

    def log_likelihood(self, z: Any, reward: Any) -> Any:
        """r z − b(z): the log-likelihood up to what does not depend on z, so that its gradient in z is r − μ(z)."""
        return reward * np.asarray(z, dtype=np.float64) - self.b(z)

    def sample(self, rng: np.random.Generator, z: Any) -> Any:
        """Draw a reward at every score z."""
        drawn = self.draw(rng, np.asarray(self.mean(z), dtype=np.float64))
        return float(drawn) if np.ndim(z) == 0 else drawn

    def trouble(self, scores: FloatArray) -> str:
        """What is wrong with functions of the family at these scores, in words; nothing for a built-in one."""
        return ""

    def extended(self, limit: float) -> "Extended":
        """The link μ̃: μ inside [−limit, limit], its tangents outside."""
        from rbmle.families.extended import Extended

        return Extended(base=self, limit=limit)

    def require_support(self, rewards: FloatArray | np.float64, name: str = "reward") -> None:
        """Raise InvalidInputError at the first reward that the family cannot produce."""
        values = np.atleast_1d(rewards)
        bad = np.flatnonzero(~np.atleast_1d(self.supports(values)))
        if len(bad):
            where = f" at {name}[{bad[0]}]" if np.ndim(rewards) else ""
            raise InvalidInputError(
                f"{name} must be {self.support} for the family {self!r}. Got {float(values[bad[0]])!r}{where}."
            )


def vectorised(function: Callable[[FloatArray], FloatArray], z: Any) -> Any:
    """Apply a function of arrays to a number or an array."""
    values = function(np.asarray(z, dtype=np.float64))
    return float(values) if np.ndim(z) == 0 else values
