"""Transposition table.

It consists of two np.uint64 arrays, `keys` and `data`, whose length is a power of two. An entry packs

    bits  0-15  best move          bits 24-25  bound: LOWER, UPPER or EXACT (0: no entry)
    bits 16-23  depth, or PROVED   bits 32-63  value as a signed number

The stored key is key XOR data, so that an entry written by two threads at once is recognised as invalid. Entries
form pairs: the first keeps the deeper search, the second is always replaced.

PROVED means that the bound is a proof, independent of any horizon and of the path to the position. Other entries
are heuristic and, where positions can repeat, may depend on the path.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import helper

LOWER, UPPER, EXACT = 1, 2, 3
PROVED = 255

_8, _16, _24, _32 = np.uint64(8), np.uint64(16), np.uint64(24), np.uint64(32)
_ONE = np.uint64(1)
_LOW16 = np.uint64(0xFFFF)
_LOW8 = np.uint64(0xFF)
_LOW2 = np.uint64(3)
_LOW32 = np.uint64(0xFFFFFFFF)


def make_table(megabytes: int) -> tuple[np.ndarray, np.ndarray]:
    """An empty table of at most `megabytes`, but at least 16 entries."""
    entries = 1 << max(4, (megabytes * 1024 * 1024 // 16).bit_length() - 1)
    return np.zeros(entries, np.uint64), np.zeros(entries, np.uint64)


@helper
def pack(value, move, depth, bound):
    return (
        ((np.uint64(value) & _LOW32) << _32)
        | (np.uint64(bound) << _24)
        | (np.uint64(depth) << _16)
        | np.uint64(move)
    )


@helper
def move_of(entry):
    return np.int64(entry & _LOW16)


@helper
def depth_of(entry):
    return np.int64((entry >> _16) & _LOW8)


@helper
def bound_of(entry):
    return np.int64((entry >> _24) & _LOW2)


@helper
def value_of(entry):
    value = np.int64(entry >> _32)
    return value - (np.int64(1) << 32) if value >= (np.int64(1) << 31) else value


@helper
def probe(keys, data, key):
    """The entry of a position, or 0."""
    slot = key & np.uint64(len(keys) - 2)
    for _ in range(2):
        entry = data[slot]
        if keys[slot] ^ entry == key and entry != np.uint64(0):
            return entry
        slot += _ONE
    return np.uint64(0)


@helper
def store(keys, data, key, entry):
    slot = key & np.uint64(len(keys) - 2)
    existing = data[slot]
    # Do not replace a deeper search of another position in the first entry.
    if keys[slot] ^ existing != key and depth_of(existing) > depth_of(entry):
        slot += _ONE
    keys[slot] = key ^ entry
    data[slot] = entry
