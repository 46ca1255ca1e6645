"""Exact score of an endgame: a simple alpha-beta search.

Moves are ordered by parity near the end, by fewest replies further up, and a table stores bounds. It is separate
from the engine's solver, so that the training games of a seed stay the same when that one changes.

`table` is uint64[slots, 2] (hash key, bounds), `lists` int64[65, 40] holds the moves of each level, `nodes[0]`
counts positions. Scores are discs for the mover; empty squares go to the winner.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import ONE, ZERO, popcount, trailing_zeros
from tengen.core.compiled.kernel import helper
from tengen.core.compiled.rng import mix
from tengen.games.othello.rules import find_flips, find_moves

FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
_CORNERS = np.uint64(0x8100000000000081)
_QUADRANTS = (
    np.uint64(0x000000000F0F0F0F),
    np.uint64(0x00000000F0F0F0F0),
    np.uint64(0x0F0F0F0F00000000),
    np.uint64(0xF0F0F0F000000000),
)
_MAX_PARITY_EMPTIES = np.uint64(6)  # up to this many empty squares, moves are ordered by parity only
_MINUS_INFINITY = np.int64(-100)
_LOW8 = np.uint64(0xFF)
_8, _16 = np.uint64(8), np.uint64(16)


def make_table(slots: int = 1 << 16) -> np.ndarray:
    return np.zeros((slots, 2), np.uint64)


@helper
def final_score(mover, enemy):
    """Score of a finished game."""
    own, other = np.int64(popcount(mover)), np.int64(popcount(enemy))
    if own > other:
        return np.int64(64) - np.int64(2) * other
    if own < other:
        return np.int64(2) * own - np.int64(64)
    return np.int64(0)


@helper
def _odd_quadrants(empties):
    """Quadrants with an odd number of empty squares: the side that moves there first also moves there last."""
    odd = ZERO
    for quadrant in _QUADRANTS:
        if popcount(empties & quadrant) & ONE:
            odd |= quadrant
    return odd


@helper
def _solve_last(mover, enemy, empty):
    square = trailing_zeros(empty)
    own = np.int64(popcount(mover))
    flips = find_flips(square, mover, enemy)
    if flips != ZERO:
        return np.int64(2) * (own + np.int64(popcount(flips)) + 1) - 64
    flips = find_flips(square, enemy, mover)
    if flips != ZERO:
        return np.int64(2) * (own - np.int64(popcount(flips))) - 64
    return final_score(mover, enemy)


@helper
def _solve_shallow(mover, enemy, alpha, beta, passed, nodes):
    nodes[0] += 1
    empties = ~(mover | enemy)
    if empties & (empties - ONE) == ZERO:
        if empties == ZERO:
            return final_score(mover, enemy)
        return _solve_last(mover, enemy, empties)
    best = _MINUS_INFINITY
    odd = empties & _odd_quadrants(empties)
    for squares in (odd, empties ^ odd):
        while squares != ZERO:
            square = trailing_zeros(squares)
            squares &= squares - ONE
            flips = find_flips(square, mover, enemy)
            if flips == ZERO:
                continue
            score = -_solve_shallow(
                enemy ^ flips, mover | flips | (ONE << square), -beta, -max(alpha, best), np.int64(0), nodes
            )
            if score > best:
                best = score
                if best >= beta:
                    return best
    if best > _MINUS_INFINITY:
        return best
    if passed != 0:
        return final_score(mover, enemy)
    return -_solve_shallow(enemy, mover, -beta, -alpha, np.int64(1), nodes)


@helper
def _order_moves(mover, enemy, moves, table_move, move_list):
    """List the moves, best first, starting with the table's move; returns how many there are."""
    odd = _odd_quadrants(~(mover | enemy))
    count = 0
    while moves != ZERO:
        square = trailing_zeros(moves)
        disc = ONE << square
        moves ^= disc
        flips = find_flips(square, mover, enemy)
        replies = find_moves(enemy ^ flips, mover | flips | disc, FULL)
        rank = np.int64(16) * np.int64(popcount(replies)) + np.int64(8) * np.int64(popcount(replies & _CORNERS))
        if disc & odd == ZERO:
            rank += np.int64(6)
        if square == table_move:
            rank = np.int64(0)
        entry = (rank << np.int64(8)) | np.int64(square)
        slot = count
        while slot > 0 and move_list[slot - 1] > entry:
            move_list[slot] = move_list[slot - 1]
            slot -= 1
        move_list[slot] = entry
        count += 1
    return count


@helper
def probe_bounds(table, key):
    """Lower and upper bound of the score and the best move (64 if unknown), from the table."""
    slot = key & np.uint64(len(table) - 1)
    if table[slot, 0] != key:
        return np.int64(-64), np.int64(64), np.uint64(64)
    entry = table[slot, 1]
    return np.int64(entry & _LOW8) - 64, np.int64((entry >> _8) & _LOW8) - 64, (entry >> _16) & _LOW8


@helper
def store_bounds(table, key, alpha, beta, search_floor, lower, upper, best, best_square):
    """Store the result of a search from alpha to beta, started at `search_floor` because of the lower bound."""
    if best >= beta:
        lower = max(lower, best)
    elif best <= alpha:
        upper = min(upper, best)
    elif best > search_floor:
        lower = upper = best
    slot = key & np.uint64(len(table) - 1)
    table[slot, 0] = key
    table[slot, 1] = np.uint64(lower + 64) | (np.uint64(upper + 64) << _8) | (best_square << _16)


@helper
def solve(mover, enemy, alpha, beta, passed, table, lists, nodes):
    """The score if it lies between alpha and beta; otherwise a fail-soft bound."""
    empties = np.uint64(64) - popcount(mover | enemy)
    if empties <= _MAX_PARITY_EMPTIES:
        return _solve_shallow(mover, enemy, alpha, beta, passed, nodes)
    nodes[0] += 1
    moves = find_moves(mover, enemy, FULL)
    if moves == ZERO:
        if passed != 0:
            return final_score(mover, enemy)
        return -solve(enemy, mover, -beta, -alpha, np.int64(1), table, lists, nodes)
    key = mix(mover ^ mix(enemy))
    lower, upper, table_move = probe_bounds(table, key)
    if lower >= beta or lower == upper:
        return lower
    if upper <= alpha:
        return upper
    row = np.int64(empties)
    count = _order_moves(mover, enemy, moves, table_move, lists[row])
    best, best_square = _MINUS_INFINITY, np.uint64(64)
    search_floor = max(alpha, lower)
    for index in range(count):
        square = np.uint64(lists[row, index] & np.int64(255))
        flips = find_flips(square, mover, enemy)
        own, other = enemy ^ flips, mover | flips | (ONE << square)
        floor = max(search_floor, best)
        score = _MINUS_INFINITY
        if index > 0 and floor + 1 < beta:
            score = -solve(own, other, -floor - 1, -floor, np.int64(0), table, lists, nodes)
        if index == 0 or floor + 1 >= beta or (score > floor and score < beta):
            score = -solve(own, other, -beta, -floor, np.int64(0), table, lists, nodes)
        if score > best:
            best, best_square = score, square
            if best >= beta:
                break
    store_bounds(table, key, alpha, beta, search_floor, lower, upper, best, best_square)
    return best


@helper
def best_move(mover, enemy, alpha, beta, table, lists, nodes):
    """The score, known to lie between alpha and beta, and a best move; the mover must have a move."""
    moves = find_moves(mover, enemy, FULL)
    best, best_square = _MINUS_INFINITY, np.uint64(64)
    count = _order_moves(mover, enemy, moves, best_square, lists[0])
    for index in range(count):
        square = np.uint64(lists[0, index] & np.int64(255))
        flips = find_flips(square, mover, enemy)
        own, other = enemy ^ flips, mover | flips | (ONE << square)
        floor = max(alpha, best)
        score = _MINUS_INFINITY
        if index > 0:
            score = -solve(own, other, -floor - 1, -floor, np.int64(0), table, lists, nodes)
        if index == 0 or (score > floor and score < beta):
            score = -solve(own, other, -beta, -floor, np.int64(0), table, lists, nodes)
        if score > best:
            best, best_square = score, square
            if best >= beta - 1:
                break
    return best, best_square
