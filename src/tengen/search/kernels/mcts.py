"""Monte-Carlo tree search for any game, with several threads on one tree.

The tree is one table of int32 with a row for each node; row 0 is the root. The children of a node are neighbours,
COUNT of them from FIRST_CHILD on. A node stands for the move that led to it:

    MOVE, MOVER     the move and the player who made it
    VISITS, WINS    simulations through it, and results for its mover in half wins: each player maximises its own
    AMAF_*          the same for simulations in which the mover played the move at any later time (RAVE)
    PRIOR           what the game's evaluation thinks of it, from 0 to PRIOR_ONE for its mover
    PROOF           OPEN, or the proved result: FIRST or SECOND player wins, or DRAWN
    STATUS          LEAF, EXPANDING (by some thread), or INNER

A simulation counts its visits on the way down and its wins on the way up, so that other threads meanwhile see
a node that is being tried as a little worse (a virtual loss) and go elsewhere. All that is shared is added to
atomically; nodes are taken from the pool by compare-and-swap, and when it is empty the tree just stops growing.

An ended game is scored, backed up and proved like any other result: skipping it would leave it unvisited and
starve the search. Proofs spread upwards: a node is won for the side that moves there if one child is, and known
if all children are. Repetition is looked for along the path, where the rules ban it, so that it needs no table.
"""

from __future__ import annotations

import math

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.generic import (
    bans_repeats,
    evaluate,
    is_over,
    legal_moves,
    play,
    playout_move,
    playout_score,
    reopen,
    repeat_key,
    score,
    to_move,
)
from tengen.core.compiled.kernel import helper, kernel
from tengen.core.compiled.rng import below
from tengen.core.compiled.walk import stood_before

OPEN, FIRST, SECOND, DRAWN = 0, 1, 2, 3
LEAF, EXPANDING, INNER = 0, 1, 2
PRIOR_ONE = 1_000_000
MOST_VISITS = 1_000_000_000  # then half wins still fit into 32 bits

# settings: float64
EXPLORATION, RAVE, BIAS, EXPAND_AFTER, SCALE, PLAYOUT_LENGTH, SETTINGS_SIZE = range(7)

(
    MOVE,
    MOVER,
    FIRST_CHILD,
    COUNT,
    VISITS,
    WINS,
    AMAF_VISITS,
    AMAF_WINS,
    PRIOR,
    PROOF,
    STATUS,
    NODE_SIZE,
) = range(12)


def make_tree(capacity: int) -> np.ndarray:
    """An empty pool; the system hands out its memory as nodes are used."""
    return np.zeros((capacity, NODE_SIZE), np.int32)


@helper
def result_of(points):
    """Who has won, by the score of player 0."""
    if points > 0:
        return FIRST
    return SECOND if points < 0 else DRAWN


@helper
def half_wins(result, player):
    if result == DRAWN:
        return 1
    return 2 if result == player + 1 else 0


@helper
def take_nodes(used, capacity, wanted):
    """Reserve nodes of the pool; returns the first, or -1 if there are not enough."""
    while True:
        start = atomics.load(used, 0)
        if start + wanted > capacity:
            return np.int64(-1)
        if atomics.compare_and_swap(used, 0, start, start + wanted):
            return np.int64(start)


@helper
def _attach(node, start, children, states, moves, tree, settings):
    """Make the nodes from `start` on the children of a node, one for each of the first `children` moves."""
    player = to_move(states[0])
    for i in range(children):
        child = start + i
        tree[child, MOVE] = moves[i]
        tree[child, MOVER] = player
        if settings[BIAS] > 0.0:
            states[1] = states[0]
            play(states[1], moves[i])
            guess = np.float64(score(states[1]) if is_over(states[1]) else evaluate(states[1]))
            good = 0.5 + 0.5 * math.tanh((guess if player == 0 else -guess) / settings[SCALE])
            tree[child, PRIOR] = np.int32(good * PRIOR_ONE)
    tree[node, FIRST_CHILD] = start
    tree[node, COUNT] = children
    atomics.store(tree, (node, STATUS), INNER)


@helper
def _expand(node, states, moves, tree, used, settings):
    """Give a leaf its children. False if another thread is at it or the pool is empty."""
    if not atomics.compare_and_swap(tree, (node, STATUS), LEAF, EXPANDING):
        return False
    children = legal_moves(states[0], moves)
    start = take_nodes(used, len(tree), children)
    if start < 0:
        atomics.store(tree, (node, STATUS), LEAF)
        return False
    _attach(node, start, children, states, moves, tree, settings)
    return True


@kernel
def plant(states, moves, tree, used, settings):
    """Begin a tree: node 0 stands for `states[0]` and has these moves and no others; `states[1]` is scratch."""
    used[0] = 1 + len(moves)
    tree[0, MOVER] = 1 - to_move(states[0])  # the root counts for whoever just moved, like every other node
    _attach(0, 1, len(moves), states, moves, tree, settings)


# Most nodes have few visits: a look-up is several times faster than roots, logarithms and divisions.
_TABLE = 4096
_INVERSE_ROOTS = np.array([0.0] + [1.0 / math.sqrt(n) for n in range(1, _TABLE)])
_LOG_ROOTS = np.array([math.sqrt(math.log(n + 1.0)) for n in range(_TABLE)])


@helper
def inverse_root(visits):
    """1 / sqrt(visits), for at least one visit."""
    if visits < _TABLE:
        return _INVERSE_ROOTS[np.uint64(visits)]
    return 1.0 / math.sqrt(np.float64(visits))


@helper
def log_root(visits):
    """sqrt(log(visits + 1))."""
    if visits < _TABLE:
        return _LOG_ROOTS[np.uint64(visits)]
    return math.sqrt(math.log(np.float64(visits) + 1.0))


@helper
def _select(node, tree, settings, rng):
    """The child to try next: the one with the best upper bound for the player who moves there."""
    start, children = np.uint64(tree[node, FIRST_CHILD]), np.uint64(tree[node, COUNT])
    explore = settings[EXPLORATION] * log_root(tree[node, VISITS])
    rave, weight = settings[RAVE], settings[BIAS]
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
        elif rave > 0.0:
            value = _rave_mean(child, tree, rave) + explore * inverse_root(tried + 1)
        elif tried > 0:
            root = inverse_root(tried)
            value = 0.5 * root * root * np.float64(tree[child, WINS]) + explore * root
        elif weight > 0.0:
            value = 1.0e6  # each child is tried once before any twice, here by its bias
        else:
            return np.int64(child)
        if weight > 0.0:
            value += weight / PRIOR_ONE * tree[child, PRIOR] / (tried + 1.0)
        if value > best_value:
            best, best_value = child, value
    return np.int64(best)


@helper
def _rave_mean(child, tree, equivalence):
    """The win rate of a node, mixed with that of games in which its move was played later."""
    tried, others = np.float64(tree[child, VISITS]), np.float64(tree[child, AMAF_VISITS])
    mean = tree[child, WINS] / (2.0 * tried) if tried > 0.0 else 1.1
    if others > 0.0:
        share = others / (others + tried + tried * others / equivalence)
        mean = (1.0 - share) * mean + share * tree[child, AMAF_WINS] / (2.0 * others)
    return mean


@helper
def prove(node, tree):
    """The result of an inner node as far as its children prove it."""
    start = tree[node, FIRST_CHILD]
    player = tree[start, MOVER]
    open_left = False
    drawn = False
    for child in range(start, start + tree[node, COUNT]):
        if tree[child, PROOF] == player + 1:
            return player + 1
        open_left |= tree[child, PROOF] == OPEN
        drawn |= tree[child, PROOF] == DRAWN
    if open_left:
        return OPEN
    return DRAWN if drawn else 2 - player


@helper
def spread_amaf(path, depth, played, players, length, owner, stamp, result, tree):
    """Credit every sibling on the path whose move its mover played first, from that point of the game on.

    owner: int64[move_codes], who plays a move first, marked with this simulation's stamp.
    """
    step = length
    for level in range(depth, -1, -1):
        while step > level:
            step -= 1
            owner[played[step]] = 2 * stamp + players[step]
        node = path[level]
        if atomics.load(tree, (node, STATUS)) != INNER:
            continue
        start = tree[node, FIRST_CHILD]
        for child in range(start, start + tree[node, COUNT]):
            if owner[tree[child, MOVE]] == 2 * stamp + tree[child, MOVER]:
                atomics.add(tree, (child, AMAF_VISITS), 1)
                atomics.add(tree, (child, AMAF_WINS), half_wins(result, tree[child, MOVER]))


@kernel
def simulate(
    root,
    states,
    moves,
    keys,
    past,
    path,
    played,
    players,
    owner,
    tree,
    used,
    settings,
    simulations,
    rng,
    stop,
):
    """Run simulations from node 0, which stands for the record `root[0]`; returns how many were done.

    Shared between threads: root, tree, used: int32[1], settings, stop. Each thread's own: states: two records;
    moves: int32[most_moves]; keys: uint64 with the game's `past` repeat keys, then room for the path; path: int64;
    played, players: the moves of a simulation; owner: see `spread_amaf`, and a last one for the stamp; rng.
    """
    longest = len(path) - 2
    for done in range(simulations):
        if atomics.load(stop, 0) != 0 or atomics.load(tree, (0, PROOF)) != OPEN:
            return done
        states[0] = root[0]
        node = np.int64(0)
        depth = 0
        length = 0
        path[0] = 0
        result = OPEN
        while result == OPEN:
            tries = atomics.add(tree, (node, VISITS), 1)
            result = atomics.load(tree, (node, PROOF))
            if result != OPEN:
                break
            if is_over(states[0]):
                if reopen(states[0]):
                    break  # the score might be disputed: a playout decides, and nothing is proved
                result = result_of(score(states[0]))
                atomics.store(tree, (node, PROOF), result)
                break
            inner = atomics.load(tree, (node, STATUS)) == INNER
            if not inner and tries >= settings[EXPAND_AFTER]:
                inner = _expand(node, states, moves, tree, used, settings)
            if not inner or depth == longest:
                break
            node = _select(node, tree, settings, rng)
            player = to_move(states[0])
            banned = bans_repeats(states[0])
            play(states[0], tree[node, MOVE])
            played[length] = tree[node, MOVE]
            players[length] = player
            length += 1
            if banned and stood_before(states[0], keys, past + depth):
                atomics.store(tree, (node, PROOF), 2 - player)  # an illegal move is a lost one
            else:
                keys[past + depth] = repeat_key(states[0])
            depth += 1
            path[depth] = node
        if result == OPEN:
            limit = min(len(played), length + np.int64(settings[PLAYOUT_LENGTH]))
            while length < limit and not is_over(states[0]):
                played[length] = playout_move(states[0], rng)
                players[length] = to_move(states[0])
                play(states[0], played[length])
                length += 1
            # An ended game in the playout is scored as playouts are: only a node of the tree is taken at its word.
            result = result_of(playout_score(states[0]))
        for level in range(depth + 1):
            step = path[level]
            atomics.add(tree, (step, WINS), half_wins(result, tree[step, MOVER]))
        level = depth
        while level > 0 and atomics.load(tree, (path[level], PROOF)) != OPEN:
            level -= 1
            if tree[path[level], PROOF] == OPEN:
                proved = prove(path[level], tree)
                if proved == OPEN:
                    break
                atomics.store(tree, (path[level], PROOF), proved)
        if settings[RAVE] > 0.0:
            owner[len(owner) - 1] += 1
            spread_amaf(path, depth, played, players, length, owner, owner[len(owner) - 1], result, tree)
    return simulations


@kernel
def copy_subtree(node, tree, new, source):
    """Copy the tree below `node` so that it becomes node 0 of the new one; returns how many nodes it has.

    source: int64, scratch as long as the old tree.
    """
    source[0] = node
    used = 1
    at = 0
    while at < used:
        old = source[at]
        for field in range(NODE_SIZE):
            new[at, field] = tree[old, field]
        if new[at, STATUS] == INNER:
            new[at, FIRST_CHILD] = used
            for child in range(tree[old, FIRST_CHILD], tree[old, FIRST_CHILD] + tree[old, COUNT]):
                source[used] = child
                used += 1
        at += 1
    return used
