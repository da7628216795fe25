"""Linear policies: a ridge model and a formula. A new method is a formula and a short class; see CONTRIBUTING.md."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np

from rbmle import kernels
from rbmle.inputs import as_context, as_contexts, as_reward, refuse_values, require_finite
from rbmle.models.ridge import RidgeModel
from rbmle.params import Real
from rbmle.policies.base import Policy
from rbmle.random import generator
from rbmle.types import FloatArray, IntArray

if TYPE_CHECKING:
    from rbmle.policies.linear_fixed import LinearFixedArms

# How many rounds of coefficients are computed at once for single decisions.
TABLE = 256
# Most random numbers held at once while a block of rounds is played.
MOST_DRAWS = 2**20
# Decisions simulated for the probabilities of a method that draws samples.
PROBABILITY_DRAWS = 10_000
NONE = np.empty(0)
NO_BANK = np.empty((0, 0))


class Formula:
    """A formula (see kernels/formula.py for its arguments), compiled when first used."""

    def __init__(self, function: Callable[..., int]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    @functools.cached_property
    def machine_code(self) -> Any:
        """The compiled function; it must stay alive while its address is in use."""
        return kernels.formula.compile_formula(self.function)

    @functools.cached_property
    def address(self) -> int:
        """Where the machine code lives, for compiled loops."""
        return int(self.machine_code.address)


def formula(function: Callable[..., int]) -> Formula:
    """Declare the formula of a linear policy."""
    return Formula(function)


@dataclass(kw_only=True, eq=False)
class LinearPolicy(Policy):
    """A policy over a ridge model. A method supplies `formula` and, where it has them, `coefficients` and `draws`."""

    formula: ClassVar[Formula]
    needs_root: ClassVar[bool] = False
    random: ClassVar[bool] = False

    regularization: Annotated[float, Real(0.0, open_low=True)] = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.model = RidgeModel(n_features=self.n_features, regularization=self.regularization)
        self._table = np.empty((0, 0))
        self._table_start = 1

    def coefficients(self, rounds: FloatArray) -> FloatArray:
        """The numbers of the formula that depend on the round: shape (B, P) for rounds t of shape (B,)."""
        return np.empty((len(rounds), 0))

    def draws(self, rng: np.random.Generator, count: int) -> FloatArray:
        """The random numbers of `count` decisions, shape (count, D): the same drawn one by one or together."""
        return np.empty((count, 0))

    @property
    def bank(self) -> FloatArray:
        """Random numbers kept for all rounds."""
        return NO_BANK

    @property
    def n_observed(self) -> int:
        """How many rewards have been learnt."""
        return self.model.n

    def choose(self, contexts: Any) -> int:
        """The arm to play for contexts of shape (K, d)."""
        return self._decide(contexts)[0]

    def scores(self, contexts: Any) -> FloatArray:
        """The index of every arm, shape (K,)."""
        return self._decide(contexts)[1]

    def _decide(self, contexts: Any) -> tuple[int, FloatArray]:
        X = as_contexts(contexts, self.n_features)
        V, V_inv, _, theta, volume = self.model.arrays()
        scores = np.empty(len(X))
        arm = kernels.rounds.decide(
            self.formula.address, X, self.coefficients_now(), self.draws_now(), self.bank, V, V_inv, theta,
            volume, self.needs_root, scores,
        )  # fmt: skip
        if arm < 0:
            require_finite(X, "contexts")
        return arm, scores

    def coefficients_now(self) -> FloatArray:
        """The row of coefficients of the current round, from a table computed some rounds ahead."""
        t = self.model.n + 1
        row = t - self._table_start
        if not 0 <= row < len(self._table):
            self._table = self.coefficients(np.arange(t, t + TABLE, dtype=np.float64))
            self._table_start, row = t, 0
        now: FloatArray = self._table[row]
        return now

    def draws_now(self) -> FloatArray:
        """The random numbers of one decision."""
        if not self.random:
            return NONE
        now: FloatArray = self.draws(self.rng, 1)[0]
        return now

    def probabilities(self, contexts: Any) -> FloatArray:
        """The chance of each arm: one-hot for deterministic methods, else the share in 10 000 simulated decisions.

        The simulation has a fixed generator of its own: the policy's is not touched, and the same state, same answer.
        """
        X = as_contexts(contexts, self.n_features)
        require_finite(X, "contexts")
        if not self.random:
            return self._one_hot(self.choose(X), len(X))
        return self.simulated_shares(X, PROBABILITY_DRAWS)

    def simulated_shares(self, X: FloatArray, decisions: int) -> FloatArray:
        """The share of each arm in simulated decisions."""
        V, V_inv, _, theta, volume = self.model.arrays()
        rng, shares = generator(0), np.zeros(len(X))
        kernels.rounds.shares(
            self.formula.address, X, self.coefficients_now(), self.draws(rng, decisions), self.bank, V, V_inv, theta,
            volume, self.needs_root, shares,
        )  # fmt: skip
        return shares

    def update(self, context: Any, reward: Any) -> None:
        """Learn that an arm with `context` (d,) gave `reward`."""
        model = self.model
        x, r = as_context(context, self.n_features), as_reward(reward)
        if not kernels.ridge.observe(*model.arrays(), x, r):
            raise refuse_values(x, r)
        model.counted(1)

    def update_many(self, contexts: Any, rewards: Any) -> None:
        """Learn n rewards at once: all, or none if one is refused."""
        self.model.observe_many(contexts, rewards)

    def fix_arms(self, contexts: Any) -> "LinearFixedArms":
        """Bind the policy to arms (K, d) that stay: O(K·d) a decision or less, the same choices as `choose`."""
        from rbmle.policies.linear_fixed import LinearFixedArms

        return LinearFixedArms(self, contexts)

    def play(self, contexts: FloatArray, rewards: FloatArray) -> IntArray:
        """Choose and learn for a block of rounds, compiled: contexts (B, K, d), rewards (B, K), trusted as finite."""
        model, arms, start = self.model, np.empty(len(rewards), dtype=np.int64), 0
        for stop, table, draws in self.segments(len(rewards)):
            V, V_inv, b, theta, volume = model.arrays()
            done = kernels.rounds.play(
                self.formula.address, contexts[start:stop], rewards[start:stop], table, draws, self.bank, V, V_inv, b,
                theta, volume, self.needs_root, arms[start:stop],
            )  # fmt: skip
            if done < stop - start:
                bad = start + done
                raise refuse_values(contexts[bad, arms[bad]], float(rewards[bad, arms[bad]]))
            model.counted(stop - start)
            start = stop
        return arms

    def segments(self, count: int) -> Iterator[tuple[int, FloatArray, FloatArray]]:
        """Cut `count` rounds where the model is due for a refresh, or where draws would take too much memory."""
        start = 0
        width = max(1, self.draws(generator(0), 1).shape[1])
        while start < count:
            stop = min(count, start + self.model.until_refresh(), start + max(1, MOST_DRAWS // width))
            rounds = np.arange(self.t, self.t + stop - start, dtype=np.float64)
            yield stop, self.coefficients(rounds), self.draws(self.rng, stop - start)
            start = stop

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays."""
        return self.model.state()

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Take over a state that `state` gave."""
        self.model.restore(state)

    def absorb(self, other: Self) -> None:
        """Add what another policy of the same kind has learnt."""
        self.model.merge(other.model)
