"""Inner functions are only translated; the kernel that they are compiled into is what gets optimised.

Numba optimises each function together with all that it calls, and makes machine code of it, before it does the
same for the caller: in a chain of twenty functions the lowest one is worked on twenty times. An inner function is
never called from Python, so all of that is thrown away. Here it stops at LLVM's intermediate code, which is linked
into the kernel and optimised there, once.
"""

from __future__ import annotations

from typing import Any

from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering


class JoinedLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code that waits to be linked into a kernel."""

    def _optimize_final_module(self) -> None:
        """The kernel's own library does that."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True  # but it is not given to the engine, which would make machine code of it


@register_pass(mutates_CFG=True, analysis_only=False)
class JoinedLowering(NativeLowering):  # type: ignore[misc]
    """Lowering that leaves the code in its library, for callers to link."""

    _name = "tengen_joined_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = JoinedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        kept, state.flags.no_compile = state.flags.no_compile, True
        try:
            super().run_pass(state)
        finally:
            state.flags.no_compile = kept
        lowered = state["cr"]
        # The dispatcher wants a function to call. This one has no code: nobody calls it.
        name = lowered.fndesc.qualname
        function = _dynfunc.make_function(
            lowered.fndesc.lookup_module(), name.split(".")[-1], "", 0, lowered.env, (state.library,)
        )
        state.targetctx.insert_user_function(function, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=function)
        return True


class JoiningCompiler(Compiler):  # type: ignore[misc]
    """Numba's pipeline with another way to lower."""

    def define_pipelines(self) -> list[PassManager]:
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.passes = [
                (JoinedLowering, text) if found is NativeLowering else (found, text)
                for found, text in pipeline.passes
            ]
            pipeline.finalize()
        return pipelines
