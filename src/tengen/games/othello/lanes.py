"""Moves, flips and full lines by vectors: the four axes of the board side by side in one register of four lanes.

Written as LLVM code of four 64-bit lanes, which becomes AVX2 where the processor has it and pairs of smaller
registers elsewhere: three to four times the speed of one axis after the other. The plain functions of the same
meaning are `rules.find_moves`, `rules.find_flips` and `full_lines`; compiled code uses these in their place.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

_I32, _I64 = ir.IntType(32), ir.IntType(64)
_LANES = ir.VectorType(_I64, 4)
_ALL = (1 << 64) - 1
_INNER = 0x7E7E7E7E7E7E7E7E  # files b to g: a line of enemy discs along a row or diagonal cannot wrap past them
_AXES = ((1, 0), (0, 1), (-1, 1), (1, 1))  # (columns, rows) of one step towards higher squares
_STEPS = tuple(columns + 8 * rows for columns, rows in _AXES)


def _lanes(*numbers: int) -> ir.Constant:
    return ir.Constant(_LANES, [number & _ALL for number in (numbers * 4 if len(numbers) == 1 else numbers)])


def _in_all(builder, number):
    """Broadcast 64 bits to all lanes."""
    lanes = builder.insert_element(ir.Constant(_LANES, ir.Undefined), number, ir.Constant(_I32, 0))
    order = ir.Constant(ir.VectorType(_I32, 4), [0] * 4)
    return builder.shuffle_vector(lanes, ir.Constant(_LANES, ir.Undefined), order)


def _united(builder, lanes):
    """Bitwise or of all lanes."""
    order = ir.Constant(ir.VectorType(_I32, 4), [2, 3, 2, 3])
    pair = builder.or_(lanes, builder.shuffle_vector(lanes, ir.Constant(_LANES, ir.Undefined), order))
    first, second = (builder.extract_element(pair, ir.Constant(_I32, lane)) for lane in (0, 1))
    return builder.or_(first, second)


def _ray(square: int, axis: tuple[int, int], sign: int) -> int:
    """The squares from a square to the edge of the board, without itself."""
    columns, rows = sign * axis[0], sign * axis[1]
    column, row = square % 8 + columns, square // 8 + rows
    bits = 0
    while 0 <= column < 8 and 0 <= row < 8:
        bits |= 1 << (8 * row + column)
        column, row = column + columns, row + rows
    return bits


def _rays(builder, square):
    """The four upward and four downward rays of a square, from a table embedded in the compiled code."""
    name = "tengen.othello.rays"
    table = builder.module.globals.get(name)
    if table is None:
        rows = [_lanes(*(_ray(s, axis, sign) for axis in _AXES)) for s in range(64) for sign in (1, -1)]
        kind = ir.ArrayType(_LANES, len(rows))
        table = ir.GlobalVariable(builder.module, kind, name)
        table.linkage = "internal"
        table.global_constant = True
        table.align = 32
        table.initializer = ir.Constant(kind, rows)
    first = builder.shl(square, ir.Constant(_I64, 1))
    for index in (first, builder.or_(first, ir.Constant(_I64, 1))):
        yield builder.load(builder.gep(table, [ir.Constant(_I32, 0), index]), align=32)


@intrinsic
def lane_moves(typing_context, mover, enemy):
    """The squares where a line of enemy discs, begun at a mover's disc, ends: empty ones are the legal moves.

    Doubling: runs of one, then of two, four and six enemy discs are filled.
    """

    def codegen(context, builder, signature, arguments):
        discs = _in_all(builder, arguments[0])
        enemies = builder.and_(_in_all(builder, arguments[1]), _lanes(_INNER, _ALL, _INNER, _INNER))
        one, two = _lanes(*_STEPS), _lanes(*(2 * step for step in _STEPS))
        ends = _lanes(0)
        for shift in (builder.shl, builder.lshr):
            line = builder.and_(enemies, shift(discs, one))
            line = builder.or_(line, builder.and_(enemies, shift(line, one)))
            pairs = builder.and_(enemies, shift(enemies, one))
            for _ in range(2):
                line = builder.or_(line, builder.and_(pairs, shift(line, two)))
            ends = builder.or_(ends, shift(line, one))
        return _united(builder, ends)

    return types.uint64(types.uint64, types.uint64), codegen


@intrinsic
def lane_flips(typing_context, square, mover, enemy):
    """The discs that a move on this square turns over.

    On each ray the first square without an enemy disc decides: what lies before it is turned if it is the mover's.
    """

    def codegen(context, builder, signature, arguments):
        square, mover, enemy = arguments
        up, down = _rays(builder, square)
        discs, others = _in_all(builder, mover), builder.not_(_in_all(builder, enemy))
        zero, one = _lanes(0), _lanes(1)
        stops = builder.and_(others, up)
        end = builder.and_(builder.and_(stops, builder.sub(zero, stops)), discs)
        found = builder.sext(builder.icmp_unsigned("!=", end, zero), _LANES)
        upwards = builder.and_(builder.and_(builder.sub(end, one), found), up)
        # Downwards the first is the highest bit: the one below no other.
        stops = builder.and_(others, down)
        below = builder.lshr(stops, _lanes(*_STEPS))
        for factor in (1, 2, 4):
            below = builder.or_(below, builder.lshr(below, _lanes(*(factor * step for step in _STEPS))))
        end = builder.and_(builder.and_(stops, builder.not_(below)), discs)
        downwards = builder.and_(down, builder.sub(zero, builder.shl(end, one)))
        return _united(builder, builder.or_(upwards, downwards))

    return types.uint64(types.uint64, types.uint64, types.uint64), codegen


def _beyond(axis: tuple[int, int], steps: int) -> int:
    """The squares from which `steps` steps back along an axis leave the board; `steps` may be negative."""
    columns, rows = steps * axis[0], steps * axis[1]
    return sum(
        1 << square for square in range(64) if not (0 <= square % 8 - columns < 8 and 0 <= square // 8 - rows < 8)
    )


def full_lines(discs):
    """The squares on full rows, files, falling and rising diagonals, as four bitboards.

    On a falling diagonal, one row down is one file to the left.
    """
    found = []
    for axis, step in zip(_AXES, _STEPS, strict=True):
        full = [int(discs), int(discs)]
        for steps in (1, 2, 4):
            full[0] &= (full[0] << steps * step | _beyond(axis, steps)) & _ALL
            full[1] &= full[1] >> steps * step | _beyond(axis, -steps)
        found.append(np.uint64(full[0] & full[1]))
    return tuple(found)


@intrinsic
def _lane_full_lines(typing_context, discs):
    """Doubling: all squares within one, three and seven steps back are full or beyond the edge; then forward."""

    def codegen(context, builder, signature, arguments):
        full = _in_all(builder, arguments[0])
        both = []
        for shift, sign in ((builder.shl, 1), (builder.lshr, -1)):
            line = full
            for steps in (1, 2, 4):
                back = shift(line, _lanes(*(steps * step for step in _STEPS)))
                edge = _lanes(*(_beyond(axis, sign * steps) for axis in _AXES))
                line = builder.and_(line, builder.or_(back, edge))
            both.append(line)
        lanes = builder.and_(*both)
        parts = [builder.extract_element(lanes, ir.Constant(_I32, lane)) for lane in range(4)]
        return context.make_tuple(builder, signature.return_type, parts)

    return types.UniTuple(types.uint64, 4)(types.uint64), codegen


@overload(full_lines)
def _full_lines(discs):
    return lambda discs: _lane_full_lines(np.uint64(discs))
