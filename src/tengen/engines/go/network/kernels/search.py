"""The tree search of Go with a network, which corrects the prior of moves; its value counts as several playouts.

Nodes are expanded by features. The network evaluates the root and, once, each node that was visited several times.
Everything else is that of `mcts.kernels.search`, from which the rules are inherited.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.dispatch import inherit_rules, rule
from tengen.core.compiled.kernel import inner
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.records import record_type
from tengen.core.compiled.rng import uniform
from tengen.engines.go.kernels.board import BLACK, geometry_of, open_board
from tengen.engines.go.mcts.kernels.features import move_probabilities
from tengen.engines.go.mcts.kernels.search import SETTINGS, Search, apply_reading, count_points, move_prior
from tengen.engines.go.network.kernels.inputs import LEAST_PROBABILITY, point_index, write_inputs
from tengen.search.kernels.network import forward, win_probability

NETWORK_SETTINGS = record_type(
    # First, because Numba would take a record that begins like SETTINGS for one of these.
    ("network_after", np.int64),  # visits before an inner node is evaluated
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
def is_evaluated(settings, depth, visits):
    return depth == 0 or visits >= settings.network_after


@rule(NETWORK_SETTINGS.names)
def evaluate_node(settings, search, node):
    board, geometry, moves = open_board(search.board), geometry_of(search.tables), pointer(search.base.moves)
    ladder_board, network, tree = open_board(search.ladder_board), search.network, search.base.tree
    write_inputs(board, ladder_board, geometry, search.policy, 0.001 * settings.komi, network)
    forward(network)
    start, count = np.int64(tree[node].first_child), np.int64(tree[node].child_count)
    for i in range(count):
        moves[i] = search.from_rules[tree[start + i].move]
    points, probabilities = count_points(moves, count), pointer(search.policy.probabilities)
    move_probabilities(board, ladder_board, geometry, moves, points, search.policy, settings.reading)
    _adjust_probabilities(network, geometry, moves, points, probabilities)
    if settings.reading:
        apply_reading(board, search, moves, points)
    for i in range(points):
        atomics.store(tree[start + i], "prior", move_prior(settings, probabilities[i], points))
    wins = win_probability(network)
    expected = 2.0 * settings.network_games * (wins if board.state[0].turn == BLACK else 1.0 - wins)
    halves = np.int64(expected)  # rounded up or down at random, so that the mean is exact
    return settings.network_games, halves + np.int64(uniform(pointer(search.base.rng)) < expected - halves)


inherit_rules(NETWORK_SETTINGS.names, SETTINGS.names)
