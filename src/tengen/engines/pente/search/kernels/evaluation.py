"""Static evaluation: the values of all empty points, by the shapes of their lines, captures, and threats.

The board maintains the sums of the points' values (see `shape_tables`). To these are added COUNTS counts for the
side to move and for the other side, each with its own weight. The side to move has values and weights of its own,
because it can carry out its threats first. Sums cannot say that one threat comes before another, so a last weight
belongs to the *threat mask*: which levels of points each side has. Values are in sixteenths of a hundredth of a
point; SCALE hundredths correspond to odds of e to 1 (see `training`).
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.engines.pente.kernels.board import (
    SHAPE_VALUES,
    capture_count,
    capture_threat_count,
    captured_stones,
    has_any,
    level_set,
)
from tengen.engines.pente.kernels.shape_tables import sum_to_move, sum_waiting
from tengen.engines.pente.patterns import CLOSED_THREE, TWO_FOURS

CAPTURES, CAPTURE_THREATS, NEAR_GOAL, CAPTURED = 0, 1, 2, 3
"""Counts: captures; capture threats; captures of a side that is close to the goal; and one for each tenth of the
goal that is reached.
"""
COUNTS = CAPTURED + 10
THREAT_LEVELS = TWO_FOURS - CLOSED_THREE + 1
THREAT_MASKS = 1 << 2 * THREAT_LEVELS
TERMS = 2 * COUNTS + THREAT_MASKS
"""Number of weights besides those of points: of counts, then of threat masks."""
SCALE = 400
MAX_ESTIMATE = 9000
"""No estimate is larger."""
_0, _1, _2, _SHAPE_VALUES = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(SHAPE_VALUES)
_CLOSED_THREE, _THREAT_LEVELS, _THREATS = np.uint64(CLOSED_THREE), np.uint64(THREAT_LEVELS), np.uint64(2 * COUNTS)


@inner
def goal_tenths(board, colour):
    """Captured stones in tenths of the goal: 0 to 9."""
    if board.goal <= 0:
        return np.int64(0)
    return min(np.int64(9), 10 * captured_stones(board, colour) // board.goal)


@inner
def _side_value(board, weights, start, colour):
    """Weighted sum of a colour's counts, with the weights from `start` on."""
    tenths = goal_tenths(board, colour)
    value = weights[np.uint64(start + CAPTURED + tenths)]
    captures = capture_count(board, colour)
    if captures != 0:
        value += weights[np.uint64(start + CAPTURES)] * captures
        if tenths >= 6:
            value += weights[np.uint64(start + NEAR_GOAL)] * captures
    return value + weights[np.uint64(start + CAPTURE_THREATS)] * capture_threat_count(board, colour)


@inner
def threat_mask(board, colour):
    """Which levels from CLOSED_THREE to TWO_FOURS empty points have: a bit for each level, the enemy's above."""
    mask = _0
    for index in range(_THREAT_LEVELS):
        for side in range(_2):
            if has_any(board.state_info, level_set(colour ^ side, index + _CLOSED_THREE)):
                mask |= _1 << (index + side * _THREAT_LEVELS)
    return mask


@inner
def evaluate(board, weights, colour):
    """Value of a position for the side to move."""
    enemy = _1 - colour
    value = sum_to_move(board.state_info[_SHAPE_VALUES + colour]) - sum_waiting(
        board.state_info[_SHAPE_VALUES + enemy]
    )
    value += _side_value(board, weights, 0, colour) - _side_value(board, weights, COUNTS, enemy)
    value += weights[_THREATS + threat_mask(board, colour)]
    return min(max(value // 16, np.int64(-MAX_ESTIMATE)), np.int64(MAX_ESTIMATE))


@inner
def write_counts(board, colour, out):
    """What is behind `evaluate`: the counts, the other side's negated, and the threat mask.

    out: int64[2 * COUNTS + 1]
    """
    out[:] = 0
    for side_index in range(2):
        side = colour if side_index == 0 else _1 - colour
        sign = 1 - 2 * side_index
        start = COUNTS * side_index
        captures, tenths = capture_count(board, side), goal_tenths(board, side)
        out[start + CAPTURES] = sign * captures
        out[start + CAPTURE_THREATS] = sign * capture_threat_count(board, side)
        out[start + NEAR_GOAL] = sign * captures if tenths >= 6 else 0
        out[start + CAPTURED + tenths] = sign
    out[2 * COUNTS] = threat_mask(board, colour)
