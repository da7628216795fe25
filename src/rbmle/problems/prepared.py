"""Problems whose contexts and rewards were drawn beforehand, such as the paper's."""

from functools import cached_property
from typing import Any

from rbmle.errors import InvalidInputError
from rbmle.inputs import as_numbers, require_finite
from rbmle.problems.base import Problem, Rounds, digest_of
from rbmle.types import ArrayLike


class PreparedProblem(Problem):
    """Contexts, mean rewards and rewards of all arms, given as arrays. The seed of a simulation reaches policies only.

    contexts: (trials, K, d) where the arms stay, (trials, T, K, d) where they change from round to round.
    mean_rewards: (trials, K) where they stay, (trials, T, K) where they change; arms may stay while their means drift.
    rewards: (trials, T, K).

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> contexts = rng.standard_normal((5, 4, 2))
    >>> means = contexts @ [1.0, -1.0]
    >>> problem = PreparedProblem(contexts, means, means[:, None] + rng.standard_normal((5, 100, 4)))
    >>> problem.trials, problem.horizon, problem.n_arms, problem.n_features, problem.static
    (5, 100, 4, 2, True)
    """

    trials: int
    horizon: int

    def __init__(self, contexts: "ArrayLike", mean_rewards: "ArrayLike", rewards: "ArrayLike") -> None:
        self.contexts = as_numbers(contexts, "contexts")
        self.mean_rewards = as_numbers(mean_rewards, "mean_rewards")
        self.rewards = as_numbers(rewards, "rewards")
        if self.rewards.ndim != 3 or 0 in self.rewards.shape:
            raise InvalidInputError(f"rewards must have shape (trials, T, n_arms). Got shape {self.rewards.shape}.")
        self.trials, self.horizon, self.n_arms = self.rewards.shape
        if self.contexts.ndim not in (3, 4) or 0 in self.contexts.shape:
            raise InvalidInputError(
                "contexts must have shape (trials, n_arms, n_features), or (trials, T, n_arms, n_features) where they "
                f"vary. Got shape {self.contexts.shape}."
            )
        self.static = self.contexts.ndim == 3
        self.n_features = self.contexts.shape[-1]
        stay, vary = (self.trials, self.n_arms), self.rewards.shape
        self._require("contexts", ((*(stay if self.static else vary), self.n_features),))
        self._require("mean_rewards", (stay, vary) if self.static else (vary,))
        for name in ("contexts", "mean_rewards", "rewards"):
            require_finite(getattr(self, name), name)

    def rounds(self, seed: int, trial: int, start: int, stop: int) -> Rounds:
        """Rounds start … stop−1 of a trial; the seed is not used."""
        if not 0 <= trial < self.trials:
            raise InvalidInputError(f"trial must be from 0 to {self.trials - 1}, as prepared. Got {trial!r}.")
        if not 0 <= start < stop <= self.horizon:
            raise InvalidInputError(
                f"rounds must lie between 0 and {self.horizon}, as prepared. Got {start!r} to {stop!r}."
            )
        contexts = self.contexts[trial, None] if self.static else self.contexts[trial, start:stop]
        means = self.mean_rewards[trial, None] if self.mean_rewards.ndim == 2 else self.mean_rewards[trial, start:stop]
        return Rounds(contexts, means, self.rewards[trial, start:stop])

    def _require(self, name: str, shapes: tuple[tuple[int, ...], ...]) -> None:
        shape = getattr(self, name).shape
        if shape not in shapes:
            raise InvalidInputError(
                f"{name} must have shape {' or '.join(map(str, shapes))} to go with rewards of shape "
                f"{self.rewards.shape}. Got shape {shape}."
            )

    @property
    def params(self) -> dict[str, Any]:
        """Sizes, and a digest of all numbers."""
        return {
            "trials": self.trials,
            "horizon": self.horizon,
            "n_arms": self.n_arms,
            "n_features": self.n_features,
            "static": self.static,
            "sha256": self._digest,
        }

    @cached_property
    def _digest(self) -> str:
        return digest_of(self.contexts, self.mean_rewards, self.rewards)

    def __repr__(self) -> str:
        kind = "static" if self.static else "varying"
        return (
            f"PreparedProblem({self.trials} trials × {self.horizon} rounds, n_arms={self.n_arms}, "
            f"n_features={self.n_features}, {kind} contexts)"
        )
