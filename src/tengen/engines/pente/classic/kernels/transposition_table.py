"""The transposition table of the classic player.

Three arrays of equal length, a power of two: keys (those of the rules, including captures and side to move),
values and data. An entry's data packs

    bits 0-15 best move    bits 16-23 depth    bits 24-25 LOWER, UPPER or EXACT (0: no entry)

Entries form pairs: the first keeps the deeper search, the second the latest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.core.compiled.kernel import inner

LOWER, UPPER, EXACT = 1, 2, 3
_BYTES = 24  # per entry
_1, _2 = np.uint64(1), np.uint64(2)


def make_table(megabytes: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """An empty table of at most `megabytes`."""
    entries = 1 << max(4, (megabytes * 1024 * 1024 // _BYTES).bit_length() - 1)
    return np.zeros(entries, np.uint64), np.zeros(entries, np.float64), np.zeros(entries, np.int64)


@inner
def move_of(data):
    return data & 0xFFFF


@inner
def depth_of(data):
    return (data >> 16) & 0xFF


@inner
def bound_of(data):
    return data >> 24


@inner
def find(keys, data, key):
    """(slot, data) of a position; data is 0 if it is not there."""
    slot = key & np.uint64(len(keys) - 2)
    for _ in range(2):
        if keys[slot] == key and data[slot] != 0:
            return slot, data[slot]
        slot += _1
    return slot - _2, np.int64(0)


@inner
def put(keys, values, data, key, value, move, depth, bound):
    slot = key & np.uint64(len(keys) - 2)
    if keys[slot] != key and depth_of(data[slot]) > depth:
        slot += _1
    keys[slot] = key
    values[slot] = value
    data[slot] = move | (min(depth, 255) << 16) | (bound << 24)
