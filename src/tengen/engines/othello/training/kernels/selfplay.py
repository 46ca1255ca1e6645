"""Games of self-play: random at first, then by a shallow search, exact to the end; and their positions again.

A game is a row of squares, int8[60], in the order of play, -1 after the last; passes go without saying. Beside it
stand two rows about the positions before each move, in discs for the mover, int8[60]: `scores`, what exact play in
the end made of it, and `values`, what the search that played thought of it; either may be UNKNOWN.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import ONE, ZERO, nth_bit, popcount
from tengen.core.compiled.kernel import helper, kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.rng import below
from tengen.engines.othello.midgame.kernels.features import play_features, set_features
from tengen.engines.othello.training.kernels.endgame_solver import FULL, best_move
from tengen.engines.othello.training.kernels.lookahead import list_moves, lookahead
from tengen.games.othello.rules import find_flips, find_moves

UNKNOWN = -128
FEWEST_RANDOM, MOST_RANDOM = 6, 24
_START_MOVER, _START_ENEMY = np.uint64(0x0000000810000000), np.uint64(0x0000001008000000)
_NONE = np.int64(-100000)


@helper
def _choose(mover, enemy, moves, depth, noise, rng, features, lists, weights, learned, nodes):
    """The move of a search of this depth, its values blurred by up to `noise` centi-discs; and its true value."""
    set_features(features, 0, mover, enemy)
    count = list_moves(mover, enemy, moves, 0, features, lists, weights, learned)
    best, best_square, best_value = _NONE, np.uint64(0), np.int64(0)
    for index in range(count):
        square = np.uint64(lists[0, index] & np.int64(255))
        flips = find_flips(square, mover, enemy)
        play_features(features, 0, square, flips)
        blur = np.int64(below(rng, 2 * noise + 1)) - noise
        floor = best - blur  # a move that does not get above it is of no use
        value = blur - lookahead(
            enemy ^ flips,
            mover | flips | (ONE << square),
            depth - 1,
            _NONE,
            -floor,
            np.int64(1),
            features,
            lists,
            weights,
            learned,
            nodes,
        )
        if value > best:
            best, best_square, best_value = value, square, value - blur
    return best_value, best_square


@kernel
def play_games(
    rng, depth, noise, solved, squares, scores, values, features, table, lists, weights, learned, nodes
):
    """Fill `squares`, `scores` and `values` (int8[games, 60]) with games, exact from `solved` empty squares on.

    One game of three has a random move in its later part, so that the evaluation also meets what no good player
    would allow; the positions before that move have no score.
    """
    features, weights = pointer(features), pointer(weights)
    for game in range(len(squares)):
        squares[game, :] = -1
        scores[game, :] = UNKNOWN
        values[game, :] = UNKNOWN
        mover, enemy = _START_MOVER, _START_ENEMY
        start = FEWEST_RANDOM + np.int64(below(rng, MOST_RANDOM - FEWEST_RANDOM + 1))
        astray = np.int64(-1)
        if below(rng, 3) == ZERO:
            astray = start + np.int64(below(rng, 54 - start))
        first = start  # the first position with a label
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
            if move < start or move == astray:
                square = nth_bit(moves, np.int64(below(rng, popcount(moves))))
                if move == astray:
                    first = move + 1
                    score = np.int64(UNKNOWN)
            elif 60 - move <= solved:
                if score == UNKNOWN:
                    score, square = best_move(mover, enemy, np.int64(-65), np.int64(65), table, lists, nodes)
                    score_side = side
                else:
                    known = score if side == score_side else -score
                    _, square = best_move(mover, enemy, known - 1, known + 1, table, lists, nodes)
            else:
                value, square = _choose(
                    mover, enemy, moves, depth, noise, rng, features, lists, weights, learned, nodes
                )
                if learned != 0:
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
def targets_of(squares, scores, values, offsets, patience, targets):
    """Set `targets` (float32[games, 60]) for the positions of games that have a score; NaN for others.

    In the exact part of a game the target is the score. Going back from there, it is the value that the search had
    found plus the offset of its ply, and to the part `patience` the target after the move.
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
                target = value + patience * (target - value)
            targets[game, move] = target


@kernel
def positions_of(squares, targets, empties, movers, enemies, found):
    """Write the positions with so many empty squares and a target, and that; returns how many they are."""
    count = 0
    wanted = 60 - empties
    for game in range(len(squares)):
        if np.isnan(targets[game, wanted]):
            continue
        mover, enemy = _START_MOVER, _START_ENEMY
        for move in range(wanted + 1):
            if find_moves(mover, enemy, FULL) == ZERO:
                mover, enemy = enemy, mover
            if move == wanted:
                break
            square = np.uint64(squares[game, move])
            flips = find_flips(square, mover, enemy)
            mover, enemy = enemy ^ flips, mover | flips | (ONE << square)
        movers[count], enemies[count] = mover, enemy
        found[count] = targets[game, wanted]
        count += 1
    return count
