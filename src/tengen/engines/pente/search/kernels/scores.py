"""What a position is worth, as both searches count it, and as their table keeps it.

Values are for the side on turn. From PROVED on they are wins that are proved, MATE less the plies to them; from
SOFT on a win that only holds if the moves not looked at do not help; below are guesses (see `evaluation`).
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.core.compiled.rng import mix
from tengen.engines.pente.kernels.moves import position_key
from tengen.engines.pente.kernels.workspace import NOISE, SEED
from tengen.engines.pente.search.kernels.evaluation import evaluate

MATE, PROVED, SOFT = 30000, 29000, 20000
NONE = np.int64(-32000)
"""Less than any value."""


@inner
def guess(board, work, weights, colour):
    """The static value, misjudged as much as the player does."""
    value = evaluate(board, weights, colour)
    if work[NOISE] > 0:
        bits = mix(position_key(board, colour) ^ np.uint64(work[SEED]))
        value += np.int64(bits % np.uint64(2 * work[NOISE] + 1)) - work[NOISE]
    return value


@inner
def from_table(value, ply):
    """The table has distances from a position, the search those from its root."""
    if value >= PROVED:
        return value - ply
    return value + ply if value <= -PROVED else value


@inner
def to_table(value, ply):
    if value >= PROVED:
        return value + ply
    return value - ply if value <= -PROVED else value
