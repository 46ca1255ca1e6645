"""What a search of Othello asks a book: the value of a position near its root, in compiled code.

Of a `ProbeTable` a kernel takes `nodes` and `slots`. Before a search, what the book knows within PLIES of the
root goes into the engine's table, as if it had been searched to the end of the game: solved values as proved,
the others at the level below, which an exact search does not take. Never the root itself: who values a book
depends on that.
"""

from __future__ import annotations

import numpy as np

from tengen.books.kernels.nodes import SOLVED, find
from tengen.core.compiled.bits import popcount, trailing_zeros
from tengen.core.compiled.kernel import helper, kernel
from tengen.engines.othello.kernels.transposition_table import NO_MOVE, hash_of, pack, store
from tengen.engines.othello.midgame.kernels.probcut import EXACT
from tengen.games.othello.images import least_pair
from tengen.games.othello.rules import find_flips, find_moves

ABSENT = np.int64(-32_000)
"""Instead of a value."""
CENTI = np.int64(100)
_ZERO, _ONE, _EIGHT = np.uint64(0), np.uint64(1), np.uint64(8)


@helper
def book_value(mover, enemy, only_solved, nodes, slots):
    """The value of a position of 8x8 in which the mover has a move, in centi-discs for the mover, or ABSENT."""
    least, other, _ = least_pair(mover, enemy, _EIGHT)
    index = find(nodes, slots, least, other)
    if index < 0 or (only_solved and nodes[index].kind != SOLVED):
        return ABSENT
    return CENTI * np.int64(nodes[index].value)


@kernel
def ask_book(mover, enemy, only_solved, nodes, slots):
    """The same for Python."""
    return book_value(mover, enemy, only_solved, nodes, slots)


@helper
def _remember(mover, enemy, empties, age, nodes, slots, table):
    """Put a position into the table if the book knows it; returns how many were."""
    value = book_value(mover, enemy, True, nodes, slots)
    level = np.int64(EXACT)
    if value == ABSENT:
        value = book_value(mover, enemy, False, nodes, slots)
        level -= np.int64(1)
    if value == ABSENT:
        return np.int64(0)
    depth = np.int64(popcount(empties))
    store(table, hash_of(mover, enemy), pack(np.int64(NO_MOVE), depth, level, age, value, value))
    return np.int64(1)


@helper
def _remember_after(mover, enemy, empties, plies, age, nodes, slots, table):
    moves = find_moves(mover, enemy, empties)
    count = np.int64(0)
    if moves == _ZERO:
        if find_moves(enemy, mover, empties) == _ZERO:
            return count
        return _remember_after(enemy, mover, empties, plies, age, nodes, slots, table)
    while moves != _ZERO:
        square = trailing_zeros(moves)
        disc = _ONE << square
        moves ^= disc
        flips = find_flips(square, mover, enemy)
        own, other, rest = enemy ^ flips, mover | flips | disc, empties ^ disc
        if find_moves(own, other, rest) == _ZERO:  # the search passes before it asks its table
            count += _remember(other, own, rest, age, nodes, slots, table)
        else:
            count += _remember(own, other, rest, age, nodes, slots, table)
        if plies > 1:
            count += _remember_after(own, other, rest, plies - np.int64(1), age, nodes, slots, table)
    return count


@kernel
def remember_book(mover, enemy, empties, plies, age, nodes, slots, table):
    """Put what the book knows of the positions after up to `plies` moves into the table; returns how many."""
    return _remember_after(mover, enemy, empties, plies, age, nodes, slots, table)
