"""Small kernels called from Python: moves and flips, principal variation."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import popcount
from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.othello.kernels.table_entry import (
    NO_MOVE,
    hash_board,
    lower_of,
    move_of,
    selectivity_of,
    upper_of,
)
from tengen.engines.othello.midgame.kernels.probcut import NO_SELECTIVITY
from tengen.engines.othello.midgame.kernels.search import PASS
from tengen.games.othello.rules import find_flips, find_moves
from tengen.search.kernels.transposition_table import depth_of, probe


@kernel
def compute_flips(square, mover, enemy, empties):
    return find_flips(square, mover, enemy)


@kernel
def compute_moves(mover, enemy, empties):
    """Bitboards of the moves of the mover, and of the enemy."""
    return find_moves(mover, enemy, empties), find_moves(enemy, mover, empties)


@kernel
def principal_variation(mover, enemy, empties, table, squares, exact_only, value):
    """Follow best moves from the table; returns how many squares were written to `squares`.

    With `exact_only`, stop where the table lacks the exact `value` of a position, in centi-discs for its mover.
    """
    table = pointer(table)
    length = 0
    while length < len(squares):
        moves = find_moves(mover, enemy, empties)
        if moves == np.uint64(0):
            if find_moves(enemy, mover, empties) == np.uint64(0):
                break
            squares[length] = PASS
            length += 1
            mover, enemy, value = enemy, mover, -value
            continue
        entry = probe(table, hash_board(mover, enemy))
        square = np.uint64(move_of(entry))
        if (
            entry == np.uint64(0)
            or square == np.uint64(NO_MOVE)
            or (moves >> square) & np.uint64(1) == np.uint64(0)
        ):
            break
        proved = depth_of(entry) == np.int64(popcount(empties)) and selectivity_of(entry) == NO_SELECTIVITY
        if exact_only and not (proved and lower_of(entry) == value and upper_of(entry) == value):
            break
        value = -value
        flips = find_flips(square, mover, enemy)
        disc = np.uint64(1) << square
        mover, enemy, empties = enemy ^ flips, mover | flips | disc, empties ^ disc
        squares[length] = np.int64(square)
        length += 1
    return length
