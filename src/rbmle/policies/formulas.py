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
    """Declare the formula of a linear policy: it fills `scores` and returns the number of the arm to play.

    It is compiled when it is first used, and takes eight arguments, of K arms with d features:

        mean          (K,)    m_a = x_aᵀθ̂
        variance      (K,)    v_a = x_aᵀV⁻¹x_a
        root          (K, d)  rows w_a with w_aᵀw_b = x_aᵀV⁻¹x_b, where the class says `needs_root = True`; else (K, 0)
        volume        (3,)    log(det V / det λI) = volume[0] + log(volume[1])
        coefficients  (P,)    what the class's `coefficients` gives for this round
        draws         (D,)    what its `draws` gives for this decision, where it says `random = True`
        bank          (·, ·)  its `bank`, random numbers that are kept for all rounds
        scores        (K,)    to be filled: the index of every arm

    It may call what numba compiles, and the functions of `rbmle.kernels.normal`.

    >>> from rbmle import kernels
    >>> @formula
    ... def index(mean, variance, root, volume, coefficients, draws, bank, scores):
    ...     for a in range(len(mean)):
    ...         scores[a] = mean[a] + coefficients[0] * variance[a]
    ...     return kernels.normal.first_max(scores)
    """
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
