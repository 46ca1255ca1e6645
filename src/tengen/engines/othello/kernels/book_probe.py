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
from tengen.engines.othello.kernels.transposition_table import NO_MOVE, hash_board, pack, store
from tengen.engines.othello.midgame.kernels.probcut import NO_SELECTIVITY
from tengen.games.othello.images import least_pair
from tengen.games.othello.rules import find_flips, find_moves

NOT_IN_BOOK = np.int64(-32_000)
"""Instead of a value."""
CENTIDISCS_PER_DISC = np.int64(100)
_ZERO, _ONE, _EIGHT = np.uint64(0), np.uint64(1), np.uint64(8)


@helper
def book_value(mover, enemy, only_solved, nodes, slots):
    """The value of a position of 8x8 in which the mover has a move, in centi-discs for the mover, or ABSENT."""
    least, other, _ = least_pair(mover, enemy, _EIGHT)
    index = find(nodes, slots, least, other)
    if index < 0 or (only_solved and nodes[index].kind != SOLVED):
        return NOT_IN_BOOK
    return CENTIDISCS_PER_DISC * np.int64(nodes[index].value)


@kernel
def probe_book(mover, enemy, only_solved, nodes, slots):
    """The same for Python."""
    return book_value(mover, enemy, only_solved, nodes, slots)


@helper
def _store_position(mover, enemy, empties, age, nodes, slots, table):
    """Put a position into the table if the book knows it; returns how many were."""
    value = book_value(mover, enemy, True, nodes, slots)
    selectivity = np.int64(NO_SELECTIVITY)
    if value == NOT_IN_BOOK:
        value = book_value(mover, enemy, False, nodes, slots)
        selectivity -= np.int64(1)
    if value == NOT_IN_BOOK:
        return np.int64(0)
    depth = np.int64(popcount(empties))
    store(table, hash_board(mover, enemy), pack(np.int64(NO_MOVE), depth, selectivity, age, value, value))
    return np.int64(1)


@helper
def _store_successors(mover, enemy, empties, plies, age, nodes, slots, table):
    moves = find_moves(mover, enemy, empties)
    count = np.int64(0)
    if moves == _ZERO:
        if find_moves(enemy, mover, empties) == _ZERO:
            return count
        return _store_successors(enemy, mover, empties, plies, age, nodes, slots, table)
    while moves != _ZERO:
        square = trailing_zeros(moves)
        disc = _ONE << square
        moves ^= disc
        flips = find_flips(square, mover, enemy)
        own, other, rest = enemy ^ flips, mover | flips | disc, empties ^ disc
        if find_moves(own, other, rest) == _ZERO:  # the search passes before it asks its table
            count += _store_position(other, own, rest, age, nodes, slots, table)
        else:
            count += _store_position(own, other, rest, age, nodes, slots, table)
        if plies > 1:
            count += _store_successors(own, other, rest, plies - np.int64(1), age, nodes, slots, table)
    return count


@kernel
def store_book_values(mover, enemy, empties, plies, age, nodes, slots, table):
    """Put what the book knows of the positions after up to `plies` moves into the table; returns how many."""
    return _store_successors(mover, enemy, empties, plies, age, nodes, slots, table)
