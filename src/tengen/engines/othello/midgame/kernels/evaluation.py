"""The value of an Othello position by patterns: the sum of a weight for each instance's configuration, and a bias.

There is a set of weights for each number of empty squares. Values are centi-discs for the mover, never more than
63 discs: an exact score of 64 stays above every estimate.

A search keeps the configurations of a line of play in `features`, int16[plies, LANES], and has each row made from
the one before by the discs that change (`play_features`). It and the weights are handed down as pointers.
docs/measurements/othello.md compares it with alternatives.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import popcount
from tengen.core.compiled.kernel import allocating_helper, helper, kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.othello.midgame import patterns
from tengen.engines.othello.midgame.kernels.features import set_features
from tengen.engines.othello.midgame.patterns import LANES

DISC = 100
"""A disc in the unit of values."""
LIMIT = 63 * DISC

_BIAS, _LANES, _WEIGHTS = (np.uint64(number) for number in (patterns.BIAS, LANES, patterns.WEIGHTS))
(
    _CORNER,
    _ANGLE,
    _EDGE,
    _BLOCK,
    _ROW2,
    _ROW3,
    _ROW4,
    _DIAGONAL8,
    _DIAGONAL7,
    _DIAGONAL6,
    _DIAGONAL5,
    _DIAGONAL4,
) = (family.centre for family in patterns.FAMILIES)


@helper
def _four(features, row, lane, weights, phase, centre):
    """The weights of four instances from `lane` on, whose family has its empty shape at `centre`."""
    total = np.int64(0)
    for instance in range(np.uint64(4)):
        configuration = np.int64(features[row + np.uint64(lane) + instance])
        total += np.int64(weights[phase + np.uint64(configuration + centre)])
    return total


@helper
def evaluate_features(features, ply, empties, weights):
    """The value for the mover of the position whose configurations are in row `ply`, in centi-discs."""
    row, phase = np.uint64(ply) * _LANES, np.uint64(empties) * _WEIGHTS
    total = np.int64(weights[phase + _BIAS])
    total += _four(features, row, 0, weights, phase, _CORNER)
    total += _four(features, row, 4, weights, phase, _ANGLE)
    total += _four(features, row, 8, weights, phase, _EDGE)
    total += _four(features, row, 12, weights, phase, _BLOCK)
    total += _four(features, row, 16, weights, phase, _ROW2)
    total += _four(features, row, 20, weights, phase, _ROW3)
    total += _four(features, row, 24, weights, phase, _ROW4)
    total += np.int64(weights[phase + np.uint64(np.int64(features[row + np.uint64(28)]) + _DIAGONAL8)])
    total += np.int64(weights[phase + np.uint64(np.int64(features[row + np.uint64(29)]) + _DIAGONAL8)])
    total += _four(features, row, 30, weights, phase, _DIAGONAL7)
    total += _four(features, row, 34, weights, phase, _DIAGONAL6)
    total += _four(features, row, 38, weights, phase, _DIAGONAL5)
    total += _four(features, row, 42, weights, phase, _DIAGONAL4)
    return min(max(total, np.int64(-LIMIT)), np.int64(LIMIT))


@allocating_helper
def evaluate(mover, enemy, weights):
    """The value for the mover, from the discs themselves: for a few positions, not for the leaves of a search."""
    room = np.empty(LANES, np.int16)
    features = pointer(room)
    set_features(features, 0, mover, enemy)
    value = evaluate_features(features, 0, np.uint64(64) - popcount(mover | enemy), weights)
    room[0] = 0  # so that it lives until here
    return value


@kernel
def evaluate_all(movers, enemies, weights, values):
    """Set `values` (int64) to the value of each position: `movers` and `enemies` are uint64 of the same length."""
    for index in range(len(movers)):
        values[index] = evaluate(movers[index], enemies[index], pointer(weights))
