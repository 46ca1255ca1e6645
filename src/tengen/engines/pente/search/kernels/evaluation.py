"""What a position is worth, from counts that the board keeps.

For the side on turn and for the other there are FEATURES counts each, with a weight each, in hundredths of a point
on a scale on which SCALE is worth as much as odds of e to 1 (see `training`). The side on turn has other weights,
because what it threatens it can do.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.engines.pente.kernels.board import (
    captured,
    count_points,
    level_set,
    setup_count,
    shape_count,
    take_count,
)
from tengen.engines.pente.patterns import FOUR_THREE, OPEN_FOUR, TWO, TWO_FOURS, TWO_THREES

SHAPES = OPEN_FOUR - TWO + 1
DOUBLES = SHAPES
TAKES, SETUPS, NEAR_GOAL, CAPTURED = SHAPES + 3, SHAPES + 4, SHAPES + 5, SHAPES + 6
"""Classes of lines at empty points; then points that make two things; captures, threats to capture, captures by
who has most of the goal already; then one for each tenth of the goal that is reached."""
FEATURES = CAPTURED + 10
SCALE = 400
LIMIT = 9000
"""No guess is larger."""
_PAIRED = np.array([TWO_THREES, FOUR_THREE, TWO_FOURS], np.uint64)


@inner
def goal_share(board, colour):
    """Tenths of the captures that win: 0 to 9."""
    if board.goal <= 0:
        return np.int64(0)
    return min(np.int64(9), 10 * captured(board, colour) // board.goal)


@inner
def _count(board, colour, feature):
    """One of a colour's counts; those of captured stones are not among them."""
    if feature < SHAPES:
        return shape_count(board, colour, TWO + feature)
    if feature < TAKES:
        return count_points(board.hot, level_set(colour, _PAIRED[np.uint64(feature - DOUBLES)]))
    if feature == TAKES:
        return take_count(board, colour)
    if feature == SETUPS:
        return setup_count(board, colour)
    return take_count(board, colour) if goal_share(board, colour) >= 6 else np.int64(0)


@inner
def side_value(board, weights, start, colour):
    """The worth of a colour's counts by the weights from `start` on."""
    value = weights[np.uint64(start + CAPTURED + goal_share(board, colour))]
    for feature in range(CAPTURED):
        value += weights[np.uint64(start + feature)] * _count(board, colour, feature)
    return value


@inner
def evaluate(board, weights, colour):
    """The worth of a position to the colour on turn."""
    value = side_value(board, weights, 0, colour) - side_value(board, weights, FEATURES, np.uint64(1) - colour)
    return min(max(value // 16, np.int64(-LIMIT)), np.int64(LIMIT))


@inner
def write_features(board, colour, out):
    """The counts behind `evaluate`, the other side's negated. out: int64[2 * FEATURES]."""
    out[:] = 0
    for seat in range(2):
        side = colour if seat == 0 else np.uint64(1) - colour
        sign = 1 - 2 * seat
        for feature in range(CAPTURED):
            out[FEATURES * seat + feature] = sign * _count(board, side, feature)
        out[FEATURES * seat + CAPTURED + goal_share(board, side)] = sign
