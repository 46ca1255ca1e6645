"""Decorators for compiled code.

A *kernel* is an entry point called from Python. It releases the GIL, and its machine code is cached on disk.
A *helper* is called only by kernels and rules and compiled into them, so it is not cached itself; a helper that
creates arrays is an *allocating helper*.
An *inner* function is a helper that is never called from Python, not even in a test, and creates no arrays. It is
compiled without argument unboxing, reference counting and machine code of its own (see `deferred_codegen`). With
tuples of many arrays and long call chains this saves most of the compile time.
None of them may take functions as arguments, because such code cannot be cached; use `dispatch` instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import config, njit

from tengen.core.compiled.cache import KernelCache
from tengen.core.compiled.deferred_codegen import DeferredCompiler

Function = Callable[..., Any]

# `numpy` error model: division by zero is not checked, which would add a branch and an exception path to every
# kernel that divides.
OPTIONS = {"nogil": True, "error_model": "numpy"}


def kernel(function: Function) -> Function:
    """Compile an entry point for each combination of argument types, with an on-disk cache."""
    dispatcher = njit(**OPTIONS)(function)
    if not config.DISABLE_JIT:
        dispatcher._cache = KernelCache(function)
    return dispatcher


def helper(function: Function) -> Function:
    """Compile a function into the kernels that call it."""
    return njit(**OPTIONS)(function)


def allocating_helper(function: Function) -> Function:
    """Compile a helper that creates arrays.

    Numba compiles a function with the options of the first caller. An ordinary helper first called by an inner
    function could therefore not create arrays.
    """
    return njit(_nrt=True, **OPTIONS)(function)


def inner(function: Function) -> Function:
    """Compile a function that only compiled code calls and that creates no arrays."""
    return njit(
        no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False, pipeline_class=DeferredCompiler, **OPTIONS
    )(function)
