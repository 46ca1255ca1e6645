"""The exact endgame of Othello: null-window search from a dozen empty squares to the last four.

As in `last`, each function answers "more than `alpha` discs?" with a bound. What pays differs with the number of
empty squares: up to five only the order by parity; above, the moves that leave the enemy the fewest replies
first ("fastest first"), a table, and the bound that stable discs give.

`work` points to np.int64: counters, switches, and the move lists of each level, so that no search allocates.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import popcount, trailing_zeros
from tengen.core.compiled.kernel import helper
from tengen.core.compiled.pointers import prefetch
from tengen.engines.othello.endgame.kernels.last_empties import final_score, odd_regions, solve_4
from tengen.engines.othello.endgame.kernels.stability import stable_discs
from tengen.engines.othello.kernels.transposition_table import (
    NO_MOVE,
    depth_of,
    hash_of,
    level_of,
    lower_of,
    move_of,
    pack,
    probe,
    slot_of,
    store,
    upper_of,
)
from tengen.engines.othello.midgame.kernels.probcut import EXACT, MARGINS
from tengen.games.othello.rules import find_flips, find_moves

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_1, _7, _8, _9 = (np.uint64(n) for n in (1, 7, 8, 9))
_INNER = np.uint64(0x7E7E7E7E7E7E7E7E)
_NONE = np.int64(-127)

# Places in `work`.
NODES, FEATURES, AGE, STOPPED, MOST_NODES, THREADS, CORNERS, DRAW = range(8)
LISTS = 64 + MARGINS
MARGIN = 64  # where the margins of ProbCut begin
ROOM = 80  # for the moves of one level, those put off among them
WORK_SIZE = LISTS + ROOM * (65 + 140)

# Switches, as bits of `work[FEATURES]`.
TABLE, ORDER, STABILITY, ETC, PROBCUT, PATTERNS = (1 << bit for bit in range(6))

UNORDERED = 5
TABLED = 7  # from so many on, the table is asked
DOZEN = 12  # up to so many, this module's search


@helper
def least_stable(empties):
    """From which `alpha` on a bound by stable discs is worth its cost: it takes many stable discs to reach it."""
    return np.int64(2) * empties


@helper
def stability_bound(mover, enemy, edges):
    """The mover cannot get more than this."""
    return np.int64(64) - np.int64(2) * stable_discs(enemy, mover, edges)


@helper
def solve_few(mover, enemy, empties, alpha, passed, work):
    """Up to UNORDERED empty squares, in the order of parity."""
    work[NODES] += 1
    moves = find_moves(mover, enemy, empties)
    if moves == _ZERO:
        if passed:
            return final_score(mover, enemy, empties)
        return -solve_few(enemy, mover, empties, -alpha - 1, np.int64(1), work)
    best = _NONE
    squares = moves & odd_regions(empties)
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
            score = -solve_few(enemy ^ flips, mover | flips | disc, rest, -alpha - 1, np.int64(0), work)
        if score > best:
            best = score
            if best > alpha:
                return best


@helper
def freedom(mover, enemy, empties, corners):
    """How much freedom the side to move has: its moves, those into corners twice."""
    moves = find_moves(mover, enemy, empties)
    return np.int64(popcount(moves)) + np.int64(popcount(moves & corners))


@helper
def frontier(discs, empties):
    """How many empty squares lie beside these discs: where an enemy may come to move."""
    inner = discs & _INNER
    beside = (inner << _1) | (inner >> _1) | (inner << _7) | (inner >> _7) | (inner << _9) | (inner >> _9)
    return np.int64(popcount((beside | (discs << _8) | (discs >> _8)) & empties))


@helper
def list_moves(mover, enemy, empties, moves, work, start):
    """Write the moves to `work[start:]` as rank << 8 | square. Returns where they end."""
    odd = odd_regions(empties)
    corners = np.uint64(work[CORNERS])
    place = start
    while moves != _ZERO:
        square = trailing_zeros(moves)
        disc = _ONE << square
        moves ^= disc
        flips = find_flips(square, mover, enemy)
        own, other = enemy ^ flips, mover | flips | disc
        rank = np.int64(8192)
        if work[FEATURES] & ORDER:
            rank -= np.int64(32) * freedom(own, other, empties ^ disc, corners)
            rank -= np.int64(8) * frontier(other, empties)
            if disc & odd:
                rank += np.int64(12)
            if disc & corners:
                rank += np.int64(24)
        work[place] = (rank << 8) | np.int64(square)
        place += 1
    return place


@helper
def take_best(work, start, end):
    """The best of these moves; the one at `start` takes its place. The first often decides: no sorting."""
    best = work[start]
    for place in range(start + 1, end):
        item = work[place]
        if item > best:
            work[place] = best
            best = item
    return best


@helper
def solve_dozen(mover, enemy, empties, alpha, passed, work, table, edges):
    """Up to DOZEN empty squares: table, stability, fastest first."""
    work[NODES] += 1
    count = np.int64(popcount(empties))
    features = work[FEATURES]
    tabled = features & TABLE and count >= TABLED
    key = hash_of(mover, enemy)
    if tabled:
        prefetch(table, slot_of(table, key))
    if features & STABILITY and alpha >= least_stable(count):
        bound = stability_bound(mover, enemy, edges)
        if bound <= alpha:
            return bound
    moves = find_moves(mover, enemy, empties)
    if moves == _ZERO:
        if passed:
            return final_score(mover, enemy, empties)
        return -solve_dozen(enemy, mover, empties, -alpha - 1, np.int64(1), work, table, edges)
    first = np.int64(NO_MOVE)
    lower, upper = np.int64(-6400), np.int64(6400)
    if tabled:
        entry = probe(table, key)
        if entry != _ZERO:
            first = move_of(entry)
            if depth_of(entry) == count and level_of(entry) == EXACT:
                lower, upper = lower_of(entry), upper_of(entry)
                if lower > 100 * alpha:
                    return lower // 100
                if upper <= 100 * alpha:
                    return upper // 100
    # The table's move is tried before the others are so much as listed.
    place = LISTS + ROOM * count
    end = place
    known = first != NO_MOVE
    best, best_move = _NONE, np.int64(NO_MOVE)
    while True:
        if known:
            known = False
            square = np.uint64(first)
        else:
            if moves != _ZERO:
                end = list_moves(mover, enemy, empties, moves, work, place)
                moves = _ZERO
            if place == end:
                break
            square = np.uint64(take_best(work, place, end) & 255)
            place += 1
        disc = _ONE << square
        moves &= ~disc
        flips = find_flips(square, mover, enemy)
        if count <= UNORDERED + 1:
            score = -solve_few(enemy ^ flips, mover | flips | disc, empties ^ disc, -alpha - 1, np.int64(0), work)
        else:
            score = -solve_dozen(
                enemy ^ flips, mover | flips | disc, empties ^ disc, -alpha - 1, np.int64(0), work, table, edges
            )
        if score > best:
            best, best_move = score, np.int64(square)
            if best > alpha:
                break
    if tabled:
        if best > alpha:
            lower = 100 * best
        else:
            upper = 100 * best
            if first != NO_MOVE:
                best_move = first  # below the window all moves look alike: the one that was good before stays
        store(table, key, pack(best_move, count, EXACT, work[AGE], lower, upper))
    return best
