"""One draw of the posterior per decision, from a factor that is kept: O(d²) for the draw, 2d for each arm.

U        (d, d)  upper triangular with UᵀU = V and a positive diagonal, which makes it unique: V = C Cᵀ has C = Uᵀ
z        (d,)    standard normal; y = U⁻¹z has covariance V⁻¹, and x_aᵀy = w_aᵀz for the root's row w_a = C⁻¹x_a
"""

import math

from rbmle.kernels.compile import compiled, reordered
from rbmle.types import FloatArray


@compiled
def extend(U: FloatArray, x: FloatArray, w: FloatArray) -> None:
    """U of V + x xᵀ: row by row, a rotation takes what x adds to it. `w` (d,): scratch."""
    d = len(x)
    w[:] = x
    for i in range(d):
        if w[i] == 0.0:
            continue
        before = U[i, i]
        U[i, i] = after = math.hypot(before, w[i])
        stretch, share = after / before, w[i] / before
        for j in range(i + 1, d):
            U[i, j] = (U[i, j] + share * w[j]) / stretch
            w[j] = stretch * w[j] - share * U[i, j]


@compiled
def extend_by_many(U: FloatArray, X: FloatArray, w: FloatArray) -> None:
    """`extend` by contexts (n, d), one after the other."""
    for s in range(len(X)):
        extend(U, X[s], w)


@reordered
def dot(x: FloatArray, y: FloatArray) -> float:
    """xᵀy."""
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s


@compiled
def draw(U: FloatArray, z: FloatArray, y: FloatArray) -> None:
    """y = U⁻¹z."""
    d = len(z)
    for i in range(d - 1, -1, -1):
        y[i] = (z[i] - dot(U[i, i + 1 :], y[i + 1 :])) / U[i, i]


@compiled
def project(X: FloatArray, theta: FloatArray, y: FloatArray, mean: FloatArray, step: FloatArray) -> float:
    """m_a = x_aᵀθ̂ and step_a = x_aᵀy (K, 1); returns the sum of their squares, which says whether all are numbers."""
    total = 0.0
    for a in range(len(X)):
        mean[a], step[a, 0] = dot(X[a], theta), dot(X[a], y)
        total += mean[a] * mean[a] + step[a, 0] * step[a, 0]
    return total
