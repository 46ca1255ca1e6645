"""Configurations of all pattern instances along a line of play, one row of `features` per ply.

`features` points to int16[plies, LANES]. A row is three vector registers; a disc that is placed or flipped adds a
row of `DELTAS`. Left to itself, the compiler unrolls the loop over lanes into 48 scalar additions at five times
the cost, so the vector code is emitted here explicitly, with a plain Python version of each function.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from tengen.core.compiled.bits import trailing_zeros
from tengen.core.compiled.pointers import pointer
from tengen.engines.othello.midgame.patterns import DELTAS, LANES

_VECTORS = 3
_VECTOR = ir.VectorType(ir.IntType(16), LANES // _VECTORS)
_WORD = ir.IntType(64)


def set_features(features, ply, mover, enemy):
    """Compute row `ply` from the discs."""
    _row(features, ply)[:] = _plain_sum(mover) - _plain_sum(enemy)


def play_features(features, ply, square, flips):
    """Compute row `ply + 1` from row `ply`: the mover plays `square` and flips `flips`; sides change."""
    _row(features, ply + 1)[:] = -(_row(features, ply) + DELTAS[int(square)] + 2 * _plain_sum(flips))


def pass_features(features, ply):
    """Compute row `ply + 1` from row `ply`: the mover passes."""
    _row(features, ply + 1)[:] = -_row(features, ply)


def _row(features, ply):
    return features[LANES * int(ply) : LANES * (int(ply) + 1)]


def _plain_sum(discs):
    total = np.zeros(LANES, np.int16)
    while discs:
        total += DELTAS[int(trailing_zeros(discs))]
        discs &= discs - np.uint64(1)
    return total


class _Rows:
    """Emits code for consecutive rows of LANES int16 numbers, each three vectors of 16."""

    def __init__(self, builder, data):
        self._builder = builder
        self._data = builder.bitcast(data, _VECTOR.as_pointer())

    def _addresses(self, row):
        first = self._builder.mul(row, _WORD(_VECTORS))
        return [
            self._builder.gep(self._data, [self._builder.add(first, _WORD(vector))]) for vector in range(_VECTORS)
        ]

    def load(self, row):
        return [self._builder.load(address, align=2) for address in self._addresses(row)]

    def store(self, row, vectors):
        for vector, address in zip(vectors, self._addresses(row), strict=True):
            self._builder.store(vector, address, align=2)


def _sum(builder, deltas, discs):
    """Emit the sum of the rows of `deltas` for a set of squares."""
    before = builder.block
    test = builder.append_basic_block("discs.test")
    add = builder.append_basic_block("discs.add")
    after = builder.append_basic_block("discs.after")
    builder.branch(test)
    builder.position_at_end(test)
    left = builder.phi(_WORD)
    totals = [builder.phi(_VECTOR) for _ in range(_VECTORS)]
    left.add_incoming(discs, before)
    for total in totals:
        total.add_incoming(ir.Constant(_VECTOR, [0] * _VECTOR.count), before)
    builder.cbranch(builder.icmp_unsigned("==", left, _WORD(0)), after, add)
    builder.position_at_end(add)
    row = deltas.load(builder.cttz(left, ir.IntType(1)(1)))
    left.add_incoming(builder.and_(left, builder.sub(left, _WORD(1))), add)
    for total, delta in zip(totals, row, strict=True):
        total.add_incoming(builder.add(total, delta), add)
    builder.branch(test)
    builder.position_at_end(after)
    return totals


@intrinsic
def _set(typing_context, features, ply, mover, enemy, deltas):
    def codegen(context, builder, signature, arguments):
        rows = _Rows(builder, arguments[0])
        table = _Rows(builder, arguments[4])
        own, other = _sum(builder, table, arguments[2]), _sum(builder, table, arguments[3])
        rows.store(arguments[1], [builder.sub(one, two) for one, two in zip(own, other, strict=True)])
        return context.get_dummy_value()

    return types.void(features, types.uint64, types.uint64, types.uint64, deltas), codegen


@intrinsic
def _play(typing_context, features, ply, square, flips, deltas):
    def codegen(context, builder, signature, arguments):
        rows = _Rows(builder, arguments[0])
        table = _Rows(builder, arguments[4])
        turned = _sum(builder, table, arguments[3])
        after = []
        for before, disc, turn in zip(rows.load(arguments[1]), table.load(arguments[2]), turned, strict=True):
            after.append(builder.neg(builder.add(builder.add(before, disc), builder.add(turn, turn))))
        rows.store(builder.add(arguments[1], _WORD(1)), after)
        return context.get_dummy_value()

    return types.void(features, types.uint64, types.uint64, types.uint64, deltas), codegen


@intrinsic
def _pass(typing_context, features, ply):
    def codegen(context, builder, signature, arguments):
        rows = _Rows(builder, arguments[0])
        rows.store(builder.add(arguments[1], _WORD(1)), [builder.neg(one) for one in rows.load(arguments[1])])
        return context.get_dummy_value()

    return types.void(features, types.uint64), codegen


@overload(set_features)
def _set_features(features, ply, mover, enemy):
    return lambda features, ply, mover, enemy: _set(
        features, np.uint64(ply), np.uint64(mover), np.uint64(enemy), pointer(DELTAS)
    )


@overload(play_features)
def _play_features(features, ply, square, flips):
    return lambda features, ply, square, flips: _play(
        features, np.uint64(ply), np.uint64(square), np.uint64(flips), pointer(DELTAS)
    )


@overload(pass_features)
def _pass_features(features, ply):
    return lambda features, ply: _pass(features, np.uint64(ply))
