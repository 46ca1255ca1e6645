"""Changes to Numba that make it compile faster, without any change to the machine code of kernels.

- A memo for type inference. Numba resolves every operation of a function again and again until nothing changes,
  and each time it tries all implementations of the operation. But `uint64 & uint64` always has the same type.
- Numba lists the variables of each instruction in most of its passes; `_variables_in` does so faster.
- Implementations of built-in functions such as `min` are left to the calling kernel to optimise, like helpers
  (see `deferred_codegen`).
- LLVM calls are not timed.
- While a kernel is compiled, the garbage collector is off.

Each change is optional: a version of Numba without the place to make it compiles as usual.
"""

from __future__ import annotations

import gc
import itertools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite.binding import ffi
from numba.core import ir, types
from numba.core.types.functions import BaseFunction
from numba.core.typing.templates import _OverloadFunctionTemplate

from tengen.core.compiled.deferred_codegen import DeferredCompiler

_NUMBERS = (types.Number, types.Boolean, types.NumberClass)
_kernels_being_compiled = 0  # guarded by Numba's compiler lock


@contextmanager
def fast_compilation() -> Iterator[None]:
    """Within this block, a kernel is compiled. The caller holds Numba's compiler lock."""
    global _kernels_being_compiled
    collects = gc.isenabled()
    gc.disable()
    _kernels_being_compiled += 1
    try:
        yield
    finally:
        _kernels_being_compiled -= 1
        if collects:
            gc.enable()


def install() -> None:
    """Make the changes; call it once. They also concern other users of Numba in this process."""
    getattr(getattr(ffi.lib, "_lock", None), "_cblist", []).clear()
    _replace(BaseFunction, "get_call_type", _with_memo)
    _replace(ir.Inst, "_rec_list_vars", _with_fast_listing)
    _replace(_OverloadFunctionTemplate, "_get_jit_decorator", _with_deferred_code)


def _replace(owner: type, name: str, change: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    if hasattr(owner, name):
        setattr(owner, name, change(getattr(owner, name)))


def _with_memo(resolve: Callable[..., Any]) -> Callable[..., Any]:
    def resolve_once(function: Any, context: Any, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        if kws or not all(isinstance(kind, _NUMBERS) for kind in args):
            return resolve(function, context, args, kws)
        # A function type that gets new implementations is replaced by a new one, without these signatures.
        signatures = function.__dict__.setdefault("_tengen_signatures", {})
        found = signatures.get(args)
        if found is None:
            found = resolve(function, context, args, kws)
            # Functions defined by `overload` are compiled with the options of their caller, so not remembered.
            if function.get_impl_key(found) is function.typing_key:
                signatures[args] = found
        return found

    return resolve_once


def _with_fast_listing(_: Callable[..., Any]) -> Callable[..., Any]:
    return lambda instruction, value: list(_variables_in(value))


_NO_VARIABLES = (str, int, ir.Loc, type(None))


def _variables_in(value: Any) -> Iterable[ir.Var]:
    """The variables in a part of an instruction, in order."""
    if isinstance(value, _NO_VARIABLES):
        return ()
    if isinstance(value, ir.Var):
        return (value,)
    if isinstance(value, ir.Inst):
        return tuple(value.list_vars())
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return ()
    return itertools.chain.from_iterable(map(_variables_in, value))


def _with_deferred_code(decorator_of: Callable[..., Any]) -> Callable[..., Any]:
    def deferred_decorator_of(template: Any) -> Callable[..., Any]:
        decorator: Callable[..., Any] = decorator_of(template)
        if _kernels_being_compiled == 0:
            return decorator
        deferred = {"pipeline_class": DeferredCompiler, "no_cfunc_wrapper": True}
        return lambda **options: decorator(**{**deferred, **options})

    return deferred_decorator_of
