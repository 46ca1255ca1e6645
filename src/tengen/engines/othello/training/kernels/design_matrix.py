"""Sums over positions for the regression.

A position has one weight for each of the 46 pattern instances, and the bias: a row of the design matrix is 47 ones
(or twos, where two instances have the same configuration), stored as their indices, uint32[47]. The caller chooses
the index of each folded weight: with frequent weights next to each other in the cache, all this is five times as
fast.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import helper, kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.othello.midgame.kernels.features import set_features
from tengen.engines.othello.midgame.patterns import BIAS, INSTANCES, LANES

COLUMNS = len(INSTANCES) + 1
_COLUMNS = np.uint64(COLUMNS)
_INSTANCES = np.uint64(len(INSTANCES))
_CENTRES = np.array([pattern.empty_index for pattern, _ in INSTANCES], np.int64)
_BIAS = np.uint64(BIAS)


@kernel
def make_rows(movers, enemies, indices, rows):
    """Set `rows` (uint32[n, COLUMNS]); `indices` (uint32[WEIGHTS_PER_SET]) maps unfolded weights to columns."""
    features = np.empty((1, LANES), np.int16)
    for index in range(np.uint64(len(movers))):
        set_features(pointer(features), 0, movers[index], enemies[index])
        for lane in range(_INSTANCES):
            rows[index, lane] = indices[np.uint64(np.int64(features[0, lane]) + _CENTRES[lane])]
        rows[index, _INSTANCES] = indices[_BIAS]


@helper
def _value(rows, index, weights):
    value = np.float32(0)
    for column in range(_COLUMNS):
        value += weights[np.uint64(rows[index, column])]
    return value


@helper
def _add(rows, index, amount, sums):
    for column in range(_COLUMNS):
        sums[np.uint64(rows[index, column])] += amount


@kernel
def add_residuals(rows, targets, importance, weights, sums):
    """Add the residuals to `sums` at the indices of each row, weighted by `importance`."""
    for index in range(np.uint64(len(rows))):
        _add(rows, index, importance * (targets[index] - _value(rows, index, weights)), sums)


@kernel
def add_products(rows, importance, direction, sums):
    """Add the product of the rows' normal matrix with `direction` to `sums`."""
    for index in range(np.uint64(len(rows))):
        _add(rows, index, importance * _value(rows, index, direction), sums)


@kernel
def add_counts(rows, importance, sums):
    """Add to `sums` how often each weight is used: approximately the diagonal of the normal matrix."""
    for index in range(np.uint64(len(rows))):
        _add(rows, index, importance, sums)
