"""Formulas of linear policies as machine code that any compiled loop can call by its address.

A formula takes what is known of the arms and returns the arm to play::

    formula(mean, variance, root, volume, coefficients, draws, bank, scores) -> arm

    mean          (K,)    m_a = x_aᵀθ̂
    variance      (K,)    v_a = x_aᵀV⁻¹x_a
    root          (K, d)  rows w_a with w_aᵀw_b = x_aᵀV⁻¹x_b; (K, 0) for a policy that does not ask for it
    volume        (2,)    log(det V / det λI) = volume[0] + log(volume[1])
    coefficients  (P,)    the policy's numbers of this round
    draws         (D,)    the policy's random numbers of this round
    bank          (·, ·)  random numbers the policy keeps for all rounds; (0, 0) for nearly every policy
    scores        (K,)    output: the index of every arm

Called by address, one compiled loop serves every formula, those of users included, and stays in numba's cache.
"""

from collections.abc import Callable
from typing import Any

import numba
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from rbmle.kernels.compile import our_cache

VECTOR = types.Array(types.float64, 1, "C")
MATRIX = types.Array(types.float64, 2, "C")
SIGNATURE = types.intp(VECTOR, VECTOR, MATRIX, VECTOR, VECTOR, VECTOR, MATRIX, VECTOR)
FORMULA = types.FunctionType(SIGNATURE)


def compile_formula(function: Callable[..., int]) -> Any:
    """Compile a formula to a function with a fixed address. The result must be kept alive while the address is used."""
    with our_cache() as writable:
        return numba.cfunc(SIGNATURE, cache=writable, error_model="numpy")(function)


@intrinsic
def formula_at(typingctx: Any, address: Any) -> Any:
    """Inside compiled code: the formula that lives at an address."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = cgutils.create_struct_proxy(FORMULA)(context, builder)
        nothing = cgutils.get_null_value(cgutils.voidptr_t)
        function.c_addr = builder.inttoptr(arguments[0], cgutils.voidptr_t)
        function.py_addr = nothing
        function.jit_addr = nothing
        return function._getvalue()

    return FORMULA(types.intp), codegen
