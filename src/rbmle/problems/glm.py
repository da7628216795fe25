"""Generalized linear rewards: the mean is μ(xᵀθ), the distribution a family's."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rbmle import params, plain
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.families import Custom, Family, Known, get
from rbmle.problems.contexts import ContextLaw
from rbmle.problems.sampled import SampledProblem
from rbmle.random import generator
from rbmle.types import FloatArray


class GLMProblem(SampledProblem):
    """Arms (by default on the unit sphere) with mean rewards μ(xᵀθ), as in the paper's second half. Regret counts in μ.

    theta: the unknown parameter, shape (d,).
    n_arms: K.
    family: of the rewards: "logistic" (0 and 1), "poisson" (counts), "gaussian", or a `rbmle.families.Family`.
    static: draw the arms once a trial (True) or anew in every round (False).
    contexts: the law of the arms: "sphere", "ball", "box", "normal", … or an object such as Ball(size=2.0).

    >>> problem = GLMProblem((0.3, -0.5, 0.2), n_arms=10, static=False)
    >>> block = problem.rounds(seed=0, trial=0, start=0, stop=100)
    >>> block.contexts.shape, sorted(set(block.rewards.ravel().tolist()))
    ((100, 10, 3), [0.0, 1.0])
    """

    def __init__(
        self,
        theta: Sequence[float] | FloatArray,
        n_arms: int,
        family: str | Family = "logistic",
        *,
        static: bool = True,
        contexts: str | ContextLaw = "sphere",
    ) -> None:
        super().__init__(theta, n_arms, static=static, contexts=contexts)
        params.require(self, "family", family, Known())
        self.family = get(family)
        self._name = family
        norm, radius = float(np.linalg.norm(self.theta)), self.contexts.radius(self.n_features)
        require_rewards(self, "theta", norm, radius, self.family)

    def means(self, contexts: FloatArray) -> FloatArray:
        """μ(xᵀθ) for every arm."""
        values: FloatArray = self.family.mean(contexts @ self.theta)
        return values

    def sample(self, rng: np.random.Generator, means: FloatArray) -> FloatArray:
        """Rewards of the family with these means."""
        return self.family.draw(rng, means)

    @property
    def params(self) -> dict[str, Any]:
        """Constructor arguments as plain data; a family of your own by its name."""
        family = self._name
        described = {
            "theta": self.theta.tolist(),
            "n_arms": self.n_arms,
            "family": family.name if isinstance(family, Custom) else plain.to_plain(family),
            "static": self.static,
        }
        return described | self._law()

    def __repr__(self) -> str:
        return (
            f"GLMProblem(theta={self.theta.tolist()}, n_arms={self.n_arms}, family={self._name!r}, "
            f"static={self.static}{self._law_shown()})"
        )


def require_rewards(owner: object, name: str, norm: float, radius: float, family: Family) -> None:
    """Refuse at once, not in the middle of a simulation, a family whose rewards cannot be drawn with this θ.

    Scores reach from −norm · radius to norm · radius; where contexts have no longest one, those of norm 1 are tried.
    """
    label, reach = type(owner).__name__, norm * (radius if np.isfinite(radius) else 1.0)
    try:
        drawn = family.sample(generator(0), np.array([-reach, 0.5 * reach, reach]))
        good = bool(np.isfinite(drawn).all())
    except InvalidInputError as reason:
        raise InvalidParameterError(
            f"The 'family' parameter of {label} must be able to draw rewards: {reason}"
        ) from reason
    except (ValueError, ArithmeticError):
        good = False
    if not good:
        raise InvalidParameterError(
            f"The '{name}' parameter of {label} must have a norm at which {family!r} has finite rewards. "
            f"Got norm {norm:g} instead."
        )
