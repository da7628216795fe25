"""The triangular root of an inverse: R with RᵀR = H⁻¹, so that ‖R v‖² = vᵀH⁻¹v."""

import math

from rbmle.kernels.compile import compiled
from rbmle.types import FloatArray


@compiled
def invert_root(H: FloatArray, R: FloatArray) -> bool:
    """R = C⁻¹, lower triangular, for H = C Cᵀ, so that H⁻¹ = RᵀR. H is overwritten. False where H is not positive."""
    d = len(H)
    for j in range(d):
        s = H[j, j]
        for k in range(j):
            s -= H[j, k] * H[j, k]
        if not (s > 0.0 and s < math.inf):
            return False
        inverse = 1.0 / math.sqrt(s)
        R[j, j] = inverse
        for i in range(j + 1, d):
            s = H[i, j]
            for k in range(j):
                s -= H[i, k] * H[j, k]
            H[i, j] = s * inverse
    for j in range(d):
        for i in range(j + 1, d):
            s = 0.0
            for k in range(j, i):
                s += H[i, k] * R[k, j]
            R[i, j] = -s * R[i, i]
            R[j, i] = 0.0
    return True


@compiled
def apply_root(R: FloatArray, v: FloatArray, out: FloatArray) -> float:
    """out = R v; returns ‖R v‖² = vᵀH⁻¹v."""
    square = 0.0
    for i in range(len(v)):
        s = 0.0
        for k in range(i + 1):
            s += R[i, k] * v[k]
        out[i] = s
        square += s * s
    return square


@compiled
def apply_transposed(R: FloatArray, v: FloatArray, out: FloatArray) -> None:
    """out = Rᵀv."""
    d = len(v)
    for i in range(d):
        out[i] = 0.0
    for k in range(d):
        t = v[k]
        for i in range(k + 1):
            out[i] += R[k, i] * t
