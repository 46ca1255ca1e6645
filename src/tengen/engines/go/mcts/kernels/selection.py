"""Which child a simulation goes to, and what it leaves behind for the others. Compiled.

Children stand in the order of their likelihood, and a node shows only its first ones: the more visits it has, the
more (progressive widening). What is hidden costs nothing and gets nothing.
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

_SHIFT = 16
_MOST = 15000.0  # games on credit that fit


@inner
def credit(games, wins):
    """Games that a move begins with, and how many of them are won, in one word."""
    games = min(games, _MOST)
    return np.int64(games) << _SHIFT | min(np.int64(2.0 * wins), np.int64(2.0 * games))


@inner
def sort_by(chances, moves, count):
    """Bring the likeliest moves to the front. By insertion over ever smaller gaps: short, and quick for so few."""
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, count):
            chance, move = chances[i], moves[i]
            at = i
            while at >= gap and chances[at - gap] < chance:
                chances[at] = chances[at - gap]
                moves[at] = moves[at - gap]
                at -= gap
            chances[at] = chance
            moves[at] = move
        gap //= 3


@inner
def shown(tree, node, width):
    """How many children of a node may be tried."""
    children = np.int64(tree[node, COUNT])
    if width <= 0.0:
        return children
    return min(children, np.int64(width * (1.0 + 0.1 * math.sqrt(np.float64(tree[node, VISITS])))))


@inner
def select(node, tree, exploration, equivalence, width, rng):
    """The child to try next: the best mixture of its games, those on credit, and those that had its move later."""
    start, children = np.uint64(tree[node, FIRST_CHILD]), np.uint64(shown(tree, node, width))
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
            value = -1.0e9  # lost for sure: only if there is nothing else
        else:
            prior = tree[child, PRIOR]
            games = np.float64(tried) + np.float64(prior >> _SHIFT)
            value = (np.float64(tree[child, WINS]) + np.float64(prior & 0xFFFF)) / (2.0 * games)
            others = np.float64(tree[child, AMAF_VISITS])
            if equivalence > 0.0 and others > 0.0:
                share = others / (others + games + games * others / equivalence)
                value += share * (tree[child, AMAF_WINS] / (2.0 * others) - value)
            if explore > 0.0:
                value += explore * inverse_root(tried + 1)
        if value > best_value:
            best, best_value = child, value
    return np.int64(best)


@inner
def spread_credit(path, depth, played, length, inward, first, stamp, width, result, tree):
    """Credit every shown sibling on the path whose move its mover played first, from that point of the game on.

    played: points with who played there, see `MOVER_SHIFT`. first: int64[points], who played there first, marked
    with this simulation's stamp.
    """
    step = length
    for level in range(depth, -1, -1):
        while step > level:
            step -= 1
            move = np.int64(played[step])
            first[move & ((1 << MOVER_SHIFT) - 1)] = 4 * stamp + (move >> MOVER_SHIFT)
        node = path[level]
        if atomics.load(tree, (node, STATUS)) != INNER:
            continue
        start = np.int64(tree[node, FIRST_CHILD])
        wanted = 4 * stamp + tree[start, MOVER] + 1
        gain = half_wins(result, tree[start, MOVER])
        first[0] = 0  # a pass is no move that others could have made first
        for child in range(start, start + shown(tree, node, width)):
            if first[np.int64(inward[np.uint64(tree[child, MOVE])])] == wanted:
                atomics.add(tree, (child, AMAF_VISITS), 1)
                atomics.add(tree, (child, AMAF_WINS), gain)
