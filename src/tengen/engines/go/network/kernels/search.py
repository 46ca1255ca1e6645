"""The tree search of Go with a network, which corrects the prior of moves; its value counts as several playouts.

Everything else is that of `mcts.kernels.search`, from which the rules are inherited.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from tengen.core.compiled.dispatch import inherit_rules, rule
from tengen.core.compiled.kernel import inner
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.records import record_type
from tengen.core.compiled.rng import uniform
from tengen.engines.go.kernels.board import BLACK, geometry_of, open_board
from tengen.engines.go.mcts.kernels.features import move_probabilities
from tengen.engines.go.mcts.kernels.search import SETTINGS, Search, add_children, count_points
from tengen.engines.go.network.kernels.inputs import LEAST_PROBABILITY, point_index, write_inputs
from tengen.search.kernels.network import forward, win_probability

NETWORK_SETTINGS = record_type(
    # First, because Numba would take a record that begins like SETTINGS for one of these.
    ("network_games", np.int64),  # virtual games that an evaluation is worth
    *((name, SETTINGS[name]) for name in SETTINGS.names or ()),
)
MAX_LOGIT = 30.0  # finite results, whatever the network says
# The data of a thread: `mcts.kernels.search.Search` and the network's.
NetworkSearch = namedtuple("NetworkSearch", (*Search._fields, "network"))  # type: ignore[misc]


@inner
def _adjust_probabilities(network, geometry, moves, count, probabilities):
    """Add the network's logits to those of the features."""
    total = 0.0
    for i in range(count):
        logit = np.float64(network.logits[point_index(np.int64(moves[i]), geometry)])
        probabilities[i] = (probabilities[i] + LEAST_PROBABILITY) * math.exp(min(logit, MAX_LOGIT))
        total += probabilities[i]
    for i in range(count):
        probabilities[i] /= total


@rule(NETWORK_SETTINGS.names)
def set_up_children(settings, search, node, start, count):
    board, geometry, moves = open_board(search.board), geometry_of(search.tables), pointer(search.base.moves)
    ladder_board, network = open_board(search.ladder_board), search.network
    write_inputs(board, ladder_board, geometry, search.policy, 0.001 * settings.komi, network)
    forward(network)
    points = count_points(moves, count)
    move_probabilities(board, ladder_board, geometry, moves, points, search.policy, settings.reading)
    _adjust_probabilities(network, geometry, moves, points, pointer(search.policy.probabilities))
    add_children(settings, search, node, start, count)


@rule(NETWORK_SETTINGS.names)
def evaluated_games(settings, search):
    black_to_move = search.board.state[0].turn == BLACK
    wins = win_probability(search.network)
    expected = 2.0 * settings.network_games * (wins if black_to_move else 1.0 - wins)
    halves = np.int64(expected)  # rounded up or down at random, so that the mean is exact
    return settings.network_games, halves + np.int64(uniform(pointer(search.base.rng)) < expected - halves)


inherit_rules(NETWORK_SETTINGS.names, SETTINGS.names)
