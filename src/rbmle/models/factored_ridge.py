"""Ridge regression that keeps a factor of V, for methods that draw from the posterior in every decision."""

from typing import Any

import numpy as np

from rbmle import kernels
from rbmle.models.ridge import RidgeModel
from rbmle.types import FloatArray, IntArray


class FactoredRidge(RidgeModel):
    """A ridge model with U, upper triangular, UᵀU = V: made when first asked for, and extended by every observation.

    It is made anew from V whenever V⁻¹ is. θ̂ + U⁻¹z with z standard normal is a draw of N(θ̂, V⁻¹).

    >>> model = FactoredRidge(n_features=2)
    >>> model.factor
    array([[1., 0.],
           [0., 1.]])
    >>> model.observe([3.0, 0.0], 1.0)
    >>> model.factor.T @ model.factor
    array([[10.,  0.],
           [ 0.,  1.]])
    """

    _keeps_more = True
    _factor: FloatArray | None = None
    _extends = True  # whether observations are still to be put into the factor; rounds do that themselves

    @property
    def factor(self) -> FloatArray:
        """U: what the model goes on with, for kernels, which extend it by what they learn."""
        self.settle()
        if self._factor is None:
            self._factor, self._scratch = np.empty((self._d, self._d)), np.empty(self._d)
            self._factorize(self._factor)
        return self._factor

    def _factorize(self, U: FloatArray) -> None:
        try:
            U[:] = np.linalg.cholesky(self._V).T
        except np.linalg.LinAlgError:  # rounding has left V no factor: that of V with eigenvalues from λ on
            values, vectors = np.linalg.eigh(self._V)
            U[:] = np.linalg.qr((vectors * np.sqrt(np.maximum(values, self._lam))).T, mode="r")
            U *= np.sign(np.diag(U))[:, None]

    def _invert(self) -> None:
        super()._invert()
        if self._factor is not None:
            self._factorize(self._factor)

    def _note(self, X: FloatArray, r: Any) -> None:
        if self._factor is not None and self._extends:
            kernels.linear.posterior.extend_by_many(self._factor, np.atleast_2d(X), self._scratch)

    def play(self, rule: Any, contexts: FloatArray, rewards: FloatArray, arms: IntArray) -> int:
        """Choose and learn in rounds that are alike; see `RidgeModel.play`."""
        self._extends = False
        try:
            return super().play(rule, contexts, rewards, arms)
        finally:
            self._extends = True

    def restore(self, state: Any) -> None:
        """Take over a state that `state` gave; refuses what cannot be one and leaves the model as it was."""
        super().restore(state)
        self._factor = None

    def adopt(self, block: FloatArray, count: int) -> None:
        """Take over numbers of rounds that were played elsewhere."""
        self._factor = None
        super().adopt(block, count)

    def __setstate__(self, snapshot: dict[str, Any]) -> None:
        super().__setstate__(snapshot)
        self._factor = None
