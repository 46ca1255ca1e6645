"""Self-play games: random moves first, then a shallow search, then exact play; and the extraction of positions.

A game is a row of squares, int8[60], in the order of play, -1 after the last; passes are implied. Two more rows
describe the position before each move, in discs for the mover, int8[60]: `scores`, the result of exact play at the
end of the game, and `values`, the result of the search that chose the move; either may be UNKNOWN.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import ONE, ZERO, nth_bit, popcount
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.references import reference
from tengen.core.compiled.rng import below
from tengen.engines.othello.kernels.workspace import USE_PATTERNS
from tengen.engines.othello.midgame.kernels.features import play_features, set_features
from tengen.engines.othello.training.kernels.endgame_solver import best_move, exact_score
from tengen.engines.othello.training.kernels.lookahead import FULL, TrainingMemory, list_moves, lookahead
from tengen.games.othello.rules import find_flips, find_moves

UNKNOWN = -128
MIN_RANDOM_PLIES, MAX_RANDOM_PLIES = 6, 24
_START_MOVER, _START_ENEMY = np.uint64(0x0000000810000000), np.uint64(0x0000001008000000)
_MINUS_INFINITY = np.int64(-100000)


@inner
def _choose(mover, enemy, moves, depth, noise, rng, memory):
    """Move chosen by a search to `depth` with noise of up to `noise` centi-discs, and its value without noise."""
    items, features = pointer(memory.work.midgame_moves), pointer(memory.work.features)
    set_features(features, 0, mover, enemy)
    best, best_square, best_value = _MINUS_INFINITY, np.uint64(0), np.int64(0)
    for index in range(list_moves(mover, enemy, moves, 0, memory)):
        square = np.uint64(items[index] & np.int64(255))
        flips = find_flips(square, mover, enemy)
        play_features(features, 0, square, flips)
        jitter = np.int64(below(rng, 2 * noise + 1)) - noise
        floor = best - jitter  # values below do not matter
        value = jitter - lookahead(
            enemy ^ flips, mover | flips | (ONE << square), depth - 1, _MINUS_INFINITY, -floor, np.int64(1), memory
        )
        if value > best:
            best, best_square, best_value = value, square, value - jitter
    return best_value, best_square


@kernel
def play_games(rng, depth, noise, exact_empties, games, arrays):
    """Fill `games`, a tuple of squares, scores and values (int8[games, 60]), with games.

    Play is exact from `exact_empties` empty squares on.

    One game in three has a random move in its later part, so that the evaluation also sees positions that good
    players avoid; the positions before that move have no score.
    """
    squares, scores, values = games
    pointers = TrainingMemory(
        arrays.work[0], pointer(arrays.endgame_table), pointer(arrays.weights), pointer(arrays.edges)
    )
    memory = reference(pointers)
    has_weights = memory.work.switches & USE_PATTERNS
    for game in range(len(squares)):
        squares[game, :] = -1
        scores[game, :] = UNKNOWN
        values[game, :] = UNKNOWN
        mover, enemy = _START_MOVER, _START_ENEMY
        start = MIN_RANDOM_PLIES + np.int64(below(rng, MAX_RANDOM_PLIES - MIN_RANDOM_PLIES + 1))
        random_ply = np.int64(-1)
        if below(rng, 3) == ZERO:
            random_ply = start + np.int64(below(rng, 54 - start))
        first = start  # first position with a score
        sides = np.zeros(60, np.int8)
        side = np.int8(1)
        score, score_side = np.int64(UNKNOWN), np.int8(1)
        move = 0
        while move < 60:
            moves = find_moves(mover, enemy, FULL)
            if moves == ZERO:
                mover, enemy = enemy, mover
                side = np.int8(-side)
                moves = find_moves(mover, enemy, FULL)
                if moves == ZERO:
                    break
            sides[move] = side
            if move < start or move == random_ply:
                square = nth_bit(moves, np.int64(below(rng, popcount(moves))))
                if move == random_ply:
                    first = move + 1
                    score = np.int64(UNKNOWN)
            elif 60 - move <= exact_empties:
                if score == UNKNOWN:
                    score, score_side = exact_score(mover, enemy, np.int64(0), memory), side
                square = best_move(mover, enemy, score if side == score_side else -score, memory)
            else:
                value, square = _choose(mover, enemy, moves, depth, noise, rng, memory)
                if has_weights != 0:
                    values[game, move] = np.int8((value + 50) // 100)
            squares[game, move] = np.int8(square)
            flips = find_flips(square, mover, enemy)
            mover, enemy = enemy ^ flips, mover | flips | (ONE << square)
            side = np.int8(-side)
            move += 1
        if score != UNKNOWN:
            for ply in range(first, move):
                scores[game, ply] = np.int8(score if sides[ply] == score_side else -score)


@kernel
def compute_targets(squares, scores, values, offsets, td_lambda, targets):
    """Set `targets` (float32[games, 60]) for the positions of games that have a score, NaN for others.

    In the exact part of a game the target is the score. Before it, the target is a mix of the search's value plus
    the offset of its ply, and, weighted with `td_lambda`, the target after the move.
    """
    for game in range(len(squares)):
        targets[game, :] = np.nan
        sides = np.zeros(60, np.int8)
        side = np.int8(1)
        mover, enemy = _START_MOVER, _START_ENEMY
        moves = 0
        while moves < 60 and squares[game, moves] >= 0:
            if find_moves(mover, enemy, FULL) == ZERO:
                mover, enemy = enemy, mover
                side = np.int8(-side)
            sides[moves] = side
            square = np.uint64(squares[game, moves])
            flips = find_flips(square, mover, enemy)
            mover, enemy = enemy ^ flips, mover | flips | (ONE << square)
            side = np.int8(-side)
            moves += 1
        target, target_side = np.float32(0), np.int8(0)
        for move in range(moves - 1, -1, -1):
            if scores[game, move] == UNKNOWN:
                break
            if sides[move] != target_side:
                target, target_side = -target, sides[move]
            if values[game, move] == UNKNOWN:
                target = np.float32(scores[game, move])
            else:
                value = offsets[move] + np.float32(values[game, move])
                target = value + td_lambda * (target - value)
            targets[game, move] = target


@kernel
def extract_positions(squares, targets, empties, movers, enemies, found):
    """Write the positions with `empties` empty squares that have a target, and the targets; returns how many."""
    count = 0
    target_values = 60 - empties
    for game in range(len(squares)):
        if np.isnan(targets[game, target_values]):
            continue
        mover, enemy = _START_MOVER, _START_ENEMY
        for move in range(target_values + 1):
            if find_moves(mover, enemy, FULL) == ZERO:
                mover, enemy = enemy, mover
            if move == target_values:
                break
            square = np.uint64(squares[game, move])
            flips = find_flips(square, mover, enemy)
            mover, enemy = enemy ^ flips, mover | flips | (ONE << square)
        movers[count], enemies[count] = mover, enemy
        found[count] = targets[game, target_values]
        count += 1
    return count
