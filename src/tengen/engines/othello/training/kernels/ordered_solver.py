"""The exact score of positions with more empty squares: ordered by what a shallow search thinks of each move."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import ONE, ZERO, popcount, trailing_zeros
from tengen.core.compiled.kernel import helper, kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.rng import mix
from tengen.engines.othello.midgame.kernels.evaluation import DISC
from tengen.engines.othello.midgame.kernels.features import pass_features, play_features, set_features
from tengen.engines.othello.training.kernels.endgame_solver import FULL, bounds_of, final_score, keep, solve
from tengen.engines.othello.training.kernels.lookahead import lookahead
from tengen.games.othello.rules import find_flips, find_moves

_NARROW = np.uint64(12)  # up to so many empty squares, `exact` is faster
_NONE = np.int64(-100)
_WORST = np.int64(-10000)


@helper
def _order(mover, enemy, moves, first, empties, ply, features, lists, weights, nodes):
    """List the moves in row `ply`: what a search thinks, and the fewer replies the better."""
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
        rank = lookahead(own, other, depth, _WORST, -_WORST, ply + 1, features, lists, weights, np.int64(1), nodes)
        rank += np.int64(2 * DISC) * np.int64(popcount(find_moves(own, other, FULL)))
        if square == first:
            rank = 10 * _WORST
        entry = (rank << np.int64(8)) | np.int64(square)
        place = count
        while place > 0 and lists[ply, place - 1] > entry:
            lists[ply, place] = lists[ply, place - 1]
            place -= 1
        lists[ply, place] = entry
        count += 1
    return count


@helper
def solve_wide(mover, enemy, alpha, beta, ply, table, features, lists, weights, nodes):
    """As `exact.solve`, for the position in row `ply` of `features`, with rows of `lists` below it to spare."""
    empties = np.uint64(64) - popcount(mover | enemy)
    if empties <= _NARROW:
        return solve(mover, enemy, alpha, beta, np.int64(0), table, lists, nodes)
    nodes[0] += 1
    moves = find_moves(mover, enemy, FULL)
    if moves == ZERO:
        if find_moves(enemy, mover, FULL) == ZERO:
            return final_score(mover, enemy)
        pass_features(features, ply)
        return -solve_wide(enemy, mover, -beta, -alpha, ply + 1, table, features, lists, weights, nodes)
    key = mix(mover ^ mix(enemy))
    lower, upper, first = bounds_of(table, key)
    if lower >= beta or lower == upper:
        return lower
    if upper <= alpha:
        return upper
    count = _order(mover, enemy, moves, first, empties, ply, features, lists, weights, nodes)
    best, best_square = _NONE, np.uint64(64)
    low = max(alpha, lower)
    for index in range(count):
        square = np.uint64(lists[ply, index] & np.int64(255))
        flips = find_flips(square, mover, enemy)
        own, other = enemy ^ flips, mover | flips | (ONE << square)
        play_features(features, ply, square, flips)
        floor = max(low, best)
        score = _NONE
        if index > 0 and floor + 1 < beta:
            score = -solve_wide(own, other, -floor - 1, -floor, ply + 1, table, features, lists, weights, nodes)
        if index == 0 or floor + 1 >= beta or (score > floor and score < beta):
            score = -solve_wide(own, other, -beta, -floor, ply + 1, table, features, lists, weights, nodes)
        if score > best:
            best, best_square = score, square
            if best >= beta:
                break
    keep(table, key, alpha, beta, low, lower, upper, best, best_square)
    return best


@helper
def exact_score(mover, enemy, table, features, lists, weights, nodes):
    """The exact score, sought in narrow windows around a guess; rows of `features` and `lists` from 20 on."""
    row = np.int64(20)  # the rows before it hold the move lists of `solve`
    set_features(features, row, mover, enemy)
    guess = lookahead(
        mover, enemy, np.int64(4), _WORST, -_WORST, row, features, lists, weights, np.int64(1), nodes
    )
    score = np.int64(2) * (guess // np.int64(2 * DISC))
    low, high = np.int64(-64), np.int64(64)
    while low < high:
        score = min(max(score, low), high)
        # Scores with the empty squares awarded are even, so this window holds just one.
        found = solve_wide(mover, enemy, score - 1, score + 1, row, table, features, lists, weights, nodes)
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
