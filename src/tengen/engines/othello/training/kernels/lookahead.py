"""Fixed-depth alpha-beta with the evaluation at its leaves: plays training games and measures weights.

A pass costs no depth. Moves are tried in the order of their static values. Values are centi-discs for the mover;
finished games count their exact score. Without weights (`has_weights` is 0), mobility and corners are used.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import ONE, ZERO, popcount, trailing_zeros
from tengen.core.compiled.kernel import helper, kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.othello.midgame.kernels.evaluation import CENTIDISCS_PER_DISC, evaluate_features
from tengen.engines.othello.midgame.kernels.features import pass_features, play_features, set_features
from tengen.engines.othello.training.kernels.endgame_solver import FULL, final_score
from tengen.games.othello.rules import find_flips, find_moves

MAX_PLIES = 130
"""Rows of `features` and `lists` (int64[MAX_PLIES, 40]) for a search from row 0."""

_CORNERS = np.uint64(0x8100000000000081)
_MINUS_INFINITY = np.int64(-10000)


@helper
def mobility_estimate(mover, enemy):
    """Value without weights: mobility and corners."""
    own, other = find_moves(mover, enemy, FULL), find_moves(enemy, mover, FULL)
    mobility = np.int64(popcount(own)) - np.int64(popcount(other))
    corners = np.int64(popcount(mover & _CORNERS)) - np.int64(popcount(enemy & _CORNERS))
    return np.int64(100) * mobility + np.int64(800) * corners


@helper
def _evaluate(mover, enemy, ply, features, weights, has_weights):
    if has_weights == 0:
        return mobility_estimate(mover, enemy)
    return evaluate_features(features, ply, np.uint64(64) - popcount(mover | enemy), weights)


@helper
def list_moves(mover, enemy, moves, ply, features, lists, weights, has_weights):
    """List the moves in row `ply`, best static value first; returns how many there are."""
    count = 0
    while moves != ZERO:
        square = trailing_zeros(moves)
        moves &= moves - ONE
        flips = find_flips(square, mover, enemy)
        play_features(features, ply, square, flips)
        # Values are small enough that shifted by 8 they never overlap the square.
        rank = _evaluate(enemy ^ flips, mover | flips | (ONE << square), ply + 1, features, weights, has_weights)
        entry = (rank << np.int64(8)) | np.int64(square)
        slot = count
        while slot > 0 and lists[ply, slot - 1] > entry:
            lists[ply, slot] = lists[ply, slot - 1]
            slot -= 1
        lists[ply, slot] = entry
        count += 1
    return count


@helper
def lookahead(mover, enemy, depth, alpha, beta, ply, features, lists, weights, has_weights, nodes):
    """Value of the position in row `ply` of `features`, searched to a depth of at least 0."""
    nodes[0] += 1
    if depth <= 0:
        return _evaluate(mover, enemy, ply, features, weights, has_weights)
    moves = find_moves(mover, enemy, FULL)
    if moves == ZERO:
        if find_moves(enemy, mover, FULL) == ZERO:
            return np.int64(CENTIDISCS_PER_DISC) * final_score(mover, enemy)
        pass_features(features, ply)
        return -lookahead(
            enemy, mover, depth, -beta, -alpha, ply + 1, features, lists, weights, has_weights, nodes
        )
    best = _MINUS_INFINITY
    if depth == 1:
        while moves != ZERO:
            square = trailing_zeros(moves)
            moves &= moves - ONE
            flips = find_flips(square, mover, enemy)
            play_features(features, ply, square, flips)
            nodes[0] += 1
            value = -_evaluate(
                enemy ^ flips, mover | flips | (ONE << square), ply + 1, features, weights, has_weights
            )
            if value > best:
                best = value
                if best >= beta:
                    return best
        return best
    count = list_moves(mover, enemy, moves, ply, features, lists, weights, has_weights)
    for index in range(count):
        square = np.uint64(lists[ply, index] & np.int64(255))
        flips = find_flips(square, mover, enemy)
        own, other = enemy ^ flips, mover | flips | (ONE << square)
        play_features(features, ply, square, flips)
        floor = max(alpha, best)
        value = _MINUS_INFINITY
        if index > 0:
            value = -lookahead(
                own, other, depth - 1, -floor - 1, -floor, ply + 1, features, lists, weights, has_weights, nodes
            )
        if index == 0 or (value > floor and value < beta):
            value = -lookahead(
                own, other, depth - 1, -beta, -floor, ply + 1, features, lists, weights, has_weights, nodes
            )
        if value > best:
            best = value
            if best >= beta:
                return best
    return best


@kernel
def search_all(movers, enemies, depth, values, features, lists, weights, nodes):
    """Set `values` to the value of each position, searched to `depth`."""
    features, weights = pointer(features), pointer(weights)
    for index in range(len(movers)):
        set_features(features, 0, movers[index], enemies[index])
        values[index] = lookahead(
            movers[index], enemies[index], depth, _MINUS_INFINITY, -_MINUS_INFINITY, np.int64(0), features, lists,
            weights, np.int64(1), nodes,
        )  # fmt: skip
