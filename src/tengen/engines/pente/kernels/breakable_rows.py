"""Boat rule: a row that a capture can break wins only if it survives the reply.

`state_info[BREAKABLE_ROW]` has a stone of such a row, or 0; its colour is on the board. The side to move has to
break the row; if it still stands after the reply, that reply has lost (`immediate_wins.has_lost`), whatever it
captured.

All this reads the stones themselves, like the rules: it is needed only where there is a row, or the next stone
could make one.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import trailing_zeros
from tengen.core.compiled.kernel import inner
from tengen.engines.pente.kernels.board import (
    BREAKABLE_ROW,
    EMPTIES,
    WORDS,
    capture_set,
    capture_threat_set,
    captures_at,
    level_set,
    list_near,
    list_points,
)
from tengen.engines.pente.kernels.lines import STEPS
from tengen.engines.pente.patterns import WINS
from tengen.games.pente.record import EMPTY

_0, _1, _2, _3, _4, _6 = (np.uint64(n) for n in (0, 1, 2, 3, 4, 6))
_WORDS, _EMPTIES, _BREAKABLE_ROW = np.uint64(WORDS), np.uint64(EMPTIES), np.uint64(BREAKABLE_ROW)


@inner
def breakable_row(board, colour):
    """A stone of this colour's breakable row; 0 if there is none."""
    point = board.state_info[_BREAKABLE_ROW]
    return point if point != _0 and board.stones[point] == np.uint8(colour + _1) else _0


@inner
def _run_length(board, point, step, ahead, stone):
    """Length of the run of these stones that follows a point without a gap."""
    count = _0
    at = point + step if ahead else point - step
    while board.stones[at] == stone:
        count += _1
        at = at + step if ahead else at - step
    return count


@inner
def _has_row(board, point, colour):
    """Whether this point holds a colour's stone that is part of a winning row."""
    own, row = np.uint8(colour + _1), np.uint64(board.row)
    if board.stones[point] != own:
        return False
    for axis in range(_4):
        run = (
            _run_length(board, point, STEPS[axis], True, own)
            + _run_length(board, point, STEPS[axis], False, own)
            + _1
        )
        if run == row or (run > row and not board.exact):
            return True
    return False


@inner
def _list_captured(board, point, colour, top):
    """Write the stones that a stone of this colour would capture to the trail; returns the end."""
    own, enemy = np.uint8(colour + _1), np.uint8(_2 - colour)
    for axis in range(_4):
        for side in range(_2):
            step, ahead = STEPS[axis], side == _0
            run = _run_length(board, point, step, ahead, enemy)
            if run < _2 or run > np.uint64(board.longest):
                continue
            beyond = step * (run + _1)
            if board.stones[point + beyond if ahead else point - beyond] == own:
                for k in range(run):
                    away = step * (np.uint64(k) + _1)
                    board.trail[top] = point + away if ahead else point - away
                    top += _1
    return top


@inner
def _set_stones(board, begin, end, stone):
    for i in range(begin, end):
        board.stones[board.trail[i]] = stone


@inner
def breaks_row(board, row_stone, reply, colour, top):
    """Whether a stone of this colour on an empty point captures enough to leave no row through `row_stone`.

    The trail is free from `top` on.
    """
    end = _list_captured(board, reply, colour, top)
    if end == top:
        return False
    _set_stones(board, top, end, EMPTY)
    broken = not _has_row(board, row_stone, _1 - colour)
    _set_stones(board, top, end, np.uint8(_2 - colour))
    return broken


@inner
def _is_breakable(board, row_stone, colour, top):
    """Whether some reply breaks the row of a colour through `row_stone`."""
    for word in range(_WORDS):
        bits = board.all_points[word]
        while bits != _0:
            reply = (word << _6) + trailing_zeros(bits)
            bits &= bits - _1
            if board.stones[reply] == EMPTY and breaks_row(board, row_stone, reply, _1 - colour, top):
                return True
    return False


@inner
def is_row_safe(board, point, colour):
    """Whether a stone on this empty point, which makes a row, makes one that no reply can break."""
    top = board.trail_top
    end = _list_captured(board, point, colour, top)
    _set_stones(board, top, end, EMPTY)
    board.stones[point] = colour + _1
    safe = not _is_breakable(board, point, colour, end)
    board.stones[point] = EMPTY
    _set_stones(board, top, end, np.uint8(_2 - colour))
    return safe


@inner
def update_breakable_row(board, point, colour, made_row):
    """After a stone of `colour`: determine which breakable row there is now.

    The enemy's if it has survived, and then the game is over; else the new one if it can be broken.
    """
    row_stone = board.state_info[_BREAKABLE_ROW]
    if row_stone != _0 and not _has_row(board, row_stone, _1 - colour):
        board.state_info[_BREAKABLE_ROW] = _0
    if (
        made_row
        and board.state_info[_BREAKABLE_ROW] == _0
        and _is_breakable(board, point, colour, board.trail_top)
    ):
        board.state_info[_BREAKABLE_ROW] = point


@inner
def list_defences(board, attacker, defender, wins):
    """List answers to a breakable row, or else to the winning point in the pool at `wins`.

    A breakable row can be broken only by captures. Against a winning point, besides that point and captures, there
    are: own rows, which come before the attacker's; and stones that make the attacker's row breakable. Such a
    stone flanks an enemy run, and so threatens to capture it, or it is on a line of the winning point within four
    steps: the run contains the winning stone, or the stone changes what the winning stone captures. If the winning
    stone captures anything, any run may be opened by it, so all empty points are listed; likewise with poof, which
    changes more.
    """
    if breakable_row(board, attacker) != _0:
        return list_points(board, board.state_info, capture_set(defender), wins)
    point = np.uint64(board.pool[wins])
    if board.poof or captures_at(board, attacker, point) != _0:
        return list_points(board, board.state_info, _EMPTIES, wins)
    end = list_points(board, board.state_info, capture_set(defender), wins + _1)
    end = list_points(board, board.state_info, capture_threat_set(defender), end)
    end = list_points(board, board.state_info, level_set(defender, WINS), end)
    return list_near(board, point, _4, end)
