"""Hand-set feature weights for the first games of a training run.

Self-play that starts without any knowledge teaches little: searches of a few hundred simulations are too diffuse.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.engines.go.kernels.board import PATTERN
from tengen.engines.go.mcts.feature_weights import count_features
from tengen.engines.go.mcts.kernels import features
from tengen.engines.go.mcts.kernels.features import MAX_DISTANCE
from tengen.engines.go.patterns import neighbourhood_table, pattern_classes

LAST_MOVE_DISTANCE = {1: 0.7, 2: 1.1, 3: 0.2, MAX_DISTANCE: -0.9}  # distance along strings -> weight
TACTICS = {
    features.CAPTURES: (0.0, 1.7, 1.7, 0.3, 3.0, 2.0, 2.0, 4.0, 2.5),
    features.EXTENSIONS: (-0.5, -0.5, 1.8, 1.7, 0.0, -0.5, 2.3, 3.0),
    features.LADDER_ATARIS: (1.0, 1.0, 1.7, 1.7),
    features.OTHER_ATARIS: (0.2, 0.2, 0.6, 0.6),
    features.LADDER_ESCAPES: (0.6, 1.1),
    features.BAD_SELF_ATARI: (-1.0, -1.5),
}
PLAYOUT_PATTERN = 0.8  # for the patterns that playouts use
CONTACT = 0.8  # for a move next to an enemy stone
# (further line, nearer line) from the edges, from 0 on -> weight; for corners that are empty, own, the enemy's
CORNERS = (
    {(3, 3): 3.5, (3, 2): 3.5, (2, 2): 1.5, (4, 2): 1.5, (4, 3): 1.5},
    {(5, 2): 1.0, (4, 2): 0.5, (5, 3): 0.7},
    {(5, 2): 2.0, (5, 3): 1.5, (4, 2): 1.0, (4, 3): 0.7, (2, 2): 0.7},
)
OPEN_LINES = (-2.0, -1.0, 1.5, 1.2, -1.0)  # far from all stones, by line from the edge


def initial_feature_weights() -> np.ndarray[Any, Any]:
    """Feature weights for the first generation of games."""
    weights = np.zeros(count_features())
    for distance, weight in LAST_MOVE_DISTANCE.items():
        weights[features.STRING_DISTANCE_AT + distance] = weight
    for tactic, values in TACTICS.items():
        start = features.TACTICS_AT + tactic
        weights[start : start + len(values)] = values
    by_distance = weights[features.STONE_DISTANCE_AT : features.JUMPS_AT]
    by_distance = by_distance.reshape(MAX_DISTANCE, MAX_DISTANCE, -1)  # own, enemy, line
    by_distance[:, 0, :] = CONTACT
    by_distance[-1, -1, :] = OPEN_LINES
    for owner, points in enumerate(CORNERS):
        start = features.CORNERS_AT + 1 + owner * features.CORNER_POINTS
        for (far, near), weight in points.items():
            weights[start + far * (far + 1) // 2 + near] = weight
    matching = np.unique(pattern_classes()[:, neighbourhood_table() & PATTERN != 0])
    weights[features.PATTERNS_AT + matching] = PLAYOUT_PATTERN
    return weights
