"""What the formula of a linear method is told besides its arms: numbers of the round, random numbers, all checked."""

import functools
from typing import Any, ClassVar

import numpy as np

from rbmle import kernels
from rbmle.errors import FormulaError, InvalidInputError
from rbmle.inputs import LARGEST_CONTEXT, require_contexts
from rbmle.policies.base import Policy
from rbmle.policies.formulas import Formula
from rbmle.policies.table import RoundTable, require_table
from rbmle.random import generator
from rbmle.types import FloatArray

NO_BANK = np.empty((0, 0))


def one_uniform(self: "Formulated", rng: np.random.Generator, count: int) -> "FloatArray":
    """One uniform number for every decision: the `draws` of many methods."""
    return rng.random((count, 1))


class Formulated(Policy):
    """A policy with a formula, and the `coefficients`, `draws` and `bank` that it reads.

    What users' methods return reaches compiled code, so it is looked at: its kind, its width, NaN.
    """

    formula: ClassVar[Formula]
    needs_root: ClassVar[bool] = False
    projects: ClassVar[bool] = False  # whether it asks of the root for w_aᵀz alone: its model keeps a factor

    _written_by: ClassVar[type["Formulated"]]

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if "formula" in cls.__dict__:
            cls._written_by = cls

    def __post_init__(self) -> None:
        super().__post_init__()
        self._columns: int | None = None
        self._bank_seen = NO_BANK
        self._table = RoundTable(self._checked_coefficients, self.params, self._steady)
        self._ours = type(self).__module__.partition(".")[0] == __name__.partition(".")[0]
        self._has_bank = type(self).bank is not Formulated.bank

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """The numbers of the formula that depend on the round: shape (B, P) for rounds t of shape (B,)."""
        return np.empty((len(rounds), 0))

    def draws(self, rng: np.random.Generator, count: int) -> "FloatArray":
        """The random numbers of `count` decisions, shape (count, D): the same drawn one by one or together."""
        return np.empty((count, 0))

    @property
    def bank(self) -> "FloatArray":
        """Random numbers kept for all rounds."""
        return NO_BANK

    @property
    def _steady(self) -> bool:
        """Whether coefficients depend on the round alone, and contexts are seen as they are."""
        return True

    def effective_rounds(self, rounds: "FloatArray") -> "FloatArray":
        """What schedules take for t."""
        return rounds

    def _numbers(self, t: int) -> FloatArray:
        """The row of coefficients of a round."""
        return self._table.at(t)

    def _coefficients(self, t: int, count: int) -> FloatArray:
        """The rows of coefficients of rounds t … t+count−1."""
        return self._table.block(t, count)

    def _checked_coefficients(self, rounds: FloatArray) -> FloatArray:
        name, first, rounds = f"{type(self).__name__}.coefficients", int(rounds[0]), self.effective_rounds(rounds)
        if self._columns is None:
            own = type(self)._written_by.coefficients(self, rounds)
            self._columns = require_table(own, (len(rounds), None), name).shape[1]
        table = require_table(self.coefficients(rounds), (len(rounds), self._columns), name)
        if np.isnan(table).any():
            raise InvalidInputError(f"{name} must be numbers. Got NaN from round {first} on.")
        return table

    def _drawn(self, count: int) -> FloatArray:
        if not self.random:
            return np.empty((count, 0))
        drawn = self.draws(self.rng, count)
        if self._ours:  # known to be what compiled code needs
            return drawn
        drawn = require_table(drawn, (count, self._width), f"{type(self).__name__}.draws")
        if not kernels.border.all_within(drawn, LARGEST_CONTEXT):
            raise InvalidInputError(f"{type(self).__name__}.draws must return finite numbers. Got others.")
        return drawn

    def _checked_bank(self) -> FloatArray:
        """The bank as compiled code needs it; looked at only when it is another array."""
        bank = self.bank
        if bank is not self._bank_seen:
            bank = require_table(bank, (None, None), f"{type(self).__name__}.bank")
            if not kernels.border.all_within(bank, LARGEST_CONTEXT):
                raise InvalidInputError(f"{type(self).__name__}.bank must hold finite numbers. Got others.")
            self._bank_seen = bank
        return bank

    @functools.cached_property
    def _width(self) -> int:
        """Random numbers of one decision, as the class with the formula draws them: it reads so many."""
        if not self.random:
            return 0
        own = type(self)._written_by.draws(self, generator(0), 1)
        return int(require_table(own, (1, None), f"{type(self).__name__}.draws").shape[1])

    def _no_arm(self, code: int, X: FloatArray, t: int) -> Exception:
        """Say why there is no arm."""
        if code == kernels.linear.formula.NOT_FINITE:
            require_contexts(X)
        name, what = type(self).__name__, f"for {len(X)} arms in round {t}"
        if code == kernels.linear.formula.NO_ARM:
            return FormulaError(f"The formula of {name} must return an arm from 0 to {len(X) - 1}. It did not {what}.")
        return FormulaError(f"The formula of {name} raised an exception {what}; no arm was played.")
