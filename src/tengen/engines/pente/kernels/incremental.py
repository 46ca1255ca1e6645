"""Incremental update of the board when a stone is placed or removed: only points within reach on its four lines.

Their entries are looked up again, and everything that depends on a changed entry (levels, captures, sets, counts)
is updated. Previous entries and levels go to a log, from which `moves.undo` restores them.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import popcount
from tengen.core.compiled.kernel import inner
from tengen.engines.pente.kernels.board import (
    CAPTURE_BITS,
    CAPTURE_THREAT_BITS,
    CAPTURE_THREATS,
    CAPTURES,
    EMPTIES,
    EMPTY_COUNT,
    KEY,
    LINE_CLASSES,
    SHAPE_VALUES,
    add_point,
    capture_set,
    capture_threat_set,
    flip_point,
    level_set,
)
from tengen.engines.pente.kernels.lines import LINE_OF, SHIFT_OF, STEPS
from tengen.engines.pente.kernels.shape_tables import pattern_entry, point_value
from tengen.engines.pente.patterns import LEVEL_OF, OPEN_FOUR, TWO
from tengen.games.pente.record import BORDER, EMPTY, POINTS
from tengen.games.pente.rules import STONE_KEYS

_0, _1, _2, _3, _4, _5, _6, _7, _8 = (np.uint64(n) for n in range(9))
_10, _12, _13, _15, _16, _26, _39 = (np.uint64(n) for n in (10, 12, 13, 15, 16, 26, 39))
_POINTS = np.uint64(POINTS)
_BYTE, _CODE, _ENTRY, _CLASSES = (np.uint64(n) for n in (0xFF, 0xFFF, 0xFFFF, 0x3F))
_EVERY_CLASS = np.uint64(0x0007000700070007)
_CLASS_INCREMENT = np.array([1 << 10 * (k - TWO) if TWO <= k <= OPEN_FOUR else 0 for k in range(8)], np.uint64)
_EMPTIES, _KEY, _EMPTY_COUNT = np.uint64(EMPTIES), np.uint64(KEY), np.uint64(EMPTY_COUNT)
_32 = np.uint64(32)
_SHAPE, _WHITE_SHAPE, _BOTH_SHAPES = np.uint64(0xF), np.uint64(0xF0000), np.uint64(0xF000F)
_SHAPE_VALUES = np.uint64(SHAPE_VALUES)
_LINE_CLASSES, _CAPTURES, _CAPTURE_THREATS = (
    np.uint64(LINE_CLASSES),
    np.uint64(CAPTURES),
    np.uint64(CAPTURE_THREATS),
)


@inner
def _level_of(info):
    """Level of a point for Black, from its entries; for White if these are shifted by three bits."""
    classes = info & _EVERY_CLASS
    code = classes | (classes >> _13) | (classes >> _26) | (classes >> _39)
    return np.uint64(LEVEL_OF[code & _CODE])


@inner
def _toggle_membership(board, point, levels):
    """Add a point to the sets of its levels, or remove it."""
    flip_point(board.state_info, level_set(_0, levels & _BYTE), point)
    flip_point(board.state_info, level_set(_1, levels >> _8), point)


@inner
def _regroup(board, point, old, new):
    """Move a point between the sets of its old and new levels (White's times 256, as in `levels`).

    Without checking whether they differ: removing and adding a point has no effect, and the branch would be
    mispredicted half of the time.
    """
    _toggle_membership(board, point, old)
    _toggle_membership(board, point, new)


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
        bits = CAPTURE_BITS << (_2 * colour)
        before, after = popcount(old & bits), popcount(new & bits)
        if before != after:
            board.state_info[_CAPTURES + colour] += after - before
            if before == _0 or after == _0:
                flip_point(board.state_info, capture_set(colour), point)
        bits = CAPTURE_THREAT_BITS << colour
        before, after = popcount(old & bits), popcount(new & bits)
        if before != after:
            board.state_info[_CAPTURE_THREATS + colour] += after - before
            if before == _0 or after == _0:
                flip_point(board.state_info, capture_threat_set(colour), point)


@inner
def _shape_bits(found):
    """Shapes of a pattern-table entry, as bits of the first axis."""
    return ((found >> _16) & _SHAPE) | ((found >> _4) & _WHITE_SHAPE)


@inner
def _log_word(board, point):
    """A point with its levels and shapes, for undo."""
    return point | (np.uint64(board.levels[point]) << _16) | (np.uint64(board.shapes[point]) << _32)


@inner
def _toggle(board, patterns, point, stone):
    """Place or remove a stone on the lines, and update all points within reach whose entries change.

    Counts and the log's end are held in local variables: otherwise each update would wait for the previous store.
    """
    reach = board.reach
    skipped, room = _2 * (_5 - reach), _2 * reach
    mask = (_1 << room) - _1
    log = board.undo_log_top
    black, white = board.state_info[_LINE_CLASSES], board.state_info[_LINE_CLASSES + _1]
    black_value, white_value = board.state_info[_SHAPE_VALUES], board.state_info[_SHAPE_VALUES + _1]
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
            found = pattern_entry(patterns, index)
            new = found & _ENTRY
            info = board.entries[at]
            old = (info >> (_16 * axis)) & _ENTRY
            shapes = np.uint64(board.shapes[at])
            reshaped = _shape_bits(found) ^ ((shapes >> (_4 * axis)) & _BOTH_SHAPES)
            if (old != new or reshaped != _0) and k != behind:
                board.undo_log[log] = _log_word(board, at)
                board.undo_log[log + _1] = info
                log += _2
                if reshaped != _0:
                    reshaped = shapes ^ (reshaped << (_4 * axis))
                    board.shapes[at] = reshaped
                    if board.stones[at] == EMPTY:
                        black_value += point_value(patterns, reshaped & _ENTRY) - point_value(
                            patterns, shapes & _ENTRY
                        )
                        white_value += point_value(patterns, reshaped >> _16) - point_value(
                            patterns, shapes >> _16
                        )
                changed = info ^ ((old ^ new) << (_16 * axis))
                board.entries[at] = changed
                if board.stones[at] == EMPTY:
                    if (old ^ new) & _CLASSES != _0:
                        black += _CLASS_INCREMENT[new & _7] - _CLASS_INCREMENT[old & _7]
                        white += _CLASS_INCREMENT[(new >> _3) & _7] - _CLASS_INCREMENT[(old >> _3) & _7]
                        _change_levels(board, at, changed)
                    if (old ^ new) >> _6 != _0:
                        _change_captures(board, at, info, changed)
            at += step
            bits >>= _2
    board.undo_log_top = log
    board.state_info[_LINE_CLASSES], board.state_info[_LINE_CLASSES + _1] = black, white
    board.state_info[_SHAPE_VALUES], board.state_info[_SHAPE_VALUES + _1] = black_value, white_value


@inner
def _count_point(board, patterns, point):
    """Add an empty point to the sets and counts; looks up its levels."""
    info = board.entries[point]
    log = board.undo_log_top
    board.undo_log[log] = _log_word(board, point)
    board.undo_log[log + _1] = info
    board.undo_log_top = log + _2
    levels = _levels_of(info)
    board.levels[point] = levels
    _toggle_membership(board, point, levels)
    _change_captures(board, point, _0, info)
    shapes = np.uint64(board.shapes[point])
    board.state_info[_SHAPE_VALUES] += point_value(patterns, shapes & _ENTRY)
    board.state_info[_SHAPE_VALUES + _1] += point_value(patterns, shapes >> _16)
    for axis in range(_4):
        entry = info >> (_16 * axis)
        board.state_info[_LINE_CLASSES] += _CLASS_INCREMENT[entry & _7]
        board.state_info[_LINE_CLASSES + _1] += _CLASS_INCREMENT[(entry >> _3) & _7]


@inner
def _uncount_point(board, patterns, point):
    """Remove an empty point from the sets and counts; its levels stay, for undo."""
    info = board.entries[point]
    _toggle_membership(board, point, np.uint64(board.levels[point]))
    _change_captures(board, point, info, _0)
    shapes = np.uint64(board.shapes[point])
    board.state_info[_SHAPE_VALUES] -= point_value(patterns, shapes & _ENTRY)
    board.state_info[_SHAPE_VALUES + _1] -= point_value(patterns, shapes >> _16)
    for axis in range(_4):
        entry = info >> (_16 * axis)
        board.state_info[_LINE_CLASSES] -= _CLASS_INCREMENT[entry & _7]
        board.state_info[_LINE_CLASSES + _1] -= _CLASS_INCREMENT[(entry >> _3) & _7]


@inner
def put_stone(board, patterns, point, colour):
    _uncount_point(board, patterns, point)
    board.stones[point] = colour + _1
    board.state_info[_KEY] ^= STONE_KEYS[colour, point]
    board.state_info[_EMPTY_COUNT] -= _1
    flip_point(board.state_info, _EMPTIES, point)
    _toggle(board, patterns, point, colour + _1)


@inner
def remove_stone(board, patterns, point, colour):
    _toggle(board, patterns, point, colour + _1)
    board.stones[point] = EMPTY
    board.state_info[_KEY] ^= STONE_KEYS[colour, point]
    board.state_info[_EMPTY_COUNT] += _1
    flip_point(board.state_info, _EMPTIES, point)
    _count_point(board, patterns, point)


@inner
def _pattern_index(board, axis, point):
    """Index of a point's line in the pattern table."""
    bits = board.words[LINE_OF[axis, point]] >> SHIFT_OF[axis, point]
    skipped, room = _2 * (_5 - board.reach), _2 * board.reach
    mask = (_1 << room) - _1
    return ((bits >> skipped) & mask) | (((bits >> _12) & mask) << room)


@inner
def clear(board, patterns, stones):
    """Make a zeroed board an empty one, with the points that are not border in `stones`."""
    for point in range(_POINTS):
        board.stones[point] = BORDER
        if stones[point] != BORDER:
            board.stones[point] = EMPTY
            board.state_info[_EMPTY_COUNT] += _1
            add_point(board.state_info, _EMPTIES, point)
            _toggle_membership(board, point, _0)
            add_point(board.all_points, _0, point)
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
            found = pattern_entry(patterns, _pattern_index(board, axis, point))
            board.shapes[point] |= _shape_bits(found) << (_4 * axis)
        shapes = np.uint64(board.shapes[point])
        board.state_info[_SHAPE_VALUES] += point_value(patterns, shapes & _ENTRY)
        board.state_info[_SHAPE_VALUES + _1] += point_value(patterns, shapes >> _16)
