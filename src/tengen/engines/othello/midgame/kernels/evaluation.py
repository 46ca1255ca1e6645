"""Pattern evaluation: the sum of one weight for each pattern instance's configuration, and a bias.

There is a set of weights for each number of empty squares. Values are centi-discs for the mover, at most 63 discs,
so that an exact score of 64 exceeds every estimate.

A search keeps the configurations of a line of play in `features`, int16[plies, LANES], each row computed from the
previous one (`play_features`). It and the weights are passed as pointers. See docs/internals/othello-
evaluation.md.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import popcount
from tengen.core.compiled.kernel import allocating_helper, inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.othello.midgame import patterns
from tengen.engines.othello.midgame.kernels.features import set_features
from tengen.engines.othello.midgame.patterns import LANES

CENTIDISCS_PER_DISC = 100
MAX_ESTIMATE = 63 * CENTIDISCS_PER_DISC

_BIAS, _LANES, _WEIGHTS = (np.uint64(number) for number in (patterns.BIAS, LANES, patterns.WEIGHTS_PER_SET))
(
    _CORNER, _ANGLE, _EDGE, _BLOCK, _ROW2, _ROW3, _ROW4, _DIAGONAL8, _DIAGONAL7, _DIAGONAL6, _DIAGONAL5,
    _DIAGONAL4,
) = (pattern.empty_index for pattern in patterns.PATTERNS)  # fmt: skip


@inner
def _sum_four(features, row, lane, weights, phase, empty_index):
    """Sum of the weights of four instances of one pattern, starting at `lane`."""
    total = np.int64(0)
    for instance in range(np.uint64(4)):
        configuration = np.int64(features[row + np.uint64(lane) + instance])
        total += np.int64(weights[phase + np.uint64(configuration + empty_index)])
    return total


@inner
def evaluate_features(features, ply, empties, weights):
    """Value for the mover of the position in row `ply`, in centi-discs."""
    row, phase = np.uint64(ply) * _LANES, np.uint64(empties) * _WEIGHTS
    total = np.int64(weights[phase + _BIAS])
    total += _sum_four(features, row, 0, weights, phase, _CORNER)
    total += _sum_four(features, row, 4, weights, phase, _ANGLE)
    total += _sum_four(features, row, 8, weights, phase, _EDGE)
    total += _sum_four(features, row, 12, weights, phase, _BLOCK)
    total += _sum_four(features, row, 16, weights, phase, _ROW2)
    total += _sum_four(features, row, 20, weights, phase, _ROW3)
    total += _sum_four(features, row, 24, weights, phase, _ROW4)
    total += np.int64(weights[phase + np.uint64(np.int64(features[row + np.uint64(28)]) + _DIAGONAL8)])
    total += np.int64(weights[phase + np.uint64(np.int64(features[row + np.uint64(29)]) + _DIAGONAL8)])
    total += _sum_four(features, row, 30, weights, phase, _DIAGONAL7)
    total += _sum_four(features, row, 34, weights, phase, _DIAGONAL6)
    total += _sum_four(features, row, 38, weights, phase, _DIAGONAL5)
    total += _sum_four(features, row, 42, weights, phase, _DIAGONAL4)
    return min(max(total, np.int64(-MAX_ESTIMATE)), np.int64(MAX_ESTIMATE))


@allocating_helper
def evaluate(mover, enemy, weights):
    """Value for the mover, computed from the discs: for single positions, not for the leaves of a search."""
    buffer = np.empty(LANES, np.int16)
    features = pointer(buffer)
    set_features(features, 0, mover, enemy)
    value = evaluate_features(features, 0, np.uint64(64) - popcount(mover | enemy), weights)
    buffer[0] = 0  # keeps the buffer alive until here
    return value


@kernel
def evaluate_all(movers, enemies, weights, values):
    """Set `values` (int64) to the value of each position; `movers` and `enemies` are uint64 arrays."""
    for index in range(len(movers)):
        values[index] = evaluate(movers[index], enemies[index], pointer(weights))
