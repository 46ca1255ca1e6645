"""The last four empty squares of a game, in null windows.

Positions are bitboards of the mover and the enemy; `empties` are the squares without a disc, so that every board
size works. Each function answers "can the mover score more than `alpha`?" with a fail-soft bound: a result above
`alpha` is a lower bound of the true score, any other an upper bound. The empty squares of a finished game go to
the winner. `work.nodes` counts positions, except those after the last move.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import popcount, trailing_zeros
from tengen.core.compiled.kernel import inner
from tengen.games.othello.rules import find_flips

_MINUS_INFINITY = np.int64(-127)  # below every score
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_FILE, _TO_ROW = np.uint64(0x0101010101010101), np.uint64(0x0102040810204080)


def _flip_count_table() -> np.ndarray:
    """uint8[8 * 256]: twice the number of discs flipped in a line, by position and mover's discs in it."""
    table = np.zeros((8, 256), np.uint8)
    for position in range(8):
        for line in range(256):
            below = [other for other in range(position) if line >> other & 1]
            above = [other for other in range(position + 1, 8) if line >> other & 1]
            if below:
                table[position, line] += 2 * (position - 1 - below[-1])
            if above:
                table[position, line] += 2 * (above[0] - position - 1)
    return table.reshape(-1)


def _diagonals(step: int) -> np.ndarray:
    """uint64[64]: the other squares of each square's diagonal, where one row down is `step` files to the right."""
    squares = [(square // 8, square % 8) for square in range(64)]
    return np.array(
        [
            sum(1 << (8 * r + c) for r, c in squares if c - column == step * (r - row) and r != row)
            for row, column in squares
        ],
        np.uint64,
    )


_FLIP_COUNTS, _RISING, _FALLING = _flip_count_table(), _diagonals(-1), _diagonals(1)


@inner
def odd_quadrants(empties):
    """Quadrants with an odd number of empty squares: the side that moves there first also moves there last."""
    # Parity of four files in each row, then of four rows, in one corner of each quadrant; then spread over it.
    parity = empties ^ (empties >> np.uint64(1))
    parity ^= parity >> np.uint64(2)
    parity ^= parity >> np.uint64(8)
    parity ^= parity >> np.uint64(16)
    return (parity & np.uint64(0x0000001100000011)) * np.uint64(0x0F0F0F0F)


@inner
def final_score(mover, enemy, empties):
    """Score of a finished game."""
    difference = np.int64(popcount(mover)) - np.int64(popcount(enemy))
    if difference > 0:
        return difference + np.int64(popcount(empties))
    if difference < 0:
        return difference - np.int64(popcount(empties))
    return np.int64(0)


@inner
def count_last_flips(square, mover):
    """Twice the number of discs flipped by a move on the last empty square.

    Discs not in `mover` are enemy discs.
    """
    column, row = square & np.uint64(7), square >> np.uint64(3)
    across, down = column << np.uint64(8), row << np.uint64(8)
    file = (((mover >> column) & _FILE) * _TO_ROW) >> np.uint64(56)
    rising = ((mover & _RISING[square]) * _FILE) >> np.uint64(56)
    falling = ((mover & _FALLING[square]) * _FILE) >> np.uint64(56)
    return (
        np.int64(_FLIP_COUNTS[across | ((mover >> (square & np.uint64(56))) & np.uint64(255))])
        + np.int64(_FLIP_COUNTS[down | file])
        + np.int64(_FLIP_COUNTS[across | rising])
        + np.int64(_FLIP_COUNTS[across | falling])
    )


@inner
def solve_1(mover, enemy, alpha, square):
    difference = np.int64(popcount(mover)) - np.int64(popcount(enemy))
    flipped = count_last_flips(square, mover)
    if flipped != 0:
        return difference + flipped + np.int64(1)
    score = difference + np.int64(1) if difference > 0 else difference - np.int64(1)
    if score > alpha:  # otherwise the mover fails even if the enemy has no move, either
        flipped = count_last_flips(square, enemy)
        if flipped != 0:
            return difference - flipped - np.int64(1)
    return score


@inner
def solve_2(mover, enemy, alpha, first, second, work):
    sign = np.int64(1)
    while True:
        work.nodes += 1
        best = _MINUS_INFINITY
        flips = find_flips(first, mover, enemy)
        if flips != _ZERO:
            work.nodes += 1
            best = -solve_1(enemy ^ flips, mover | flips | (_ONE << first), -alpha - 1, second)
            if best > alpha:
                return sign * best
        flips = find_flips(second, mover, enemy)
        if flips != _ZERO:
            work.nodes += 1
            best = max(best, -solve_1(enemy ^ flips, mover | flips | (_ONE << second), -alpha - 1, first))
        if best > _MINUS_INFINITY:
            return sign * best
        if sign < 0:
            return -final_score(mover, enemy, (_ONE << first) | (_ONE << second))
        # The mover passes. Loop instead of recursing, here and below: shared code stays in the instruction cache.
        sign = np.int64(-1)
        mover, enemy, alpha = enemy, mover, -alpha - 1


@inner
def solve_3(mover, enemy, empties, alpha, work):
    # With one empty square in one quadrant and two in another, try the single one first.
    odd = empties & odd_quadrants(empties)
    if odd == _ZERO or popcount(odd) != _ONE:
        odd = empties & (_ZERO - empties)
    sign = np.int64(1)
    while True:
        work.nodes += 1
        best = _MINUS_INFINITY
        untried = empties
        disc = odd
        while True:
            square = trailing_zeros(disc)
            untried ^= disc
            flips = find_flips(square, mover, enemy)
            if flips != _ZERO:
                rest = empties ^ disc
                first = trailing_zeros(rest)
                second = trailing_zeros(rest & (rest - _ONE))
                best = max(best, -solve_2(enemy ^ flips, mover | flips | disc, -alpha - 1, first, second, work))
                if best > alpha:
                    return sign * best
            if untried == _ZERO:
                break
            disc = untried & (_ZERO - untried)
        if best > _MINUS_INFINITY:
            return sign * best
        if sign < 0:
            return -final_score(mover, enemy, empties)
        sign = np.int64(-1)
        mover, enemy, alpha = enemy, mover, -alpha - 1


@inner
def solve_4(mover, enemy, empties, alpha, work):
    odd = empties & odd_quadrants(empties)
    sign = np.int64(1)
    while True:
        work.nodes += 1
        best = _MINUS_INFINITY
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
                best = max(best, -solve_3(enemy ^ flips, mover | flips | disc, empties ^ disc, -alpha - 1, work))
                if best > alpha:
                    return sign * best
        if best > _MINUS_INFINITY:
            return sign * best
        if sign < 0:
            return -final_score(mover, enemy, empties)
        sign = np.int64(-1)
        mover, enemy, alpha = enemy, mover, -alpha - 1
