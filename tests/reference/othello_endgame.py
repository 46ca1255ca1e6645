"""A second endgame solver for Othello, as simple as can be: discs in an array, rays walked square by square.

Compiled and kept, so that it can be asked about thousands of positions, but it shares nothing with the engine: no
bit boards, no table, no order of moves.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import helper, kernel


@helper
def _turn(board, square, me):
    """Play on a square if it turns anything over; returns how many discs it turned."""
    if board[square] != 0:
        return 0
    total = 0
    for row_step in range(-1, 2):
        for column_step in range(-1, 2):
            if row_step == 0 and column_step == 0:
                continue
            row, column, length = square // 8 + row_step, square % 8 + column_step, 0
            while 0 <= row < 8 and 0 <= column < 8 and board[8 * row + column] == -me:
                row, column, length = row + row_step, column + column_step, length + 1
            if 0 <= row < 8 and 0 <= column < 8 and board[8 * row + column] == me:
                for step in range(1, length + 1):
                    board[8 * (square // 8 + step * row_step) + square % 8 + step * column_step] = me
                total += length
    if total:
        board[square] = me
    return total


@kernel
def _solve(boards, ply, me, alpha, beta, passed):
    """The score for `me` of `boards[ply]`, in the window; the rows below are room to play in."""
    best = -100
    for square in range(64):
        boards[ply + 1, :] = boards[ply, :]
        if _turn(boards[ply + 1], square, me) > 0:
            score = -_solve(boards, ply + 1, -me, -beta, -max(alpha, best), np.int64(0))
            best = max(best, score)
            if best >= beta:
                return best
    if best > -100:
        return best
    if not passed:
        boards[ply + 1, :] = boards[ply, :]
        return -_solve(boards, ply + 1, -me, -beta, -alpha, np.int64(1))
    difference = me * boards[ply].sum()
    empty = 0
    for square in range(64):
        if boards[ply, square] == 0:
            empty += 1
    if difference > 0:
        return difference + empty
    return difference - empty if difference < 0 else difference


def solve(mover: int, enemy: int) -> int:
    """The exact score for the mover."""
    boards = np.zeros((64, 64), np.int64)
    for square in range(64):
        boards[0, square] = (mover >> square & 1) - (enemy >> square & 1)
    return int(_solve(boards, np.int64(0), np.int64(1), np.int64(-64), np.int64(64), np.int64(0)))
