"""Monte-Carlo tree search by several threads on one tree, for any game and any kind of playout.

The tree is an array of NODE records; node 0 is the root. The children of a node are consecutive. A simulation
updates visits on the way down and wins on the way up. Meanwhile the visit acts as a virtual loss, which makes
other threads prefer other nodes. Shared counters are updated atomically. Nodes are reserved from a pool by
compare-and-swap; when the pool is exhausted, the tree stops growing.

An ended game is scored and backed up like any other result; skipping it would leave the node unvisited and starve
the search. Proofs propagate upwards: a node is won for the side to move if one child is, and proved if all
children are. Where the rules forbid repetition, it is detected along the path of the simulation.

What differs between searches is declared below by `generic`: how to play, to list and to value moves. As for the
rules of games, the implementation is chosen at compile time, here by the record of the settings. `kernels.uct` has
the one for every game, which uses the game's rules; an engine may have its own. `search` is a named tuple whose
field `base` is a `SearchBase`, and whose other fields belong to the implementation.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.dispatch import generic
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.records import record_type
from tengen.core.compiled.references import reference
from tengen.core.compiled.rng import below

OPEN, FIRST, SECOND, DRAWN = 0, 1, 2, 3  # results: none yet, a win of the first or second player, a draw
DISPUTED = 4  # the game has ended, but a playout should decide
LEAF, EXPANDING, INNER, EVALUATED = 0, 1, 2, 3
MAX_VISITS = 1_000_000_000  # so that half wins fit into 32 bits
TRY_AT_ONCE = 1.0e9  # value of a child that is chosen before all others
_LOST = -1.0e9  # value of a proved loss: chosen only if there is nothing else

# A node represents the move that led to it.
NODE = record_type(
    ("move", np.int32),
    ("mover", np.int32),  # the player who made the move
    ("first_child", np.int32),
    ("child_count", np.int32),
    ("visits", np.int32),  # simulations through the node
    ("wins", np.int32),  # their results in half wins of the mover
    ("amaf_visits", np.int32),  # simulations in which the mover was the first to play the move later on (RAVE)
    ("amaf_wins", np.int32),
    ("prior", np.int32),  # knowledge about the move before the first visit; its form depends on the search
    ("proof", np.int32),  # OPEN, or the proved result
    ("status", np.int32),  # LEAF, EXPANDING (by some thread), INNER, or an INNER one that is EVALUATED
)


class SearchBase(NamedTuple):
    """What the data of a thread has in all searches. The first five fields are shared by all threads."""

    tree: Any  # NODE[capacity]
    used: Any  # int32[1]: the number of nodes in use
    settings: Any  # one record with at least the fields of BASE_SETTINGS
    stop: Any  # int64[1]: see `limits.StopFlag`
    root_moves: Any
    moves: Any  # space for the moves of a node
    keys: Any  # uint64: the repeat keys of the game, then space for those of the path
    past: Any  # number of repeat keys of the game
    path: Any  # int64: the nodes of the simulation
    played: Any  # int32: the moves of the simulation, each as twice the move plus the player
    first_players: Any  # int64[move_codes + 2]: who played each move first; the last entry is a counter
    ignored_move: Any  # a move without AMAF statistics, or move_codes
    rng: Any


BASE_SETTINGS = (
    ("exploration", np.float64),
    ("rave", np.float64),  # RAVE equivalence; 0: no AMAF statistics
    ("expand_after", np.int64),  # visits before a leaf is expanded
    ("playout_length", np.int64),  # maximum number of moves of a playout
)


@generic
def begin_simulation(settings, search):
    """Set the state of the thread to the root."""


@generic
def outcome(settings, search):
    """OPEN while the game goes on, its result, or DISPUTED."""


@generic
def list_children(settings, search):
    """Write the moves of a new node into `moves` and return their number."""


@generic
def set_up_children(settings, search, node, start, count):
    """Set `move`, `mover` and `prior` of the nodes from `start` on, the children of `node`, by `moves`."""


@generic
def is_evaluated(settings, depth, visits):
    """Whether an inner node is evaluated, once, after this number of visits."""
    return False


@generic
def evaluate_node(settings, search, node):
    """Evaluate an inner node, whose position is on the board, and set the `prior` of its children anew.

    Returns what this is worth, (virtual games, half wins of player 0), to be added to all nodes of the path.
    """
    return np.int64(0), np.int64(0)


@generic
def visible_children(settings, node):
    """The number of children of a node that may be chosen: the first ones."""
    return np.int64(node.child_count)


@generic
def selection_terms(settings, node):
    """A tuple of what the values of all children of a node depend on."""


@partial(generic, inline=True)
def child_value(settings, child, terms):
    """Value of choosing a child; `terms` are its parent's `selection_terms`."""


@generic
def play_in_tree(settings, search, move, depth):
    """Play a move of the tree and store its repeat key; return False if it is an illegal repetition."""


@generic
def play_out(settings, search, depth):
    """Play to the end of the game; return (result, number of moves in `played`)."""


@inner
def result_of(points):
    """FIRST, SECOND or DRAWN for a score of player 0."""
    if points > 0:
        return FIRST
    return SECOND if points < 0 else DRAWN


@inner
def half_wins(result, player):
    if result == DRAWN:
        return 1
    return 2 if result == player + 1 else 0


# Most nodes have few visits, and a table lookup is several times faster than square roots and logarithms.
_TABLE = 4096
_INVERSE_ROOTS = np.array([0.0] + [1.0 / math.sqrt(n) for n in range(1, _TABLE)])
_LOG_ROOTS = np.array([math.sqrt(math.log(n + 1.0)) for n in range(_TABLE)])


@inner
def inverse_root(visits):
    """1 / sqrt(visits), for at least one visit."""
    if visits < _TABLE:
        return _INVERSE_ROOTS[np.uint64(visits)]
    return 1.0 / math.sqrt(np.float64(visits))


@inner
def log_root(visits):
    """sqrt(log(visits + 1))."""
    if visits < _TABLE:
        return _LOG_ROOTS[np.uint64(visits)]
    return math.sqrt(math.log(np.float64(visits) + 1.0))


@inner
def _reserve_nodes(base, wanted):
    """Reserve `wanted` consecutive nodes of the pool; return the first, or -1 if too few are left."""
    while True:
        start = np.int64(atomics.load(base.used, 0))
        if start + wanted > base.tree.size:
            return np.int64(-1)
        if atomics.compare_and_swap(base.used, 0, start, start + wanted):
            return start


@inner
def _expand(settings, search, node):
    """Expand a leaf; return False if another thread is expanding it or the pool is exhausted."""
    base = search.base
    tree = base.tree
    if not atomics.compare_and_swap(tree[node], "status", LEAF, EXPANDING):
        return False
    if node == 0:
        count = np.int64(base.root_moves.size)
        for i in range(count):
            base.moves[i] = base.root_moves[i]
    else:
        count = np.int64(list_children(settings, search))
    start = _reserve_nodes(base, count)
    if start < 0:
        atomics.store(tree[node], "status", LEAF)
        return False
    set_up_children(settings, search, node, start, count)
    tree[node].first_child = start
    tree[node].child_count = count
    atomics.store(tree[node], "status", INNER)
    return True


@inner
def _select_child(settings, base, node):
    """The visible child with the highest value; ties are broken at random."""
    tree = base.tree
    start, count = np.uint64(tree[node].first_child), np.uint64(visible_children(settings, tree[node]))
    terms = selection_terms(settings, tree[node])
    offset = below(pointer(base.rng), count)  # start at a random child
    best, best_value = start, -1.0e18
    for _ in range(count):
        at = start + offset
        offset += np.uint64(1)
        if offset == count:
            offset = np.uint64(0)
        child = tree[at]
        proved = child.proof
        if proved != OPEN and proved != DRAWN and proved != child.mover + 1:
            value = _LOST
        else:
            value = child_value(settings, child, terms)
        if value >= TRY_AT_ONCE:
            return np.int64(at)
        if value > best_value:
            best, best_value = at, value
    return np.int64(best)


@inner
def _prove(tree, node):
    """The result of an inner node that follows from its children, or OPEN."""
    start = np.int64(tree[node].first_child)
    player = np.int64(tree[start].mover)
    open_left = False
    drawn = False
    for child in range(start, start + tree[node].child_count):
        proof = tree[child].proof
        if proof == player + 1:
            return player + 1
        open_left |= proof == OPEN
        drawn |= proof == DRAWN
    if open_left:
        return np.int64(OPEN)
    return np.int64(DRAWN) if drawn else 2 - player


@inner
def _back_up(base, depth, result):
    """Add a result to the nodes of the path, and prove those that a proof at its end decides."""
    tree, path = base.tree, base.path
    for level in range(depth + 1):
        node = tree[path[level]]
        atomics.add(node, "wins", half_wins(result, np.int64(node.mover)))
    level = depth
    while level > 0 and atomics.load(tree[path[level]], "proof") != OPEN:
        level -= 1
        if tree[path[level]].proof == OPEN:
            proved = _prove(tree, path[level])
            if proved == OPEN:
                break
            atomics.store(tree[path[level]], "proof", proved)


@inner
def _add_evaluation(settings, search, depth):
    """Add the evaluation of the node at this depth to the nodes of the path."""
    tree, path = search.base.tree, search.base.path
    games, wins = evaluate_node(settings, search, path[depth])
    if games > 0:
        for level in range(depth + 1):
            node = tree[path[level]]
            atomics.add(node, "visits", games)
            atomics.add(node, "wins", wins if node.mover == 0 else 2 * games - wins)


@inner
def _update_amaf(settings, base, depth, length, result):
    """Update the AMAF statistics of all visible children along the path whose mover was the first to play their
    move later on.
    """
    tree, path, played, first_players = base.tree, base.path, base.played, base.first_players
    last = first_players.size - 1
    first_players[last] += 1
    stamp = 2 * first_players[last]
    step = length
    for level in range(depth, -1, -1):
        while step > level:
            step -= 1
            move = np.int64(played[step])
            first_players[move >> 1] = stamp + (move & 1)
        node = tree[path[level]]
        if atomics.load(node, "status") < INNER:
            continue
        first_players[base.ignored_move] = 0
        start = np.int64(node.first_child)
        mover = np.int64(tree[start].mover)
        wanted, gain = stamp + mover, half_wins(result, mover)
        for at in range(start, start + visible_children(settings, node)):
            child = tree[at]
            if first_players[child.move] == wanted:
                atomics.add(child, "amaf_visits", 1)
                atomics.add(child, "amaf_wins", gain)


@kernel
def simulate(search, simulations, only_root_child):
    """Run simulations from node 0, which is expanded first; return their number.

    If `only_root_child` is not 0, every simulation visits that child of the root.
    """
    search = reference(search)
    base = search.base
    settings, tree, path = base.settings[0], base.tree, base.path
    max_depth = path.size - 2
    if base.root_moves.size > 0 and atomics.load(tree[0], "status") == LEAF:
        begin_simulation(settings, search)
        _expand(settings, search, np.int64(0))
    for done in range(simulations):
        if atomics.load(base.stop, 0) != 0 or atomics.load(tree[0], "proof") != OPEN:
            return done
        begin_simulation(settings, search)
        node = np.int64(0)
        depth = 0
        path[0] = 0
        while True:
            visits_before = atomics.add(tree[node], "visits", 1)
            result = np.int64(atomics.load(tree[node], "proof"))
            if result != OPEN:
                break
            result = np.int64(outcome(settings, search))
            if result != OPEN:
                if result != DISPUTED:
                    atomics.store(tree[node], "proof", result)
                break
            expanded = atomics.load(tree[node], "status") >= INNER
            if not expanded and visits_before >= settings.expand_after:
                expanded = _expand(settings, search, node)
                result = np.int64(atomics.load(tree[node], "proof"))
            if result != OPEN or not expanded or depth == max_depth:
                break
            if is_evaluated(settings, depth, visits_before) and atomics.compare_and_swap(
                tree[node], "status", INNER, EVALUATED
            ):
                _add_evaluation(settings, search, depth)
            if depth == 0 and only_root_child > 0:
                node = np.int64(only_root_child)
            else:
                node = _select_child(settings, base, node)
            move, mover = np.int64(tree[node].move), np.int64(tree[node].mover)
            base.played[depth] = 2 * move + mover
            if not play_in_tree(settings, search, move, depth):
                atomics.store(tree[node], "proof", 2 - mover)  # treat an illegal move as a loss
            depth += 1
            path[depth] = node
        length = depth
        if result == OPEN or result == DISPUTED:
            result, length = play_out(settings, search, depth)
        _back_up(base, depth, result)
        if settings.rave > 0.0:
            _update_amaf(settings, base, depth, length, result)
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
        old = tree[source[at]]
        new[at] = old
        if old.status >= INNER:
            new[at].first_child = used
            for child in range(old.first_child, old.first_child + old.child_count):
                source[used] = child
                used += 1
        at += 1
    return used
