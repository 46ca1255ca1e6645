"""Convolutions of small networks in compiled functions, by vector instructions on raw pointers.

A convolution here is the sum over the neighbours of a point of vector @ matrix. LLVM does not find the fast loop
by itself, so it is written as instructions: the sums of a tile of points by LANES columns stay in registers, while
one number of each point's neighbour is multiplied by a row of the matrix. Nothing is copied, as it would be for a
library of linear algebra.
"""

from __future__ import annotations

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import lower_builtin, type_callable

LANES = 32  # columns of matrices are a multiple of this
# Points of a tile: its accumulators have to fit into the vector registers.
_TILE = 6 if binding.get_host_cpu_features().get("avx512f") else 3

_FLOAT, _INDEX, _WORD = ir.FloatType(), ir.IntType(32), ir.IntType(64)
_VECTOR = ir.VectorType(_FLOAT, LANES)
_NAME = "tengen_convolve"


def convolve(source, around, first, count, matrix, out, points, width, columns):
    """Write the sum over the neighbours of each point of source[neighbour] @ its matrix to `out`.

    All are pointers or sizes. source: float32[rows, width]; around: int32[points, 9], of whose columns `count`
    from `first` on are used; matrix: float32[count * width, columns]; out: float32[points, columns], which must
    not overlap the source. `columns` is a multiple of LANES.
    """
    neighbours = around[: 9 * points].reshape(points, 9)[:, first : first + count]
    rows = source[: len(source) // width * width].reshape(-1, width)[neighbours].reshape(points, count * width)
    out[: points * columns] = (rows @ matrix[: count * width * columns].reshape(-1, columns)).reshape(-1)


@type_callable(convolve)
def _type_convolve(context):
    def typer(source, around, first, count, matrix, out, points, width, columns):
        kinds = {source: types.float32, around: types.int32, matrix: types.float32, out: types.float32}
        for kind, wanted in kinds.items():
            if not (isinstance(kind, types.CPointer) and kind.dtype == wanted):
                raise TypingError(f"a convolution needs pointers to float32, and int32 for neighbours, not {kind}")
        return types.void

    return typer


@lower_builtin(
    convolve,
    types.CPointer,
    types.CPointer,
    types.Integer,
    types.Integer,
    types.CPointer,
    types.CPointer,
    types.Integer,
    types.Integer,
    types.Integer,
)
def _lower_convolve(context, builder, signature, arguments):
    values = [
        argument if isinstance(kind, types.CPointer) else context.cast(builder, argument, kind, types.int64)
        for argument, kind in zip(arguments, signature.args, strict=True)
    ]
    module = builder.module
    function = module.globals.get(_NAME) or _define(module, [value.type for value in values])
    builder.call(function, values)
    return context.get_dummy_value()


def _define(module, kinds):
    """Define the function in a module."""
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), kinds), _NAME)
    function.linkage = "internal"
    source, around, first, count, matrix, out, points, width, columns = function.args
    for one in (source, around, matrix, out):
        one.add_attribute("noalias")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    zero, lanes, tile = ir.Constant(_WORD, 0), ir.Constant(_WORD, LANES), ir.Constant(_WORD, _TILE)
    last = builder.sub(points, ir.Constant(_WORD, 1))
    sums = [cgutils.alloca_once(builder, _VECTOR) for _ in range(_TILE)]
    multiply_add = cgutils.get_or_insert_function(
        module, ir.FunctionType(_VECTOR, [_VECTOR] * 3), f"llvm.fmuladd.v{LANES}f32"
    )
    with (
        cgutils.for_range_slice(builder, zero, points, tile, _WORD) as (start, _),
        cgutils.for_range_slice(builder, zero, columns, lanes, _WORD) as (column, _),
    ):
        # The last tile repeats the last point.
        tile_points = [_smaller(builder, builder.add(start, ir.Constant(_WORD, i)), last) for i in range(_TILE)]
        for one in sums:
            builder.store(ir.Constant(_VECTOR, None), one)
        with cgutils.for_range(builder, count, intp=_WORD) as neighbours:
            places = []
            for point in tile_points:
                index = builder.add(builder.mul(point, ir.Constant(_WORD, 9)), first)
                found = builder.load(builder.gep(around, [builder.add(index, neighbours.index)]))
                places.append(builder.mul(builder.sext(found, _WORD), width))
            row = builder.mul(neighbours.index, width)
            with cgutils.for_range(builder, width, intp=_WORD) as inputs:
                at = builder.add(builder.mul(builder.add(row, inputs.index), columns), column)
                weights = _load(builder, matrix, at)
                for place, one in zip(places, sums, strict=True):
                    number = builder.load(builder.gep(source, [builder.add(place, inputs.index)]))
                    product = builder.call(multiply_add, [_spread(builder, number), weights, builder.load(one)])
                    builder.store(product, one)
        for point, one in zip(tile_points, sums, strict=True):
            at = builder.add(builder.mul(point, columns), column)
            target = builder.bitcast(builder.gep(out, [at]), _VECTOR.as_pointer())
            builder.store(builder.load(one), target, align=4)
    builder.ret_void()
    return function


def _smaller(builder, left, right):
    return builder.select(builder.icmp_signed("<", left, right), left, right)


def _load(builder, array, at):
    return builder.load(builder.bitcast(builder.gep(array, [at]), _VECTOR.as_pointer()), align=4)


def _spread(builder, number):
    """A vector of the same number."""
    one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), number, ir.Constant(_INDEX, 0))
    return builder.shuffle_vector(
        one, ir.Constant(_VECTOR, ir.Undefined), ir.Constant(ir.VectorType(_INDEX, LANES), None)
    )
