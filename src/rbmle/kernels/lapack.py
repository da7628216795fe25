"""LAPACK for compiled code, called as numba's own `np.linalg` calls it: the same bits, without what that compiles.

Each of np.linalg's functions takes half a second to compile, most of it for the errors that it may raise. Here what
goes wrong is a return value. Matrices are (d, d) and symmetric, or stand transposed, for LAPACK goes by columns.
"""

import numpy as np
from numba.np.linalg import _LAPACK, F_INT_nptype, ensure_lapack, types

from rbmle.kernels.compile import compiled
from rbmle.types import FloatArray

ensure_lapack()
REAL, VECTORS, LOWER, UPPER = ord("d"), ord("V"), ord("L"), ord("U")
potrf, getrf = _LAPACK().numba_xxpotrf(types.float64), _LAPACK().numba_xxgetrf(types.float64)
getri, evd = _LAPACK().numba_ez_xxgetri(types.float64), _LAPACK().numba_ez_xxxevd(types.float64)


@compiled
def cholesky(V: FloatArray, C: FloatArray) -> bool:
    """C lower triangular with C Cᵀ = V; False where V is not positive definite."""
    d = len(V)
    for i in range(d):
        for j in range(d):
            C[i, j] = V[i, j]
    if potrf(REAL, UPPER, d, C.ctypes, d) != 0:
        return False
    for i in range(d):
        for j in range(i + 1, d):
            C[i, j] = 0.0
    return True


@compiled
def inverse(A: FloatArray) -> FloatArray:
    """A⁻¹ of a matrix that has one."""
    d = len(A)
    turned, pivots, result = np.empty((d, d)), np.empty(d, dtype=F_INT_nptype), np.empty((d, d))
    for i in range(d):
        for j in range(d):
            turned[j, i] = A[i, j]
    getrf(REAL, d, d, turned.ctypes, d, pivots.ctypes)
    getri(REAL, d, turned.ctypes, d, pivots.ctypes)
    for i in range(d):
        for j in range(d):
            result[i, j] = turned[j, i]
    if pivots[0] < 1:  # they count from 1; and numba is not to give the array away before this
        result[:] = np.nan
    return result


@compiled
def eigenvectors(A: FloatArray, values: FloatArray) -> FloatArray:
    """The eigenvectors of a symmetric matrix as rows, the values in rising order into `values`."""
    d = len(A)
    rows = A.copy()
    evd(REAL, VECTORS, LOWER, d, rows.ctypes, d, values.ctypes)
    return rows
