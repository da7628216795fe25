"""Problems drawn at random: every round alone where all laws can be drawn in place, else in chunks of rounds."""

from abc import abstractmethod
from typing import Any

import numpy as np

from rbmle import params
from rbmle.errors import InvalidParameterError, describe
from rbmle.params import Flag, Integer
from rbmle.problems.base import Problem, Rounds
from rbmle.problems.contexts import ContextLaw, Sphere, as_contexts
from rbmle.problems.in_place import ONCE, in_place
from rbmle.random import generator
from rbmle.types import FloatArray, IntArray

# Rounds drawn together, from one generator, and the most numbers among them.
CHUNK = 1024
MOST_NUMBERS = 2**22


class DrawnProblem(Problem):
    """Contexts of a law, drawn once a trial (`static`) or anew in every round; means and rewards by the subclass.

    A sample path depends on (seed, trial, round) alone and not on how it is cut into blocks: either the numbers of a
    round have their place (`InPlace`), or rounds come in chunks of fixed size, each with a generator of its own.
    """

    means_drift = False  # whether the mean of one and the same arm changes from round to round
    in_place = False  # whether all that is drawn can be drawn in place

    def __init__(self, n_arms: int, n_features: int, static: bool, contexts: str | ContextLaw) -> None:
        params.require(self, "n_arms", n_arms, Integer(1))
        params.require(self, "static", static, Flag())
        self.n_arms = int(n_arms)
        self.n_features = int(n_features)
        self.static = bool(static)
        self.contexts = as_contexts(contexts, self)
        objection = self.contexts.objection(self.n_arms, self.n_features)
        if objection is not None:
            raise InvalidParameterError(
                f"The 'contexts' parameter of {type(self).__name__} must be a law {objection}. "
                f"Got {describe(self.contexts)} instead."
            )
        per_round = self.n_arms * (1 if self.static else self.n_features + 1)
        self._chunk = max(1, min(CHUNK, MOST_NUMBERS // per_round))
        self._last: tuple[tuple[int, int, int], Rounds] | None = None
        self._arms: tuple[tuple[int, int], FloatArray] | None = None

    @abstractmethod
    def means_in(self, contexts: FloatArray, rounds: IntArray) -> FloatArray:
        """Mean rewards (B, K) of contexts (B, K, d) in these rounds (B,), which are counted from 0.

        Where arms stay, contexts are (1, K, d), and so are means (1, K) unless they drift.
        """

    @abstractmethod
    def rewards_in(self, rng: np.random.Generator, means: FloatArray, contexts: FloatArray) -> FloatArray:
        """Rewards (B, K) for means (B, K) of contexts (B, K, d), or (1, K, d) where arms stay."""

    def rounds(self, seed: int, trial: int, start: int, stop: int) -> Rounds:
        """Rounds start … stop−1 of a trial."""
        for name, value in (("seed", seed), ("trial", trial), ("start", start)):
            params.require("rounds", name, value, Integer(0))
        params.require("rounds", "stop", stop, Integer(start + 1))
        if self.in_place:
            contexts = self._static_arms(seed, trial) if self.static else None
            return self._made(in_place(seed, trial, start, stop), contexts, start, stop)
        pieces = []
        for number in range(start // self._chunk, (stop - 1) // self._chunk + 1):
            chunk, first = self._drawn(seed, trial, number), number * self._chunk
            pieces.append((chunk, slice(max(start - first, 0), min(stop - first, self._chunk))))
        contexts, means = pieces[0][0].contexts, pieces[0][0].mean_rewards
        if not self.static:
            contexts = joined([chunk.contexts[part] for chunk, part in pieces])
        if self.means_drift or not self.static:
            means = joined([chunk.mean_rewards[part] for chunk, part in pieces])
        return Rounds(contexts, means, joined([chunk.rewards[part] for chunk, part in pieces]))

    def _drawn(self, seed: int, trial: int, number: int) -> Rounds:
        """A chunk; the last one is kept, because blocks that follow each other share it."""
        key, last = (seed, trial, number), self._last  # read once: another thread may replace it meanwhile
        if last is not None and last[0] == key:
            return last[1]
        first, arms = number * self._chunk, self._static_arms(seed, trial) if self.static else None
        chunk = self._made(generator(seed, trial, number), arms, first, first + self._chunk)
        self._last = key, chunk
        return chunk

    def _made(self, rng: np.random.Generator, arms: FloatArray | None, start: int, stop: int) -> Rounds:
        """Rounds start … stop−1 with the arms that stay, or new ones."""
        contexts = self._contexts(rng, stop - start) if arms is None else arms
        means = self.means_in(contexts, np.arange(start, stop))
        rewards = self.rewards_in(rng, np.broadcast_to(means, (stop - start, self.n_arms)), contexts)
        return Rounds(contexts, means, rewards)

    def _static_arms(self, seed: int, trial: int) -> FloatArray:
        key, arms = (seed, trial), self._arms
        if arms is None or arms[0] != key:
            rng = in_place(seed, trial, 0, 1, ONCE) if self.in_place else generator(seed, trial)
            arms = self._arms = key, self._contexts(rng, 1)
        return arms[1]

    def _contexts(self, rng: np.random.Generator, count: int) -> FloatArray:
        return self.contexts.draw(rng, count, self.n_arms, self.n_features)

    def _law(self) -> dict[str, Any]:
        """The law of contexts as a parameter; the unit sphere goes without saying, as before there were others."""
        return {} if self.contexts == Sphere() else {"contexts": self.contexts.params}

    def _law_shown(self) -> str:
        return "" if self.contexts == Sphere() else f", contexts={self.contexts!r}"


def joined(parts: list[FloatArray]) -> FloatArray:
    """One array of all parts; a single part is passed on without a copy."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
