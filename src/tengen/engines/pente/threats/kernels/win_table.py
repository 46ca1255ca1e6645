"""Table of forced wins, and of positions without one.

It has the layout of `search.kernels.transposition_table`, with entries and a replacement rule of its own:

    bits 0-15 first move of the win    bits 16-23 its length (0: none found)    bits 24-31 depth of the search

A bucket keeps its two latest results, whatever their depth: wins and failures of short searches have no common
measure of work.

A win is its length and its first move, `length | move << 16`.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.search.kernels.transposition_table import bucket_of, probe

NO_WIN = -1
"""Known: there is no win within the depth."""
_MAX_LENGTH = np.int64(255)
_0, _1, _2, _3 = (np.uint64(n) for n in range(4))
_16, _24, _LOW8, _LOW16 = np.uint64(16), np.uint64(24), np.uint64(0xFF), np.uint64(0xFFFF)


@inner
def make_win(length, move):
    return length | (np.int64(move) << 16)


@inner
def win_length(win):
    return win & 0xFFFF


@inner
def win_move(win):
    return np.uint64(win >> 16)


@inner
def known_win(table, key, depth):
    """A win found before, NO_WIN if a search to `depth` has found none, or 0."""
    data = probe(table, key)
    if data == _0:
        return np.int64(0)
    length = np.int64((data >> _16) & _LOW8)
    if length > 0:
        return make_win(length, data & _LOW16)
    return np.int64(NO_WIN) if np.int64(data >> _24) >= depth else np.int64(0)


@inner
def store_win(table, key, win):
    _store(table, key, win_move(win) | (np.uint64(min(win_length(win), _MAX_LENGTH)) << _16))


@inner
def store_no_win(table, key, depth):
    _store(table, key, np.uint64(depth) << _24)


@inner
def _store(table, key, data):
    slot = bucket_of(table, key)
    if table[slot] ^ table[slot + _1] != key:
        table[slot + _2], table[slot + _3] = table[slot], table[slot + _1]
    table[slot] = key ^ data
    table[slot + _1] = data
