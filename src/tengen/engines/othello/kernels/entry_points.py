"""Small kernels about the root of a search and the line that it found."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import popcount
from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.othello.kernels.transposition_table import (
    NO_MOVE,
    depth_of,
    hash_of,
    level_of,
    lower_of,
    move_of,
    probe,
    upper_of,
)
from tengen.engines.othello.midgame.kernels.features import set_features
from tengen.engines.othello.midgame.kernels.probcut import EXACT
from tengen.engines.othello.midgame.kernels.search import PASS
from tengen.games.othello.rules import find_flips, find_moves


@kernel
def set_root(features, mover, enemy, empties):
    set_features(pointer(features), 0, mover, enemy)


@kernel
def flips_of(square, mover, enemy, empties):
    return find_flips(square, mover, enemy)


@kernel
def moves_of(mover, enemy, empties):
    """The moves of the mover, and those of the enemy."""
    return find_moves(mover, enemy, empties), find_moves(enemy, mover, empties)


@kernel
def table_line(mover, enemy, empties, table, squares, sure, value):
    """Follow the best moves that the table knows; returns how many were written to `squares`.

    With `sure`, only as long as the table has the exact `value` of each position, in centi-discs for its mover.
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
        entry = probe(table, hash_of(mover, enemy))
        square = np.uint64(move_of(entry))
        if (
            entry == np.uint64(0)
            or square == np.uint64(NO_MOVE)
            or (moves >> square) & np.uint64(1) == np.uint64(0)
        ):
            break
        proved = depth_of(entry) == np.int64(popcount(empties)) and level_of(entry) == EXACT
        if sure and not (proved and lower_of(entry) == value and upper_of(entry) == value):
            break
        value = -value
        flips = find_flips(square, mover, enemy)
        disc = np.uint64(1) << square
        mover, enemy, empties = enemy ^ flips, mover | flips | disc, empties ^ disc
        squares[length] = np.int64(square)
        length += 1
    return length
