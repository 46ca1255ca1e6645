"""Entries of the transposition table (`search.kernels.transposition_table`), and the hash key of a position.

    bits 0-7 best move, or NO_MOVE    bits 8-15 selectivity    bits 16-23 depth    bits 24-29 age
    bits 32-47 lower bound    bits 48-63 upper bound, both in centi-discs + 32768

The bounds hold for a search to `depth` plies at `selectivity`; at NO_SELECTIVITY and a depth that reaches the end
of the game they are proved.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner

NO_MOVE = 255
_8, _16, _24, _32, _48 = (np.uint64(n) for n in (8, 16, 24, 32, 48))
_LOW6, _LOW8, _LOW16 = np.uint64(0x3F), np.uint64(0xFF), np.uint64(0xFFFF)
_BOUND_OFFSET = np.int64(32768)


@inner
def hash_board(mover, enemy):
    """64 well-mixed bits: two positions collide by chance about once in 10^19 pairs."""
    bits = mover * np.uint64(0x9E3779B97F4A7C15)
    bits ^= bits >> _32
    bits = (bits + enemy) * np.uint64(0xD6E8FEB86659FD93)
    bits ^= bits >> _32
    bits *= np.uint64(0xCA5A826395121157)
    return bits ^ (bits >> _32)


@inner
def pack(move, depth, selectivity, age, lower, upper):
    """An entry; `age` is taken modulo 64."""
    return (
        np.uint64(move)
        | (np.uint64(selectivity) << _8)
        | (np.uint64(depth) << _16)
        | ((np.uint64(age) & _LOW6) << _24)
        | (np.uint64(lower + _BOUND_OFFSET) << _32)
        | (np.uint64(upper + _BOUND_OFFSET) << _48)
    )


@inner
def move_of(entry):
    return np.int64(entry & _LOW8)


@inner
def selectivity_of(entry):
    return np.int64((entry >> _8) & _LOW8)


@inner
def lower_of(entry):
    return np.int64((entry >> _32) & _LOW16) - _BOUND_OFFSET


@inner
def upper_of(entry):
    return np.int64(entry >> _48) - _BOUND_OFFSET
