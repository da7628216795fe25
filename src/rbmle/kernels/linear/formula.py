"""Formulas of linear policies as machine code that any compiled loop can call by its address.

A formula takes what is known of the arms and returns the arm to play::

    formula(mean, variance, root, volume, coefficients, draws, bank, scores) -> arm

    mean          (K,)    m_a = x_aᵀθ̂
    variance      (K,)    v_a = x_aᵀV⁻¹x_a; (0,) for a policy that `projects`
    root          (K, d)  rows w_a with w_aᵀw_b = x_aᵀV⁻¹x_b; (K, 0) for a policy that does not ask for it,
                          and (K, 1), w_aᵀz with z its draws, for one that `projects`
    volume        (3,)    log(det V / det λI) = volume[0] + log(volume[1])
    coefficients  (P,)    the policy's numbers of this round
    draws         (D,)    the policy's random numbers of this round; (1,), the number 1, for a policy that `projects`
    bank          (·, ·)  random numbers the policy keeps for all rounds; (0, 0) for nearly every policy
    scores        (K,)    output: the index of every arm

Called by address, one compiled loop serves every formula, those of users included, and stays in numba's cache. The
call goes to the function itself and not to a C wrapper around it, which would print an exception and return arm 0.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Self

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from rbmle.kernels.address import machine_code
from rbmle.kernels.compile import compiled, inlined
from rbmle.types import FloatArray

VECTOR = types.Array(types.float64, 1, "C")
MATRIX = types.Array(types.float64, 2, "C")
SIGNATURE = types.intp(VECTOR, VECTOR, MATRIX, VECTOR, VECTOR, VECTOR, MATRIX, VECTOR)
# In place of an arm: a context that is no number, a formula that raised, and one that returned no arm.
NOT_FINITE, RAISED, NO_ARM = -1, -2, -3


class Rule(NamedTuple):
    """A policy's formula with its numbers, for compiled loops.

    coefficients  (B, P), draws (B, D): of every round
    factor        (d, d)  U of kernels.linear.posterior for a formula that asks of the root for w_aᵀz alone: it is
                          handed a root (K, 1) of these, draws (1,) = 1, and no variances; (0, 0) for others
    """

    address: int
    coefficients: FloatArray
    draws: FloatArray
    bank: FloatArray
    needs_root: bool
    factor: FloatArray

    def after(self, rounds: int) -> Self:
        """Without the first rounds."""
        return self._replace(coefficients=self.coefficients[rounds:], draws=self.draws[rounds:])


class Known(NamedTuple):
    """What a formula is told of the arms."""

    mean: FloatArray
    variance: FloatArray
    root: FloatArray
    volume: FloatArray


def compile_formula(function: Callable[..., int]) -> tuple[Any, int]:
    """The machine code, which must be kept alive, and its address.

    A formula of a user's raises where it reads beyond an array; ours are known not to.
    """
    ours = function.__module__.partition(".")[0] == __name__.partition(".")[0]
    code = machine_code(SIGNATURE, function, boundscheck=not ours)
    # The C wrapper is named after the function that it wraps.
    return code, int(code._library.get_pointer_to_function(code.native_name.removeprefix("cfunc.")))


@intrinsic
def call(typingctx: Any, address: Any, arguments: Any) -> Any:
    """Inside compiled code: call the formula at an address. RAISED where it raised."""

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        convention = context.call_conv
        kind = convention.get_function_type(SIGNATURE.return_type, SIGNATURE.args)
        function = builder.inttoptr(values[0], ir.PointerType(kind))
        handed = [builder.extract_value(values[1], place) for place in range(len(SIGNATURE.args))]
        status, arm = convention.call_function(builder, function, SIGNATURE.return_type, SIGNATURE.args, handed)
        return builder.select(status.is_error, ir.Constant(arm.type, RAISED), arm)

    return types.intp(types.intp, types.Tuple(SIGNATURE.args)), codegen


@inlined
def arm_or_why(arm: int, n_arms: int) -> int:
    """What a formula returned, or NO_ARM."""
    return arm if arm < n_arms and (arm >= 0 or arm == RAISED) else NO_ARM


@compiled
def ask(address: int, known: Known, c: FloatArray, z: FloatArray, bank: FloatArray, scores: FloatArray) -> int:
    """The arm by a formula, or RAISED or NO_ARM."""
    arm = call(address, (known.mean, known.variance, known.root, known.volume, c, z, bank, scores))
    return arm_or_why(arm, len(scores))
