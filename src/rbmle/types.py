"""The types of all signatures: what we return, arrays of one kind, and what we take. `ArrayLike` is NumPy's: numbers in
an array, in lists of lists, in a data frame or in a column or row of one.

Number  one number: Python's, NumPy's, or an array of no dimensions
Sets    the contexts of N decisions: an array (N, K, d), or a list of arrays or data frames (K, d), K of its own each
Row     what is known of a visitor or of an arm: a dict, a row of a data frame, or values in the order of the columns
Rows    several such: a list of rows, a data frame, an array or a sparse matrix
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike as ArrayLike
from numpy.typing import NDArray

__all__ = ["BoolArray", "FloatArray", "IntArray", "KeyArray", "Number", "Row", "Rows", "Sets", "Sparse"]

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
KeyArray: TypeAlias = NDArray[np.uint64]


class Sparse(Protocol):
    """A sparse matrix, as SciPy has them."""

    def tocsr(self) -> Any:
        """By rows."""
        ...

    def toarray(self) -> Any:
        """With all its zeros."""
        ...


# Signatures quote these, so that `help` tells their names and not what they are made of.
Number: TypeAlias = float | np.floating[Any] | np.integer[Any] | np.bool_ | NDArray[Any]
Sets: TypeAlias = NDArray[Any] | Sequence[ArrayLike]
Row: TypeAlias = Mapping[Any, Any] | Sequence[Any] | ArrayLike | Sparse
Rows: TypeAlias = Sequence[Row] | ArrayLike | Sparse
