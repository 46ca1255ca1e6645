"""Monte-Carlo tree search for any game, with several threads on one tree.

The tree is an int32 array with one row per node; row 0 is the root. The children of a node are the COUNT rows from
FIRST_CHILD on. A node represents the move that led to it:

    MOVE, MOVER     the move and the player who made it
    VISITS, WINS    simulations through the node, and their results in half wins of its mover
    AMAF_*          the same for simulations in which the mover played the move at any later time (RAVE)
    PRIOR           heuristic evaluation of the game, from 0 to PRIOR_ONE for the mover
    PROOF           OPEN, or the proved result: FIRST or SECOND player wins, or DRAWN
    STATUS          LEAF, EXPANDING (by some thread), or INNER

A simulation updates visits on the way down and wins on the way up. Meanwhile the visit acts as a virtual loss,
which makes other threads prefer other nodes. Shared counters are updated atomically. Nodes are reserved from a
pool by compare-and-swap; when the pool is exhausted, the tree stops growing.

An ended game is scored and backed up like any other result; skipping it would leave the node unvisited and starve
the search. Proofs propagate upwards: a node is won for the side to move if one child is, and proved if all
children are. Where the rules forbid repetition, it is detected along the path of the simulation.
"""

from __future__ import annotations

import math

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.kernel import helper, kernel
from tengen.core.compiled.position_kernels import is_repetition
from tengen.core.compiled.rng import below
from tengen.core.compiled.rules import (
    evaluate,
    forbids_repetition,
    is_over,
    legal_moves,
    play,
    playout_move,
    playout_score,
    repeat_key,
    resume_play,
    score,
    to_move,
)

OPEN, FIRST, SECOND, DRAWN = 0, 1, 2, 3
LEAF, EXPANDING, INNER = 0, 1, 2
PRIOR_ONE = 1_000_000
MAX_VISITS = 1_000_000_000  # so that half wins fit into 32 bits

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
    """An empty node pool. The operating system allocates its memory on first use."""
    return np.zeros((capacity, NODE_SIZE), np.int32)


@helper
def result_of(points):
    """FIRST, SECOND or DRAWN for a score of player 0."""
    if points > 0:
        return FIRST
    return SECOND if points < 0 else DRAWN


@helper
def half_wins(result, player):
    if result == DRAWN:
        return 1
    return 2 if result == player + 1 else 0


@helper
def reserve_nodes(used, capacity, wanted):
    """Reserve `wanted` consecutive nodes of the pool; return the first, or -1 if too few are left."""
    while True:
        start = atomics.load(used, 0)
        if start + wanted > capacity:
            return np.int64(-1)
        if atomics.compare_and_swap(used, 0, start, start + wanted):
            return np.int64(start)


@helper
def _attach(node, start, children, states, moves, tree, settings):
    """Turn the nodes from `start` on into the children of `node`, one for each of the first `children` moves."""
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
    """Expand a leaf; return False if another thread is expanding it or the pool is exhausted."""
    if not atomics.compare_and_swap(tree, (node, STATUS), LEAF, EXPANDING):
        return False
    children = legal_moves(states[0], moves)
    start = reserve_nodes(used, len(tree), children)
    if start < 0:
        atomics.store(tree, (node, STATUS), LEAF)
        return False
    _attach(node, start, children, states, moves, tree, settings)
    return True


@kernel
def plant_root(states, moves, tree, used, settings):
    """Initialise node 0 for `states[0]`, with exactly these moves as children; `states[1]` is scratch space."""
    used[0] = 1 + len(moves)
    tree[0, MOVER] = 1 - to_move(states[0])  # like every node, the root counts wins of the player who just moved
    _attach(0, 1, len(moves), states, moves, tree, settings)


# Most nodes have few visits, and a table lookup is several times faster than square roots and logarithms.
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
    """The child with the highest upper confidence bound for the player to move."""
    start, children = np.uint64(tree[node, FIRST_CHILD]), np.uint64(tree[node, COUNT])
    explore = settings[EXPLORATION] * log_root(tree[node, VISITS])
    rave, weight = settings[RAVE], settings[BIAS]
    offset = below(rng, children)  # start at a random child, to break ties randomly
    best, best_value = start, -1.0e18
    for _ in range(children):
        child = start + offset
        offset += np.uint64(1)
        if offset == children:
            offset = np.uint64(0)
        proved = tree[child, PROOF]
        tried = tree[child, VISITS]
        if proved != OPEN and proved != DRAWN and proved != tree[child, MOVER] + 1:
            value = -1.0e9  # proved loss: choose it only if there is no alternative
        elif rave > 0.0:
            value = _rave_mean(child, tree, rave) + explore * inverse_root(tried + 1)
        elif tried > 0:
            root = inverse_root(tried)
            value = 0.5 * root * root * np.float64(tree[child, WINS]) + explore * root
        elif weight > 0.0:
            value = 1.0e6  # visit each child once first, in the order of their priors
        else:
            return np.int64(child)
        if weight > 0.0:
            value += weight / PRIOR_ONE * tree[child, PRIOR] / (tried + 1.0)
        if value > best_value:
            best, best_value = child, value
    return np.int64(best)


@helper
def _rave_mean(child, tree, equivalence):
    """The win rate of a node, blended with its AMAF win rate."""
    tried, others = np.float64(tree[child, VISITS]), np.float64(tree[child, AMAF_VISITS])
    mean = tree[child, WINS] / (2.0 * tried) if tried > 0.0 else 1.1
    if others > 0.0:
        share = others / (others + tried + tried * others / equivalence)
        mean = (1.0 - share) * mean + share * tree[child, AMAF_WINS] / (2.0 * others)
    return mean


@helper
def prove(node, tree):
    """The result of an inner node that follows from its children, or OPEN."""
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
def update_amaf(path, depth, played, players, length, owner, stamp, result, tree):
    """Update the AMAF statistics of all siblings along the path whose move was played later by their mover.

    owner: int64[move_codes], the first player to play each move, combined with the stamp of the simulation.
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
    """Run simulations from node 0, the record `root[0]`; return their number.

    Shared between threads: root, tree, used: int32[1], settings, stop. Per thread: states: two records; moves:
    int32[max_legal_moves]; keys: uint64 with the game's `past` repeat keys, followed by space for the path; path:
    int64; played, players: the moves of a simulation; owner: see `update_amaf`, its last entry is the stamp; rng.
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
                if resume_play(states[0]):
                    break  # the score may be disputed: let a playout decide, without a proof
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
            banned = forbids_repetition(states[0])
            play(states[0], tree[node, MOVE])
            played[length] = tree[node, MOVE]
            players[length] = player
            length += 1
            if banned and is_repetition(states[0], keys, past + depth):
                atomics.store(tree, (node, PROOF), 2 - player)  # treat an illegal move as a loss
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
            # Use the playout score even if the game has ended: only ends inside the tree are proofs.
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
            update_amaf(path, depth, played, players, length, owner, owner[len(owner) - 1], result, tree)
    return simulations


@kernel
def copy_subtree(node, tree, new, source):
    """Copy the subtree of `node` into `new`, where it becomes node 0; return its number of nodes.

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
