"""Problems drawn at random: contexts on the unit sphere, a parameter θ, rewards by the subclass."""

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from rbmle import params
from rbmle.params import Flag, Integer
from rbmle.problems.base import Problem, Rounds, Vector
from rbmle.random import generator
from rbmle.types import FloatArray

# Rounds drawn together, from one generator, and the most numbers among them.
CHUNK = 1024
MOST_NUMBERS = 2**22


class SampledProblem(Problem):
    """Contexts N(0, I) divided by their norm, drawn once a trial (`static`) or anew in every round.

    Rounds come in chunks of fixed size, each with a generator of its own, so that a sample path depends on (seed,
    trial, round) alone and not on how it is cut into blocks.
    """

    def __init__(self, theta: Sequence[float] | FloatArray, n_arms: int, *, static: bool = True) -> None:
        params.require(self, "theta", theta, Vector())
        params.require(self, "n_arms", n_arms, Integer(1))
        params.require(self, "static", static, Flag())
        self.theta = np.array(theta, dtype=np.float64)
        self.n_arms = int(n_arms)
        self.n_features = len(self.theta)
        self.static = bool(static)
        per_round = self.n_arms * (1 if self.static else self.n_features + 1)
        self._chunk = max(1, min(CHUNK, MOST_NUMBERS // per_round))
        self._last: tuple[tuple[int, int, int], Rounds] | None = None
        self._arms: tuple[tuple[int, int], FloatArray] | None = None

    @abstractmethod
    def means(self, contexts: FloatArray) -> FloatArray:
        """Mean rewards (B, K) of contexts (B, K, d)."""

    @abstractmethod
    def sample(self, rng: np.random.Generator, means: FloatArray) -> FloatArray:
        """Rewards (B, K) for means (B, K)."""

    def rounds(self, seed: int, trial: int, start: int, stop: int) -> Rounds:
        """Rounds start … stop−1 of a trial."""
        for name, value in (("seed", seed), ("trial", trial), ("start", start)):
            params.require("rounds", name, value, Integer(0))
        params.require("rounds", "stop", stop, Integer(start + 1))
        pieces = []
        for number in range(start // self._chunk, (stop - 1) // self._chunk + 1):
            chunk, first = self._drawn(seed, trial, number), number * self._chunk
            pieces.append((chunk, slice(max(start - first, 0), min(stop - first, self._chunk))))
        if self.static:
            contexts, means = pieces[0][0].contexts, pieces[0][0].mean_rewards
        else:
            contexts = joined([chunk.contexts[part] for chunk, part in pieces])
            means = joined([chunk.mean_rewards[part] for chunk, part in pieces])
        return Rounds(contexts, means, joined([chunk.rewards[part] for chunk, part in pieces]))

    def _drawn(self, seed: int, trial: int, number: int) -> Rounds:
        """A chunk; the last one is kept, because blocks that follow each other share it."""
        key, last = (seed, trial, number), self._last  # read once: another thread may replace it meanwhile
        if last is not None and last[0] == key:
            return last[1]
        rng = generator(seed, trial, number)
        contexts = self._static_arms(seed, trial) if self.static else self._contexts(rng, self._chunk)
        means = self.means(contexts)
        rewards = self.sample(rng, np.broadcast_to(means, (self._chunk, self.n_arms)))
        chunk = Rounds(contexts, means, rewards)
        self._last = key, chunk
        return chunk

    def _static_arms(self, seed: int, trial: int) -> FloatArray:
        key, arms = (seed, trial), self._arms
        if arms is None or arms[0] != key:
            arms = self._arms = key, self._contexts(generator(seed, trial), 1)
        return arms[1]

    def _contexts(self, rng: np.random.Generator, count: int) -> FloatArray:
        directions = rng.standard_normal((count, self.n_arms, self.n_features))
        directions /= np.sqrt(np.einsum("bkd,bkd->bk", directions, directions))[:, :, None]
        return directions


def joined(parts: list[FloatArray]) -> FloatArray:
    """One array of all parts; a single part is passed on without a copy."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
