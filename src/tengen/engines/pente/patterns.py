"""Line patterns: what a stone on a point would make of a line, for both colours, looked up by the nearby points.

For each content of the four (or five) points to either side of an empty point, an entry of 24 bits has

    bits 0-2    the class of the line after a black stone there, from NONE to ROW
    bits 3-5    the same for a white stone
    bits 6-7    whether a black stone captures a pair ahead, behind     bits 8-9    a white one
    bits 10-11  whether a black stone captures a triple ahead, behind   bits 12-13  a white one
    bit  14     whether a black stone threatens to capture              bit  15     a white one
    bits 16-19  the *shape* of the line after a black stone there       bits 20-23  after a white one

A *window* is a run of points as long as a winning row; it counts for a colour while it contains no enemy stone and
no border. ROW is exact, and so are FOUR (exactly one point then completes a row) and OPEN_FOUR (several do). Lower
classes only guide move ordering: no proof depends on them. With two stones per turn they have other meanings: see
`_classes`. Shapes are finer classes, for the evaluation (see `_shapes`); with two stones per turn they are the
classes.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

NONE, TWO, OPEN_TWO, THREE, OPEN_THREE, FOUR, OPEN_FOUR, ROW = range(8)
"""Classes of a line after a new stone."""
CLASSES = 8
QUIET, WEAK, PROMISING, CLOSED_THREE, ONE_THREE, TWO_THREES, ONE_FOUR, FOUR_THREE, TWO_FOURS, WINS = range(10)
"""Levels of a point: what a stone there makes of its four lines together."""
LEVELS = 10
PAIRS, TRIPLES, CAPTURE_THREATS = 6, 10, 14
"""First bits of the captures and capture threats in an entry."""

SHAPES, SHAPE_BITS = 16, 16
"""Number of shapes, and the first bit of Black's in an entry."""
CLASS_OF_SHAPE = (
    NONE, NONE, NONE, NONE, TWO, TWO, OPEN_TWO, OPEN_TWO, THREE, THREE, OPEN_THREE, OPEN_THREE, FOUR, FOUR,
    OPEN_FOUR, ROW,
)  # fmt: skip
"""The class of each shape, with one stone per turn."""
NO_WINDOW = np.uint16(0xFFFF)

Cells = np.ndarray[Any, np.dtype[np.bool_]]
Gaps = dict[int, list[np.ndarray[Any, Any]]]


def reach_of(row: int, exact: bool, renju: bool = False, caro: bool = False) -> int:
    """How far to each side stones affect a point."""
    return 5 if exact or renju or caro or row > 5 else 4


@cache
def pattern_table(
    row: int, exact: bool, longest: int, stones: int, renju: bool = False, caro: bool = False
) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """Entries by the points behind (low bits) and ahead (high bits), two bits each.

    `row` is the winning length, `exact` means that longer rows do not win, `longest` is the longest run that can
    be captured (0, 2 or 3 stones), and `stones` is the number of stones per turn. With `renju` only Black's rows
    are exact; with `caro` five between two enemy stones do not win.
    """
    reach = reach_of(row, exact, renju, caro)
    index = np.arange(1 << 4 * reach, dtype=np.uint32)
    cells = {}
    for k in range(reach):
        cells[k - reach] = (index >> 2 * k & 3).astype(np.uint8)
        cells[k + 1] = (index >> 2 * (k + reach) & 3).astype(np.uint8)
    entries = np.zeros(len(index), np.uint32)
    for colour in range(2):
        own = {k: cell == colour + 1 for k, cell in cells.items()}
        enemy = {k: cell == 2 - colour for k, cell in cells.items()}
        empty = {k: cell == 0 for k, cell in cells.items()}
        gaps = _windows(own, empty, row, exact or (renju and colour == 0), enemy if caro else {})
        classes = _classes(gaps, row, stones)
        entries |= classes.astype(np.uint32) << np.uint32(3 * colour)
        shapes = _shapes(gaps, classes, row) if stones == 1 else classes
        entries |= shapes.astype(np.uint32) << np.uint32(SHAPE_BITS + 4 * colour)
        for run_length, bit in ((2, PAIRS), (3, TRIPLES)):
            if run_length > longest:
                continue
            for side in (1, -1):
                run = np.logical_and.reduce([enemy[side * k] for k in range(1, run_length + 1)])
                behind = side * (run_length + 1)
                entries |= (run & own[behind]).astype(np.uint32) << np.uint32(bit + 2 * colour + (side < 0))
                entries |= (run & empty[behind]).astype(np.uint32) << np.uint32(CAPTURE_THREATS + colour)
    entries.flags.writeable = False
    return entries


def _windows(
    own: dict[int, Cells], empty: dict[int, Cells], row: int, exact: bool, blocks: dict[int, Cells]
) -> Gaps:
    """By number of missing stones: for each window around an own stone in the middle, its gaps as bits, or
    NO_WINDOW if it does not lack that many or is no window. With `blocks`, a window between two of them is none.
    """
    size = len(own[1])
    gaps: dict[int, list[np.ndarray[Any, Any]]] = {lack: [] for lack in range(row)}
    for first in range(1 - row, 1):
        inside = [k for k in range(first, first + row) if k != 0]
        free = np.logical_and.reduce([own[k] | empty[k] for k in inside])
        if exact:  # an adjacent own stone would make the row too long
            for k in (first - 1, first + row):
                free = free & ~own[k]
        if blocks:
            free = free & ~(blocks[first - 1] & blocks[first + row])
        holes = np.zeros(size, np.uint16)
        lacks = np.zeros(size, np.uint8)
        for k in inside:
            holes |= empty[k].astype(np.uint16) << np.uint16(k + 5)
            lacks += empty[k]
        for lack in range(row):
            gaps[lack].append(np.where(free & (lacks == lack), holes, NO_WINDOW))
    return gaps


def _count(gaps: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    """Number of windows."""
    counts: np.ndarray[Any, Any] = np.add.reduce([(one != NO_WINDOW).astype(np.uint8) for one in gaps])
    return counts


def _shapes(gaps: Gaps, classes: np.ndarray[Any, Any], row: int) -> np.ndarray[Any, Any]:
    """Classes refined by the number of windows: `CLASS_OF_SHAPE` has the class of each shape."""
    fewest, twos, threes = _count(gaps[row - 1]), _count(gaps[row - 2]), _count(gaps[2])
    lone = np.where(fewest == 0, 0, np.where(fewest < 3, 1, np.where(fewest < row, 2, 3)))
    by_class = {
        NONE: lone,
        TWO: np.where(twos == 1, 4, 5),
        OPEN_TWO: np.where(twos == row - 2, 6, 7),
        THREE: np.where(threes == 1, 8, 9),
        OPEN_THREE: np.where(threes == 2, 10, 11),
        FOUR: np.where(threes == 0, 12, 13),
    }
    found = np.where(classes == ROW, 15, 14).astype(np.uint16)
    for kind, shapes in by_class.items():
        found = np.where(classes == kind, shapes, found).astype(np.uint16)
    return found


def _classes(gaps: Gaps, row: int, stones: int) -> np.ndarray[Any, Any]:
    """Class of the line after an own stone in the middle."""
    found = np.zeros(len(gaps[0][0]), np.uint16)

    def windows(lack: int) -> np.ndarray[Any, Any]:
        return _count(gaps[lack])

    def set_class(where: Cells, kind: int) -> None:
        found[where] = kind

    set_class(windows(row - 2) > 0, TWO)
    if stones == 1:
        set_class(windows(row - 2) >= row - 2, OPEN_TWO)
        set_class(windows(2) > 0, THREE)
        set_class(_shares_a_gap(gaps[2]), OPEN_THREE)
    else:  # a window that lacks two stones is a threat; some take two stones to block
        set_class(windows(3) > 0, OPEN_TWO)
        set_class(windows(2) > 0, THREE)
        set_class(_needs_two_stones(gaps[2]), OPEN_THREE)
    set_class(windows(1) > 0, FOUR)
    set_class(_have_distinct_gaps(gaps[1]), OPEN_FOUR)
    set_class(windows(0) > 0, ROW)
    return found


def _shares_a_gap(gaps: list[np.ndarray[Any, Any]]) -> Cells:
    """Whether two windows share one gap of two: a stone there leaves two points that complete a row."""
    found = np.zeros(len(gaps[0]), np.bool_)
    for i, one in enumerate(gaps):
        for other in gaps[:i]:
            both = (one != 0xFFFF) & (other != 0xFFFF)
            found |= both & (one != other) & ((one & other) != 0)
    return found


def _needs_two_stones(gaps: list[np.ndarray[Any, Any]]) -> Cells:
    """Whether there are windows and no single stone blocks all of them."""
    common = np.bitwise_and.reduce(gaps)  # entries that are no window have all bits set
    some = np.logical_or.reduce([one != 0xFFFF for one in gaps])
    found: Cells = some & (common == 0)
    return found


def _have_distinct_gaps(gaps: list[np.ndarray[Any, Any]]) -> Cells:
    """Whether two windows lack different points."""
    found = np.zeros(len(gaps[0]), np.bool_)
    for i, one in enumerate(gaps):
        for other in gaps[:i]:
            found |= (one != 0xFFFF) & (other != 0xFFFF) & (one != other)
    return found


def _level(code: int) -> int:
    kinds = [code >> 3 * axis & 7 for axis in range(4)]
    fours, threes = kinds.count(FOUR), kinds.count(OPEN_THREE)
    if ROW in kinds:
        return WINS
    if OPEN_FOUR in kinds or fours > 1:
        return TWO_FOURS
    if fours:
        return FOUR_THREE if threes else ONE_FOUR
    if threes:
        return TWO_THREES if threes > 1 else ONE_THREE
    if THREE in kinds:
        return CLOSED_THREE
    return PROMISING if OPEN_TWO in kinds else WEAK if TWO in kinds else QUIET


LEVEL_OF = np.array([_level(code) for code in range(1 << 12)], np.uint8)
"""Level of a point by the classes of its four axes, three bits each."""
