"""Eight floats side by side, for compiled code: what is done to them is done to all eight at once, in vector registers.

Every operation is that of IEEE arithmetic for each of the eight alone, with no fused or reordered sums: code that is
right for a float gives the same bits for eight of them. They live in arrays (N, 8), a row of which is `load`ed and
`store`d; the last axis is called the lane.
"""

import math
import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

LANES = 8


class EightType(types.Type):  # type: ignore[misc]  # numba's are not typed
    """Eight floats."""

    def __init__(self) -> None:
        super().__init__(name="Eight")


class WhichType(types.Type):  # type: ignore[misc]
    """Eight answers, yes or no."""

    def __init__(self) -> None:
        super().__init__(name="Which")


EIGHT, WHICH = EightType(), WhichType()
FLOATS, BITS = ir.VectorType(ir.DoubleType(), LANES), ir.VectorType(ir.IntType(1), LANES)
ROWS = types.Array(types.float64, 2, "C")


@register_model(EightType)
class EightModel(models.PrimitiveModel):  # type: ignore[misc]
    """As LLVM holds them."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, FLOATS)


@register_model(WhichType)
class WhichModel(models.PrimitiveModel):  # type: ignore[misc]
    """As LLVM holds them."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, BITS)


def spread(builder: Any, value: Any) -> Any:
    """One float in all eight lanes."""
    first = builder.insert_element(ir.Constant(FLOATS, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, ir.Constant(FLOATS, ir.Undefined), zeros)


def declare(operation: Any, emit: Callable[[Any, Any, Any], Any], result: Any) -> None:
    """An operator of eights with eights and with floats."""
    mixed = ((EIGHT, EIGHT), (EIGHT, types.float64), (types.float64, EIGHT))

    class Template(AbstractTemplate):  # type: ignore[misc]
        key = operation

        def generic(self, args: Any, kws: Any) -> Any:
            return signature(result, *args) if args in mixed else None

    infer_global(operation)(Template)

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        both = (
            value if kind == EIGHT else spread(builder, value) for value, kind in zip(args, signature.args, strict=True)
        )
        return emit(builder, *both)

    for kinds in mixed:
        lower_builtin(operation, *kinds)(lower)


declare(operator.add, lambda builder, a, b: builder.fadd(a, b), EIGHT)
declare(operator.sub, lambda builder, a, b: builder.fsub(a, b), EIGHT)
declare(operator.mul, lambda builder, a, b: builder.fmul(a, b), EIGHT)
declare(operator.truediv, lambda builder, a, b: builder.fdiv(a, b), EIGHT)
declare(operator.le, lambda builder, a, b: builder.fcmp_ordered("<=", a, b), WHICH)
declare(operator.lt, lambda builder, a, b: builder.fcmp_ordered("<", a, b), WHICH)
declare(operator.ge, lambda builder, a, b: builder.fcmp_ordered(">=", a, b), WHICH)
declare(operator.gt, lambda builder, a, b: builder.fcmp_ordered(">", a, b), WHICH)


@infer_global(operator.and_)
class Both(AbstractTemplate):  # type: ignore[misc]
    """Yes where both say yes."""

    def generic(self, args: Any, kws: Any) -> Any:
        """Of answers alone."""
        return signature(WHICH, *args) if args == (WHICH, WHICH) else None


@lower_builtin(operator.and_, WHICH, WHICH)
def lower_both(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """As LLVM does it."""
    return builder.and_(*args)


@infer_global(math.sqrt)
class Root(AbstractTemplate):  # type: ignore[misc]
    """So that a formula written for a float serves eight."""

    def generic(self, args: Any, kws: Any) -> Any:
        """Of eight floats."""
        return signature(EIGHT, EIGHT) if args == (EIGHT,) else None


@lower_builtin(math.sqrt, EIGHT)
def lower_root(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Correctly rounded."""
    return apply(builder, "llvm.sqrt", args[0])


def apply(builder: Any, name: str, value: Any) -> Any:
    """A function of LLVM's, of each lane."""
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(FLOATS, [FLOATS]), f"{name}.v{LANES}f64")
    return builder.call(function, [value])


@intrinsic
def size_of(typingctx: Any, value: Any) -> Any:
    """The absolute value of each."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return apply(builder, "llvm.fabs", args[0])

    return EIGHT(EIGHT), codegen


@infer_global(max)
class Larger(AbstractTemplate):  # type: ignore[misc]
    """The same."""

    def generic(self, args: Any, kws: Any) -> Any:
        """Of eight floats and one."""
        return signature(EIGHT, *args) if args == (EIGHT, types.float64) else None


@lower_builtin(max, EIGHT, types.float64)
def lower_larger(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """The first where it is larger, else the second."""
    other = spread(builder, args[1])
    return builder.select(builder.fcmp_ordered(">", args[0], other), args[0], other)


@intrinsic
def where(typingctx: Any, which: Any, yes: Any, no: Any) -> Any:
    """`yes` where it says yes, else `no`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(*args)

    return EIGHT(WHICH, EIGHT, EIGHT), codegen


@intrinsic
def all_of(typingctx: Any, which: Any) -> Any:
    """Whether every lane says yes."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        packed = builder.bitcast(args[0], ir.IntType(LANES))
        return builder.icmp_unsigned("==", packed, ir.Constant(ir.IntType(LANES), 2**LANES - 1))

    return types.boolean(WHICH), codegen


@intrinsic
def fill(typingctx: Any, value: Any) -> Any:
    """One float in all lanes."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return spread(builder, args[0])

    return EIGHT(types.float64), codegen


def place_of(context: Any, builder: Any, array_and_row: Any, kind: Any) -> Any:
    """Where a row begins in memory, as a pointer to some kind of value."""
    rows, row = array_and_row
    data = context.make_array(ROWS)(context, builder, rows).data
    first = builder.gep(data, [builder.mul(row, ir.Constant(row.type, LANES))])
    return builder.bitcast(first, ir.PointerType(kind))


@intrinsic
def load(typingctx: Any, rows: Any, row: Any) -> Any:
    """A row of an array (N, 8); nobody looks whether there is one."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(place_of(context, builder, args, FLOATS), align=8)

    return EIGHT(ROWS, types.intp), codegen


@intrinsic
def store(typingctx: Any, rows: Any, row: Any, value: Any) -> Any:
    """rows[row] ← value."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], place_of(context, builder, args[:2], FLOATS), align=8)
        return context.get_dummy_value()

    return types.void(ROWS, types.intp, EIGHT), codegen


@intrinsic
def pick(typingctx: Any, rows: Any, first: Any, step: Any, places: Any) -> Any:
    """Of each lane the number in row first + step · places, its places being whole numbers."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        numbers = builder.fptosi(args[3], ir.VectorType(ir.IntType(64), LANES))
        result = ir.Constant(FLOATS, ir.Undefined)
        for lane in range(LANES):
            at = ir.Constant(ir.IntType(32), lane)
            row = builder.add(args[1], builder.mul(args[2], builder.extract_element(numbers, at)))
            start = place_of(context, builder, (args[0], row), ir.DoubleType())
            value = builder.load(builder.gep(start, [at]))
            result = builder.insert_element(result, value, at)
        return result

    return EIGHT(ROWS, types.intp, types.intp, EIGHT), codegen
