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

_NONE = np.int64(-127)  # below every score
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_FILE, _TO_ROW = np.uint64(0x0101010101010101), np.uint64(0x0102040810204080)


def _turned() -> np.ndarray:
    """By place in a line of eight and the mover's discs in it: twice how many others lie before the nearest."""
    table = np.zeros((8, 256), np.uint8)
    for place in range(8):
        for line in range(256):
            below = [other for other in range(place) if line >> other & 1]
            above = [other for other in range(place + 1, 8) if line >> other & 1]
            if below:
                table[place, line] += 2 * (place - 1 - below[-1])
            if above:
                table[place, line] += 2 * (above[0] - place - 1)
    return table.reshape(-1)


def _diagonals(step: int) -> np.ndarray:
    """For each square, the others of its diagonal, along which a row down is `step` files to the right."""
    squares = [(square // 8, square % 8) for square in range(64)]
    return np.array(
        [
            sum(1 << (8 * r + c) for r, c in squares if c - column == step * (r - row) and r != row)
            for row, column in squares
        ],
        np.uint64,
    )


_TURNED, _RISING, _FALLING = _turned(), _diagonals(-1), _diagonals(1)


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
def count_turned(square, mover):
    """Twice the number of discs that a move on the last empty square turns: other discs are the enemy's."""
    column, row = square & np.uint64(7), square >> np.uint64(3)
    across, down = column << np.uint64(8), row << np.uint64(8)
    file = (((mover >> column) & _FILE) * _TO_ROW) >> np.uint64(56)
    rising = ((mover & _RISING[square]) * _FILE) >> np.uint64(56)
    falling = ((mover & _FALLING[square]) * _FILE) >> np.uint64(56)
    return (
        np.int64(_TURNED[across | ((mover >> (square & np.uint64(56))) & np.uint64(255))])
        + np.int64(_TURNED[down | file])
        + np.int64(_TURNED[across | rising])
        + np.int64(_TURNED[across | falling])
    )


@helper
def solve_1(mover, enemy, square):
    """The exact score with one empty square left."""
    difference = np.int64(popcount(mover)) - np.int64(popcount(enemy))
    turned = count_turned(square, mover)
    if turned != 0:
        return difference + turned + np.int64(1)
    turned = count_turned(square, enemy)
    if turned != 0:
        return difference - turned - np.int64(1)
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
