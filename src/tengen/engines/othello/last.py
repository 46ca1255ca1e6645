"""The last four empty squares of an Othello game, in null windows.

Boards are bit boards of the mover and the enemy; `empties` are the squares without a disc, so that every size of
board is served. Each function says whether the mover can get more than `alpha` discs: what it returns is at least
the true score if it is at most `alpha`, and at most the true score if it is more (a "fail-soft" bound). The empty
squares of an ended game go to the winner. `nodes[0]` counts positions, the ones after the last move left out.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import popcount, trailing_zeros
from tengen.core.compiled.kernel import helper
from tengen.games.othello.rules import find_flips

LOWEST = np.int64(-64)
_NONE = np.int64(-127)  # below every score
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@helper
def odd_regions(empties):
    """The quadrants with an odd number of empty squares: who plays there first also plays there last."""
    # The parity of each four files of a row, then of four rows, at the corner of each quadrant; then spread over it.
    parity = empties ^ (empties >> np.uint64(1))
    parity ^= parity >> np.uint64(2)
    parity ^= parity >> np.uint64(8)
    parity ^= parity >> np.uint64(16)
    return (parity & np.uint64(0x0000001100000011)) * np.uint64(0x0F0F0F0F)


@helper
def final_score(mover, enemy, empties):
    """The score of an ended game."""
    difference = np.int64(popcount(mover)) - np.int64(popcount(enemy))
    if difference > 0:
        return difference + np.int64(popcount(empties))
    if difference < 0:
        return difference - np.int64(popcount(empties))
    return np.int64(0)


@helper
def solve_1(mover, enemy, square):
    """The exact score with one empty square left."""
    difference = np.int64(popcount(mover)) - np.int64(popcount(enemy))
    flips = find_flips(square, mover, enemy)
    if flips != _ZERO:
        return difference + np.int64(2) * np.int64(popcount(flips)) + np.int64(1)
    flips = find_flips(square, enemy, mover)
    if flips != _ZERO:
        return difference - np.int64(2) * np.int64(popcount(flips)) - np.int64(1)
    return difference + np.int64(1) if difference > 0 else difference - np.int64(1)


@helper
def solve_2(mover, enemy, alpha, first, second, nodes):
    nodes[0] += 1
    best = _NONE
    flips = find_flips(first, mover, enemy)
    if flips != _ZERO:
        nodes[0] += 1
        best = -solve_1(enemy ^ flips, mover | flips | (_ONE << first), second)
        if best > alpha:
            return best
    flips = find_flips(second, mover, enemy)
    if flips != _ZERO:
        nodes[0] += 1
        score = -solve_1(enemy ^ flips, mover | flips | (_ONE << second), first)
        return max(best, score)
    if best > _NONE:
        return best
    # The mover passes; the enemy wants to come below the window's upper end.
    worst = -_NONE
    flips = find_flips(first, enemy, mover)
    if flips != _ZERO:
        nodes[0] += 1
        worst = solve_1(mover ^ flips, enemy | flips | (_ONE << first), second)
        if worst <= alpha:
            return worst
    flips = find_flips(second, enemy, mover)
    if flips != _ZERO:
        nodes[0] += 1
        score = solve_1(mover ^ flips, enemy | flips | (_ONE << second), first)
        return min(worst, score)
    if worst < -_NONE:
        return worst
    return final_score(mover, enemy, (_ONE << first) | (_ONE << second))


@helper
def _after_3(mover, enemy, flips, alpha, square, first, second, nodes):
    """The value for who moved on `square`, with two squares left."""
    return -solve_2(enemy ^ flips, mover | flips | (_ONE << square), -alpha - 1, first, second, nodes)


@helper
def _moves_3(mover, enemy, alpha, a, b, c, nodes):
    """The best of the mover's moves on three squares, or `_NONE` if there is no move."""
    best = _NONE
    flips = find_flips(a, mover, enemy)
    if flips != _ZERO:
        best = _after_3(mover, enemy, flips, alpha, a, b, c, nodes)
        if best > alpha:
            return best
    flips = find_flips(b, mover, enemy)
    if flips != _ZERO:
        best = max(best, _after_3(mover, enemy, flips, alpha, b, a, c, nodes))
        if best > alpha:
            return best
    flips = find_flips(c, mover, enemy)
    if flips != _ZERO:
        best = max(best, _after_3(mover, enemy, flips, alpha, c, a, b, nodes))
    return best


@helper
def solve_3(mover, enemy, empties, alpha, nodes):
    nodes[0] += 1
    # With one square in a quadrant and two in another, the single one comes first.
    odd = empties & odd_regions(empties)
    rest = empties
    if odd != _ZERO and popcount(odd) == _ONE:
        a = trailing_zeros(odd)
        rest ^= odd
    else:
        a = trailing_zeros(rest)
        rest &= rest - _ONE
    b = trailing_zeros(rest)
    c = trailing_zeros(rest & (rest - _ONE))
    best = _moves_3(mover, enemy, alpha, a, b, c, nodes)
    if best > _NONE:
        return best
    best = _moves_3(enemy, mover, -alpha - 1, a, b, c, nodes)
    if best > _NONE:
        nodes[0] += 1
        return -best
    return final_score(mover, enemy, empties)


@helper
def _moves_4(mover, enemy, empties, alpha, nodes):
    best = _NONE
    odd = empties & odd_regions(empties)
    for squares in (odd, empties ^ odd):
        while squares != _ZERO:
            square = trailing_zeros(squares)
            disc = _ONE << square
            squares ^= disc
            flips = find_flips(square, mover, enemy)
            if flips != _ZERO:
                best = max(
                    best, -solve_3(enemy ^ flips, mover | flips | disc, empties ^ disc, -alpha - 1, nodes)
                )
                if best > alpha:
                    return best
    return best


@helper
def solve_4(mover, enemy, empties, alpha, nodes):
    nodes[0] += 1
    best = _moves_4(mover, enemy, empties, alpha, nodes)
    if best > _NONE:
        return best
    best = _moves_4(enemy, mover, empties, -alpha - 1, nodes)
    if best > _NONE:
        nodes[0] += 1
        return -best
    return final_score(mover, enemy, empties)
