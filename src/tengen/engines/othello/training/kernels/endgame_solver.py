"""Best moves near the end of training games, by the engine's endgame solver.

Of several best moves, the first in a fixed order is played, so that the training games of a seed do not depend on
how the solver searches.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import ONE, ZERO, popcount, trailing_zeros
from tengen.core.compiled.kernel import inner
from tengen.core.compiled.pointers import pointer
from tengen.engines.othello.endgame.kernels.last_empties import odd_quadrants
from tengen.engines.othello.endgame.kernels.solver import (
    MAX_EMPTIES_PARITY_ONLY,
    solve_endgame,
    solve_shallow,
)
from tengen.engines.othello.training.kernels.lookahead import insert_move
from tengen.games.othello.rules import find_flips, find_moves


@inner
def _solve(mover, enemy, alpha, memory):
    """A bound of the score: above `alpha` a lower bound, otherwise an upper bound."""
    work, empties = memory.work, ~(mover | enemy)
    if popcount(empties) <= np.uint64(MAX_EMPTIES_PARITY_ONLY):
        return solve_shallow(mover, enemy, empties, alpha, np.int64(0), work)
    return solve_endgame(mover, enemy, empties, alpha, np.int64(0), work, memory.endgame_table, memory.edges)


@inner
def exact_score(mover, enemy, guess, memory):
    """The score in discs for the mover, found from a guess by null windows (MTD(f))."""
    score, low, high = guess, np.int64(-64), np.int64(64)
    while low < high:
        alpha = score if score == low else score - 1
        score = _solve(mover, enemy, alpha, memory)
        if score > alpha:
            low = score
        else:
            high = score
    return score


@inner
def best_move(mover, enemy, score, memory):
    """The first move that achieves the exact score of the position: few replies first, then parity."""
    empties, corners, items = ~(mover | enemy), memory.work.corners, pointer(memory.work.midgame_moves)
    moves, odd = find_moves(mover, enemy, empties), odd_quadrants(empties)
    end = np.int64(0)
    while moves != ZERO:
        square = trailing_zeros(moves)
        disc = ONE << square
        moves ^= disc
        flips = find_flips(square, mover, enemy)
        replies = find_moves(enemy ^ flips, mover | flips | disc, empties)
        rank = np.int64(16) * np.int64(popcount(replies)) + np.int64(8) * np.int64(popcount(replies & corners))
        if disc & odd == ZERO:
            rank += np.int64(6)
        insert_move(items, np.int64(0), end, (rank << np.int64(8)) | np.int64(square))
        end += 1
    for index in range(end):
        square = np.uint64(items[index] & np.int64(255))
        flips = find_flips(square, mover, enemy)
        if index == end - 1 or _solve(enemy ^ flips, mover | flips | (ONE << square), -score, memory) <= -score:
            break
    return square
