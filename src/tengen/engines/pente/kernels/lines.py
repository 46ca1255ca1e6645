"""The lines of a Pente board as words, updated stone by stone.

Every line of the board (19 rows, 19 columns, twice 37 diagonals) is one np.uint64 with two bits per point: EMPTY,
BLACK, WHITE, or BORDER off the board. Five border points precede the first point of a line and at least five
follow its last, so that a *window*, the eleven points around one of them, is a shift and a mask.

    window:  bits 0-1 five steps behind, ..., bits 10-11 the point itself, ..., bits 20-21 five steps ahead

"Ahead" is right, down, down-right and down-left on the axes 0 to 3, as in `games.pente.lines`. The same `toggle`
places and removes a stone, so captures and undo need no code of their own. `swap_colours` shows a window from the
other side.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.core.compiled.kernel import helper
from tengen.games.pente.record import BORDER, LARGEST, POINTS, STRIDE

AXES = 4
STEPS = np.array([1, STRIDE, STRIDE + 1, STRIDE - 1], np.uint64)
"""The step ahead on each axis."""
REACH = 5
"""Points of a window to each side of its centre."""
CENTRE = 2 * REACH
"""First bit of the centre of a window."""
_DIAGONALS = 2 * LARGEST - 1
LINES = 2 * LARGEST + 2 * _DIAGONALS
"""Number of words of a board."""
_FIRST = (0, LARGEST, 2 * LARGEST, 2 * LARGEST + _DIAGONALS)
_WINDOW = np.uint64((1 << 2 * (2 * REACH + 1)) - 1)
_LOW_BITS = np.uint64(0x5555555555555555)
_1, _3, _63, _255 = np.uint64(1), np.uint64(3), np.uint64(63), np.uint64(255)
_2, _4, _6 = np.uint64(2), np.uint64(4), np.uint64(6)
_CENTRE = np.uint64(CENTRE)


def _places() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """By axis and point: the number of the line, and the shift of the window around the point."""
    line, shift = np.zeros((AXES, POINTS), np.uint64), np.zeros((AXES, POINTS), np.uint64)
    for row in range(LARGEST):
        for column in range(LARGEST):
            point = STRIDE * (row + 1) + column + 1
            numbers = (row, column, row - column + LARGEST - 1, row + column)
            for axis, number in enumerate(numbers):
                line[axis, point] = _FIRST[axis] + number
                shift[axis, point] = 2 * (column if axis == 0 else row)
    return line, shift


LINE_OF, SHIFT_OF = _places()


def empty_lines(size: int) -> np.ndarray[Any, Any]:
    """Words of an empty board of this size."""
    words = np.full(LINES, np.uint64(0xFFFFFFFFFFFFFFFF))
    for row in range(size):
        for column in range(size):
            point = STRIDE * (row + 1) + column + 1
            for axis in range(AXES):
                words[LINE_OF[axis, point]] ^= np.uint64(BORDER) << (SHIFT_OF[axis, point] + _CENTRE)
    return words


def lines_of(stones: np.ndarray[Any, Any], size: int) -> np.ndarray[Any, Any]:
    """Words of a board, from `pente_stones` of its record."""
    words = empty_lines(size)
    for point in np.flatnonzero((stones == 1) | (stones == 2)):
        toggle(words, np.uint64(point), np.uint64(stones[point]))
    return words


@helper
def toggle(words, point, stone):
    """Place a stone (1 Black, 2 White, as np.uint64) on an empty point, or remove the one that is there."""
    for axis in range(4):
        words[LINE_OF[axis, point]] ^= stone << (SHIFT_OF[axis, point] + _CENTRE)


@helper
def window(words, axis, point):
    """The eleven points around this one, two bits each."""
    return (words[LINE_OF[axis, point]] >> SHIFT_OF[axis, point]) & _WINDOW


@helper
def swap_colours(bits):
    """A window with the colours exchanged; empty points and border stay."""
    return ((bits & _LOW_BITS) << _1) | ((bits >> _1) & _LOW_BITS)


@helper
def taken_ahead(bits, own, longest):
    """Number of enemy stones that an own stone (1 or 2) in the centre of a window captures ahead: 0, 2 or 3."""
    enemy = _3 - own
    ahead = bits >> (_CENTRE + _2)
    if ahead & _63 == enemy | (enemy << _2) | (own << _4):
        return 2 if longest >= 2 else 0
    if longest >= 3 and ahead & _255 == enemy | (enemy << _2) | (enemy << _4) | (own << _6):
        return 3
    return 0


@helper
def taken_behind(bits, own, longest):
    enemy = _3 - own
    behind = bits >> (_CENTRE - _6)
    if behind & _63 == own | (enemy << _2) | (enemy << _4):
        return 2 if longest >= 2 else 0
    behind = bits >> (_CENTRE - _6 - _2)
    if longest >= 3 and behind & _255 == own | (enemy << _2) | (enemy << _4) | (enemy << _6):
        return 3
    return 0
