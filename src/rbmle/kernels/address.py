"""Functions that compiled code calls by address: compiled once, where they would else be compiled into every caller.

So one compiled loop serves functions it was not compiled with, those of users included, and stays in numba's cache.
"""

from collections.abc import Callable
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.ccallback import CFunc
from numba.core.sigutils import normalize_signature
from numba.extending import intrinsic

from rbmle.kernels.cache import keep


def machine_code(signature: Any, function: Callable[..., Any], *, boundscheck: bool = False) -> Any:
    """Compile a function to a fixed `address`; the result must be kept alive while that is used."""
    options = {"error_model": "numpy", "boundscheck": boundscheck}
    code: Any = CFunc(function, normalize_signature(signature), locals={}, options=options)
    keep(code, function)
    code.compile()
    return code


def at_address(signature: Any) -> Any:
    """For compiled code: turns an address into the function of that signature that lives there."""
    kind = types.FunctionType(signature)

    @intrinsic
    def function_at(typingctx: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
            function = cgutils.create_struct_proxy(kind)(context, builder)
            nothing = cgutils.get_null_value(cgutils.voidptr_t)
            function.c_addr = builder.inttoptr(arguments[0], cgutils.voidptr_t)
            function.py_addr = nothing
            function.jit_addr = nothing
            return function._getvalue()

        return kind(types.int64), codegen

    return function_at
