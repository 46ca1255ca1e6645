"""Fixed-depth alpha-beta with the evaluation at its leaves: plays training games and measures weights.

A pass costs no depth. Moves are tried in the order of their static values. Values are centi-discs for the mover;
finished games count their exact score. Without weights (no USE_PATTERNS), mobility and corners are used.

This is not the engine's search: that one also solves the end of the game and passes at the horizon, so its values
differ, and the shipped weights could no longer be reproduced from their seed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.bits import ONE, ZERO, popcount, trailing_zeros
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.references import reference
from tengen.engines.othello.endgame.kernels.last_empties import final_score
from tengen.engines.othello.kernels.workspace import MOVES_PER_LIST, USE_PATTERNS
from tengen.engines.othello.midgame.kernels.evaluation import CENTIDISCS_PER_DISC, evaluate_features
from tengen.engines.othello.midgame.kernels.features import pass_features, play_features, set_features
from tengen.games.othello.rules import find_flips, find_moves

FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
_MINUS_INFINITY = np.int64(-10000)


class TrainingMemory(NamedTuple):
    """What kernels of training take: arrays, or a record and pointers; see `kernels.workspace`."""

    work: Any
    endgame_table: Any
    weights: Any
    edges: Any


@inner
def mobility_estimate(mover, enemy, corners):
    """Value without weights: mobility and corners."""
    own, other = find_moves(mover, enemy, FULL), find_moves(enemy, mover, FULL)
    mobility = np.int64(popcount(own)) - np.int64(popcount(other))
    corner_discs = np.int64(popcount(mover & corners)) - np.int64(popcount(enemy & corners))
    return np.int64(100) * mobility + np.int64(800) * corner_discs


@inner
def _evaluate(mover, enemy, ply, memory):
    work = memory.work
    if work.switches & USE_PATTERNS == 0:
        return mobility_estimate(mover, enemy, work.corners)
    return evaluate_features(pointer(work.features), ply, np.uint64(64) - popcount(mover | enemy), memory.weights)


@inner
def insert_move(items, start, end, item):
    """Insert `rank << 8 | square` into a list in ascending order."""
    slot = end
    while slot > start and items[slot - 1] > item:
        items[slot] = items[slot - 1]
        slot -= 1
    items[slot] = item


@inner
def list_moves(mover, enemy, moves, ply, memory):
    """List the moves of a ply in `work.midgame_moves`, best static value first; returns the end of the list."""
    items, features = pointer(memory.work.midgame_moves), pointer(memory.work.features)
    start = MOVES_PER_LIST * ply
    end = start
    while moves != ZERO:
        square = trailing_zeros(moves)
        moves &= moves - ONE
        flips = find_flips(square, mover, enemy)
        play_features(features, ply, square, flips)
        # Values are small enough that shifted by 8 they never overlap the square.
        rank = _evaluate(enemy ^ flips, mover | flips | (ONE << square), ply + 1, memory)
        insert_move(items, start, end, (rank << np.int64(8)) | np.int64(square))
        end += 1
    return end


@inner
def lookahead(mover, enemy, depth, alpha, beta, ply, memory):
    """Value of the position in row `ply` of `work.features`, searched to a depth of at least 0."""
    work, features = memory.work, pointer(memory.work.features)
    work.nodes += 1
    if depth <= 0:
        return _evaluate(mover, enemy, ply, memory)
    moves = find_moves(mover, enemy, FULL)
    if moves == ZERO:
        if find_moves(enemy, mover, FULL) == ZERO:
            return np.int64(CENTIDISCS_PER_DISC) * final_score(mover, enemy, ~(mover | enemy))
        pass_features(features, ply)
        return -lookahead(enemy, mover, depth, -beta, -alpha, ply + 1, memory)
    best = _MINUS_INFINITY
    if depth == 1:
        while moves != ZERO:
            square = trailing_zeros(moves)
            moves &= moves - ONE
            flips = find_flips(square, mover, enemy)
            play_features(features, ply, square, flips)
            work.nodes += 1
            value = -_evaluate(enemy ^ flips, mover | flips | (ONE << square), ply + 1, memory)
            if value > best:
                best = value
                if best >= beta:
                    return best
        return best
    start = MOVES_PER_LIST * ply
    for index in range(start, list_moves(mover, enemy, moves, ply, memory)):
        square = np.uint64(pointer(work.midgame_moves)[index] & np.int64(255))
        flips = find_flips(square, mover, enemy)
        play_features(features, ply, square, flips)
        floor = max(alpha, best)
        low = -beta if index == start else -floor - 1
        while True:
            value = -lookahead(
                enemy ^ flips, mover | flips | (ONE << square), depth - 1, low, -floor, ply + 1, memory
            )
            if low == -beta or not floor < value < beta:
                break
            low = -beta
        if value > best:
            best = value
            if best >= beta:
                return best
    return best


@kernel
def search_all(movers, enemies, depth, values, arrays):
    """Set `values` to the value of each position, searched to `depth`."""
    work, weights = arrays.work[0], pointer(arrays.weights)
    pointers = TrainingMemory(work, pointer(arrays.endgame_table), weights, pointer(arrays.edges))
    memory = reference(pointers)
    for index in range(len(movers)):
        set_features(pointer(work.features), 0, movers[index], enemies[index])
        values[index] = lookahead(
            movers[index], enemies[index], depth, _MINUS_INFINITY, -_MINUS_INFINITY, np.int64(0), memory
        )
