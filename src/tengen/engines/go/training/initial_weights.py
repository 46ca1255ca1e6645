"""What is known of good moves before the first game, set by hand: the player has to begin with something.

Games begun without it teach little: searches of a few hundred simulations then go everywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.engines.go.kernels.board import SHAPE
from tengen.engines.go.mcts.feature_weights import count_looks
from tengen.engines.go.mcts.kernels import features as looks
from tengen.engines.go.mcts.kernels.features import FAR
from tengen.engines.go.patterns import neighbourhood_table, shape_classes

STEPS = {1: 0.7, 2: 1.1, 3: 0.2, FAR: -0.9}  # from the last move, by way of strings
TACTICS = {
    looks.TAKES: (0.0, 1.7, 1.7, 0.3, 3.0, 2.0, 2.0, 4.0, 2.5),
    looks.RUNS: (-0.5, -0.5, 1.8, 1.7, 0.0, -0.5, 2.3, 3.0),
    looks.CATCHES: (1.0, 1.0, 1.7, 1.7),
    looks.ATARIS: (0.2, 0.2, 0.6, 0.6),
    looks.SAVES: (0.6, 1.1),
    looks.BAD_ATARI: (-1.0, -1.5),
}
SHAPED = 0.8  # for the shapes that playouts like
CONTACT = 0.8  # for a move beside an enemy's stone
CORNERS = (  # by (further, nearer) line from the edges, from 0 on: in one that is empty, own, the enemy's
    {(3, 3): 3.5, (3, 2): 3.5, (2, 2): 1.5, (4, 2): 1.5, (4, 3): 1.5},
    {(5, 2): 1.0, (4, 2): 0.5, (5, 3): 0.7},
    {(5, 2): 2.0, (5, 3): 1.5, (4, 2): 1.0, (4, 3): 0.7, (2, 2): 0.7},
)
OPEN_LINES = (-2.0, -1.0, 1.5, 1.2, -1.0)  # far from all stones, from the first line on


def first_gammas() -> np.ndarray[Any, Any]:
    """The weights of looks that the first games are played with."""
    gammas = np.zeros(count_looks())
    for steps, weight in STEPS.items():
        gammas[looks.STEPS_AT + steps] = weight
    for first, weights in TACTICS.items():
        at = looks.TACTICS_AT + first
        gammas[at : at + len(weights)] = weights
    places = gammas[looks.PLACE_AT : looks.JUMPS_AT].reshape(FAR, FAR, -1)  # own, enemy, line
    places[:, 0, :] = CONTACT
    places[-1, -1, :] = OPEN_LINES
    for owner, spots in enumerate(CORNERS):
        for (far, near), weight in spots.items():
            gammas[looks.CORNERS_AT + 1 + owner * looks.SPOTS + far * (far + 1) // 2 + near] = weight
    shaped = np.unique(shape_classes()[:, neighbourhood_table() & SHAPE != 0])
    gammas[looks.SHAPES_AT + shaped] = SHAPED
    return gammas
