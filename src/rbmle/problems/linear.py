"""Linear rewards: the mean is xᵀθ, the noise what you choose."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rbmle.errors import InvalidParameterError
from rbmle.problems.noise import Noise, as_noise
from rbmle.problems.sampled import SampledProblem
from rbmle.types import FloatArray


class LinearProblem(SampledProblem):
    """Arms on the unit sphere with mean rewards xᵀθ, as in the paper's experiments.

    theta: the unknown parameter, shape (d,).
    n_arms: K.
    static: draw the arms once a trial (True) or anew in every round (False).
    noise: "gaussian", "uniform", "rademacher", "bounded", or an object such as Gaussian(scale=0.5).

    >>> problem = LinearProblem((-0.3, 0.5, 0.8), n_arms=10, static=False, noise="rademacher")
    >>> problem.rounds(seed=0, trial=0, start=0, stop=100).contexts.shape
    (100, 10, 3)
    """

    def __init__(
        self,
        theta: Sequence[float] | FloatArray,
        n_arms: int,
        *,
        static: bool = True,
        noise: str | Noise = "gaussian",
    ) -> None:
        super().__init__(theta, n_arms, static=static)
        self.noise = as_noise(noise, self)
        largest = float(np.linalg.norm(self.theta))  # contexts have norm 1
        if largest > self.noise.limit:
            raise InvalidParameterError(
                f"The 'theta' parameter of LinearProblem must have a norm of at most {self.noise.limit:g} with "
                f"{self.noise!r}, or some mean cannot be reached. Got norm {largest:g} instead."
            )

    def means(self, contexts: FloatArray) -> FloatArray:
        """xᵀθ for every arm."""
        values: FloatArray = contexts @ self.theta
        return values

    def sample(self, rng: np.random.Generator, means: FloatArray) -> FloatArray:
        """Means plus noise."""
        return self.noise.rewards(rng, means)

    @property
    def params(self) -> dict[str, Any]:
        """Constructor arguments as plain data."""
        return {
            "theta": self.theta.tolist(),
            "n_arms": self.n_arms,
            "static": self.static,
            "noise": self.noise.params,
        }

    def __repr__(self) -> str:
        return (
            f"LinearProblem(theta={self.theta.tolist()}, n_arms={self.n_arms}, static={self.static}, "
            f"noise={self.noise!r})"
        )
