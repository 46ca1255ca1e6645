"""Arrays as bare pointers, for compiled functions that call each other millions of times a second.

An array is seven words to a compiled function, and two atomic changes of its count of references at every call:
in a search that recurses to the last squares of a board, that is more than the search itself. A pointer is one
word, and its owner has to outlive it: take it in a kernel, whose arguments do, and hand it down.

In plain Python a pointer is the array itself, its dimensions made one.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core.cgutils import create_struct_proxy
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload


def pointer(array):
    """Where the elements of an array begin: `pointer(array)[i]` is its i-th one, in C order, unchecked."""
    return array.reshape(-1)


def prefetch(place, index):
    """Have an element brought near while something else is computed."""


@intrinsic
def _pointer(typing_context, array):
    def codegen(context, builder, signature, arguments):
        return create_struct_proxy(signature.args[0])(context, builder, arguments[0]).data

    return types.CPointer(array.dtype)(array), codegen


@overload(pointer)
def _overload_pointer(array):
    if not (isinstance(array, types.Array) and array.layout == "C"):
        raise TypingError(f"a pointer needs an array in C order, not {array}")
    return lambda array: _pointer(array)


@intrinsic
def _prefetch(typing_context, place, index):
    def codegen(context, builder, signature, arguments):
        bytes_of = ir.IntType(8).as_pointer()
        where = builder.bitcast(builder.gep(arguments[0], [arguments[1]]), bytes_of)
        kind = ir.FunctionType(ir.VoidType(), [bytes_of] + [ir.IntType(32)] * 3)
        function = builder.module.globals.get("llvm.prefetch.p0i8")
        if function is None:
            function = ir.Function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [where, *(ir.IntType(32)(number) for number in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(place, types.uint64), codegen


@overload(prefetch)
def _overload_prefetch(place, index):
    if not isinstance(place, types.CPointer):
        raise TypingError(f"only what a pointer points to can be fetched, not {place}")
    return lambda place, index: _prefetch(place, index)
