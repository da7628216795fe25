"""Compiled functions as parts of others: typed and lowered once, made machine code only where Python calls them.

numba makes machine code of every function, also of those that only compiled ones call, and of these once more within
each of their callers: half of the time of a first use. Here a function has two faces. Python calls the one that is
machine code and is kept on disk. Compiled code takes in the other, its intermediate code, which is optimised where it
is used and nowhere else.
"""

from collections.abc import Callable
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering


class PartLibrary(JITCodeLibrary):  # type: ignore[misc]  # numba's are not typed
    """The intermediate code of a part and of the parts that it calls."""

    def _optimize_final_module(self) -> None:
        """Whoever takes it in does that."""

    def _finalize_final_module(self) -> None:
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class PartLowering(NativeLowering):  # type: ignore[misc]
    """numba's lowering, without machine code at its end."""

    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower the function, and tell numba where calls of it find it."""
        state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered, key = state["cr"], object()
        state.targetctx.insert_user_function(key, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=key)
        return True


class PartCompiler(Compiler):  # type: ignore[misc]
    """numba's compiler with that lowering."""

    def define_pipelines(self) -> list[Any]:
        """numba's passes, one of them exchanged."""
        managers: list[Any] = super().define_pipelines()
        for manager in managers:
            manager.passes = [
                (PartLowering if each is NativeLowering else each, *words) for each, *words in manager.passes
            ]
            manager._finalized = False
            manager.finalize()
        return managers


class Part(CPUDispatcher):  # type: ignore[misc]
    """What compiled code takes in. It cannot be called."""

    def add_overload(self, cres: Any) -> None:
        """Remember what was compiled, for compiled callers alone."""
        self.overloads[tuple(cres.signature.args)] = cres


class Function(CPUDispatcher):  # type: ignore[misc]
    """What Python calls; where compiled code does, it finds the part."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions=options)
        self.part = Part(function, targetoptions=options | {"no_cpython_wrapper": True}, pipeline_class=PartCompiler)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """For the types of a call in compiled code."""
        return self.part.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """For the code of a call in compiled code."""
        return self.part.get_overload(sig)


def declare(function: Callable[..., Any], **options: Any) -> Any:
    """numba's `njit` with two faces."""
    fixed = {"nopython": True, "boundscheck": None, "error_model": "numpy", "no_cfunc_wrapper": True}
    return Function(function, fixed | options)
