"""Decorators for compiled code.

A *kernel* is an entry point called from Python. It releases the GIL, and its machine code is cached on disk.
A *helper* is called only by kernels and rules and compiled into them, so it is not cached itself; a helper that
creates arrays is an *allocating helper*.
An *inner* function is a helper that creates no arrays and that Python calls only as plain Python. It is compiled
without argument unboxing, reference counting, array expressions and machine code of its own (see
`deferred_codegen`). With tuples of many arrays and long call chains this saves most of the compile time.
None of them may take functions as arguments, because such code cannot be cached; use `dispatch` instead.

A kernel that is not in the cache is compiled by the process that calls it, with two exceptions. They are possible
because every kernel also runs as plain Python.

- After `expect_background_compilation`, another process compiles the rules of games and the kernels behind
  positions. Until they are in the cache they run as plain Python, which is fast enough for playing moves, but not
  longer than `MAX_UNCOMPILED_S`. Within `prefer_uncompiled` this holds for all kernels.
- Within `record_kernels`, kernels run as plain Python and are listed, for `runtime.warmup`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any

import numpy as np
from numba import config, njit, types
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from tengen.core.compiled import faster_numba
from tengen.core.compiled.cache import BeingCompiled, KernelCache
from tengen.core.compiled.deferred_codegen import DeferredCompiler, InnerCompiler
from tengen.core.compiled.fingerprint import closure_digest

Function = Callable[..., Any]
Signature = tuple[Any, ...]  # the Numba types of the arguments
MissingListener = Callable[["Kernel", Signature], None]

# `numpy` error model: division by zero is not checked, which would add a branch and an exception path to every
# kernel that divides.
OPTIONS = {"nogil": True, "error_model": "numpy"}
_NO_WRAPPERS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
RULE_OPTIONS = {**OPTIONS, **_NO_WRAPPERS, "pipeline_class": DeferredCompiler}
RULE_MODULES = ("tengen.core.compiled.", "tengen.games.")
RECHECK_S = 0.25  # between two looks for the compiled version of a kernel that runs as plain Python
MAX_UNCOMPILED_S = 60.0  # afterwards it is compiled when called; for example, the cache may not be writable


class _Thread(threading.local):
    """State of a thread."""

    is_plain = False  # it runs a kernel as plain Python
    prefers_plain = False


_thread = _Thread()
_expects_background_compilation = False
# Not global: another thread, in the middle of a search, would continue as plain Python.
_recorded: ContextVar[dict[tuple[Kernel, Signature], None] | None] = ContextVar("recorded", default=None)
_missing_listeners: list[MissingListener] = []


def expect_background_compilation(expected: bool = True) -> None:
    """Run the rules of games as plain Python in this process until another one has compiled them."""
    global _expects_background_compilation
    _expects_background_compilation = expected


@contextmanager
def prefer_uncompiled(preferred: bool = True) -> Iterator[None]:
    """Within this block, run all kernels like rules, for a search that takes only moments as plain Python."""
    before, _thread.prefers_plain = _thread.prefers_plain, preferred
    try:
        yield
    finally:
        _thread.prefers_plain = before


@contextmanager
def record_kernels() -> Iterator[dict[tuple[Kernel, Signature], None]]:
    """Within this block, in its context, kernels run as plain Python and are listed in the dictionary.

    Kernels that this process has already loaded are neither listed nor run as plain Python.
    """
    recorded: dict[tuple[Kernel, Signature], None] = {}
    token = _recorded.set(recorded)
    try:
        yield recorded
    finally:
        _recorded.reset(token)


@contextmanager
def missing_kernel_listener(listener: MissingListener) -> Iterator[None]:
    """Within this block, call `listener` with each kernel that is called and not in the cache, and its signature.

    The kernel is compiled afterwards, unless the listener has waited until another process has done so.
    """
    _missing_listeners.append(listener)
    try:
        yield
    finally:
        _missing_listeners.remove(listener)


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """Dispatcher of a kernel."""

    def __init__(self, function: Function, *args: Any, **options: Any) -> None:
        super().__init__(function, *args, **options)
        self._cache = KernelCache(function)
        self._is_rule = function.__module__.startswith(RULE_MODULES)
        self._missing_since: dict[Signature, float] = {}
        self._checked_at: dict[Signature, float] = {}

    def compile(self, sig: Any) -> Any:
        with global_compiler_lock, self._cache.compiling(), faster_numba.fast_compilation():
            return super().compile(sig)

    def is_ready(self, signature: Signature) -> bool:
        """Whether the compiled version is loaded or in the cache."""
        return signature in self.overloads or self._cache.is_stored(signature, self.targetctx)

    def try_compile(self, signature: Signature) -> bool:
        """Compile it unless another process is doing so; returns whether it is ready."""
        with global_compiler_lock:
            self._cache.waits_for_others = False
            try:
                self.compile(signature)
            except BeingCompiled:
                return False
            finally:
                self._cache.waits_for_others = True
        return True

    def _compile_for_args(self, *args: Any, **keywords: Any) -> Function:
        """Numba's hook for argument types without a loaded version; returns the function to call."""
        if _thread.is_plain:
            return self.py_func  # type: ignore[no-any-return]
        signature = tuple(self.typeof_pyval(argument) for argument in args)
        if (recorded := _recorded.get()) is not None:
            recorded[self, signature] = None
            return self._run_plain
        if self.runs_uncompiled and self._is_awaited(signature):
            return self._run_plain
        if _missing_listeners and not self.is_ready(signature):
            for listener in list(_missing_listeners):
                listener(self, signature)
        return super()._compile_for_args(*args, **keywords)  # type: ignore[no-any-return]

    @property
    def runs_uncompiled(self) -> bool:
        """Whether a call in this thread runs it as plain Python while it is not in the cache."""
        return _expects_background_compilation and (self._is_rule or _thread.prefers_plain)

    def _is_awaited(self, signature: Signature) -> bool:
        """Whether another process is expected to compile it. Looks into the cache every `RECHECK_S` seconds."""
        now = time.monotonic()
        if now - self._missing_since.setdefault(signature, now) > MAX_UNCOMPILED_S:
            return False
        if now - self._checked_at.get(signature, -RECHECK_S) < RECHECK_S:
            return True
        self._checked_at[signature] = now
        return not self.is_ready(signature)

    def _run_plain(self, *args: Any) -> Any:
        _thread.is_plain = True
        try:
            with np.errstate(over="ignore"):  # unsigned integers wrap around
                return self.py_func(*args)
        finally:
            _thread.is_plain = False


class Helper(CPUDispatcher):  # type: ignore[misc]
    """Dispatcher of a helper, which has no machine code of its own that Python could call."""

    def __call__(self, *args: Any) -> Any:
        return self.py_func(*args) if _thread.is_plain else self._standalone(*args)

    @cached_property
    def _standalone(self) -> Function:
        """The helper as a kernel without cache, for calls from Python in tests and experiments."""
        return njit(**OPTIONS)(self.py_func)  # type: ignore[no-any-return]

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Treat the argument in `f(0)` as an int64. Numba would compile `f` again for each literal."""
        named = {name: types.unliteral(kind) for name, kind in kws.items()}
        return super().get_call_template(tuple(map(types.unliteral, args)), named)


def _dispatcher(
    kind: type[CPUDispatcher], function: Function, pipeline: type[Compiler] = Compiler, **options: Any
) -> Function:
    if config.DISABLE_JIT:
        return function
    if "<locals>" in function.__qualname__:
        # The linker identifies functions within cached kernels by module, name, argument types and a number that
        # Numba counts in each process. Two functions of a factory, compiled in different processes, would replace
        # each other.
        digest = f"_{closure_digest(function)}"
        function.__qualname__ = function.__qualname__.removesuffix(digest) + digest
    target_options = {"nopython": True, "boundscheck": None, **OPTIONS, **options}
    return kind(function, targetoptions=target_options, pipeline_class=pipeline)  # type: ignore[no-any-return]


faster_numba.install()


def kernel(function: Function) -> Function:
    """Compile an entry point for each combination of argument types, with an on-disk cache."""
    return _dispatcher(Kernel, function, no_cfunc_wrapper=True)


def helper(function: Function) -> Function:
    """Compile a function into the kernels that call it."""
    return _dispatcher(Helper, function, DeferredCompiler, **_NO_WRAPPERS)


def allocating_helper(function: Function) -> Function:
    """Compile a helper that creates arrays.

    Numba compiles a function with the options of the first caller. An ordinary helper first called by an inner
    function could therefore not create arrays.
    """
    return _dispatcher(Helper, function, DeferredCompiler, _nrt=True, **_NO_WRAPPERS)


def inner(function: Function) -> Function:
    """Compile a function that only compiled code calls and that creates no arrays."""
    return _dispatcher(Helper, function, InnerCompiler, _nrt=False, **_NO_WRAPPERS)
