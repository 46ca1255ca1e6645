"""Atomic operations on memory that several threads share, for compiled code.

The operand is an element of an array, `add(counts, 3, 1)`, or a field of a record, `add(nodes[3], "visits", 1)`.

A compiler may hoist a plain read of a stop flag out of a loop, so the stop is never seen; a plain `+=` on a shared
counter loses updates. These functions avoid both. All are sequentially consistent: writes before a `store` or
`compare_and_swap` are visible to every thread that loads the stored value.

With the JIT disabled they are ordinary reads and writes, for use by a single thread.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core.cgutils import get_item_pointer, get_record_member, unpack_tuple
from numba.core.errors import TypingError
from numba.extending import lower_builtin, type_callable

from tengen.core.compiled.references import ArrayReference, data_pointer

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


def _operand_type(array: Any, index: Any, *, writes: bool = True) -> Any:
    """The type of an operand. Rejects those that the instructions would misinterpret: floats, rows, constants."""
    if isinstance(array, types.Record):
        if not isinstance(index, types.StringLiteral):
            return None  # Numba tries again with the type of the literal
        kind = array.typeof(index.literal_value)
    elif isinstance(array, types.CPointer):
        kind = array.dtype
    elif isinstance(array, types.Array | ArrayReference):
        is_reference = isinstance(array, ArrayReference)
        whole = array.referenced if is_reference else array
        kind = whole.dtype
        if whole.ndim != (len(index) if isinstance(index, types.BaseTuple) else 1):
            raise TypingError(f"atomics need one index for each dimension, not {index} for {whole}")
        if is_reference and whole.ndim > 1:
            raise TypingError(f"atomics need a reference to an array of one dimension, not {whole}")
        if writes and not whole.mutable:
            raise TypingError(f"atomics cannot write to {whole}")
    else:
        kind = None
    if not isinstance(kind, types.Integer):
        raise TypingError(f"atomics need an array of integers or an integer field, not {array}")
    return kind


@type_callable(load)
def _type_load(context):
    return lambda array, index: _operand_type(array, index, writes=False)


@type_callable(store)
def _type_store(context):
    return lambda array, index, value: _operand_type(array, index) and types.void


@type_callable(add)
def _type_add(context):
    return lambda array, index, value: _operand_type(array, index)


@type_callable(compare_and_swap)
def _type_compare_and_swap(context):
    return lambda array, index, expected, value: _operand_type(array, index) and types.boolean


class _Operand:
    """The address of an operand, and its type."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        array, index = signature.args[:2]
        self.kind = _operand_type(array, index, writes=False)
        self.data_type = context.get_data_type(self.kind)
        self.width = context.get_abi_sizeof(self.data_type)
        self._cast = lambda at: context.cast(builder, arguments[at], signature.args[at], self.kind)
        if isinstance(array, types.Record):
            offset = array.offset(index.literal_value)
            self.address = get_record_member(builder, arguments[0], offset, self.data_type)
        elif isinstance(array, types.Array):
            is_tuple = isinstance(index, types.BaseTuple)
            parts = unpack_tuple(builder, arguments[1]) if is_tuple else [arguments[1]]
            kinds = index if is_tuple else [index]
            indices = [context.cast(builder, *pair, types.intp) for pair in zip(parts, kinds, strict=True)]
            view = context.make_array(array)(context, builder, arguments[0])
            self.address = get_item_pointer(context, builder, array, view, indices)
        else:
            is_pointer = isinstance(array, types.CPointer)
            start = arguments[0] if is_pointer else data_pointer(builder, arguments[0])
            self.address = builder.gep(start, [context.cast(builder, arguments[1], index, types.intp)])

    def argument(self, at: int) -> Any:
        """An argument, as the type of the operand."""
        return self._cast(at)


@lower_builtin(load, types.Any, types.Any)
def _lower_load(context, builder, signature, arguments):
    operand = _Operand(context, builder, signature, arguments)
    return builder.load_atomic(operand.address, _ORDER, operand.width, typ=operand.data_type)


@lower_builtin(store, types.Any, types.Any, types.Any)
def _lower_store(context, builder, signature, arguments):
    operand = _Operand(context, builder, signature, arguments)
    builder.store_atomic(operand.argument(2), operand.address, _ORDER, operand.width)
    return context.get_dummy_value()


@lower_builtin(add, types.Any, types.Any, types.Any)
def _lower_add(context, builder, signature, arguments):
    operand = _Operand(context, builder, signature, arguments)
    return builder.atomic_rmw("add", operand.address, operand.argument(2), _ORDER)


@lower_builtin(compare_and_swap, types.Any, types.Any, types.Any, types.Any)
def _lower_compare_and_swap(context, builder, signature, arguments):
    operand = _Operand(context, builder, signature, arguments)
    pair = builder.cmpxchg(operand.address, operand.argument(2), operand.argument(3), _ORDER, _ORDER)
    return builder.extract_value(pair, 1)
