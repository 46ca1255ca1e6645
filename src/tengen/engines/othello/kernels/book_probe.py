"""Book values for the search: positions near the root, looked up in a `ProbeTable` by compiled code.

Before a search, valued book positions within a few plies of the root are stored in the transposition table as if
they had been searched to the end of the game: solved ones as exact, others one selectivity level below, which an
exact search ignores. The root itself is never stored, because book building relies on searching it.
The `ProbeTable` is not a transposition table: a search never changes it, and no position of the book is replaced.
"""

from __future__ import annotations

import numpy as np

from tengen.books.kernels.nodes import SOLVED, find
from tengen.core.compiled.bits import popcount, trailing_zeros
from tengen.core.compiled.kernel import helper, kernel
from tengen.engines.othello.kernels.table_entry import NO_MOVE, hash_board, pack
from tengen.engines.othello.midgame.kernels.probcut import NO_SELECTIVITY
from tengen.games.othello.images import least_pair
from tengen.games.othello.rules import find_flips, find_moves
from tengen.search.kernels.transposition_table import store

NOT_IN_BOOK = np.int64(-32_000)
"""Returned instead of a value."""
CENTIDISCS_PER_DISC = np.int64(100)
_ZERO, _ONE, _EIGHT = np.uint64(0), np.uint64(1), np.uint64(8)


@helper
def book_value(mover, enemy, only_solved, nodes, slots):
    """Value of an 8x8 position in which the mover has a move, in centi-discs for the mover; or NOT_IN_BOOK."""
    least, other, _ = least_pair(mover, enemy, _EIGHT)
    index = find(nodes, slots, least, other)
    if index < 0 or (only_solved and nodes[index].kind != SOLVED):
        return NOT_IN_BOOK
    return CENTIDISCS_PER_DISC * np.int64(nodes[index].value)


@kernel
def probe_book(mover, enemy, only_solved, nodes, slots):
    """`book_value` for Python callers."""
    return book_value(mover, enemy, only_solved, nodes, slots)


@helper
def _store_position(mover, enemy, empties, age, nodes, slots, table):
    """Store a position in the table if the book has it; returns the number stored, 0 or 1."""
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
        if find_moves(own, other, rest) == _ZERO:  # the search passes before it probes its table
            count += _store_position(other, own, rest, age, nodes, slots, table)
        else:
            count += _store_position(own, other, rest, age, nodes, slots, table)
        if plies > 1:
            count += _store_successors(own, other, rest, plies - np.int64(1), age, nodes, slots, table)
    return count


@kernel
def store_book_values(mover, enemy, empties, plies, age, nodes, slots, table):
    """Store book positions up to `plies` moves ahead in the table; returns how many."""
    return _store_successors(mover, enemy, empties, plies, age, nodes, slots, table)
