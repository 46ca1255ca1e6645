"""Scores of the search, and their form in the table.

Scores are for the side to move. From PROVED_WIN on they are proved wins, MATE less the plies to the win; from
UNPROVED_WIN on, wins that hold only if the moves that were not searched do not help; smaller ones are estimates
(see `evaluation`).
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.core.compiled.rng import mix
from tengen.engines.pente.kernels.moves import position_key
from tengen.engines.pente.search.kernels.evaluation import evaluate

MATE, PROVED_WIN, UNPROVED_WIN = 30000, 29000, 20000
MINUS_INFINITY = np.int64(-32000)


@inner
def static_value(board, work, weights, colour):
    """The evaluation, with the player's random error."""
    value = evaluate(board, weights, colour)
    if work.error > 0:
        bits = mix(position_key(board, colour) ^ np.uint64(work.seed))
        value += np.int64(bits % np.uint64(2 * work.error + 1)) - work.error
    return value


@inner
def score_from_table(value, ply):
    """The table has distances from the position, the search from its root."""
    if value >= PROVED_WIN:
        return value - ply
    return value + ply if value <= -PROVED_WIN else value


@inner
def score_to_table(value, ply):
    if value >= PROVED_WIN:
        return value + ply
    return value - ply if value <= -PROVED_WIN else value
