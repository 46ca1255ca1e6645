"""Selection of children by win rate, prior and RAVE, and the update of RAVE (AMAF) statistics.

Children are sorted by descending probability. With progressive widening only the first ones are visible, more as
the visits grow; hidden children cost nothing.
"""

from __future__ import annotations

import math

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.kernel import inner
from tengen.core.compiled.rng import below
from tengen.engines.go.mcts.kernels.playout import MOVER_SHIFT
from tengen.search.kernels.mcts import (
    AMAF_VISITS,
    AMAF_WINS,
    COUNT,
    DRAWN,
    FIRST_CHILD,
    INNER,
    MOVE,
    MOVER,
    OPEN,
    PRIOR,
    PROOF,
    STATUS,
    VISITS,
    WINS,
    half_wins,
    inverse_root,
    log_root,
)

_GAMES_SHIFT = 16
_MAX_PRIOR_GAMES = 15000.0  # the largest number that fits


@inner
def pack_prior(games, wins):
    """Pack a prior, a number of virtual games and wins, into one word."""
    games = min(games, _MAX_PRIOR_GAMES)
    return np.int64(games) << _GAMES_SHIFT | min(np.int64(2.0 * wins), np.int64(2.0 * games))


@inner
def sort_by_probability(probabilities, moves, count):
    """Sort moves by descending probability. Shellsort: short, and fast for so few."""
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, count):
            probability, move = probabilities[i], moves[i]
            at = i
            while at >= gap and probabilities[at - gap] < probability:
                probabilities[at] = probabilities[at - gap]
                moves[at] = moves[at - gap]
                at -= gap
            probabilities[at] = probability
            moves[at] = move
        gap //= 3


@inner
def visible_children(tree, node, width):
    """Number of children of a node that may be selected."""
    children = np.int64(tree[node, COUNT])
    if width <= 0.0:
        return children
    return min(children, np.int64(width * (1.0 + 0.1 * math.sqrt(np.float64(tree[node, VISITS])))))


@inner
def select_child(node, tree, exploration, rave_equivalence, width, rng):
    """The child with the best mixture of real, virtual (prior) and RAVE results."""
    start, children = np.uint64(tree[node, FIRST_CHILD]), np.uint64(visible_children(tree, node, width))
    explore = exploration * log_root(tree[node, VISITS])
    offset = below(rng, children)  # ties are broken at random
    best, best_value = start, -1.0e18
    for _ in range(children):
        child = start + offset
        offset += np.uint64(1)
        if offset == children:
            offset = np.uint64(0)
        proved = tree[child, PROOF]
        tried = tree[child, VISITS]
        if proved != OPEN and proved != DRAWN and proved != tree[child, MOVER] + 1:
            value = -1.0e9  # a proved loss, only if there is nothing else
        else:
            prior = tree[child, PRIOR]
            games = np.float64(tried) + np.float64(prior >> _GAMES_SHIFT)
            value = (np.float64(tree[child, WINS]) + np.float64(prior & 0xFFFF)) / (2.0 * games)
            others = np.float64(tree[child, AMAF_VISITS])
            if rave_equivalence > 0.0 and others > 0.0:
                share = others / (others + games + games * others / rave_equivalence)
                value += share * (tree[child, AMAF_WINS] / (2.0 * others) - value)
            if explore > 0.0:
                value += explore * inverse_root(tried + 1)
        if value > best_value:
            best, best_value = child, value
    return np.int64(best)


@inner
def update_amaf(path, depth, played, length, from_rules, first_players, stamp, width, result, tree):
    """Update AMAF counts of all visible children along the path whose move their mover played first later on.

    `played` holds points with colours, see `MOVER_SHIFT`. `first_players` is int64[points]: the colour that first
    played each point, combined with this simulation's stamp.
    """
    step = length
    for level in range(depth, -1, -1):
        while step > level:
            step -= 1
            move = np.int64(played[step])
            first_players[move & ((1 << MOVER_SHIFT) - 1)] = 4 * stamp + (move >> MOVER_SHIFT)
        node = path[level]
        if atomics.load(tree, (node, STATUS)) != INNER:
            continue
        start = np.int64(tree[node, FIRST_CHILD])
        wanted = 4 * stamp + tree[start, MOVER] + 1
        gain = half_wins(result, tree[start, MOVER])
        first_players[0] = 0  # passes do not count
        for child in range(start, start + visible_children(tree, node, width)):
            if first_players[np.int64(from_rules[np.uint64(tree[child, MOVE])])] == wanted:
                atomics.add(tree, (child, AMAF_VISITS), 1)
                atomics.add(tree, (child, AMAF_WINS), gain)
