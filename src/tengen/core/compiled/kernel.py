"""The decorators for compiled code.

A *kernel* is an entry point: called from Python, it releases the GIL and its machine code is kept on disk.
A *helper* is called by kernels and rules only, and is compiled into them, so it needs no file of its own; one that
creates arrays is an *allocating helper*.
An *inner* function is a helper that Python never calls, not even in a test, and that makes no arrays. It becomes
part of its kernels only: without the code that would take its arguments out of Python objects, without counting
references to arrays, without machine code of its own (see `joining`). With tuples of many arrays and long chains
of calls, that is most of the work.
None of them takes functions as arguments: that would keep the code from being cached (use `dispatch`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import config, njit

from tengen.core.compiled.cache import KernelCache
from tengen.core.compiled.joining import JoiningCompiler

Function = Callable[..., Any]

# `numpy` error model: division is not checked for zero, which would put a branch and an exception path
# into every kernel that divides.
OPTIONS = {"nogil": True, "error_model": "numpy"}


def kernel(function: Function) -> Function:
    """Compile an entry point for each new set of argument types; keep the result on disk."""
    dispatcher = njit(**OPTIONS)(function)
    if not config.DISABLE_JIT:
        dispatcher._cache = KernelCache(function)
    return dispatcher


def helper(function: Function) -> Function:
    """Compile a function into the kernels that call it."""
    return njit(**OPTIONS)(function)


def allocating_helper(function: Function) -> Function:
    """Compile a helper that creates arrays.

    Numba compiles a function with the options of the caller that it is first compiled for. Called by an inner
    function, an ordinary helper could therefore create no arrays, unless it happened to be compiled before.
    """
    return njit(_nrt=True, **OPTIONS)(function)


def inner(function: Function) -> Function:
    """Compile a function into the kernels that call it, for them alone; it must not make arrays."""
    return njit(
        no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False, pipeline_class=JoiningCompiler, **OPTIONS
    )(function)
