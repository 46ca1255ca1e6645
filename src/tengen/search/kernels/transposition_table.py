"""The transposition table that engines share. A search with a table of its own says why.

A table is one np.uint64 array, passed to kernels as an array or as a pointer. A header of one cache line, whose
first word is the number of buckets less one, is followed by the buckets. A bucket has two entries and never spans
two cache lines. An entry is two words:

    key XOR data    an entry torn by two concurrent writers never matches
    data            0: the entry is empty

The table itself uses two fields of the data, for the replacement rule; the game defines the rest:

    bits 16-23      depth, or another measure of the work that an entry saves
    bits 24-29      age, the number of the search; 0 in tables that are cleared before each search

The standard entry, for searches that need nothing else:

    bits 0-15 best move    bits 30-31 bound: LOWER, UPPER or EXACT    bits 32-63 value, a signed number

A hash key must be well mixed in its low bits, which choose the bucket.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.core.aligned_memory import aligned_zeros
from tengen.core.compiled.kernel import helper

Table = np.ndarray[Any, np.dtype[np.uint64]]

LOWER, UPPER, EXACT = 1, 2, 3
HEADER_WORDS = 8
_0, _1, _2, _3 = (np.uint64(n) for n in range(4))
_16, _24, _30, _32 = (np.uint64(n) for n in (16, 24, 30, 32))
_LOW6, _LOW8, _LOW16, _LOW32 = (np.uint64(n) for n in (0x3F, 0xFF, 0xFFFF, 0xFFFFFFFF))
_HEADER = np.uint64(HEADER_WORDS)


def make_table(nbytes: int) -> Table:
    """An empty table of at most `nbytes`, but at least 16 buckets."""
    buckets = 1 << max(4, (nbytes // 32).bit_length() - 1)
    table = aligned_zeros(HEADER_WORDS + buckets * 4)
    table[0] = buckets - 1
    return table


def clear_table(table: Table) -> None:
    table[HEADER_WORDS:] = 0


@helper
def bucket_of(table, key):
    """Index of the first word of a key's bucket."""
    return ((key & table[0]) << _2) + _HEADER


@helper
def probe(table, key):
    """The data of a position, or 0."""
    slot = bucket_of(table, key)
    data = table[slot + _1]
    if table[slot] ^ data == key:
        return data
    data = table[slot + _3]
    if table[slot + _2] ^ data == key:
        return data
    return _0


@helper
def store(table, key, data):
    """Store the data of a position unless the table has a protected result of the same position.

    Othello searches 7 % more nodes if shallow searches, which order moves, overwrite the results of deep ones.
    """
    slot = bucket_of(table, key)
    first = table[slot + _1]
    if table[slot] ^ first != key or not is_protected(first, data):
        store_latest(table, key, data)


@helper
def store_latest(table, key, data):
    """Store the data of a position in the first entry of its bucket, or in the second if another one is protected.

    For searches that store proved bounds as infinitely deep: a bound that did not decide a position must not keep
    out the result of searching it, or that search is repeated at each visit.
    """
    slot = bucket_of(table, key)
    first = table[slot + _1]
    if table[slot] ^ first != key and is_protected(first, data):
        slot += _2
    table[slot] = key ^ data
    table[slot + _1] = data


@helper
def is_protected(first, data):
    """The replacement rule: the first entry keeps the deeper search of the current age, the second the latest."""
    return age_of(first) == age_of(data) and depth_of(first) > depth_of(data)


@helper
def depth_of(data):
    return np.int64((data >> _16) & _LOW8)


@helper
def age_of(data):
    return np.int64((data >> _24) & _LOW6)


# ---- the standard entry


@helper
def pack(move, depth, age, bound, value):
    """Data of a standard entry; `depth` is from 0 to 255, `age` is taken modulo 64."""
    return (
        np.uint64(move)
        | (np.uint64(depth) << _16)
        | ((np.uint64(age) & _LOW6) << _24)
        | (np.uint64(bound) << _30)
        | ((np.uint64(value) & _LOW32) << _32)
    )


@helper
def move_of(data):
    return np.int64(data & _LOW16)


@helper
def bound_of(data):
    return np.int64((data >> _30) & _3)


@helper
def value_of(data):
    value = np.int64(data >> _32)
    return value - (np.int64(1) << 32) if value >= (np.int64(1) << 31) else value
