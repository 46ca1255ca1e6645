"""Atomic operations on arrays that several threads share, for compiled code.

A compiler may hoist a plain read of a stop flag out of a loop, so the stop is never seen; a plain `+=` on a shared
counter loses updates. These functions avoid both. All are sequentially consistent: writes before a `store` or
`compare_and_swap` are visible to every thread that loads the stored value.

With the JIT disabled they are ordinary reads and writes, for use by a single thread.
"""

from __future__ import annotations

from numba import types
from numba.core.cgutils import get_item_pointer, unpack_tuple
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload

_ORDER = "seq_cst"


def load(array, index):
    """Return `array[index]`, read from memory."""
    return array[index]


def store(array, index, value):
    """Set `array[index] = value`."""
    array[index] = value


def add(array, index, value):
    """Perform `array[index] += value`; return the previous value."""
    before = array[index]
    array[index] += value
    return before


def compare_and_swap(array, index, expected, value):
    """Replace `expected` by `value`; return whether `expected` was there."""
    if array[index] != expected:
        return False
    array[index] = value
    return True


def _pointer(context, builder, signature, arguments):
    array_type = signature.args[0]
    if isinstance(array_type, types.CPointer):
        index = context.cast(builder, arguments[1], signature.args[1], types.intp)
        return builder.gep(arguments[0], [index])
    array = context.make_array(array_type)(context, builder, arguments[0])
    kind = signature.args[1]
    if isinstance(kind, types.BaseTuple):
        parts = zip(unpack_tuple(builder, arguments[1]), kind, strict=True)
        indices = [context.cast(builder, part, its_kind, types.intp) for part, its_kind in parts]
    else:
        indices = [context.cast(builder, arguments[1], kind, types.intp)]
    return get_item_pointer(context, builder, array_type, array, indices)


def _element(context, builder, signature, arguments, position):
    return context.cast(builder, arguments[position], signature.args[position], signature.args[0].dtype)


@intrinsic
def _load(typing_context, array, index):
    def codegen(context, builder, signature, arguments):
        pointer = _pointer(context, builder, signature, arguments)
        width = context.get_abi_sizeof(context.get_data_type(signature.return_type))
        kind = context.get_data_type(signature.return_type)
        return builder.load_atomic(pointer, _ORDER, width, typ=kind)

    return array.dtype(array, index), codegen


@intrinsic
def _store(typing_context, array, index, value):
    def codegen(context, builder, signature, arguments):
        pointer = _pointer(context, builder, signature, arguments)
        width = context.get_abi_sizeof(context.get_data_type(signature.args[0].dtype))
        builder.store_atomic(_element(context, builder, signature, arguments, 2), pointer, _ORDER, width)
        return context.get_dummy_value()

    return types.void(array, index, value), codegen


@intrinsic
def _add(typing_context, array, index, value):
    def codegen(context, builder, signature, arguments):
        pointer = _pointer(context, builder, signature, arguments)
        change = _element(context, builder, signature, arguments, 2)
        return builder.atomic_rmw("add", pointer, change, _ORDER)

    return array.dtype(array, index, value), codegen


@intrinsic
def _compare_and_swap(typing_context, array, index, expected, value):
    def codegen(context, builder, signature, arguments):
        pointer = _pointer(context, builder, signature, arguments)
        old = _element(context, builder, signature, arguments, 2)
        new = _element(context, builder, signature, arguments, 3)
        return builder.extract_value(builder.cmpxchg(pointer, old, new, _ORDER, _ORDER), 1)

    return types.boolean(array, index, expected, value), codegen


def _check(array, index, writes=True):
    """Reject operands that the instructions would misinterpret: floats, rows of a table, constants."""
    if isinstance(array, types.CPointer) and isinstance(array.dtype, types.Integer):
        return
    if not (isinstance(array, types.Array) and isinstance(array.dtype, types.Integer)):
        raise TypingError(f"atomics need an array of integers, not {array}")
    if array.ndim != (len(index) if isinstance(index, types.BaseTuple) else 1):
        raise TypingError(f"atomics need one index for each dimension, not {index} for {array}")
    if writes and not array.mutable:
        raise TypingError(f"atomics cannot write to {array}")


@overload(load)
def _overload_load(array, index):
    _check(array, index, writes=False)
    return lambda array, index: _load(array, index)


@overload(store)
def _overload_store(array, index, value):
    _check(array, index)
    return lambda array, index, value: _store(array, index, value)


@overload(add)
def _overload_add(array, index, value):
    _check(array, index)
    return lambda array, index, value: _add(array, index, value)


@overload(compare_and_swap)
def _overload_compare_and_swap(array, index, expected, value):
    _check(array, index)
    return lambda array, index, expected, value: _compare_and_swap(array, index, expected, value)
