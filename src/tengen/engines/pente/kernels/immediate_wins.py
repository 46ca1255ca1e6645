"""Immediate wins: points that complete a row, or capture enough."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import trailing_zeros
from tengen.core.compiled.kernel import inner
from tengen.engines.pente.kernels.board import (
    WORDS,
    capture_count,
    capture_set,
    captured_stones,
    has_any,
    level,
    level_set,
    list_points,
    stones_captured,
)
from tengen.engines.pente.kernels.breakable_rows import breakable_row, breaks_row, is_row_safe
from tengen.engines.pente.kernels.moves import list_poofed
from tengen.engines.pente.patterns import WINS

_0, _1, _6 = np.uint64(0), np.uint64(1), np.uint64(6)
_WORDS = np.uint64(WORDS)


@inner
def _wins_at(board, point, colour):
    """Whether a stone wins immediately, by a row or by captures, unless poof or boat prevents it."""
    poofed_count = np.int64(0)
    if board.poof:
        poofed_count = np.int64(list_poofed(board, point, colour, board.trail_top) - board.trail_top)
    if board.boat:
        row_stone = breakable_row(board, _1 - colour)
        if row_stone != _0 and not breaks_row(board, row_stone, point, colour, board.trail_top):
            return False
    if poofed_count == 0 and level(board, colour, point) == np.uint64(WINS):
        if not board.boat or is_row_safe(board, point, colour):
            return True
    own = captured_stones(board, colour) + stones_captured(board, colour, point)
    return board.goal > 0 and own >= board.goal and own > captured_stones(board, _1 - colour) + poofed_count


@inner
def list_wins(board, colour, top):
    """Write the points where this colour wins immediately into the pool from `top` on; returns the end."""
    if board.poof or board.boat:
        return _list_checked_wins(board, colour, top)
    end = list_points(board, board.state_info, level_set(colour, WINS), top)
    if board.goal > 0 and capture_count(board, colour) > 0:
        needed = board.goal - captured_stones(board, colour)
        for word in range(_WORDS):
            bits = board.state_info[capture_set(colour) + word]
            while bits != _0:
                point = (word << _6) + trailing_zeros(bits)
                bits &= bits - _1
                if stones_captured(board, colour, point) >= needed and level(board, colour, point) != np.uint64(
                    WINS
                ):
                    board.pool[end] = point
                    end += _1
    return end


@inner
def _list_checked_wins(board, colour, top):
    rows = list_points(board, board.state_info, level_set(colour, WINS), top)
    end = list_points(board, board.state_info, capture_set(colour), rows)
    end_kept = top
    for i in range(top, end):
        point = np.uint64(board.pool[i])
        is_duplicate = i >= rows and level(board, colour, point) == np.uint64(WINS)
        if not is_duplicate and _wins_at(board, point, colour):
            board.pool[end_kept] = point
            end_kept += _1
    return end_kept


@inner
def has_win(board, colour):
    """Whether this colour, to move, wins immediately."""
    if capture_count(board, colour) == 0 and not has_any(board.state_info, level_set(colour, WINS)):
        return False
    top = board.pool_top
    return list_wins(board, colour, top) > top


@inner
def has_lost(board, colour):
    """Whether a colour has just lost by its own stone: poof gave the enemy the goal, or the enemy's row was not
    broken.
    """
    if board.boat and breakable_row(board, _1 - colour) != _0:
        return True
    if not board.poof or board.goal == 0:
        return False
    own, other = captured_stones(board, colour), captured_stones(board, _1 - colour)
    return other > own and other >= board.goal
