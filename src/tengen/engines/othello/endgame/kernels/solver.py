"""The exact endgame: null-window search from thirteen empty squares down to the last four.

As in `last_empties`, each function answers "more than `alpha` discs?" with a fail-soft bound. The best methods
depend on the number of empty squares: up to five, moves are ordered by parity only; above that, by the enemy's
mobility ("fastest first"), with bounds from stable discs and, from MIN_EMPTIES_FOR_TABLE on, a table.

`work` is the record of the thread, see `kernels.workspace`; `table` and `edges` are pointers.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import popcount, trailing_zeros
from tengen.core.compiled.kernel import inner
from tengen.core.compiled.pointers import pointer, prefetch
from tengen.engines.othello.endgame.kernels.last_empties import final_score, odd_quadrants, solve_4
from tengen.engines.othello.endgame.kernels.stability import stable_discs
from tengen.engines.othello.kernels.table_entry import (
    NO_MOVE,
    hash_board,
    lower_of,
    move_of,
    pack,
    selectivity_of,
    upper_of,
)
from tengen.engines.othello.kernels.workspace import MOVES_PER_LIST, USE_ORDERING, USE_STABILITY, USE_TABLE
from tengen.engines.othello.midgame.kernels.probcut import NO_SELECTIVITY
from tengen.games.othello.rules import find_flips, find_moves
from tengen.search.kernels.transposition_table import bucket_of, depth_of, probe, store

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_1, _7, _8, _9 = (np.uint64(n) for n in (1, 7, 8, 9))
_INNER = np.uint64(0x7E7E7E7E7E7E7E7E)
_MINUS_INFINITY = np.int64(-127)

MAX_EMPTIES_PARITY_ONLY = 5
MIN_EMPTIES_FOR_TABLE = 7  # below, probing costs more than it saves
MAX_EMPTIES_ENDGAME = 13  # above, the midgame search takes over
MAX_EMPTIES_NEAR = 9
"""Up to this many empty squares, positions share the first 32 KB of the table, which stay in the fastest cache;
the others use the upper half of its 16,384 buckets.
"""
_NEAR_KEYS, _FAR_KEY = ~np.uint64(0xF << 10), np.uint64(1 << 13)


@inner
def min_alpha_for_stability(empties):
    """The smallest `alpha` for which a stability bound pays: reaching it takes many stable discs."""
    return np.int64(2) * empties


@inner
def stability_bound(mover, enemy, edges):
    """Upper bound of the score for the mover."""
    return np.int64(64) - np.int64(2) * stable_discs(enemy, mover, edges)


@inner
def solve_shallow(mover, enemy, empties, alpha, passed, work):
    """Up to MAX_EMPTIES_PARITY_ONLY empty squares, ordered by parity."""
    work.nodes += 1
    moves = find_moves(mover, enemy, empties)
    if moves == _ZERO:
        if passed:
            return final_score(mover, enemy, empties)
        return -solve_shallow(enemy, mover, empties, -alpha - 1, np.int64(1), work)
    best = _MINUS_INFINITY
    squares = moves & odd_quadrants(empties)
    others = moves ^ squares
    while True:
        if squares == _ZERO:
            squares, others = others, _ZERO
            if squares == _ZERO:
                return best
        square = trailing_zeros(squares)
        disc = _ONE << square
        squares ^= disc
        flips = find_flips(square, mover, enemy)
        rest = empties ^ disc
        if popcount(rest) == np.uint64(4):
            score = -solve_4(enemy ^ flips, mover | flips | disc, rest, -alpha - 1, work)
        else:
            score = -solve_shallow(enemy ^ flips, mover | flips | disc, rest, -alpha - 1, np.int64(0), work)
        if score > best:
            best = score
            if best > alpha:
                return best


@inner
def weighted_mobility(mover, enemy, empties, corners):
    """Number of moves, those into corners counted twice."""
    moves = find_moves(mover, enemy, empties)
    return np.int64(popcount(moves)) + np.int64(popcount(moves & corners))


@inner
def count_frontier(discs, empties):
    """Number of empty squares next to these discs: potential mobility of the enemy."""
    inner = discs & _INNER
    adjacent = (inner << _1) | (inner >> _1) | (inner << _7) | (inner >> _7) | (inner << _9) | (inner >> _9)
    return np.int64(popcount((adjacent | (discs << _8) | (discs >> _8)) & empties))


@inner
def list_moves(mover, enemy, empties, moves, work, start):
    """Write the moves to `work.endgame_moves` as rank << 16 | index << 6 | square; returns the end of the list.

    `work.endgame_flips` at `start + index` has the flips of a move, whatever the order of the list becomes.
    """
    items, flips_of = pointer(work.endgame_moves), pointer(work.endgame_flips)
    odd = odd_quadrants(empties)
    corners, is_ordered = work.corners, work.switches & USE_ORDERING
    index = start
    while moves != _ZERO:
        square = trailing_zeros(moves)
        disc = _ONE << square
        moves ^= disc
        flips = find_flips(square, mover, enemy)
        own, other = enemy ^ flips, mover | flips | disc
        rank = np.int64(8192)
        if is_ordered:
            rank -= np.int64(32) * weighted_mobility(own, other, empties ^ disc, corners)
            rank -= np.int64(8) * count_frontier(other, empties)
            if disc & odd:
                rank += np.int64(12)
            if disc & corners:
                rank += np.int64(24)
        items[index] = (rank << 16) | ((index - start) << 6) | np.int64(square)
        flips_of[index] = flips
        index += 1
    return index


@inner
def select_best(items, start, end):
    """Return the best move of a list; the move at `start` takes its slot.

    Cheaper than sorting: the first often cuts.
    """
    best = items[start]
    for index in range(start + 1, end):
        item = items[index]
        if item > best:
            items[index] = best
            best = item
    return best


@inner
def solve_endgame(mover, enemy, empties, alpha, passed, work, table, edges):
    """Up to MAX_EMPTIES_ENDGAME empty squares: transposition table, stability, fastest first."""
    work.nodes += 1
    count = np.int64(popcount(empties))
    switches = work.switches
    uses_table = switches & USE_TABLE and count >= MIN_EMPTIES_FOR_TABLE
    key = _ZERO
    if uses_table:
        key = hash_board(mover, enemy)
        key = key & _NEAR_KEYS if count <= MAX_EMPTIES_NEAR else key | _FAR_KEY
        prefetch(table, bucket_of(table, key))
    if switches & USE_STABILITY and alpha >= min_alpha_for_stability(count):
        bound = stability_bound(mover, enemy, edges)
        if bound <= alpha:
            return bound
    moves = find_moves(mover, enemy, empties)
    if moves == _ZERO:
        if passed:
            return final_score(mover, enemy, empties)
        return -solve_endgame(enemy, mover, empties, -alpha - 1, np.int64(1), work, table, edges)
    table_move = np.int64(NO_MOVE)
    lower, upper = np.int64(-6400), np.int64(6400)
    if uses_table:
        entry = probe(table, key)
        if entry != _ZERO:
            table_move = move_of(entry)
            if depth_of(entry) == count and selectivity_of(entry) == NO_SELECTIVITY:
                lower, upper = lower_of(entry), upper_of(entry)
                if lower > 100 * alpha:
                    return lower // 100
                if upper <= 100 * alpha:
                    return upper // 100
    # Try the table's move before listing the others.
    start = MOVES_PER_LIST * count
    index, end = start, start
    table_move_pending = table_move != NO_MOVE
    best, best_move = _MINUS_INFINITY, np.int64(NO_MOVE)
    while True:
        if table_move_pending:
            table_move_pending = False
            square = np.uint64(table_move)
            flips = find_flips(square, mover, enemy)
            moves &= ~(_ONE << square)
        else:
            if moves != _ZERO:
                end = list_moves(mover, enemy, empties, moves, work, index)
                moves = _ZERO
            if index == end:
                break
            item = select_best(pointer(work.endgame_moves), index, end)
            square = np.uint64(item & 63)
            flips = pointer(work.endgame_flips)[start + ((item >> 6) & 1023)]
            index += 1
        disc = _ONE << square
        if count <= MAX_EMPTIES_PARITY_ONLY + 1:
            score = -solve_shallow(
                enemy ^ flips, mover | flips | disc, empties ^ disc, -alpha - 1, np.int64(0), work
            )
        else:
            score = -solve_endgame(
                enemy ^ flips, mover | flips | disc, empties ^ disc, -alpha - 1, np.int64(0), work, table, edges
            )
        if score > best:
            best, best_move = score, np.int64(square)
            if best > alpha:
                break
    if uses_table:
        if best > alpha:
            lower = 100 * best
        else:
            upper = 100 * best
            if table_move != NO_MOVE:
                best_move = table_move  # a fail-low names no best move: keep the previous one
        store(table, key, pack(best_move, count, NO_SELECTIVITY, work.age, lower, upper))
    return best
