"""Linear rewards: the mean is xᵀθ, the noise what you choose."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rbmle import kernels, params
from rbmle.errors import InvalidInputError
from rbmle.inputs import as_plain
from rbmle.params import Integer, Real
from rbmle.plain import is_ours
from rbmle.problems.contexts import ContextLaw, Given
from rbmle.problems.misspecified import Misspecification, as_misspecification
from rbmle.problems.noise import Gaussian, Noise, as_noise, require_noise
from rbmle.problems.sampled import SampledProblem
from rbmle.types import FloatArray


class LinearProblem(SampledProblem):
    """Arms with mean rewards xᵀθ; by default on the unit sphere, as in the paper's experiments.

    theta: the unknown parameter, shape (d,).
    n_arms: K.
    static: draw the arms once a trial (True) or anew in every round (False).
    noise: "gaussian", "uniform", "rademacher", "bounded", or an object such as Gaussian(scale=0.5).
        ArmNoise and ContextNoise have another scale for every arm or context.
    contexts: the law of the arms: "sphere", "ball", "box", "normal", … or an object such as Ball(size=2.0).
    misspecification: None, or what is added to xᵀθ: a Ripple, a number for one of that size, or one of your own. Regret
        is counted in the means that there are.

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
        contexts: str | ContextLaw = "sphere",
        misspecification: float | Misspecification | None = None,
    ) -> None:
        super().__init__(theta, n_arms, static=static, contexts=contexts)
        self.noise = as_noise(noise, self)
        self.misspecification = as_misspecification(misspecification, self)
        self.in_place = is_ours(type(self)) and self.contexts.in_place and self.noise.in_place
        norm, radius = float(np.linalg.norm(self.theta)), self.contexts.radius(self.n_features)
        off = 0.0 if self.misspecification is None else self.misspecification.size
        require_noise(self, "theta", self.noise, norm, radius, off)

    @classmethod
    def greedy_trap(cls, n_arms: int = 2, mean: float = 0.5, gap: float = 0.4, noise: float = 1.0) -> "LinearProblem":
        """Arms that tell nothing about each other, the best one last: here greedy choices have linear regret.

        The arms are the unit vectors, all means are `mean` but that of the last arm, which is `mean + gap`. Ridge
        regression expects 0 of an arm that was never played, so the arm that is played first is played for ever unless
        the sum S_k of its rewards falls to 0 once. That it never does in T rounds has the probability

            P(S_k > 0 for all k ≤ T) = exp(−Σ_k≤T Φ(−√k mean/noise) / k)      (Spitzer, Sparre Andersen)

        but for terms that vanish with T: 0.53 by default and 0.98 with noise=0.25. Regret is then gap · T.
        """
        params.require(cls.__name__, "n_arms", n_arms, Integer(2))
        for name, value in (("mean", mean), ("gap", gap)):
            params.require(cls.__name__, name, value, Real(0.0, open_low=True))
        theta = np.full(n_arms, float(mean))
        theta[-1] += gap
        unit = tuple(map(tuple, np.eye(n_arms).tolist()))
        return cls(theta, n_arms, noise=Gaussian(scale=noise), contexts=Given(unit))

    def means(self, contexts: FloatArray) -> FloatArray:
        """xᵀθ for every arm, and what is added to it."""
        X = as_plain(contexts, "contexts")
        if X.shape[-1:] != self.theta.shape:
            raise InvalidInputError(f"contexts must have {self.n_features} features. Got shape {X.shape}.")
        values = np.empty(X.shape[:-1])
        kernels.draw.products(X.reshape(-1, self.n_features), self.theta, values.reshape(-1))
        return values if self.misspecification is None else values + self.misspecification.at(contexts)

    def sample(self, rng: np.random.Generator, means: FloatArray) -> FloatArray:
        """Means plus noise."""
        return self.noise.rewards(rng, means)

    def rewards_in(self, rng: np.random.Generator, means: FloatArray, contexts: FloatArray) -> FloatArray:
        """Means plus noise, which may depend on the context."""
        return self.noise.rewards_at(rng, means, contexts)

    @property
    def params(self) -> dict[str, Any]:
        """Constructor arguments as plain data."""
        described = {
            "theta": self.theta.tolist(),
            "n_arms": self.n_arms,
            "static": self.static,
            "noise": self.noise.params,
        }
        if self.misspecification is not None:
            described["misspecification"] = self.misspecification.params
        return described | self._law()

    def __repr__(self) -> str:
        off = "" if self.misspecification is None else f", misspecification={self.misspecification!r}"
        return (
            f"LinearProblem(theta={self.theta.tolist()}, n_arms={self.n_arms}, static={self.static}, "
            f"noise={self.noise!r}{self._law_shown()}{off})"
        )
