"""Tuples of arrays by reference, for compiled functions that call each other with many arrays.

Numba passes a tuple by value: a named tuple of fifteen arrays is more than a hundred words per call, in machine
code and in compile time. A reference is a single word, and so is each of its attributes:

    @kernel
    def count(tables, ...):
        tables = reference(tables)
        tables.sizes[i]         # as in the array `sizes`, but without a test for negative indices
        tables.sizes.size       # number of elements
        tables.rows[i, j]       # an element of an array with two dimensions; rows[i] is a pointer to row i
        tables.frames[ply].turn # a field of an array of records
        tables.width            # a number stays a number, a nested tuple becomes a reference

The tuple and the shapes of its arrays never change while a kernel runs, so the compiler keeps them in registers
where that helps. Take a reference only in a kernel and pass it down: it refers to the kernel's stack.

In plain Python a reference is the tuple itself.
"""

from __future__ import annotations

import hashlib
import operator
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.errors import TypingError
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global
from numba.extending import lower_builtin, lower_getattr_generic, register_model, type_callable

_NAMED = (types.NamedTuple, types.NamedUniTuple)  # the second has items of one type


def reference(arrays: Any) -> Any:
    """A named tuple by reference. It never creates a copy."""
    return arrays


def whole(array: Any) -> Any:
    """The array behind an attribute of a reference, for functions that need more than its elements."""
    return array


class _Reference(types.Type):  # type: ignore[misc]
    def __init__(self, referenced: types.Type) -> None:
        self.referenced = referenced
        # The name is part of the name of each function, and that of a tuple is very long.
        digest = hashlib.sha256(repr(referenced).encode()).hexdigest()[:12]
        super().__init__(f"{type(self).__name__}_{digest}")


class TupleReference(_Reference):
    """A pointer to a named tuple on the stack of a kernel."""

    def index_of(self, name: str) -> int:
        return int(self.referenced.fields.index(name))

    def attribute(self, name: str) -> types.Type | None:
        """The type of an attribute."""
        if name not in self.referenced.fields:
            return None
        kind = self.referenced[self.index_of(name)]
        if isinstance(kind, _NAMED):
            return TupleReference(kind)
        return ArrayReference(kind) if isinstance(kind, types.Array) else kind


class ArrayReference(_Reference):
    """A pointer to the description of an array in C order."""

    @property
    def dtype(self) -> types.Type:
        return self.referenced.dtype

    def element(self, index: types.Type) -> types.Type | None:
        """The type of an element, or of a row: a pointer."""
        if isinstance(index, types.BaseTuple):
            whole = all(isinstance(part, types.Integer) for part in index)
            return self.dtype if whole and len(index) == self.referenced.ndim == 2 else None
        if not isinstance(index, types.Integer) or self.referenced.ndim > 2:
            return None
        return self.dtype if self.referenced.ndim == 1 else types.CPointer(self.dtype)


@register_model(TupleReference)
@register_model(ArrayReference)
class _Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: _Reference) -> None:
        super().__init__(manager, kind, manager.lookup(kind.referenced).get_value_type().as_pointer())


@type_callable(reference)
def _type_reference(context):
    def typer(arrays):
        for kind in arrays if isinstance(arrays, _NAMED) else (None,):
            if kind is None or (isinstance(kind, types.Array) and kind.layout != "C"):
                raise TypingError(f"a reference needs a named tuple of arrays in C order, not {arrays}")
        return TupleReference(arrays)

    return typer


@lower_builtin(reference, types.NamedTuple)
@lower_builtin(reference, types.NamedUniTuple)
def _lower_reference(context, builder, signature, arguments):
    """Lowered into the kernel itself, not into a function of its own, because the tuple lies on its stack."""
    return cgutils.alloca_once_value(builder, arguments[0])


@infer_getattr
class _TupleAttributes(AttributeTemplate):  # type: ignore[misc]
    key = TupleReference

    def generic_resolve(self, kind: TupleReference, name: str) -> types.Type | None:
        return kind.attribute(name)


@lower_getattr_generic(TupleReference)
def _lower_attribute(context, builder, kind, value, name):
    place = cgutils.gep_inbounds(builder, value, 0, kind.index_of(name))
    return place if isinstance(kind.attribute(name), _Reference) else _load_constant(builder, place)


@infer_getattr
class _ArrayAttributes(AttributeTemplate):  # type: ignore[misc]
    key = ArrayReference

    def resolve_size(self, kind: ArrayReference) -> types.Type:
        return types.intp


@lower_getattr_generic(ArrayReference)
def _lower_size(context, builder, kind, value, name):
    return _load_field(builder, value, _ITEM_COUNT)


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        array, index = args
        element = array.element(index) if isinstance(array, ArrayReference) else None
        return None if element is None else signature(element, array, index)


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        array, index, _ = args
        if isinstance(array, ArrayReference) and array.element(index) == array.dtype and array.referenced.mutable:
            return signature(types.none, array, index, array.dtype)
        return None


# Fields of Numba's description of an array.
_ITEM_COUNT, _DATA, _SHAPE = 2, 4, 5


def _load_constant(builder, place):
    """Load a value that never changes, so that the load can be moved and merged."""
    loaded = builder.load(place)
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded


def _load_field(builder, array, *path):
    return _load_constant(builder, cgutils.gep_inbounds(builder, array, 0, *path))


def data_pointer(builder, array):
    """The address of the first element of an `ArrayReference`."""
    return _load_field(builder, array, _DATA)


def _element_pointer(context, builder, kind, array, index_kind, index):
    parts = [(index_kind, index)]
    if isinstance(index_kind, types.BaseTuple):
        parts = list(zip(index_kind, cgutils.unpack_tuple(builder, index), strict=True))
    numbers = [context.cast(builder, number, part, types.intp) for part, number in parts]
    offset = numbers[0]
    if kind.referenced.ndim == 2:
        offset = builder.mul(offset, _load_field(builder, array, _SHAPE, 1))
        if len(numbers) == 2:
            offset = builder.add(offset, numbers[1])
    return builder.gep(data_pointer(builder, array), [offset])


@lower_builtin(operator.getitem, ArrayReference, types.Any)
def _lower_getitem(context, builder, signature, arguments):
    place = _element_pointer(context, builder, signature.args[0], arguments[0], signature.args[1], arguments[1])
    if isinstance(signature.return_type, types.CPointer):
        return place
    return context.unpack_value(builder, signature.return_type, place)


@lower_builtin(operator.setitem, ArrayReference, types.Any, types.Any)
def _lower_setitem(context, builder, signature, arguments):
    place = _element_pointer(context, builder, signature.args[0], arguments[0], signature.args[1], arguments[1])
    context.pack_value(builder, signature.args[2], arguments[2], place)
    return context.get_dummy_value()


@type_callable(whole)
def _type_whole(context):
    return lambda array: array.referenced if isinstance(array, ArrayReference) else None


@lower_builtin(whole, ArrayReference)
def _lower_whole(context, builder, signature, arguments):
    return impl_ret_borrowed(context, builder, signature.return_type, builder.load(arguments[0]))
