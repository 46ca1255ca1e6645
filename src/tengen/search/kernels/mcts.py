"""Monte-Carlo tree search for any game, with several threads on one tree.

The tree is a set of arrays indexed by node; node 0 is the root. The children of a node are neighbours: `count` of
them from `first` on. A node stands for the move that led to it:

    move, mover     the move and the player who made it
    visits, wins    simulations through it, and results for its mover in half wins: each player maximises its own
    amaf_*          the same for simulations in which the mover played the move at any later time (RAVE)
    bias            what the game's evaluation thinks of it, from 0 to 1 for its mover
    proof           OPEN, or the proved result: FIRST or SECOND player wins, or DRAWN
    status          LEAF, being EXPANDED by some thread, or INNER

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
    repeat_key,
    score,
    to_move,
)
from tengen.core.compiled.kernel import helper, kernel
from tengen.core.compiled.rng import below
from tengen.core.compiled.walk import stood_before

OPEN, FIRST, SECOND, DRAWN = 0, 1, 2, 3
LEAF, EXPANDING, INNER = 0, 1, 2

# settings: float64
EXPLORATION, RAVE, BIAS, EXPAND_AFTER, SCALE, PLAYOUT_LENGTH, SETTINGS_SIZE = range(7)

TREE_FIELDS = (
    ("move", np.int32),
    ("mover", np.int32),
    ("first", np.int32),
    ("count", np.int32),
    ("visits", np.int32),
    ("wins", np.int32),
    ("amaf_visits", np.int32),
    ("amaf_wins", np.int32),
    ("bias", np.float32),
    ("proof", np.int32),
    ("status", np.int32),
)


@helper
def _result(points):
    """Who has won, by the score of player 0."""
    if points > 0:
        return FIRST
    return SECOND if points < 0 else DRAWN


@helper
def _half_wins(result, player):
    if result == DRAWN:
        return 1
    return 2 if result == player + 1 else 0


@helper
def _take(used, capacity, wanted):
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
    move, mover, first, count, visits, wins, amaf_visits, amaf_wins, bias, proof, status = tree
    player = to_move(states[0])
    for i in range(children):
        child = start + i
        move[child] = moves[i]
        mover[child] = player
        if settings[BIAS] > 0.0:
            states[1] = states[0]
            play(states[1], moves[i])
            guess = np.float64(score(states[1]) if is_over(states[1]) else evaluate(states[1]))
            bias[child] = 0.5 + 0.5 * math.tanh((guess if player == 0 else -guess) / settings[SCALE])
    first[node] = start
    count[node] = children
    atomics.store(status, node, INNER)


@helper
def _expand(node, states, moves, tree, used, settings):
    """Give a leaf its children. False if another thread is at it or the pool is empty."""
    status = tree[10]
    if not atomics.compare_and_swap(status, node, LEAF, EXPANDING):
        return False
    children = legal_moves(states[0], moves)
    start = _take(used, len(status), children)
    if start < 0:
        atomics.store(status, node, LEAF)
        return False
    _attach(node, start, children, states, moves, tree, settings)
    return True


@kernel
def plant(states, moves, tree, used, settings):
    """Begin a tree: node 0 stands for `states[0]` and has these moves and no others; `states[1]` is scratch."""
    used[0] = 1 + len(moves)
    _attach(0, 1, len(moves), states, moves, tree, settings)


@helper
def _select(node, tree, settings, rng):
    """The child to try next: the one with the best upper bound for the player who moves there."""
    move, mover, first, count, visits, wins, amaf_visits, amaf_wins, bias, proof, status = tree
    start, children = first[node], count[node]
    explore = settings[EXPLORATION] * math.sqrt(math.log(np.float64(visits[node]) + 1.0))
    rave = settings[RAVE]
    offset = np.int64(below(rng, children))  # ties are broken at random
    best, best_value = np.int64(-1), -1.0e18
    for i in range(children):
        child = start + offset
        offset += 1
        if offset == children:
            offset = 0
        proved = proof[child]
        if proved != OPEN and proved != DRAWN and proved != mover[child] + 1:
            value = -1.0e9  # lost for sure: only if there is nothing else
        else:
            tried = np.float64(visits[child])
            mean = wins[child] / (2.0 * tried) if tried > 0.0 else 0.5
            if rave > 0.0:
                others = np.float64(amaf_visits[child])
                if others > 0.0:
                    share = others / (others + tried + tried * others / rave)
                    mean = (1.0 - share) * mean + share * amaf_wins[child] / (2.0 * others)
                elif tried == 0.0:
                    mean = 1.1
                value = mean + explore / math.sqrt(tried + 1.0)
            elif tried > 0.0:
                value = mean + explore / math.sqrt(tried)
            else:
                value = 1.0e6  # each child is tried once before any twice
            value += settings[BIAS] * bias[child] / (tried + 1.0)
        if value > best_value:
            best, best_value = np.int64(child), value
    return best


@helper
def _prove(node, tree):
    """The result of an inner node as far as its children prove it."""
    move, mover, first, count, visits, wins, amaf_visits, amaf_wins, bias, proof, status = tree
    start = first[node]
    player = mover[start]
    open_left = False
    drawn = False
    for child in range(start, start + count[node]):
        if proof[child] == player + 1:
            return player + 1
        open_left |= proof[child] == OPEN
        drawn |= proof[child] == DRAWN
    if open_left:
        return OPEN
    return DRAWN if drawn else 2 - player


@helper
def _spread_amaf(path, depth, played, players, length, owner, stamp, result, tree):
    """Credit every sibling on the path whose move its mover played first, from that point of the game on.

    owner: int64[move_codes], who plays a move first, marked with this simulation's stamp.
    """
    move, mover, first, count, visits, wins, amaf_visits, amaf_wins, bias, proof, status = tree
    step = length
    for level in range(depth, -1, -1):
        while step > level:
            step -= 1
            owner[played[step]] = 2 * stamp + players[step]
        node = path[level]
        if atomics.load(status, node) != INNER:
            continue
        start = first[node]
        for child in range(start, start + count[node]):
            if owner[move[child]] == 2 * stamp + mover[child]:
                atomics.add(amaf_visits, child, 1)
                atomics.add(amaf_wins, child, _half_wins(result, mover[child]))


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

    Shared between threads: root, tree (arrays in the order of TREE_FIELDS), used: int32[1], settings, stop. Each thread's own:
    states: two records; moves: int32[most_moves]; keys: uint64 with the game's `past` repeat keys, then room for
    the path; path: int64; played, players: the moves of a simulation; owner: see `_spread_amaf`, rng.
    """
    move, mover, first, count, visits, wins, amaf_visits, amaf_wins, bias, proof, status = tree
    longest = len(path) - 2
    for done in range(simulations):
        if atomics.load(stop, 0) != 0 or atomics.load(proof, 0) != OPEN:
            return done
        states[0] = root[0]
        node = np.int64(0)
        depth = 0
        length = 0
        path[0] = 0
        result = OPEN
        while result == OPEN:
            tries = atomics.add(visits, node, 1)
            result = atomics.load(proof, node)
            if result != OPEN:
                break
            if is_over(states[0]):
                result = _result(score(states[0]))
                atomics.store(proof, node, result)
                break
            inner = atomics.load(status, node) == INNER
            if not inner and tries >= settings[EXPAND_AFTER]:
                inner = _expand(node, states, moves, tree, used, settings)
            if not inner or depth == longest:
                break
            node = _select(node, tree, settings, rng)
            player = to_move(states[0])
            banned = bans_repeats(states[0])
            play(states[0], move[node])
            played[length] = move[node]
            players[length] = player
            length += 1
            if banned and stood_before(states[0], keys, past + depth):
                atomics.store(proof, node, 2 - player)  # an illegal move is a lost one
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
            result = _result(playout_score(states[0]))
        for level in range(depth + 1):
            step = path[level]
            if level > 0:
                atomics.add(wins, step, _half_wins(result, mover[step]))
            else:
                atomics.add(wins, step, _half_wins(result, 0))
        level = depth
        while level > 0 and atomics.load(proof, path[level]) != OPEN:
            level -= 1
            if proof[path[level]] == OPEN:
                proved = _prove(path[level], tree)
                if proved == OPEN:
                    break
                atomics.store(proof, path[level], proved)
        if settings[RAVE] > 0.0:
            owner[len(owner) - 1] += 1
            _spread_amaf(path, depth, played, players, length, owner, owner[len(owner) - 1], result, tree)
    return simulations


@kernel
def copy_subtree(node, old_tree, new_tree, source):
    """Copy the tree below `node` so that it becomes node 0 of the new one; returns how many nodes it has.

    Both trees are tuples of arrays in the order of TREE_FIELDS; source: int64, scratch as long as the old tree.
    """
    move, mover, first, count, visits, wins, amaf_visits, amaf_wins, bias, proof, status = new_tree
    source[0] = node
    used = 1
    at = 0
    while at < used:
        old = source[at]
        move[at] = old_tree[0][old]
        mover[at] = old_tree[1][old]
        visits[at] = old_tree[4][old]
        wins[at] = old_tree[5][old]
        amaf_visits[at] = old_tree[6][old]
        amaf_wins[at] = old_tree[7][old]
        bias[at] = old_tree[8][old]
        proof[at] = old_tree[9][old]
        status[at] = old_tree[10][old]
        if status[at] == INNER:
            first[at] = used
            count[at] = old_tree[3][old]
            for child in range(old_tree[2][old], old_tree[2][old] + count[at]):
                source[used] = child
                used += 1
        at += 1
    return used
