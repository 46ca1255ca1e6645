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
    # The parity of four files in each row, then of four rows, at the corner of a quadrant; then spread over it.
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
    sign = np.int64(1)
    while True:
        nodes[0] += 1
        best = _NONE
        flips = find_flips(first, mover, enemy)
        if flips != _ZERO:
            nodes[0] += 1
            best = -solve_1(enemy ^ flips, mover | flips | (_ONE << first), second)
            if best > alpha:
                return sign * best
        flips = find_flips(second, mover, enemy)
        if flips != _ZERO:
            nodes[0] += 1
            best = max(best, -solve_1(enemy ^ flips, mover | flips | (_ONE << second), first))
        if best > _NONE:
            return sign * best
        if sign < 0:
            return -final_score(mover, enemy, (_ONE << first) | (_ONE << second))
        # The mover passes. One code for both sides, here and below: twice as much would not stay in the cache.
        sign = np.int64(-1)
        mover, enemy, alpha = enemy, mover, -alpha - 1


@helper
def solve_3(mover, enemy, empties, alpha, nodes):
    # With one square in a quadrant and two in another, the single one comes first.
    odd = empties & odd_regions(empties)
    if odd == _ZERO or popcount(odd) != _ONE:
        odd = empties & (_ZERO - empties)
    sign = np.int64(1)
    while True:
        nodes[0] += 1
        best = _NONE
        left = empties
        disc = odd
        while True:
            square = trailing_zeros(disc)
            left ^= disc
            flips = find_flips(square, mover, enemy)
            if flips != _ZERO:
                rest = empties ^ disc
                first = trailing_zeros(rest)
                second = trailing_zeros(rest & (rest - _ONE))
                best = max(best, -solve_2(enemy ^ flips, mover | flips | disc, -alpha - 1, first, second, nodes))
                if best > alpha:
                    return sign * best
            if left == _ZERO:
                break
            disc = left & (_ZERO - left)
        if best > _NONE:
            return sign * best
        if sign < 0:
            return -final_score(mover, enemy, empties)
        sign = np.int64(-1)
        mover, enemy, alpha = enemy, mover, -alpha - 1


@helper
def solve_4(mover, enemy, empties, alpha, nodes):
    odd = empties & odd_regions(empties)
    sign = np.int64(1)
    while True:
        nodes[0] += 1
        best = _NONE
        squares, others = odd, empties ^ odd
        while True:
            if squares == _ZERO:
                squares, others = others, _ZERO
                if squares == _ZERO:
                    break
            square = trailing_zeros(squares)
            disc = _ONE << square
            squares ^= disc
            flips = find_flips(square, mover, enemy)
            if flips != _ZERO:
                best = max(best, -solve_3(enemy ^ flips, mover | flips | disc, empties ^ disc, -alpha - 1, nodes))
                if best > alpha:
                    return sign * best
        if best > _NONE:
            return sign * best
        if sign < 0:
            return -final_score(mover, enemy, empties)
        sign = np.int64(-1)
        mover, enemy, alpha = enemy, mover, -alpha - 1
