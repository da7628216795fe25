"""The types of all signatures: arrays that we return, and what we take."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["ArrayLike", "BoolArray", "FloatArray", "IntArray", "KeyArray", "Number", "Row", "Rows", "Sets", "Sparse"]

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
KeyArray: TypeAlias = NDArray[np.uint64]


class Sparse(Protocol):
    """A sparse matrix of SciPy."""

    def tocsr(self) -> Any:
        """By rows."""
        ...

    def toarray(self) -> Any:
        """With all its zeros."""
        ...


# In signatures these are quoted, so that `help` tells their names and not what they are made of. ArrayLike, which is
# NumPy's: numbers in an array, in nested lists, in a data frame or a column of one.

# One number: Python's, NumPy's, or an array of no dimensions.
Number: TypeAlias = float | np.floating[Any] | np.integer[Any] | np.bool_ | NDArray[Any]
# The contexts of N decisions: an array (N, K, d), or a list of N arrays or data frames (K, d), each with its own K.
Sets: TypeAlias = NDArray[Any] | Sequence[ArrayLike]
# What is known of a visitor or of an arm: a dict, a row of a data frame, or values in the order of the columns.
Row: TypeAlias = Mapping[Any, Any] | Sequence[Any] | ArrayLike | Sparse
# Several such: a list of rows, a data frame, an array or a sparse matrix.
Rows: TypeAlias = Sequence[Row] | ArrayLike | Sparse
