"""Boat: a row that a capture can break wins only if it survives the reply.

Such a row *stands*: `hot` has the stone that made it, or 0, and whose it is the board tells. The side on turn has
to break it; if it still stands after the reply, that reply has lost (`wins.has_lost`), whatever it took.

All of this is looked up on the stones themselves, as the rules do it: it comes up only where a row is, or could be
made with the next stone.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import trailing_zeros
from tengen.core.compiled.kernel import inner
from tengen.engines.pente.kernels.board import (
    EMPTIES,
    STANDING,
    WORDS,
    level_set,
    list_points,
    setup_set,
    take_set,
    takes,
)
from tengen.engines.pente.kernels.lines import STEPS
from tengen.engines.pente.patterns import WINS
from tengen.games.pente.record import BORDER, EMPTY

_0, _1, _2, _3, _4, _6 = (np.uint64(n) for n in (0, 1, 2, 3, 4, 6))
_WORDS, _EMPTIES, _STANDING = np.uint64(WORDS), np.uint64(EMPTIES), np.uint64(STANDING)


@inner
def standing_row(board, colour):
    """A stone of this colour's row that stands but can be broken; 0 if there is none."""
    point = board.hot[_STANDING]
    return point if point != _0 and board.stones[point] == np.uint8(colour + _1) else _0


@inner
def _run(board, point, step, ahead, stone):
    """How many of these stones follow a point without a gap."""
    count = _0
    at = point + step if ahead else point - step
    while board.stones[at] == stone:
        count += _1
        at = at + step if ahead else at - step
    return count


@inner
def _has_row(board, point, colour):
    """Whether a colour's stone stands here in a row that wins."""
    own, row = np.uint8(colour + _1), np.uint64(board.row)
    if board.stones[point] != own:
        return False
    for axis in range(_4):
        run = _run(board, point, STEPS[axis], True, own) + _run(board, point, STEPS[axis], False, own) + _1
        if run == row or (run > row and not board.exact):
            return True
    return False


@inner
def _write_taken(board, point, colour, top):
    """Write the stones that a colour's stone would take here to the trail; returns its end."""
    own, enemy = np.uint8(colour + _1), np.uint8(_2 - colour)
    for axis in range(_4):
        for side in range(_2):
            step, ahead = STEPS[axis], side == _0
            run = _run(board, point, step, ahead, enemy)
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
    """Whether a colour's stone on an empty point takes so much that the enemy's stone has no row left.

    The trail is free from `top` on.
    """
    end = _write_taken(board, reply, colour, top)
    if end == top:
        return False
    _set_stones(board, top, end, EMPTY)
    broken = not _has_row(board, row_stone, _1 - colour)
    _set_stones(board, top, end, np.uint8(_2 - colour))
    return broken


@inner
def _can_be_broken(board, row_stone, colour, top):
    """Whether some reply breaks the row of a colour through this stone."""
    for word in range(_WORDS):
        bits = board.area[word]
        while bits != _0:
            reply = (word << _6) + trailing_zeros(bits)
            bits &= bits - _1
            if board.stones[reply] == EMPTY and breaks_row(board, row_stone, reply, _1 - colour, top):
                return True
    return False


@inner
def row_is_safe(board, point, colour):
    """Whether a colour's stone on this empty point, which makes a row, makes one that no reply can break."""
    top = board.trail_top
    end = _write_taken(board, point, colour, top)
    _set_stones(board, top, end, EMPTY)
    board.stones[point] = colour + _1
    safe = not _can_be_broken(board, point, colour, end)
    board.stones[point] = EMPTY
    _set_stones(board, top, end, np.uint8(_2 - colour))
    return safe


@inner
def settle_rows(board, point, colour, made_row):
    """After a colour's stone: which row stands now.

    The enemy's, if it has survived, and the game is over; else the new one, if it can be broken.
    """
    row_stone = board.hot[_STANDING]
    if row_stone != _0 and not _has_row(board, row_stone, _1 - colour):
        board.hot[_STANDING] = _0
    if made_row and board.hot[_STANDING] == _0 and _can_be_broken(board, point, colour, board.trail_top):
        board.hot[_STANDING] = point


@inner
def list_averting(board, attacker, defender, wins):
    """Write what may avert a row that stands, or else the winning point that stands in the pool at `wins`.

    A row that stands is broken by captures alone. Against a winning point there are, besides that point and
    captures: rows of one's own, which stand before the attacker's; and stones that let his row be broken. One of
    these flanks a run of his, so that it threatens to capture it, or it stands on a line of the winning point,
    within four steps: the run holds the winning stone, or it changes what that stone takes. If that stone takes
    anything, a run may become open by it, and every empty point is listed; so it is with poof, which changes more.
    """
    if standing_row(board, attacker) != _0:
        return list_points(board, board.hot, take_set(defender), wins)
    point = np.uint64(board.pool[wins])
    if board.poof or takes(board, attacker, point) != _0:
        return list_points(board, board.hot, _EMPTIES, wins)
    end = list_points(board, board.hot, take_set(defender), wins + _1)
    end = list_points(board, board.hot, setup_set(defender), end)
    end = list_points(board, board.hot, level_set(defender, WINS), end)
    for axis in range(_4):
        for side in range(_2):
            at = point
            for _ in range(_4):
                at = at + STEPS[axis] if side == _0 else at - STEPS[axis]
                if board.stones[at] == BORDER:
                    break
                if board.stones[at] == EMPTY:
                    board.pool[end] = at
                    end += _1
    return end
