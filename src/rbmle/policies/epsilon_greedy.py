"""ε-greedy: the best estimate, but for a share of rounds at random."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from rbmle import kernels
from rbmle.errors import InvalidInputError
from rbmle.params import Integer, Optional, Schedule, ScheduleLike
from rbmle.policies.about import Provenance, Tuning, half_decades
from rbmle.policies.base import one_hot
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.schedules import Constant, evaluate
from rbmle.types import FloatArray, IntArray


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """m_a; with probability ε(t) an arm at random is played instead."""
    for a in range(len(mean)):
        scores[a] = mean[a]
    if draws[0] < coefficients[0]:
        return int(draws[1] * len(mean))
    return kernels.normal.first_max(scores)


def shares(epsilon: ScheduleLike, rounds: FloatArray) -> FloatArray:
    """ε(t) of the rounds, shape (B, 1); an error where it is no share."""
    values = evaluate(epsilon, rounds, "epsilon")
    bad = np.flatnonzero((values < 0.0) | (values > 1.0))
    if len(bad):
        raise InvalidInputError(f"epsilon must lie in [0, 1]. Got {values[bad[0]]} at t = {int(rounds[bad[0]])}.")
    return values[:, None]


@dataclass(kw_only=True, eq=False)
class EpsilonGreedy(LinearPolicy):
    """Play the arm of the largest estimated mean, and with probability ε(t) any arm, all alike.

    epsilon: ε(t) in [0, 1], a schedule or any callable of t.
    """

    title = "greedy, with a share of random rounds"
    notation = "m, or any arm with probability ε(t)"
    source = "Sutton & Barto 2018, section 2.2"
    kind = "baseline"
    provenance = Provenance(
        defined_by="folklore; Sutton & Barto 2018, section 2.2",
        read="folklore, defined in a line",
        changed="nothing",
        tested_against="the formula in plain NumPy from a dense inverse; chances in closed form against "
        "served frequencies by chi-square",
    )
    tuning = Tuning("epsilon", half_decades(0.001, 0.3), 0.1, Constant, "ε")
    formula = index
    random = True

    epsilon: Annotated[ScheduleLike, Schedule()] = Constant(0.1)
    seed: Annotated[int | None, Optional(Integer(0))] = 0

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """ε(t)."""
        return shares(self.epsilon, rounds)

    def draws(self, rng: np.random.Generator, count: int) -> "FloatArray":
        """Whether to explore, and where."""
        return rng.random((count, 2))

    def _chances(self, X: FloatArray, held: Any, t: int, samples: int) -> FloatArray:
        epsilon = float(self._numbers(t)[0])
        return epsilon / len(X) + (1.0 - epsilon) * one_hot(int(np.argmax(self._scores(X, held, t))), len(X))

    def _chances_many(self, X: FloatArray, offsets: IntArray, t: int, samples: int) -> FloatArray:
        epsilon, sizes = self._numbers(t), np.diff(offsets)
        chances = np.repeat(epsilon / sizes, sizes)
        chances[offsets[:-1] + self._ask_many(X, offsets, t, 0.0 * epsilon)] += 1.0 - epsilon
        return chances
