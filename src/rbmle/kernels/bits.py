"""Floats as their 64 bits and back, for compiled code that computes without branches."""

from typing import Any

from numba import types
from numba.extending import intrinsic


@intrinsic
def bits_of(typingctx: Any, x: Any) -> Any:
    """The 64 bits of a float as an integer."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(types.int64))

    return types.int64(types.float64), codegen


@intrinsic
def float_of(typingctx: Any, bits: Any) -> Any:
    """The float of 64 bits."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(types.float64))

    return types.float64(types.int64), codegen
