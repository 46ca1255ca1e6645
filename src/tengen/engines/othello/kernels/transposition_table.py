"""The transposition table of the Othello engine.

One np.uint64 array, passed to kernels as a pointer. An entry is two words; an entry with data 0 is empty:

    key XOR data, so that an entry torn by two concurrent writers never matches
    bits  0-7   best move, or NO_MOVE      bits 32-47  lower bound, in centi-discs + 32768
    bits  8-15  depth                      bits 48-63  upper bound, in centi-discs + 32768
    bits 16-23  selectivity                bits 24-31  age (number of the search)

The bounds hold for a search to `depth` plies at `selectivity`; at NO_SELECTIVITY and a depth that reaches the end
of the game they are proved. Entries form pairs: the first slot keeps the deeper search of the current age.
"""

from __future__ import annotations

import numpy as np

from tengen.core.aligned_memory import aligned_zeros
from tengen.core.compiled.kernel import helper

NO_MOVE = 255
_8, _16, _24, _32, _48 = (np.uint64(n) for n in (8, 16, 24, 32, 48))
_LOW8, _LOW16 = np.uint64(0xFF), np.uint64(0xFFFF)
_ZERO, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)
_BOUND_OFFSET = np.int64(32768)
_HEADER_WORDS = np.uint64(8)


CACHE_LINE_WORDS = 8
"""Words of a cache line. A table starts with one, of which only the first word is used."""


def make_table(nbytes: int) -> np.ndarray:
    """Make an empty table of at most `nbytes`: the number of pairs less one, then the pairs.

    It starts at a cache line, so that a pair never spans two.
    """
    pairs = 1 << max(4, (nbytes // 32).bit_length() - 1)
    table = aligned_zeros(CACHE_LINE_WORDS + pairs * 4)
    table[0] = pairs - 1
    return table


def clear_table(table: np.ndarray) -> None:
    table[CACHE_LINE_WORDS:] = 0


@helper
def slot_of(table, key):
    """Index of a key's pair of entries, in words."""
    return ((key & table[0]) << _TWO) + _HEADER_WORDS


@helper
def hash_board(mover, enemy):
    """64 well-mixed bits: two positions collide by chance about once in 10^19 pairs."""
    bits = mover * np.uint64(0x9E3779B97F4A7C15)
    bits ^= bits >> _32
    bits = (bits + enemy) * np.uint64(0xD6E8FEB86659FD93)
    bits ^= bits >> _32
    bits *= np.uint64(0xCA5A826395121157)
    return bits ^ (bits >> _32)


@helper
def pack(move, depth, selectivity, age, lower, upper):
    return (
        np.uint64(move)
        | (np.uint64(depth) << _8)
        | (np.uint64(selectivity) << _16)
        | (np.uint64(age) << _24)
        | (np.uint64(lower + _BOUND_OFFSET) << _32)
        | (np.uint64(upper + _BOUND_OFFSET) << _48)
    )


@helper
def move_of(entry):
    return np.int64(entry & _LOW8)


@helper
def depth_of(entry):
    return np.int64((entry >> _8) & _LOW8)


@helper
def selectivity_of(entry):
    return np.int64((entry >> _16) & _LOW8)


@helper
def age_of(entry):
    return np.int64((entry >> _24) & _LOW8)


@helper
def lower_of(entry):
    return np.int64((entry >> _32) & _LOW16) - _BOUND_OFFSET


@helper
def upper_of(entry):
    return np.int64(entry >> _48) - _BOUND_OFFSET


@helper
def probe(table, key):
    """A position's entry, or 0."""
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
    existing = table[slot + _ONE]
    if age_of(existing) == age_of(entry) and depth_of(existing) > depth_of(entry):
        if table[slot] ^ existing == key:
            return  # keep the deeper result
        slot += _TWO
    table[slot] = key ^ entry
    table[slot + _ONE] = entry
