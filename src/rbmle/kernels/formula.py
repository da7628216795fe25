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

from numba import types

from rbmle.kernels.address import at_address, machine_code

VECTOR = types.Array(types.float64, 1, "C")
MATRIX = types.Array(types.float64, 2, "C")
SIGNATURE = types.intp(VECTOR, VECTOR, MATRIX, VECTOR, VECTOR, VECTOR, MATRIX, VECTOR)

formula_at = at_address(SIGNATURE)


def compile_formula(function: Callable[..., int]) -> Any:
    """Compile a formula to a function with a fixed address. The result must be kept alive while the address is used."""
    return machine_code(SIGNATURE, function)
