"""Tables of the strong Pente player: search results, and forced wins.

One np.uint64 array, passed to kernels as a pointer: the first word is the number of entry pairs less one, and the
pairs start at LINE. An entry is two words, key XOR data (so that an entry torn by two concurrent writers never
matches) and data; data 0 means empty.

    search:        bits 0-15 best move, 16-23 depth, 24-25 bound, 26-31 age, 32-63 score as a signed number
    forced wins:   bits 0-15 winning move, 16-23 plies to the win (0: none found), 24-31 depth of the search

Scores of proved wins are stored as distances from the position, not from the root. Captured stones are part of the
key.
"""

from __future__ import annotations

import numpy as np

from tengen.core.aligned_memory import aligned_zeros
from tengen.core.compiled.kernel import inner

LOWER, UPPER, EXACT = 1, 2, 3
LINE = 8
_0, _1, _2, _3, _8 = (np.uint64(n) for n in (0, 1, 2, 3, 8))
_16, _24, _26, _32 = (np.uint64(n) for n in (16, 24, 26, 32))
_LOW6, _LOW8, _LOW16, _LOW32 = (np.uint64(n) for n in (0x3F, 0xFF, 0xFFFF, 0xFFFFFFFF))


def make_table(nbytes: int) -> np.ndarray:
    """An empty table of at most `nbytes`; a pair never spans two cache lines."""
    pairs = 1 << max(4, (nbytes // 32).bit_length() - 1)
    table = aligned_zeros(LINE + pairs * 4)
    table[0] = pairs - 1
    return table


def clear_table(table: np.ndarray) -> None:
    table[LINE:] = 0


@inner
def probe(table, key):
    """Data of a position, or 0."""
    slot = ((key & table[0]) << _2) + _8
    data = table[slot + _1]
    if table[slot] ^ data == key:
        return data
    data = table[slot + _3]
    if table[slot + _2] ^ data == key:
        return data
    return _0


@inner
def pack(move, depth, bound, age, value):
    return (
        np.uint64(move)
        | (np.uint64(max(depth, np.int64(0))) << _16)
        | (np.uint64(bound) << _24)
        | ((np.uint64(age) & _LOW6) << _26)
        | ((np.uint64(value) & _LOW32) << _32)
    )


@inner
def move_of(data):
    return data & _LOW16


@inner
def depth_of(data):
    return np.int64((data >> _16) & _LOW8)


@inner
def bound_of(data):
    return np.int64((data >> _24) & _3)


@inner
def value_of(data):
    value = np.int64(data >> _32)
    return value - (np.int64(1) << 32) if value >= (np.int64(1) << 31) else value


@inner
def store(table, key, data):
    """The first of a pair keeps the deeper search of the current age, the second the latest."""
    slot = ((key & table[0]) << _2) + _8
    kept = table[slot + _1]
    if (
        table[slot] ^ kept != key
        and (kept >> _26) & _LOW6 == (data >> _26) & _LOW6
        and depth_of(kept) > depth_of(data)
    ):
        slot += _2
    table[slot] = key ^ data
    table[slot + _1] = data


# ---- forced wins


@inner
def pack_win(move, win_length, depth):
    return np.uint64(move) | (np.uint64(win_length) << _16) | (np.uint64(depth) << _24)


@inner
def length_of(data):
    return np.int64((data >> _16) & _LOW8)


@inner
def searched_depth_of(data):
    """Depth to which no forced win was found."""
    return np.int64((data >> _24) & _LOW8)


@inner
def store_win(table, key, data):
    slot = ((key & table[0]) << _2) + _8
    if table[slot] ^ table[slot + _1] != key:
        table[slot + _2], table[slot + _3] = table[slot], table[slot + _1]
    table[slot] = key ^ data
    table[slot + _1] = data
