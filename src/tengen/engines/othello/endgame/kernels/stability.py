"""Stable discs, which can never be flipped: a bound on the score without search.

A disc counts as stable if it is stable on its edge whatever is played there (from a table of all edges), or if on
each of the four lines through it there is the border, a full line, or a stable disc of its own colour next to it.
This finds a subset of the stable discs. 8x8 only.
"""

from __future__ import annotations

import functools

import numpy as np

from tengen.core.compiled.bits import popcount
from tengen.core.compiled.kernel import inner
from tengen.games.othello.lanes import full_lines

_ZERO = np.uint64(0)
_1, _7, _8, _9, _56 = (np.uint64(n) for n in (1, 7, 8, 9, 56))
_LOW8 = np.uint64(0xFF)
_LEFT = np.uint64(0x0101010101010101)
_INNER = np.uint64(0x007E7E7E7E7E7E00)
_TO_ROW = np.uint64(0x0102040810204080)  # gathers the leftmost file into one byte
_TO_FILE = np.uint64(0x0002040810204081)  # and spreads it again


@functools.cache
def edge_stability_table() -> np.ndarray:
    """uint8[65536], read-only: at 256 * own + other, discs of `own` on an edge that stay whatever is played.

    From full edges down: a disc is stable if no move of either side on an empty square flips it, and it stays
    stable.
    """
    edges = np.arange(65536)
    edges = edges[edges >> 8 & edges & 255 == 0]
    own, other = edges >> 8, edges & 255
    stable = own.copy()
    table = np.zeros(65536, np.uint8)
    for filled in range(8, -1, -1):
        level = np.bitwise_count(own | other) == filled
        for square in range(8):
            here = np.flatnonzero(level & ((own | other) >> square & 1 == 0))
            for mine, theirs, swapped in ((own, other, False), (other, own, True)):
                after, rest = _play_on_edge(mine[here], theirs[here], square)
                key = 256 * rest + after if swapped else 256 * after + rest
                stable[here] &= table[key]
        table[edges[level]] = stable[level]
    table.flags.writeable = False
    return table


def _play_on_edge(mine: np.ndarray, theirs: np.ndarray, square: int) -> tuple[np.ndarray, np.ndarray]:
    """Discs of both sides after a disc of `mine` on a square of each edge, which need not flip anything."""
    after = mine | 1 << square
    for squares in (range(square - 1, -1, -1), range(square + 1, 8)):
        flips, is_line = np.zeros_like(mine), np.ones(len(mine), bool)
        for one in squares:
            disc = 1 << one
            after |= np.where(is_line & (mine & disc != 0), flips, 0)
            is_line &= theirs & disc != 0
            flips |= disc
    return after, theirs & ~after


@inner
def _file_byte(bits):
    """The leftmost file as a byte, top square lowest."""
    return ((bits & _LEFT) * _TO_ROW) >> _56


@inner
def _as_file(byte):
    """A byte as the leftmost file. Seven squares at a time: the products of eight would carry into each other."""
    return (((byte & np.uint64(0x7F)) * _TO_FILE) & _LEFT) | ((byte >> _7) << _56)


@inner
def _stable_edge_discs(mine, other, edges):
    top = np.uint64(edges[((mine & _LOW8) << _8) | (other & _LOW8)])
    bottom = np.uint64(edges[((mine >> _56) << _8) | (other >> _56)])
    left = np.uint64(edges[(_file_byte(mine) << _8) | _file_byte(other)])
    right = np.uint64(edges[(_file_byte(mine >> _7) << _8) | _file_byte(other >> _7)])
    return top | (bottom << _56) | _as_file(left) | (_as_file(right) << _7)


@inner
def stable_discs(mine, other, edges):
    """Number of discs of `mine` that are found to be stable."""
    rows, files, falling, rising = full_lines(mine | other)
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
