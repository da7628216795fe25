"""First and second moments of a few columns, added up so that it does not matter how rows were split."""

from dataclasses import dataclass

import numpy as np

from rbmle import kernels
from rbmle.types import FloatArray


@dataclass(eq=False)
class Moments:
    """Σ 1, Σ x_c and Σ x_c x_e of m columns.

    Sums carry what their additions rounded away: merged in whatever order, they differ, if at all, in the last bit.

    >>> moments = Moments.of(np.array([[1.0, 2.0, 3.0]]))
    >>> moments.n, moments.first, moments.second
    (3, array([6.]), array([[14.]]))
    """

    m: int
    n: int
    hi: FloatArray
    lo: FloatArray

    @classmethod
    def empty(cls, m: int) -> "Moments":
        """Of no rows."""
        size = m + m * (m + 1) // 2
        return cls(m, 0, np.zeros(size), np.zeros(size))

    @classmethod
    def of(cls, columns: FloatArray) -> "Moments":
        """Of columns (m, n)."""
        moments = cls.empty(len(columns))
        moments.add(columns)
        return moments

    def add(self, columns: FloatArray) -> None:
        """Take in rows: columns (m, n)."""
        kernels.logs.sums.add_moments(np.array(columns, order="C"), self.hi, self.lo)
        self.n += columns.shape[1]

    def merge(self, other: "Moments") -> None:
        """Take in the rows of another."""
        kernels.logs.sums.add_values(other.hi, self.hi, self.lo)
        self.lo += other.lo
        self.n += other.n

    @property
    def totals(self) -> FloatArray:
        """All sums, rounded once."""
        return self.hi + self.lo

    @property
    def first(self) -> FloatArray:
        """(m,) Σ x_c."""
        return self.totals[: self.m]

    @property
    def second(self) -> FloatArray:
        """(m, m) Σ x_c x_e."""
        return square_of(self.totals[self.m :], self.m)

    def __reduce__(self) -> tuple[type["Moments"], tuple[int, int, FloatArray, FloatArray]]:
        return Moments, (self.m, self.n, self.hi, self.lo)


def square_of(flat: FloatArray, m: int) -> FloatArray:
    """A symmetric matrix (…, m, m) from its upper triangle (…, m(m+1)/2), row by row."""
    rows, columns = np.triu_indices(m)
    square = np.empty((*flat.shape[:-1], m, m))
    square[..., rows, columns] = square[..., columns, rows] = flat
    return square


def products(columns: FloatArray) -> FloatArray:
    """(m + m(m+1)/2, n): the columns and their products, in the order of `Moments`."""
    rows, others = np.triu_indices(len(columns))
    return np.concatenate([columns, columns[rows] * columns[others]])
