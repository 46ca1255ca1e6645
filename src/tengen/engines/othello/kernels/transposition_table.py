"""The table of the Othello engine: what is known of a position's value, by a key of its discs.

One array of np.uint64, known to the kernels by its pointer; an entry is two words, and one of data 0 is empty:

    key XOR data, so that one written by two threads at once is seen to be wrong
    bits  0-7   best move, or NO_MOVE      bits 32-47  lower bound, in centi-discs + 32768
    bits  8-15  depth                      bits 48-63  upper bound, in centi-discs + 32768
    bits 16-23  level of selectivity       bits 24-31  age

An entry's bounds are those of a search to `depth` plies at `level` (see `midgame`); one that reaches the end of
the game at the exact level is proved. Entries stand in pairs: the first keeps the larger search of this age.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import helper
from tengen.core.memory import wide_zeros

NO_MOVE = 255
_8, _16, _24, _32, _48 = (np.uint64(n) for n in (8, 16, 24, 32, 48))
_LOW8, _LOW16 = np.uint64(0xFF), np.uint64(0xFFFF)
_ZERO, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)
_MIDDLE = np.int64(32768)
_LINE = np.uint64(8)


LINE = 8
"""Words of a cache line; a table begins with one of which only the first is used."""


def make_table(nbytes: int) -> np.ndarray:
    """An empty table that fits into so much memory: how many pairs there are, less one; then the pairs.

    It begins at a cache line, so that a pair never lies across two.
    """
    pairs = 1 << max(4, (nbytes // 32).bit_length() - 1)
    table = wide_zeros(LINE + pairs * 4)
    table[0] = pairs - 1
    return table


def clear_table(table: np.ndarray) -> None:
    """Forget everything."""
    table[LINE:] = 0


@helper
def slot_of(table, key):
    """Where the pair of entries of a key begins, in words."""
    return ((key & table[0]) << _TWO) + _LINE


@helper
def hash_of(mover, enemy):
    """64 well mixed bits: two positions share them by chance only, once in 10^19 pairs."""
    bits = mover * np.uint64(0x9E3779B97F4A7C15)
    bits ^= bits >> _32
    bits = (bits + enemy) * np.uint64(0xD6E8FEB86659FD93)
    bits ^= bits >> _32
    bits *= np.uint64(0xCA5A826395121157)
    return bits ^ (bits >> _32)


@helper
def pack(move, depth, level, age, lower, upper):
    return (
        np.uint64(move)
        | (np.uint64(depth) << _8)
        | (np.uint64(level) << _16)
        | (np.uint64(age) << _24)
        | (np.uint64(lower + _MIDDLE) << _32)
        | (np.uint64(upper + _MIDDLE) << _48)
    )


@helper
def move_of(entry):
    return np.int64(entry & _LOW8)


@helper
def depth_of(entry):
    return np.int64((entry >> _8) & _LOW8)


@helper
def level_of(entry):
    return np.int64((entry >> _16) & _LOW8)


@helper
def age_of(entry):
    return np.int64((entry >> _24) & _LOW8)


@helper
def lower_of(entry):
    return np.int64((entry >> _32) & _LOW16) - _MIDDLE


@helper
def upper_of(entry):
    return np.int64(entry >> _48) - _MIDDLE


@helper
def probe(table, key):
    """The entry of a position, or 0."""
    slot = slot_of(table, key)
    entry = table[slot + _ONE]
    if table[slot] ^ entry == key:
        return entry
    entry = table[slot + np.uint64(3)]
    if table[slot + _TWO] ^ entry == key:
        return entry
    return _ZERO


@helper
def store(table, key, entry):
    slot = slot_of(table, key)
    kept = table[slot + _ONE]
    if age_of(kept) == age_of(entry) and depth_of(kept) > depth_of(entry):
        if table[slot] ^ kept == key:
            return  # what a deeper search found is worth more
        slot += _TWO
    table[slot] = key ^ entry
    table[slot + _ONE] = entry
