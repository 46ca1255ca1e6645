"""Compiler pipelines for helpers: emit LLVM IR only, and leave optimisation to the calling kernel.

Numba optimises each function together with its callees and generates machine code for it, then does the same for
each caller: in a chain of twenty calls the innermost function is optimised twenty times. A helper is never called
from Python, so that work is wasted. These pipelines stop at LLVM IR, which is linked into the kernel and optimised
there once. That of `inner` functions also leaves out the passes for what they cannot contain.
"""

from __future__ import annotations

from types import CodeType
from typing import Any

from numba import _dynfunc
from numba.core import typed_passes, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering


class DeferredLibrary(JITCodeLibrary):  # type: ignore[misc]
    """LLVM IR that will be linked into a kernel."""

    def _optimize_final_module(self) -> None:
        """Do nothing: the kernel's library optimises the linked code."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True  # without adding the module to the engine, which would generate machine code


@register_pass(mutates_CFG=True, analysis_only=False)
class DeferredLowering(NativeLowering):  # type: ignore[misc]
    """Lowering to IR in a `DeferredLibrary`, for callers to link."""

    _name = "tengen_joined_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = DeferredLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        kept, state.flags.no_compile = state.flags.no_compile, True
        try:
            super().run_pass(state)
        finally:
            state.flags.no_compile = kept
        lowered = state["cr"]
        # The dispatcher needs a function object. It has no code and is never called.
        name = lowered.fndesc.qualname
        function = _dynfunc.make_function(
            lowered.fndesc.lookup_module(), name.split(".")[-1], "", 0, lowered.env, (state.library,)
        )
        state.targetctx.insert_user_function(function, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=function)
        return True


class DeferredCompiler(Compiler):  # type: ignore[misc]
    """Numba's default pipeline with `DeferredLowering`."""

    def define_pipelines(self) -> list[PassManager]:
        pipelines: list[PassManager] = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.passes = [
                (DeferredLowering, text) if found is NativeLowering else (found, text)
                for found, text in pipeline.passes
            ]
            pipeline.finalize()
        return pipelines


_OTHER_PASSES = {
    getattr(passes, name, None)
    for passes, names in (
        (untyped_passes, "WithLifting InlineClosureLikes RewriteDynamicRaises MakeFunctionToJitFunction"),
        (untyped_passes, "InlineInlinables FindLiterallyCalls LiteralUnroll LiteralPropagationSubPipelinePass"),
        (typed_passes, "InlineOverloads NopythonRewrites DumpParforDiagnostics"),
    )
    for name in names.split()
}
"""For closures, array expressions, literal types, functions inlined before type inference and parallel loops."""


class InnerCompiler(DeferredCompiler):
    """The pipeline of `inner` functions."""

    def define_pipelines(self) -> list[PassManager]:
        pipelines = super().define_pipelines()
        if any(isinstance(constant, CodeType) for constant in self.state.func_id.code.co_consts):
            return pipelines  # it defines a function
        for pipeline in pipelines:
            pipeline.passes = [one for one in pipeline.passes if one[0] not in _OTHER_PASSES]
            pipeline.finalize()
        return pipelines
