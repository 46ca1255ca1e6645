"""Renju's forbidden moves: Black may not make an overline, two fours or two threes at once.

A stone that makes exactly five wins and is always allowed. A *four* is four stones that one more makes exactly
five; `X.XXX.X` is two in one line. A *straight four* can become five at both ends. A *three* can become a straight
four by a stone that is itself allowed, which is the same question for another board: hence the recursion. Every
recursive call adds a stone, so it ends.

Boards here are copies of `pente_stones` that may be changed. Stones and gaps that matter for a four or a straight
four through a point lie between the first gaps on either side of it, so only these two points of a line are tried.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import allocating_helper, helper
from tengen.games.pente.lines import axis_step
from tengen.games.pente.record import BLACK, EMPTY

ALLOWED, OVERLINE, DOUBLE_FOUR, DOUBLE_THREE = 0, 1, 2, 3
_0 = np.uint64(0)


@helper
def _gap_ahead(board, point, step):
    """The first point after the black stones ahead, if it is empty, else 0."""
    at = point + step
    while board[at] == BLACK:
        at += step
    return at if board[at] == EMPTY else _0


@helper
def _gap_behind(board, point, step):
    at = point - step
    while board[at] == BLACK:
        at -= step
    return at if board[at] == EMPTY else _0


@helper
def _length(board, point, step):
    """Length of the row of the black stone on a point."""
    count = 1
    at = point + step
    while board[at] == BLACK:
        count += 1
        at += step
    at = point - step
    while board[at] == BLACK:
        count += 1
        at -= step
    return count


@helper
def _length_with(board, point, step, gap):
    """The same with another black stone on `gap`; 0 without a gap."""
    if gap == _0:
        return 0
    board[gap] = BLACK
    length = _length(board, point, step)
    board[gap] = EMPTY
    return length


@helper
def _fours(board, point, step):
    """Number of fours in a line that contain the black stone on a point."""
    count = 0
    if _length_with(board, point, step, _gap_ahead(board, point, step)) == 5:
        count += 1
    if _length_with(board, point, step, _gap_behind(board, point, step)) == 5:
        count += 1
    return 1 if count == 2 and _length(board, point, step) == 4 else count  # both ends of one four


@helper
def _is_straight_four(board, point, step):
    return (
        _length(board, point, step) == 4
        and _length_with(board, point, step, _gap_ahead(board, point, step)) == 5
        and _length_with(board, point, step, _gap_behind(board, point, step)) == 5
    )


@helper
def why_forbidden(board, point):
    """ALLOWED, or what a black stone on an empty point of the board would make. The board is left unchanged."""
    board[point] = BLACK
    longest, fours, makes_five = 0, 0, False
    for axis in range(4):
        length = _length(board, point, axis_step(axis))
        makes_five |= length == 5
        longest = max(longest, length)
        fours += _fours(board, point, axis_step(axis))
    result = ALLOWED
    if not makes_five:
        if longest > 5:
            result = OVERLINE
        elif fours >= 2:
            result = DOUBLE_FOUR
        else:
            threes = 0
            for axis in range(4):
                step = axis_step(axis)
                if _fours(board, point, step) > 0:
                    continue
                is_three = False
                for side in range(2):
                    gap = _gap_ahead(board, point, step) if side == 0 else _gap_behind(board, point, step)
                    if gap != _0 and not is_three:
                        board[gap] = BLACK
                        straight = _is_straight_four(board, point, step)
                        board[gap] = EMPTY
                        is_three = straight and why_forbidden(board, gap) == ALLOWED
                threes += is_three
            if threes >= 2:
                result = DOUBLE_THREE
    board[point] = EMPTY
    return result


@allocating_helper
def drop_forbidden(state, moves, count):
    """Remove the forbidden points from the first `count` moves; returns how many are left."""
    board = state.pente_stones.copy()
    kept = 0
    for i in range(count):
        if why_forbidden(board, np.uint64(moves[i])) == ALLOWED:
            moves[kept] = moves[i]
            kept += 1
    return kept


@allocating_helper
def reason_at(state, point):
    """See `why_forbidden`, for a state."""
    return why_forbidden(state.pente_stones.copy(), point)


@allocating_helper
def has_allowed_point(state):
    """Whether Black may place a stone anywhere."""
    board = state.pente_stones.copy()
    for i in range(state.empty_count):
        if why_forbidden(board, np.uint64(state.empties[i])) == ALLOWED:
            return True
    return False
