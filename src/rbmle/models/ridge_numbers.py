"""What a ridge model keeps: one block of numbers, when its inverse is computed anew, and its state."""

from collections.abc import Mapping
from math import log
from typing import Any, Self

import numpy as np

from rbmle import kernels, params
from rbmle.errors import InvalidInputError
from rbmle.models.protocol import Sized
from rbmle.models.ridge_bounds import VERY_MANY
from rbmle.models.ridge_catalogue import RidgeCatalogue
from rbmle.models.state import read_state, require_count, require_definite, require_positive, require_symmetric
from rbmle.params import Integer, Real
from rbmle.types import FloatArray, IntArray

# A product of at most so many multiplications is left to one thread by every BLAS we know.
ONE_THREAD = 2**18
# Observations between two refreshes of the inverse: few enough for rounding, so many that their cost does not show.
REFRESH = 8192


def squared(C_inv: FloatArray) -> FloatArray:
    """C⁻ᵀC⁻¹, symmetric to the last bit, in products small enough for one thread.

    LAPACK's own (dpotri) wakes BLAS's threads for any size, and each of them then spins for some 50 ms.
    """
    d = len(C_inv)
    inverse, rows = np.empty((d, d)), max(16, ONE_THREAD // (d * d))
    for i in range(0, d, rows):
        inverse[i : i + rows] = C_inv[i:, i : i + rows].T @ C_inv[i:]  # what stands above is 0
    lower: FloatArray = np.tril(inverse)
    return lower + np.tril(inverse, -1).T


class RidgeNumbers(Sized):
    """V, V⁻¹, b, θ̂ and the determinant, with the pulls that a catalogue keeps for them; a model learns into these."""

    def __init__(self, *, n_features: int, regularization: float = 1.0) -> None:
        name = type(self).__name__
        params.require(name, "n_features", n_features, Integer(1))
        params.require(name, "regularization", regularization, Real(0.0, open_low=True))
        self._allocate(int(n_features), float(regularization))

    def _allocate(self, d: int, lam: float) -> None:
        """Numbers of a model that has seen nothing."""
        self._d, self._lam = d, lam
        self._n = self._version = 0
        # The arrays below are views of one block, which is what compiled code takes (kernels.linear.ridge).
        self._block = np.zeros(2 * d * d + 2 * d + 3)
        self._V, self._V_inv = self._block[: 2 * d * d].reshape(2, d, d)
        self._b, self._theta = self._block[2 * d * d : -3].reshape(2, d)
        self._volume = self._block[-3:]
        self._V.flat[:: d + 1], self._V_inv.flat[:: d + 1] = lam, 1.0 / lam
        self._volume[:] = 0.0, 1.0, d * log(lam)
        self._plan_refresh()
        # Arms that stay keep their pulls as sums (`_held`); V and b follow from those and from `_before`.
        self._held: RidgeCatalogue | None = None
        self._before: tuple[FloatArray, FloatArray] = (self._V, self._b)
        self._behind = False

    @property
    def n(self) -> int:
        """How many rewards have been learnt."""
        return self._n

    @property
    def n_effective(self) -> float:
        """How many rewards count: all of them, unless the model forgets."""
        return float(self._n)

    @property
    def version(self) -> int:
        """Changes whenever something is learnt, so that whoever derives from it can tell."""
        return self._version

    @property
    def V(self) -> FloatArray:
        """λI + Σ x xᵀ, shape (d, d)."""
        self.settle()
        return self._V.copy()

    @property
    def V_inv(self) -> FloatArray:
        """V⁻¹, shape (d, d)."""
        self.settle()
        return self._V_inv.copy()

    @property
    def b(self) -> FloatArray:
        """Σ r x, shape (d,)."""
        self.settle()
        return self._b.copy()

    @property
    def theta_hat(self) -> FloatArray:
        """The ridge estimate V⁻¹b, shape (d,)."""
        self.settle()
        return self._theta.copy()

    @property
    def log_det(self) -> float:
        """log(det V / det λI): how much has been learnt."""
        self.settle()
        return float(self._volume[0] + np.log(self._volume[1]))

    def settle(self) -> FloatArray:
        """The block of all arrays for kernels that read it, with the pulls of a catalogue in it.

        V and b follow from the same sums however often somebody asks: reading changes no later bit.
        """
        if self._behind and self._held is not None:
            (_, _, counts, sums), V, b = self._held.rows, *self._before
            # Of very many arms few were pulled: nothing as large as all of them is made.
            pulled = np.flatnonzero(counts) if len(counts) >= VERY_MANY else slice(None)
            X = self._held.seen[pulled]
            self._V[:] = V + X.T @ (counts[pulled, None] * X)
            self._b[:] = b + X.T @ sums[pulled]
            self._invert()
            self._behind = False
        return self._block

    def _release(self) -> None:
        """Take over the sums that a catalogue keeps."""
        if self._held is not None:
            self.settle()
            self._held = None

    def _refresh(self) -> None:
        """Compute V⁻¹, θ̂ and the determinant anew from V and b."""
        self._invert()
        self._version += 1
        self._plan_refresh()

    def _invert(self) -> None:
        if self._d > kernels.linear.predict.SMALL:
            if self._invert_by_lapack():
                return
        elif kernels.linear.ridge.refresh(self._block, self._d):
            return
        # V ⪰ λI by what it is; where rounding says otherwise, λ is put in the place of what it left.
        values, vectors = np.linalg.eigh(self._V)
        values = np.maximum(values, self._lam)
        self._V_inv[:] = (vectors / values) @ vectors.T
        self._V_inv[:] = 0.5 * (self._V_inv + self._V_inv.T)
        self._volume[:2] = float(np.log(values).sum()) - self._volume[2], 1.0
        self._theta[:] = self._V_inv @ self._b

    def _invert_by_lapack(self) -> bool:
        """As kernels.linear.ridge.refresh, in a quarter of its time for many features, and less while few were seen."""
        from scipy.linalg import lapack  # takes a while to load

        seen = self._seen()
        if not len(seen):  # LAPACK takes no empty matrix
            return bool(kernels.linear.ridge.refresh(self._block, self._d))
        part = np.ix_(seen, seen)
        C, trouble = lapack.dpotrf(self._V[part].T, lower=1, clean=1, overwrite_a=1)
        if trouble:
            return False
        diagonal = np.diag(C).copy()
        C_inv, trouble = lapack.dtrtri(C, lower=1, overwrite_c=1)
        if trouble:
            return False
        self._V_inv[:] = 0.0
        np.fill_diagonal(self._V_inv, 1.0 / self._lam)
        self._V_inv[part] = squared(C_inv)
        log_det = 2.0 * float(np.log(diagonal).sum()) + (self._d - len(seen)) * log(self._lam)
        self._volume[:2] = log_det - self._volume[2], 1.0
        self._theta[:] = self._V_inv @ self._b
        self._theta += self._V_inv @ (self._b - self._V @ self._theta)  # one step of refinement
        return True

    def _seen(self) -> IntArray:
        """The features of which something was learnt."""
        return np.flatnonzero(np.diag(self._V) != self._lam)

    def _plan_refresh(self) -> None:
        """Set when the inverse is due for a refresh: at powers of 4 from 4d on, then every 8192 observations."""
        next_power = 1 << (max(self._n, 4 * self._d - 1).bit_length() + 1) // 2 * 2
        self._next_refresh = min(next_power, self._n - self._n % REFRESH + REFRESH)

    def _require_alike(self, other: "RidgeNumbers") -> None:
        mine, theirs = ((type(each), each._d, each._lam) for each in (self, other))
        if mine != theirs:
            raise InvalidInputError(
                f"merge needs models of the same kind, n_features and regularization. Got {self!r} and {other!r}."
            )

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays: copies."""
        self.settle()
        arrays = {
            "V": self._V,
            "V_inv": self._V_inv,
            "b": self._b,
            "theta_hat": self._theta,
            "volume": self._volume[:2],
        }
        return {name: array.copy() for name, array in arrays.items()} | {"n": np.array([float(self._n)])}

    def _least_diagonal(self) -> float:
        """Below this no entry of V's diagonal can be."""
        return self._lam

    def restore(self, state: Mapping[str, FloatArray]) -> None:
        """Take over a state that `state` gave; refuses what cannot be one and leaves the model as it was."""
        d = self._d
        new = read_state(state, {"V": (d, d), "V_inv": (d, d), "b": (d,), "theta_hat": (d,), "volume": (2,), "n": (1,)})
        n = require_count(new["n"][0])
        require_symmetric(new["V"], "V")
        least = self._least_diagonal()
        if (np.diag(new["V"]) < least * (1.0 - 1e-9)).any() or not (np.diag(new["V"]) > 0.0).all():
            raise InvalidInputError(f"state['V'] must be at least {least:g} on its diagonal, the regularization.")
        require_definite(new["V_inv"], "V_inv")
        require_positive(new["volume"][1:], "volume")
        self._V[:], self._V_inv[:], self._b[:], self._theta[:] = (
            new[name] for name in ("V", "V_inv", "b", "theta_hat")
        )
        self._volume[:2] = new["volume"]
        self._held, self._behind, self._n = None, False, n
        self._version += 1
        self._plan_refresh()

    def __getstate__(self) -> dict[str, Any]:
        """A snapshot, for copies, pickles, and for going back."""
        self.settle()
        plan = self._next_refresh
        return {"d": self._d, "lam": self._lam, "n": self._n, "plan": plan, "block": self._block.copy()}

    def __setstate__(self, snapshot: dict[str, Any]) -> None:
        if "_block" not in self.__dict__:  # a new object
            self._allocate(snapshot["d"], snapshot["lam"])
        self._block[:] = snapshot["block"]
        self._held, self._behind = None, False
        self._n, self._next_refresh = snapshot["n"], snapshot["plan"]
        self._version += 1

    def __deepcopy__(self, _: dict[int, Any]) -> Self:
        twin = object.__new__(type(self))
        twin.__setstate__(self.__getstate__())
        return twin

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_features={self._d}, regularization={self._lam}, n={self._n})"
