"""The sums over positions that the regression is made of.

A position has one weight for each of the 46 pattern instances, and the bias: a row of the design matrix is 47 ones
(two, where two instances show the same), written down as their places, uint32[47]. Which place a folded weight has
is for the caller to say: with the most used side by side in the processor's cache, all this is five times as fast.
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
_CENTRES = np.array([family.centre for family, _ in INSTANCES], np.int64)
_BIAS = np.uint64(BIAS)


@kernel
def make_rows(movers, enemies, places, rows):
    """Set `rows` (uint32[n, COLUMNS]); `places` (uint32[WEIGHTS]) tells where an unfolded weight is found."""
    features = np.empty((1, LANES), np.int16)
    for index in range(np.uint64(len(movers))):
        set_features(pointer(features), 0, movers[index], enemies[index])
        for lane in range(_INSTANCES):
            rows[index, lane] = places[np.uint64(np.int64(features[0, lane]) + _CENTRES[lane])]
        rows[index, _INSTANCES] = places[_BIAS]


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
    """Add the residuals to `sums` at the places of each row; all of these rows count by `importance`."""
    for index in range(np.uint64(len(rows))):
        _add(rows, index, importance * (targets[index] - _value(rows, index, weights)), sums)


@kernel
def add_products(rows, importance, direction, sums):
    """Add to `sums` the product of the rows' normal matrix with a direction."""
    for index in range(np.uint64(len(rows))):
        _add(rows, index, importance * _value(rows, index, direction), sums)


@kernel
def add_counts(rows, importance, sums):
    """Add to `sums` how often each weight is used: the diagonal of the normal matrix, nearly."""
    for index in range(np.uint64(len(rows))):
        _add(rows, index, importance, sums)
