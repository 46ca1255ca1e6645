"""Static evaluation from counts that the board maintains.

There are FEATURES counts for the side to move and for the other side, each with its own weight, in hundredths of a
point; SCALE corresponds to odds of e to 1 (see `training`). The side to move has different weights, because it can
carry out its threats first.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.engines.pente.kernels.board import (
    capture_count,
    capture_threat_count,
    captured_stones,
    class_count,
    count_points,
    level_set,
)
from tengen.engines.pente.patterns import FOUR_THREE, OPEN_FOUR, TWO, TWO_FOURS, TWO_THREES

LINE_CLASSES = OPEN_FOUR - TWO + 1
DOUBLES = LINE_CLASSES
CAPTURES, CAPTURE_THREATS, NEAR_GOAL, CAPTURED = (
    LINE_CLASSES + 3,
    LINE_CLASSES + 4,
    LINE_CLASSES + 5,
    LINE_CLASSES + 6,
)
"""Counts: line classes at empty points; points that make two threats; captures; capture threats; captures of a
side that is close to the goal; and one for each tenth of the goal that is reached.
"""
FEATURES = CAPTURED + 10
SCALE = 400
MAX_ESTIMATE = 9000
"""No estimate is larger."""
_DOUBLE_LEVELS = np.array([TWO_THREES, FOUR_THREE, TWO_FOURS], np.uint64)


@inner
def goal_tenths(board, colour):
    """Captured stones in tenths of the goal: 0 to 9."""
    if board.goal <= 0:
        return np.int64(0)
    return min(np.int64(9), 10 * captured_stones(board, colour) // board.goal)


@inner
def _count(board, colour, feature):
    """One of a colour's counts, except those of captured stones."""
    if feature < LINE_CLASSES:
        return class_count(board, colour, TWO + feature)
    if feature < CAPTURES:
        return count_points(board.state_info, level_set(colour, _DOUBLE_LEVELS[np.uint64(feature - DOUBLES)]))
    if feature == CAPTURES:
        return capture_count(board, colour)
    if feature == CAPTURE_THREATS:
        return capture_threat_count(board, colour)
    return capture_count(board, colour) if goal_tenths(board, colour) >= 6 else np.int64(0)


@inner
def side_value(board, weights, start, colour):
    """Weighted sum of a colour's counts, with the weights from `start` on."""
    value = weights[np.uint64(start + CAPTURED + goal_tenths(board, colour))]
    for feature in range(CAPTURED):
        value += weights[np.uint64(start + feature)] * _count(board, colour, feature)
    return value


@inner
def evaluate(board, weights, colour):
    """Value of a position for the side to move."""
    value = side_value(board, weights, 0, colour) - side_value(board, weights, FEATURES, np.uint64(1) - colour)
    return min(max(value // 16, np.int64(-MAX_ESTIMATE)), np.int64(MAX_ESTIMATE))


@inner
def write_features(board, colour, out):
    """The counts behind `evaluate`, the other side's negated. out: int64[2 * FEATURES]."""
    out[:] = 0
    for side_index in range(2):
        side = colour if side_index == 0 else np.uint64(1) - colour
        sign = 1 - 2 * side_index
        for feature in range(CAPTURED):
            out[FEATURES * side_index + feature] = sign * _count(board, side, feature)
        out[FEATURES * side_index + CAPTURED + goal_tenths(board, side)] = sign
