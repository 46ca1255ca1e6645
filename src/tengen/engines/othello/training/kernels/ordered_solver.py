"""Exact score of positions with more empty squares: moves are ordered by a shallow search."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import ONE, ZERO, popcount, trailing_zeros
from tengen.core.compiled.kernel import helper, kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.rng import mix
from tengen.engines.othello.midgame.kernels.evaluation import CENTIDISCS_PER_DISC
from tengen.engines.othello.midgame.kernels.features import pass_features, play_features, set_features
from tengen.engines.othello.training.kernels.endgame_solver import (
    FULL,
    final_score,
    probe_bounds,
    solve,
    store_bounds,
)
from tengen.engines.othello.training.kernels.lookahead import lookahead
from tengen.games.othello.rules import find_flips, find_moves

_MAX_PLAIN_EMPTIES = np.uint64(12)  # up to this many empty squares, `endgame_solver` is faster
_MINUS_INFINITY = np.int64(-100)
_MIN_VALUE = np.int64(-10000)


@helper
def _order_moves(mover, enemy, moves, table_move, empties, ply, features, lists, weights, nodes):
    """List the moves in row `ply`, ordered by a shallow search and the enemy's mobility."""
    depth = np.int64(0)
    if empties >= np.uint64(18):
        depth = np.int64(2)
    elif empties >= np.uint64(15):
        depth = np.int64(1)
    count = 0
    while moves != ZERO:
        square = trailing_zeros(moves)
        moves &= moves - ONE
        flips = find_flips(square, mover, enemy)
        own, other = enemy ^ flips, mover | flips | (ONE << square)
        play_features(features, ply, square, flips)
        rank = lookahead(
            own, other, depth, _MIN_VALUE, -_MIN_VALUE, ply + 1, features, lists, weights, np.int64(1), nodes
        )
        rank += np.int64(2 * CENTIDISCS_PER_DISC) * np.int64(popcount(find_moves(own, other, FULL)))
        if square == table_move:
            rank = 10 * _MIN_VALUE
        entry = (rank << np.int64(8)) | np.int64(square)
        slot = count
        while slot > 0 and lists[ply, slot - 1] > entry:
            lists[ply, slot] = lists[ply, slot - 1]
            slot -= 1
        lists[ply, slot] = entry
        count += 1
    return count


@helper
def solve_ordered(mover, enemy, alpha, beta, ply, table, features, lists, weights, nodes):
    """Like `endgame_solver.solve`, for the position in row `ply` of `features`, with enough rows of `lists` below
    it.
    """
    empties = np.uint64(64) - popcount(mover | enemy)
    if empties <= _MAX_PLAIN_EMPTIES:
        return solve(mover, enemy, alpha, beta, np.int64(0), table, lists, nodes)
    nodes[0] += 1
    moves = find_moves(mover, enemy, FULL)
    if moves == ZERO:
        if find_moves(enemy, mover, FULL) == ZERO:
            return final_score(mover, enemy)
        pass_features(features, ply)
        return -solve_ordered(enemy, mover, -beta, -alpha, ply + 1, table, features, lists, weights, nodes)
    key = mix(mover ^ mix(enemy))
    lower, upper, table_move = probe_bounds(table, key)
    if lower >= beta or lower == upper:
        return lower
    if upper <= alpha:
        return upper
    count = _order_moves(mover, enemy, moves, table_move, empties, ply, features, lists, weights, nodes)
    best, best_square = _MINUS_INFINITY, np.uint64(64)
    low = max(alpha, lower)
    for index in range(count):
        square = np.uint64(lists[ply, index] & np.int64(255))
        flips = find_flips(square, mover, enemy)
        own, other = enemy ^ flips, mover | flips | (ONE << square)
        play_features(features, ply, square, flips)
        floor = max(low, best)
        score = _MINUS_INFINITY
        if index > 0 and floor + 1 < beta:
            score = -solve_ordered(own, other, -floor - 1, -floor, ply + 1, table, features, lists, weights, nodes)
        if index == 0 or floor + 1 >= beta or (score > floor and score < beta):
            score = -solve_ordered(own, other, -beta, -floor, ply + 1, table, features, lists, weights, nodes)
        if score > best:
            best, best_square = score, square
            if best >= beta:
                break
    store_bounds(table, key, alpha, beta, low, lower, upper, best, best_square)
    return best


@helper
def exact_score(mover, enemy, table, features, lists, weights, nodes):
    """Exact score, by narrow windows around an estimate; uses rows of `features` and `lists` from 20 on."""
    row = np.int64(20)  # the rows before it hold the move lists of `solve`
    set_features(features, row, mover, enemy)
    estimate = lookahead(
        mover, enemy, np.int64(4), _MIN_VALUE, -_MIN_VALUE, row, features, lists, weights, np.int64(1), nodes
    )
    score = np.int64(2) * (estimate // np.int64(2 * CENTIDISCS_PER_DISC))
    low, high = np.int64(-64), np.int64(64)
    while low < high:
        score = min(max(score, low), high)
        # Scores are even, as empty squares go to the winner, so this window contains only one.
        found = solve_ordered(mover, enemy, score - 1, score + 1, row, table, features, lists, weights, nodes)
        if found == score:
            break
        if found < score:
            high = found
        else:
            low = found
        score = found
    return score


@kernel
def solve_all(movers, enemies, scores, table, features, lists, weights, nodes):
    """Set `scores` to the exact score of each position."""
    features, weights = pointer(features), pointer(weights)
    for index in range(len(movers)):
        scores[index] = exact_score(movers[index], enemies[index], table, features, lists, weights, nodes)
