"""Rewards whose law changes with time: θ is a function of the round."""

from typing import Any

import numpy as np

from rbmle import params, plain
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.families import Custom, Family, Known, get
from rbmle.params import Optional
from rbmle.problems.contexts import Box, ContextLaw
from rbmle.problems.drawn import DrawnProblem
from rbmle.problems.drifts import Abrupt, Drift, Rotation
from rbmle.problems.glm import require_rewards
from rbmle.problems.noise import Noise, as_noise, require_noise
from rbmle.types import FloatArray, IntArray


class DriftingProblem(DrawnProblem):
    """Arms with mean rewards xᵀθ_t, or μ(xᵀθ_t), where θ_t moves. Regret is counted against the best arm of the round.

    drift: θ as a function of the round: Abrupt, Rotation, Straight, or a `Drift` of your own.
    n_arms: K.
    static: draw the arms once a trial (True) or anew in every round (False). Means drift in both.
    noise: around linear means, as in LinearProblem.
    family: None for linear means with that noise; "logistic", "poisson" or a `Family` for generalized linear ones.
    contexts: the law of the arms: "sphere", "ball", "box", … or an object such as Box(longest=1.0).

    >>> problem = DriftingProblem.russac_abrupt()
    >>> block = problem.rounds(seed=0, trial=0, start=1000, stop=1002)
    >>> block.mean_rewards[0, 0] == block.contexts[0, 0, 0], block.mean_rewards[1, 0] == -block.contexts[1, 0, 0]
    (np.True_, np.True_)
    """

    means_drift = True

    def __init__(
        self,
        drift: Drift,
        n_arms: int,
        *,
        static: bool = False,
        noise: str | Noise = "gaussian",
        family: str | Family | None = None,
        contexts: str | ContextLaw = "sphere",
    ) -> None:
        if not isinstance(drift, Drift):
            raise InvalidParameterError(
                "The 'drift' parameter of DriftingProblem must be a drift such as "
                f"Abrupt(thetas=((1.0, 0.0), (-1.0, 0.0)), starts=(1000,)). Got {drift!r} instead."
            )
        super().__init__(n_arms, drift.n_features, static, contexts)
        self.drift = drift
        self.noise = as_noise(noise, self)
        params.require(self, "family", family, Optional(Known()))
        self.family = None if family is None else get(family)
        self._name = family
        radius = self.contexts.radius(self.n_features)
        if self.family is None:
            require_noise(self, "drift", self.noise, drift.norm, radius)
        elif self.noise != as_noise("gaussian"):
            raise InvalidParameterError(
                "The 'noise' parameter of DriftingProblem goes with linear means only: a family has its own. "
                f"Got {noise!r} with {family!r} instead."
            )
        else:
            require_rewards(self, "drift", drift.norm, radius, self.family)

    @classmethod
    def russac_abrupt(cls) -> "DriftingProblem":
        """The abrupt problem of Russac, Vernade & Cappé 2019 (their code, YRussac/WeightedLinearBandits), T = 6000.

        θ = (1, 0), from round 1001 (counted from 0, as they do) (−1, 0), from 2001 (0, 1), from 3001 (0, −1). In every
        round 50 new arms, even in [−1, 1]², those outside of the unit disc moved to its rim; noise N(0, 1). The
        variation is 4 + √2.
        """
        thetas = ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0))
        return cls(Abrupt(thetas, starts=(1001, 2001, 3001)), n_arms=50, contexts=Box(longest=1.0))

    @classmethod
    def russac_smooth(cls) -> "DriftingProblem":
        """Their smooth problem: θ turns from (1, 0) to (0, 1) in 3000 rounds and then stays, T = 6000; else the same.

        They count its variation over the first 3000 rounds: 1.5702727 (`drift.variation(3000)`).
        """
        return cls(Rotation((1.0, 0.0), (0.0, 1.0), rounds=3000), n_arms=50, contexts=Box(longest=1.0))

    def means_in(self, contexts: FloatArray, rounds: IntArray) -> FloatArray:
        """xᵀθ_t for every arm, or μ of it."""
        thetas, asked = self.drift.at(rounds), (len(rounds), self.n_features)
        if np.shape(thetas) != asked:
            raise InvalidInputError(f"{self.drift!r}.at must return shape {asked}. Got shape {np.shape(thetas)}.")
        if self.static:
            scores: FloatArray = thetas @ contexts[0].T
        else:
            scores = np.einsum("bkd,bd->bk", contexts, thetas)
        return scores if self.family is None else self.family.mean(scores)

    def rewards_in(self, rng: np.random.Generator, means: FloatArray, contexts: FloatArray) -> FloatArray:
        """Means plus noise, or rewards of the family."""
        if self.family is None:
            return self.noise.rewards_at(rng, means, contexts)
        return self.family.draw(rng, means)

    @property
    def params(self) -> dict[str, Any]:
        """Constructor arguments as plain data; a family of your own by its name."""
        family = self._name
        return {
            "drift": self.drift.params,
            "n_arms": self.n_arms,
            "static": self.static,
            "noise": self.noise.params,
            "family": family.name if isinstance(family, Custom) else plain.to_plain(family),
            "contexts": self.contexts.params,
        }

    def __repr__(self) -> str:
        law = f"noise={self.noise!r}" if self.family is None else f"family={self._name!r}"
        return (
            f"DriftingProblem({self.drift!r}, n_arms={self.n_arms}, static={self.static}, {law}, "
            f"contexts={self.contexts!r})"
        )
