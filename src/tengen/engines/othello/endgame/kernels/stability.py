"""Stable discs, which can never be flipped: a bound on the score without search.

A disc counts as stable if it is stable on its edge whatever is played there (from a table of all edges), or if on
each of the four lines through it there is the border, a full line, or a stable disc of its own colour next to it.
This finds a subset of the stable discs. 8x8 only.
"""

from __future__ import annotations

import functools

import numpy as np

from tengen.core.compiled.bits import popcount
from tengen.core.compiled.kernel import helper, kernel

_ZERO = np.uint64(0)
_1, _7, _8, _9, _56 = (np.uint64(n) for n in (1, 7, 8, 9, 56))
_LOW8 = np.uint64(0xFF)
_TOP, _BOTTOM = np.uint64(0xFF), np.uint64(0xFF << 56)
_LEFT, _RIGHT = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_INNER = np.uint64(0x007E7E7E7E7E7E00)
_TO_ROW = np.uint64(0x0102040810204080)  # gathers the leftmost file into one byte
_TO_FILE = np.uint64(0x0002040810204081)  # and spreads it again
_DIAGONALS = tuple(
    tuple(
        np.uint64(sum(1 << (8 * r + c) for r in range(8) for c in range(8) if (c - r if rising else c + r) == n))
        for n in (range(-5, 6) if rising else range(2, 13))
    )
    for rising in (False, True)
)  # of three squares or more; shorter ones lie on the border only
_SHORT = np.uint64(sum(1 << (8 * r + c) for r in range(8) for c in range(8) if min(r, c, 7 - r, 7 - c) == 0))


@kernel
def _fill_edge_table(table):
    """`table[256 * own + other]`: discs of `own` on an edge of eight that stay whatever either side plays.

    From full edges down: a disc is stable if no move of either side on an empty square flips it, and it stays
    stable.
    """
    for filled in range(8, -1, -1):
        for own in range(256):
            for other in range(256):
                discs = own | other
                if own & other or popcount(np.uint64(discs)) != np.uint64(filled):
                    continue
                stable = own
                for square in range(8):
                    if discs >> square & 1:
                        continue
                    for side in range(2):
                        mine, theirs = (own, other) if side == 0 else (other, own)
                        after = mine | 1 << square
                        for step in (-1, 1):
                            end = square + step
                            while 0 <= end < 8 and theirs >> end & 1:
                                end += step
                            if 0 <= end < 8 and mine >> end & 1:
                                flipped = square + step
                                while flipped != end:
                                    after |= 1 << flipped
                                    flipped += step
                        rest = theirs & ~after
                        new_own, new_other = (after, rest) if side == 0 else (rest, after)
                        stable &= np.int64(table[256 * new_own + new_other]) & own
                table[256 * own + other] = stable


@functools.cache
def edge_stability_table() -> np.ndarray:
    """Stable discs of one side for each filling of an edge: uint8[65536], read-only."""
    table = np.zeros(65536, np.uint8)
    _fill_edge_table(table)
    table.flags.writeable = False
    return table


@helper
def _file_byte(bits):
    """The leftmost file as a byte, top square lowest."""
    return ((bits & _LEFT) * _TO_ROW) >> _56


@helper
def _as_file(byte):
    """A byte as the leftmost file. Seven squares at a time: the products of eight would carry into each other."""
    return (((byte & np.uint64(0x7F)) * _TO_FILE) & _LEFT) | ((byte >> _7) << _56)


@helper
def _stable_edge_discs(mine, other, edges):
    top = np.uint64(edges[((mine & _LOW8) << _8) | (other & _LOW8)])
    bottom = np.uint64(edges[((mine >> _56) << _8) | (other >> _56)])
    left = np.uint64(edges[(_file_byte(mine) << _8) | _file_byte(other)])
    right = np.uint64(edges[(_file_byte(mine >> _7) << _8) | _file_byte(other >> _7)])
    return top | (bottom << _56) | _as_file(left) | (_as_file(right) << _7)


@helper
def _full_rows(discs):
    rows = discs & (discs >> _1)
    rows &= rows >> np.uint64(2)
    rows &= rows >> np.uint64(4)
    return (rows & _LEFT) * _LOW8


@helper
def _full_files(discs):
    files = discs & ((discs >> _8) | (discs << _56))
    files &= (files >> np.uint64(16)) | (files << np.uint64(48))
    return files & ((files >> np.uint64(32)) | (files << np.uint64(32)))


@helper
def _full_falling(discs):
    """Full diagonals on which one row down is one file to the left."""
    full = _SHORT
    for diagonal in _DIAGONALS[0]:
        if discs & diagonal == diagonal:
            full |= diagonal
    return full


@helper
def _full_rising(discs):
    full = _SHORT
    for diagonal in _DIAGONALS[1]:
        if discs & diagonal == diagonal:
            full |= diagonal
    return full


@helper
def stable_discs(mine, other, edges):
    """Number of discs of `mine` that are found to be stable."""
    discs = mine | other
    rows = _full_rows(discs) | _LEFT | _RIGHT
    files = _full_files(discs) | _TOP | _BOTTOM
    falling, rising = _full_falling(discs), _full_rising(discs)
    stable = _stable_edge_discs(mine, other, edges)
    inner = mine & _INNER
    stable |= inner & rows & files & falling & rising
    growing = stable != _ZERO
    while growing:
        before = stable
        stable |= (
            inner
            & ((stable >> _1) | (stable << _1) | rows)
            & ((stable >> _8) | (stable << _8) | files)
            & ((stable >> _7) | (stable << _7) | falling)
            & ((stable >> _9) | (stable << _9) | rising)
        )
        growing = stable != before
    return np.int64(popcount(stable))
