"""Arrays as raw pointers, for compiled functions that call each other millions of times per second.

Passing an array to a compiled function costs seven words and two atomic reference count updates per call. In a
search that recurses to the last squares of a board, this takes longer than the search itself. A pointer is a
single word, but the array must outlive it: take the pointer in a kernel, whose arguments stay alive, and pass it
down.

In plain Python a pointer is the flattened array.
"""

from __future__ import annotations

import operator

from llvmlite import ir
from numba import types
from numba.core.cgutils import create_struct_proxy
from numba.core.errors import TypingError
from numba.extending import intrinsic, lower_builtin, overload, type_callable

from tengen.core.compiled.references import ArrayReference, data_pointer


def pointer(array):
    """Pointer to the first element: `pointer(array)[i]` is element `i` in C order, without bounds checks."""
    return array.reshape(-1)


def prefetch(address, index):
    """Start loading an element into the CPU cache."""


@type_callable(pointer)
def _type_pointer(context):
    def typer(array):
        kind = array.referenced if isinstance(array, ArrayReference) else array
        if not (isinstance(kind, types.Array) and kind.layout == "C"):
            raise TypingError(f"a pointer needs an array in C order, not {kind}")
        return types.CPointer(kind.dtype)

    return typer


@lower_builtin(pointer, types.Array)
def _lower_pointer(context, builder, signature, arguments):
    return create_struct_proxy(signature.args[0])(context, builder, arguments[0]).data


@lower_builtin(pointer, ArrayReference)
def _lower_pointer_of_reference(context, builder, signature, arguments):
    return data_pointer(builder, arguments[0])


@lower_builtin(operator.getitem, types.CPointer, types.Integer)
def _lower_element(context, builder, signature, arguments):
    """As Numba does, but an element that is a record is not loaded: its fields are."""
    kind, index_kind = signature.args
    index = context.cast(builder, arguments[1], index_kind, types.intp)
    place = builder.gep(arguments[0], [index])
    return place if isinstance(kind.dtype, types.Record) else builder.load(place)


@intrinsic
def _prefetch(typing_context, address, index):
    def codegen(context, builder, signature, arguments):
        bytes_of = ir.IntType(8).as_pointer()
        where = builder.bitcast(builder.gep(arguments[0], [arguments[1]]), bytes_of)
        kind = ir.FunctionType(ir.VoidType(), [bytes_of] + [ir.IntType(32)] * 3)
        function = builder.module.globals.get("llvm.prefetch.p0i8")
        if function is None:
            function = ir.Function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [where, *(ir.IntType(32)(number) for number in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(address, types.uint64), codegen


@overload(prefetch)
def _overload_prefetch(address, index):
    if not isinstance(address, types.CPointer):
        raise TypingError(f"prefetch needs a pointer, not {address}")
    return lambda address, index: _prefetch(address, index)
