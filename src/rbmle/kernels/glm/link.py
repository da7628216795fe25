"""μ, μ' and b of a family over an array of scores, written so that the compiler turns the loops into vector code."""

import ctypes
import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import types

from rbmle.kernels.address import at_address
from rbmle.kernels.bits import bits_of, float_of
from rbmle.kernels.compile import compiled, melted
from rbmle.kernels.glm.named import GAUSSIAN, LINK, LOGISTIC, MATRIX, POISSON, WHOLE
from rbmle.types import FloatArray, IntArray

SCALAR = types.float64(types.float64)
LINK_SIGNATURE = types.void(LINK, WHOLE, MATRIX)

# Places in the functions of a `Link`: μ, μ' and b of a user's family, and our own that are called by address.
MU, DMU, B, FILL, EVALUATE, MAXIMISE = 0, 1, 2, 3, 4, 5
# Places in the functions of a `Rule`.
LOOK, CONTEND, START, CLOSER = 0, 1, 2, 3

LOG2_E = 1.4426950408889634
LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10
ROUNDER = 6755399441055744.0  # 1.5 · 2^52: adding it leaves the nearest integer in the low bits
LARGEST_EXPONENT = 709.782712893384

# artanh(s)/s = 1 + Σ LOG_k s^(2k) for s² ≤ 1/9, interpolated at Chebyshev points; error below 1e-17.
LOG_1 = 0.3333333333333333
LOG_2 = 0.20000000000007292
LOG_3 = 0.1428571428355438
LOG_4 = 0.11111111358713932
LOG_5 = 0.09090894718066429
LOG_6 = 0.07692785032479312
LOG_7 = 0.06657072104827468
LOG_8 = 0.06000536404795356
LOG_9 = 0.04400369243072337
LOG_10 = 0.08082022805971767


scalar_at = at_address(SCALAR)
link_at = at_address(LINK_SIGNATURE)


def compile_function(function: Callable[[float], float]) -> Any:
    """Give a function of one number an address: machine code where numba can, a call back into Python where not.

    Compiled code cannot raise across an address: where the function raises or gives no number, its value is NaN, and
    `Custom.trouble` of rbmle.families finds out what happened.
    """

    def python_guard(z: float) -> float:
        try:
            return float(function(z))
        except Exception:  # noqa: BLE001  whatever it was, it ends here
            return math.nan

    try:
        inner = numba.njit(function)

        def compiled_guard(z: float) -> float:
            try:
                value = inner(z)
            except Exception:  # noqa: BLE001
                return math.nan
            return float(value)

        return numba.cfunc(SCALAR)(compiled_guard)
    except Exception:  # noqa: BLE001  whatever numba stumbles over, Python may not
        return ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(python_guard)


def address_of(handle: Any) -> int:
    """The address of what `compile_function` made; the handle must stay alive while it is used."""
    if hasattr(handle, "address"):
        return int(handle.address)
    return int(ctypes.cast(handle, ctypes.c_void_p).value or 0)


@melted
def exp(x: float) -> float:
    """eˣ for −708 ≤ x ≤ 709.78, within 2 units in the last place, without a branch or a table."""
    shifted = x * LOG2_E + ROUNDER
    k = shifted - ROUNDER
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    r2 = r * r
    r4 = r2 * r2
    low = (1.0 + r) + r2 * (0.5 + r * (1.0 / 6.0))
    middle = (1.0 / 24.0 + r * (1.0 / 120.0)) + r2 * (1.0 / 720.0 + r * (1.0 / 5040.0))
    high = (1.0 / 40320.0 + r * (1.0 / 362880.0)) + r2 * (1.0 / 3628800.0 + r * (1.0 / 39916800.0))
    p = low + r4 * (middle + r4 * (high + r4 * (1.0 / 479001600.0)))
    half = float_of((bits_of(shifted) + 1022) << 52)  # 2^(k−1): 2^1024 would not be a number
    return p * half * 2.0


@melted
def log1p_unit(u: float) -> float:
    """log(1 + u) for 0 ≤ u ≤ 1, by 2 artanh(u/(2+u))."""
    s = u / (2.0 + u)
    w = s * s
    w2 = w * w
    w4 = w2 * w2
    low = (1.0 + w * LOG_1) + w2 * (LOG_2 + w * LOG_3)
    middle = (LOG_4 + w * LOG_5) + w2 * (LOG_6 + w * LOG_7)
    high = (LOG_8 + w * LOG_9) + w2 * LOG_10
    p = low + w4 * (middle + w4 * high)
    return 2.0 * s * p


def link_body(link: Any, n: int, work: FloatArray) -> None:
    """Fill μ, μ' and b, work[1] to work[3], at the n scores in work[0]."""
    z, mu, dmu, b = work[0], work[1], work[2], work[3]
    limit = link.limit
    if limit == math.inf:
        inside = z
    else:
        inside = np.empty(n)
        for i in range(n):
            v = z[i]
            v = v if v < limit else limit
            inside[i] = v if v > -limit else -limit
    plain_link(link.code, link.functions, n, inside, mu, dmu, b)
    if limit < math.inf:
        for i in range(n):
            out = z[i] - inside[i]
            b[i] += out * (mu[i] + 0.5 * out * dmu[i])
            mu[i] += out * dmu[i]


@compiled
def plain_link(
    code: int, functions: IntArray, n: int, z: FloatArray, mu: FloatArray, dmu: FloatArray, b: FloatArray
) -> None:
    """The link without extension."""
    if code == LOGISTIC:
        for i in range(n):
            v = z[i]
            size = math.fabs(v)
            u = exp(-(size if size < 708.0 else 708.0))
            p = 1.0 / (1.0 + u)
            mu[i] = p if v >= 0.0 else u * p
            dmu[i] = u * p * p
            b[i] = (v if v > 0.0 else 0.0) + log1p_unit(u)
    elif code == POISSON:
        for i in range(n):
            v = z[i]
            low = v if v > -708.0 else -708.0
            e = exp(low if low < LARGEST_EXPONENT else LARGEST_EXPONENT)
            e = e if v <= LARGEST_EXPONENT else math.inf
            mu[i] = e
            dmu[i] = e
            b[i] = e
    elif code == GAUSSIAN:
        for i in range(n):
            mu[i] = z[i]
            dmu[i] = 1.0
            b[i] = 0.5 * z[i] * z[i]
    else:
        for i in range(n):
            mu[i] = scalar_at(functions[MU])(z[i])
            dmu[i] = scalar_at(functions[DMU])(z[i])
            b[i] = scalar_at(functions[B])(z[i])


link_inline = compiled(link_body)


@compiled
def fill_link(link: Any, n: int, work: FloatArray) -> None:
    """`link_body` called by address: its loops are compiled once, not once for every caller."""
    link_at(link.functions[FILL])(link, n, work)
