"""What a stone that comes or goes changes: the points within reach on its four lines, and nothing else.

Their entries are looked up anew, and what follows from one that has changed (levels, captures, sets and counts)
is changed with it. Former infos and levels go to a log, from which `moves.undo` restores them.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import popcount
from tengen.core.compiled.kernel import inner
from tengen.engines.pente.kernels.board import (
    EMPTIES,
    EMPTY_COUNT,
    KEY,
    SETUP_BITS,
    SETUPS,
    SHAPES,
    TAKE_BITS,
    TAKES,
    add_point,
    flip_point,
    level_set,
    setup_set,
    take_set,
)
from tengen.engines.pente.kernels.lines import LINE_OF, SHIFT_OF, STEPS
from tengen.engines.pente.patterns import LEVEL_OF, OPEN_FOUR, TWO
from tengen.games.pente.record import BORDER, EMPTY, POINTS
from tengen.games.pente.rules import STONE_KEYS

_0, _1, _2, _3, _4, _5, _6, _7, _8 = (np.uint64(n) for n in range(9))
_10, _12, _13, _15, _16, _26, _39 = (np.uint64(n) for n in (10, 12, 13, 15, 16, 26, 39))
_POINTS = np.uint64(POINTS)
_BYTE, _CODE, _ENTRY, _CLASSES = (np.uint64(n) for n in (0xFF, 0xFFF, 0xFFFF, 0x3F))
_EVERY_CLASS = np.uint64(0x0007000700070007)
_ONE_SHAPE = np.array([1 << 10 * (k - TWO) if TWO <= k <= OPEN_FOUR else 0 for k in range(8)], np.uint64)
_EMPTIES, _KEY, _EMPTY_COUNT = np.uint64(EMPTIES), np.uint64(KEY), np.uint64(EMPTY_COUNT)
_SHAPES, _TAKES, _SETUPS = np.uint64(SHAPES), np.uint64(TAKES), np.uint64(SETUPS)


@inner
def _level_of(info):
    """The level of a point for Black, from its info; White's if that is shifted by three bits."""
    classes = info & _EVERY_CLASS
    code = classes | (classes >> _13) | (classes >> _26) | (classes >> _39)
    return np.uint64(LEVEL_OF[code & _CODE])


@inner
def _enter(board, point, levels):
    """A point enters the sets of its levels, or leaves them."""
    flip_point(board.hot, level_set(_0, levels & _BYTE), point)
    flip_point(board.hot, level_set(_1, levels >> _8), point)


@inner
def _regroup(board, point, old, new):
    """Move a point from the sets of its former levels to those of others, White's times 256 as in `levels`.

    Without a question whether they differ: a point that leaves a set and enters it again has not moved, and the
    processor would guess wrong half of the time.
    """
    _enter(board, point, old)
    _enter(board, point, new)


@inner
def _levels_of(info):
    return _level_of(info) | (_level_of(info >> _3) << _8)


@inner
def _change_levels(board, point, info):
    old, new = np.uint64(board.levels[point]), _levels_of(info)
    if old != new:
        board.levels[point] = new
        _regroup(board, point, old, new)


@inner
def _change_captures(board, point, old, new):
    for colour in range(_2):
        bits = TAKE_BITS << (_2 * colour)
        before, after = popcount(old & bits), popcount(new & bits)
        if before != after:
            board.hot[_TAKES + colour] += after - before
            if before == _0 or after == _0:
                flip_point(board.hot, take_set(colour), point)
        bits = SETUP_BITS << colour
        before, after = popcount(old & bits), popcount(new & bits)
        if before != after:
            board.hot[_SETUPS + colour] += after - before
            if before == _0 or after == _0:
                flip_point(board.hot, setup_set(colour), point)


@inner
def _toggle(board, patterns, point, stone):
    """Put a stone on the lines, or take it off, and change all points within its reach whose entries change.

    The counts and the end of the log are kept at hand meanwhile: each change would wait for the last one's store.
    """
    reach = board.reach
    skipped, room = _2 * (_5 - reach), _2 * reach
    mask = (_1 << room) - _1
    log = board.log_top
    black, white = board.hot[_SHAPES], board.hot[_SHAPES + _1]
    for axis in range(_4):
        line, shift, step = LINE_OF[axis, point], SHIFT_OF[axis, point], STEPS[axis]
        word = board.words[line] ^ (stone << (shift + _10))
        board.words[line] = word
        extents = np.uint64(board.extents[axis * _POINTS + point])
        behind, ahead = extents & _15, extents >> _4
        at = point - step * behind
        bits = word >> (shift - _2 * behind)
        for k in range(behind + ahead + _1):
            index = ((bits >> skipped) & mask) | (((bits >> _12) & mask) << room)
            new = np.uint64(patterns[index])
            info = board.info[at]
            old = (info >> (_16 * axis)) & _ENTRY
            if old != new and k != behind:
                board.log[log] = at | (np.uint64(board.levels[at]) << _16)
                board.log[log + _1] = info
                log += _2
                changed = info ^ ((old ^ new) << (_16 * axis))
                board.info[at] = changed
                if board.stones[at] == EMPTY:
                    if (old ^ new) & _CLASSES != _0:
                        black += _ONE_SHAPE[new & _7] - _ONE_SHAPE[old & _7]
                        white += _ONE_SHAPE[(new >> _3) & _7] - _ONE_SHAPE[(old >> _3) & _7]
                        _change_levels(board, at, changed)
                    if (old ^ new) >> _6 != _0:
                        _change_captures(board, at, info, changed)
            at += step
            bits >>= _2
    board.log_top = log
    board.hot[_SHAPES], board.hot[_SHAPES + _1] = black, white


@inner
def _count_point(board, point):
    """An empty point enters the sets and counts; its levels are looked up."""
    info = board.info[point]
    log = board.log_top
    board.log[log] = point | (np.uint64(board.levels[point]) << _16)
    board.log[log + _1] = info
    board.log_top = log + _2
    levels = _levels_of(info)
    board.levels[point] = levels
    _enter(board, point, levels)
    _change_captures(board, point, _0, info)
    for axis in range(_4):
        entry = info >> (_16 * axis)
        board.hot[_SHAPES] += _ONE_SHAPE[entry & _7]
        board.hot[_SHAPES + _1] += _ONE_SHAPE[(entry >> _3) & _7]


@inner
def _uncount_point(board, point):
    """An empty point leaves the sets and counts; its levels stay, for undo."""
    info = board.info[point]
    _enter(board, point, np.uint64(board.levels[point]))
    _change_captures(board, point, info, _0)
    for axis in range(_4):
        entry = info >> (_16 * axis)
        board.hot[_SHAPES] -= _ONE_SHAPE[entry & _7]
        board.hot[_SHAPES + _1] -= _ONE_SHAPE[(entry >> _3) & _7]


@inner
def put_stone(board, patterns, point, colour):
    _uncount_point(board, point)
    board.stones[point] = colour + _1
    board.hot[_KEY] ^= STONE_KEYS[colour, point]
    board.hot[_EMPTY_COUNT] -= _1
    flip_point(board.hot, _EMPTIES, point)
    _toggle(board, patterns, point, colour + _1)


@inner
def remove_stone(board, patterns, point, colour):
    _toggle(board, patterns, point, colour + _1)
    board.stones[point] = EMPTY
    board.hot[_KEY] ^= STONE_KEYS[colour, point]
    board.hot[_EMPTY_COUNT] += _1
    flip_point(board.hot, _EMPTIES, point)
    _count_point(board, point)


@inner
def clear(board, stones):
    """Make a zeroed board an empty one, of the points that are no border in `stones`."""
    for point in range(_POINTS):
        board.stones[point] = BORDER
        if stones[point] != BORDER:
            board.stones[point] = EMPTY
            board.hot[_EMPTY_COUNT] += _1
            add_point(board.hot, _EMPTIES, point)
            _enter(board, point, _0)
            add_point(board.area, _0, point)
    for point in range(_POINTS):
        if stones[point] == BORDER:
            continue
        for axis in range(_4):
            behind, ahead = _0, _0
            while behind < board.reach and stones[point - STEPS[axis] * (behind + _1)] != BORDER:
                behind += _1
            while ahead < board.reach and stones[point + STEPS[axis] * (ahead + _1)] != BORDER:
                ahead += _1
            board.extents[axis * _POINTS + point] = behind | (ahead << _4)
