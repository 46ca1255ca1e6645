"""Counts of a board, updated as stones are placed and removed.

`set_point` changes one point: on each of the four axes, every pattern containing that point is looked up before
and after, and the difference is counted. So placing, capturing and undoing are the same operation, and a board
starts as border only, whose points are then set to empty.

*Levels* are kinds of candidates. A point serves a colour at a level once for each window or run that qualifies it;
`serves` holds these counts for each axis (one byte each), so a point that serves twice survives the loss of one.
Occupied points are counted as well: combine with `vacant` to get candidates.

`captors` has the moves that capture the stone on a point: one bit for each axis, side and distance.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.records import record_type
from tengen.engines.pente.classic.line_patterns import (
    BOTH_ENDS,
    ENCLOSED,
    NONE,
    OPEN,
    RUNS,
    TAKE_FIRST,
    WHITE_KINDS,
    WINDOWS,
)
from tengen.engines.pente.kernels.lines import LINE_OF, LINES, SHIFT_OF, STEPS
from tengen.games.pente.record import BORDER, EMPTY, POINTS, STRIDE

ONE, TWO, THREAT, THREE, TAKE, FOUR = range(6)
"""Levels: points of windows with one, two, three and four own stones, capturing points, and ends of open runs."""
LEVELS = 6
WORDS = (POINTS + 63) // 64
LEVEL_OF = np.array([0, ONE, TWO, THREE, FOUR], np.uint64)  # by the number of stones in a window

COUNTS = record_type(
    ("serves", np.uint32, (2 * LEVELS * POINTS,)),  # by colour, level, point; a byte for each axis
    ("captors", np.uint32, (POINTS,)),
    ("words", np.uint64, (LINES,)),  # see engines.pente.kernels.lines
    ("sets", np.uint64, (2 * LEVELS * WORDS,)),  # points that serve: bits, by colour and level
    ("vacant", np.uint64, (WORDS,)),  # empty points
    ("contents", np.uint8, (POINTS,)),
    ("windows", np.int64, (2 * 6,)),  # by colour and own stones, without enemy stones
    ("open", np.int64),  # windows without stones
    ("takes", np.int64, (2,)),  # runs that a colour can capture immediately
    ("triples", np.int64, (2,)),  # of these, runs of three
    ("threats", np.int64, (2,)),  # enemy runs with both ends open
    ("enclosed", np.int64, (2,)),
    ("shades", np.int64, (4,)),  # stones, by colour and shade of a chequered board
)

_0, _1, _2, _3, _4, _6 = (np.uint64(number) for number in (0, 1, 2, 3, 4, 6))
_8, _63 = np.uint64(8), np.uint64(63)
_MIDDLE = np.uint64(12)  # first bit of the centre in `around`
_LEVELS, _POINTS, _WORDS, _STRIDE = (np.uint64(number) for number in (LEVELS, POINTS, WORDS, STRIDE))
_SEVEN_POINTS, _SIX_POINTS = np.uint64(4**7 - 1), np.uint64(4**6 - 1)
_FIVE_POINTS, _FOUR_POINTS = np.uint64(4**5 - 1), np.uint64(4**4 - 1)


@inner
def around(counts, axis, point):
    """The thirteen points around this one, two bits each, from six steps behind to six ahead.

    The outermost may be wrong beyond the border; no pattern that crosses the border counts.
    """
    return (counts.words[LINE_OF[axis, point]] << _2) >> SHIFT_OF[axis, point]


@inner
def _serve(counts, colour, level, point, axis, sign):
    slot = (colour * _LEVELS + level) * _POINTS + point
    old = counts.serves[slot]
    unit = np.uint32(_1 << (_8 * axis))
    new = np.uint32(old + unit) if sign > 0 else np.uint32(old - unit)
    counts.serves[slot] = new
    if (old == 0) != (new == 0):
        counts.sets[(colour * _LEVELS + level) * _WORDS + (point >> _6)] ^= _1 << (point & _63)


@inner
def _count_window(counts, kind, start, step, axis, sign):
    if kind == OPEN:
        counts.open += sign
        return
    colour = _1 if kind > 5 else _0
    stones = np.uint64(kind) - np.uint64(5) * colour
    counts.windows[colour * _6 + stones] += sign
    if stones <= _4:
        level = LEVEL_OF[stones]
        point = start
        for _ in range(5):
            _serve(counts, colour, level, point, axis, sign)
            point += step


@inner
def _count_run(counts, kind, start, step, axis, length, sign):
    """Count a run with its ends in (sign 1) or out (-1); `start` is the point before it."""
    colour = _1 if kind > WHITE_KINDS else _0
    own_kind = np.uint64(kind) - np.uint64(WHITE_KINDS) * colour
    last = start + step * (length + _1)
    if own_kind == np.uint64(BOTH_ENDS):
        counts.threats[colour] += sign
        _serve(counts, colour, np.uint64(THREAT), start, axis, sign)
        _serve(counts, colour, np.uint64(THREAT), last, axis, sign)
        return
    counts.takes[colour] += sign
    if length == _3:
        counts.triples[colour] += sign
    behind = own_kind == np.uint64(TAKE_FIRST)  # whether the capturing stone comes before the run
    _serve(counts, colour, np.uint64(TAKE), start if behind else last, axis, sign)
    for place in range(length):
        distance = np.uint64(place) if behind else length - _1 - np.uint64(place)  # minus one
        bit = axis * _8 + (_0 if behind else _4) + distance
        counts.captors[start + step * (np.uint64(place) + _1)] ^= np.uint32(_1 << bit)


@inner
def set_point(counts, point, content, exact, longest):
    """Change the content of a point. `exact` and `longest` are the game's rules."""
    old = np.uint64(counts.contents[point])
    new = np.uint64(content)
    flip = (old ^ new) << _MIDDLE
    table = _1 if exact else _0
    # If only exactly five win, the points next to a window matter as well.
    first_window = _0 if exact else _1
    windows = 7 if exact else 5
    for direction in range(4):
        axis = np.uint64(direction)
        step = STEPS[axis]
        before = around(counts, axis, point)
        after = before ^ flip
        shift = _2 * first_window
        start = point - step * (np.uint64(5) - first_window)
        for _ in range(windows):
            was = WINDOWS[table, (before >> shift) & _SEVEN_POINTS]
            now = WINDOWS[table, (after >> shift) & _SEVEN_POINTS]
            if was != now:
                if was != NONE:
                    _count_window(counts, was, start, step, axis, -1)
                if now != NONE:
                    _count_window(counts, now, start, step, axis, 1)
            shift += _2
            start += step
        for length in range(_2, np.uint64(longest + 1)):
            shift = _2 * (np.uint64(5) - length)
            start = point - step * (length + _1)
            table_of_runs, mask = length - _2, (_1 << (_2 * (length + _2))) - _1
            for _ in range(length + _2):
                was = RUNS[table_of_runs, (before >> shift) & mask]
                now = RUNS[table_of_runs, (after >> shift) & mask]
                if was != now:
                    if was != 0:
                        _count_run(counts, was, start, step, axis, length, -1)
                    if now != 0:
                        _count_run(counts, now, start, step, axis, length, 1)
                shift += _2
                start += step
        shift = _2
        for _ in range(6):
            was = ENCLOSED[(before >> shift) & _SIX_POINTS]
            now = ENCLOSED[(after >> shift) & _SIX_POINTS]
            if was != 0:
                counts.enclosed[was - 1] -= 1
            if now != 0:
                counts.enclosed[now - 1] += 1
            shift += _2
        counts.words[LINE_OF[axis, point]] ^= (old ^ new) << (SHIFT_OF[axis, point] + np.uint64(10))
    shade = (point // _STRIDE + point % _STRIDE) & _1
    if old == _1 or old == _2:
        counts.shades[_2 * (old - _1) + shade] -= 1
    if new == _1 or new == _2:
        counts.shades[_2 * (new - _1) + shade] += 1
    if (old == np.uint64(EMPTY)) != (new == np.uint64(EMPTY)):
        counts.vacant[point >> _6] ^= _1 << (point & _63)
    counts.contents[point] = content


@inner
def sync_move(counts, state, move):
    """Update the counts from the state before a move to the one after it, or back."""
    point = np.uint64(move)
    if counts.contents[point] != state.pente_stones[point]:
        set_point(counts, point, state.pente_stones[point], state.exact, state.longest)
    if state.longest == 0:
        return
    for direction in range(4):
        step = STEPS[np.uint64(direction)]
        # Stones captured by a move, or lost by poof, are within `longest` steps; the border stops earlier.
        ahead, behind = point, point
        for _ in range(state.longest):
            ahead += step
            if state.pente_stones[ahead] == BORDER:
                break
            if counts.contents[ahead] != state.pente_stones[ahead]:
                set_point(counts, ahead, state.pente_stones[ahead], state.exact, state.longest)
        for _ in range(state.longest):
            behind -= step
            if state.pente_stones[behind] == BORDER:
                break
            if counts.contents[behind] != state.pente_stones[behind]:
                set_point(counts, behind, state.pente_stones[behind], state.exact, state.longest)


@kernel
def count_board(boards, states):
    """Count all of states[0] into boards[0], which is new (see `new_counts`) or was counted before."""
    counts, state = boards[0], states[0]
    for row in range(np.uint64(state.width)):
        point = _STRIDE * (np.uint64(row) + _1)
        for _ in range(state.width):
            point += _1
            if counts.contents[point] != state.pente_stones[point]:
                set_point(counts, point, state.pente_stones[point], state.exact, state.longest)


@kernel
def sync_board(boards, states, move):
    """Update boards[0] to states[0], which is one move ahead or behind."""
    sync_move(boards[0], states[0], move)


def new_counts() -> np.ndarray[Any, Any]:
    """An array of one COUNTS record, of a board without points."""
    boards = np.zeros(1, COUNTS)
    boards["words"] = np.uint64(0xFFFFFFFFFFFFFFFF)
    boards["contents"] = BORDER
    return boards


@inner
def directions(serves):
    """Number of directions in which a point serves."""
    count = 0
    for _ in range(4):
        count += serves & np.uint32(255) != 0
        serves = serves >> np.uint32(8)
    return count
