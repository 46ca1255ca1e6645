"""Playing a move with all its captures and poofs, and undoing it.

`place` and `undo` implement the rules of `games.pente.rules` without opening protocols: tests compare them. `undo`
computes nothing: entries and levels are restored from a log, sets and counts (`state_info`) from a copy.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.core.compiled.rng import mix
from tengen.engines.pente.kernels.board import (
    BREAKABLE_ROW,
    CAPTURED,
    KEY,
    NUMBER,
    STATE_INFO_WORDS,
    captures_at,
    level,
)
from tengen.engines.pente.kernels.breakable_rows import update_breakable_row
from tengen.engines.pente.kernels.incremental import put_stone, remove_stone
from tengen.engines.pente.kernels.lines import LINE_OF, SHIFT_OF, STEPS
from tengen.engines.pente.patterns import WINS
from tengen.games.pente.record import ANYWHERE, EMPTY, G_PENTE, STRIDE

_0, _1, _2, _3, _4, _6, _10, _16, _32 = (np.uint64(n) for n in (0, 1, 2, 3, 4, 6, 10, 16, 32))
_ENTRY, _STRIDE, _BLACK_SIDE = np.uint64(0xFFFF), np.uint64(STRIDE), np.uint64(0x9E3779B97F4A7C15)
_MAX_SIZE_WITHOUT_RULE = 6
"""Boards up to this size are too small for a rule on the second stone."""
_KEY, _CAPTURED, _NUMBER, _BREAKABLE_ROW, _STATE_INFO_WORDS = (
    np.uint64(n) for n in (KEY, CAPTURED, NUMBER, BREAKABLE_ROW, STATE_INFO_WORDS)
)
_ROW_KEY = np.uint64(0xD6E8FEB86659FD93)


@inner
def _list_captured(board, point, colour, top):
    """Write the stones that a move captures to the trail; returns the end."""
    info = board.entries[point]
    for axis in range(_4):
        entry = info >> (_16 * axis + _2 * colour)
        for side in range(_2):
            count = _0
            if (entry >> (_6 + side)) & _1 != _0:
                count = _2
            elif (entry >> (_10 + side)) & _1 != _0:
                count = _3
            at = point
            for _ in range(count):
                at = at + STEPS[axis] if side == _0 else at - STEPS[axis]
                board.trail[top] = at
                top += _1
    return top


@inner
def list_poofed(board, point, colour, top):
    """Write the own stones that a move loses by poof to the trail, the new one last; returns the end."""
    own, enemy = np.uint8(colour + _1), np.uint8(_2 - colour)
    first = top
    for axis in range(_4):
        step = STEPS[axis]
        ahead = _0
        while board.stones[point + step * (ahead + _1)] == own:
            ahead += _1
        behind = _0
        while board.stones[point - step * (behind + _1)] == own:
            behind += _1
        run = ahead + behind + _1
        if (
            run > _1
            and run <= np.uint64(board.longest)
            and board.stones[point + step * (ahead + _1)] == enemy
            and board.stones[point - step * (behind + _1)] == enemy
        ):
            for k in range(ahead):
                board.trail[top] = point + step * (np.uint64(k) + _1)
                top += _1
            for k in range(behind):
                board.trail[top] = point - step * (np.uint64(k) + _1)
                top += _1
    if top != first:
        board.trail[top] = point
        top += _1
    return top


@inner
def place(board, patterns, point, colour):
    """Play a stone, with its captures and poofs."""
    saved = board.depth * _STATE_INFO_WORDS
    for i in range(_STATE_INFO_WORDS):
        board.state_stack[saved + i] = board.state_info[i]
    board.depth += _1
    start = board.trail_top
    log_start = board.undo_log_top
    captured_end = (
        _list_captured(board, point, colour, start) if captures_at(board, colour, point) != _0 else start
    )
    poofed_end = list_poofed(board, point, colour, captured_end) if board.poof else captured_end
    made_row = board.boat and poofed_end == captured_end and level(board, colour, point) == np.uint64(WINS)
    put_stone(board, patterns, point, colour)
    enemy = _1 - colour
    for i in range(start, captured_end):
        remove_stone(board, patterns, np.uint64(board.trail[i]), enemy)
    for i in range(captured_end, poofed_end):
        remove_stone(board, patterns, np.uint64(board.trail[i]), colour)
    board.state_info[_CAPTURED + colour] += captured_end - start
    board.state_info[_CAPTURED + enemy] += poofed_end - captured_end
    board.state_info[_NUMBER] += _1
    board.trail[poofed_end] = captured_end - start
    board.trail[poofed_end + _1] = poofed_end - captured_end
    board.trail[poofed_end + _2] = point
    board.trail_top = poofed_end + _3
    if board.boat:
        update_breakable_row(board, point, colour, made_row)
    board.undo_log[board.undo_log_top] = log_start
    board.undo_log_top += _1


@inner
def _toggle_words(board, point, stone):
    for axis in range(_4):
        board.words[LINE_OF[axis, point]] ^= stone << (SHIFT_OF[axis, point] + _10)


@inner
def undo(board, colour):
    """Undo the last move, which was this colour's."""
    top = board.trail_top
    point = np.uint64(board.trail[top - _1])
    poofed_count, captured_count = np.uint64(board.trail[top - _2]), np.uint64(board.trail[top - _3])
    poofed_end = top - _3
    captured_end = poofed_end - poofed_count
    start = captured_end - captured_count
    board.trail_top = start
    log_index = board.undo_log_top - _1
    log_start = board.undo_log[log_index]
    while log_index > log_start:  # latest first
        log_index -= _2
        entry = board.undo_log[log_index]
        board.entries[entry & _ENTRY] = board.undo_log[log_index + _1]
        board.levels[entry & _ENTRY] = (entry >> _16) & _ENTRY
        board.shapes[entry & _ENTRY] = entry >> _32
    board.undo_log_top = log_start
    if poofed_count == _0:
        board.stones[point] = EMPTY
        _toggle_words(board, point, colour + _1)
    for i in range(captured_end, poofed_end):  # includes the new stone, which is not restored
        at = np.uint64(board.trail[i])
        if at != point:
            board.stones[at] = colour + _1
            _toggle_words(board, at, colour + _1)
    for i in range(start, captured_end):
        at = np.uint64(board.trail[i])
        board.stones[at] = _2 - colour
        _toggle_words(board, at, _2 - colour)
    board.depth -= _1
    saved = board.depth * _STATE_INFO_WORDS
    for i in range(_STATE_INFO_WORDS):
        board.state_info[i] = board.state_stack[saved + i]


@inner
def is_turn_start(board):
    """Whether the side to move has not placed a stone of its turn yet."""
    return board.stones_per_turn == 1 or board.state_info[_NUMBER] & _1 == _1


@inner
def stones_left(board):
    """Number of stones the side to move still has to place; the first turn of a two-stone game has one."""
    return board.stones_per_turn if is_turn_start(board) else np.int64(1)


@inner
def position_key(board, colour):
    """Hash key of the position with this colour to move, including captures and a breakable row."""
    bits = board.state_info[_KEY] ^ mix(
        np.uint64(4096) * (board.state_info[_CAPTURED] + _1) + board.state_info[_CAPTURED + _1]
    )
    bits ^= board.state_info[_BREAKABLE_ROW] * _ROW_KEY
    return bits ^ _BLACK_SIDE if colour == _0 else bits


@inner
def _from_middle(size, line):
    return abs(2 * line - (size - 1)) // 2


@inner
def is_point_allowed(board, point):
    """Whether the rule on the first player's second stone allows this point."""
    if (
        np.int64(board.state_info[_NUMBER]) != board.stones_per_turn + 1
        or board.second == ANYWHERE
        or board.width <= _MAX_SIZE_WITHOUT_RULE
    ):
        return True
    across = _from_middle(board.width, np.int64(point % _STRIDE) - 1)
    down = _from_middle(board.width, np.int64(point // _STRIDE) - 1)
    if across < 3 and down < 3:
        return False
    return not (board.second == G_PENTE and min(across, down) == 0 and max(across, down) <= 4)
