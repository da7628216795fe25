"""Formulas of linear policies: any function of what is known of the arms, or an upper bound, which has faster loops."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rbmle import kernels
from rbmle.policies.table import checked_weights
from rbmle.types import FloatArray

if TYPE_CHECKING:
    from rbmle.kernels.linear.index import Bound


class Formula:
    """A formula (see kernels/linear/formula.py for its arguments), compiled when first used."""

    def __init__(self, function: Callable[..., int]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    @functools.cached_property
    def _compiled(self) -> tuple[Any, int]:
        return kernels.linear.formula.compile_formula(self.function)

    @functools.cached_property
    def address(self) -> int:
        """Where the machine code lives, for compiled loops: as long as this object does."""
        return self._compiled[1]


def formula(function: Callable[..., int]) -> Formula:
    """Declare the formula of a linear policy."""
    return Formula(function)


class BoundFormula(Formula):
    """A formula that is m + outer · v or, where it is `rooted`, m + outer · √(inner · v), and says so.

    weights: outer and inner (B, 2) of coefficients (B, P) and the number of arms.
    """

    def __init__(
        self, function: Callable[..., int], rooted: bool, weights: Callable[[FloatArray, int], FloatArray]
    ) -> None:
        super().__init__(function)
        self.rooted, self.weights = rooted, weights

    def bound(self, coefficients: FloatArray, n_arms: int) -> "Bound":
        """Itself with its numbers, for compiled loops."""
        return kernels.linear.index.Bound(checked_weights(self.weights, coefficients, n_arms), self.rooted)


def outer(coefficients: FloatArray, n_arms: int) -> FloatArray:
    """The weight of a bound is its one coefficient."""
    weights = np.ones((len(coefficients), 2))
    weights[:, 0] = coefficients[:, 0]
    return weights


def inner(coefficients: FloatArray, n_arms: int) -> FloatArray:
    """The same below the root."""
    return outer(coefficients, n_arms)[:, ::-1].copy()


def bound(
    *, rooted: bool, weights: Callable[[FloatArray, int], FloatArray] = outer
) -> Callable[[Callable[..., int]], BoundFormula]:
    """Declare a formula of `kernels.linear.index.upper`: it must be that, with these weights, and nothing else."""
    return lambda function: BoundFormula(function, rooted, weights)


@bound(rooted=False)
def variances(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """m_a + w v_a, w the one coefficient of the round."""
    for a in range(len(mean)):
        scores[a] = kernels.linear.index.upper(mean[a], variance[a], coefficients[0], 1.0, False)
    return kernels.normal.first_max(scores)


@bound(rooted=True)
def deviations(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """m_a + w √v_a, w the one coefficient of the round. Where w = −∞ every index is."""
    for a in range(len(mean)):
        scores[a] = kernels.linear.index.upper(mean[a], variance[a], coefficients[0], 1.0, True)
        if coefficients[0] == -np.inf:
            scores[a] = -np.inf
    return kernels.normal.first_max(scores)
