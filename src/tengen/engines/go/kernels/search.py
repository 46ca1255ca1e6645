"""Monte-Carlo tree search for Go, on the nodes and the helpers of `search.kernels.mcts`. Compiled.

What is its own: the board and the playouts, priors, RAVE with them, owners of points, and the count of the end.
Under territory rules the score is the area minus the stones that a side has placed more than the other, up to the
end of the tree: a stone in one's own territory costs a point there; in the playout the moves of both sides cancel.
Two passes end a game under area rules: what is on the board is counted as alive, and the result is proved. Under
territory rules stones may be dead, so a playout decides.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.rng import below, uniform
from tengen.engines.go.kernels.board import (
    BLACK,
    EMPTY,
    HANDICAP,
    NOWHERE,
    PASSES,
    PLACED,
    TURN,
    WHITE,
    copy_board,
    count_area,
    count_area_exactly,
    head_of,
    is_eye,
    is_legal,
    neighbour,
    open_board,
    open_geometry,
    play,
)
from tengen.engines.go.kernels.playout import MOVER_SHIFT, add_owners, play_out
from tengen.engines.go.kernels.priors import (
    games_of,
    half_wins_of,
    measure_distances,
    prior_of,
    read_strings,
)
from tengen.search.kernels.mcts import (
    AMAF_VISITS,
    AMAF_WINS,
    COUNT,
    DRAWN,
    EXPANDING,
    FIRST_CHILD,
    INNER,
    LEAF,
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
    prove,
    result_of,
    spread_amaf,
    take_nodes,
)

# settings: float64
(
    EXPLORATION,
    RAVE,
    EXPAND_AFTER,
    KOMI,  # in thousandths
    TERRITORY,
    SUPERKO,  # 0 none, 1 positional, 2 situational
    MARGIN,  # how often the narrowest win counts as a draw
    WIDE,  # points at which a win is no longer narrow
    LENGTH,  # moves of a playout
    SETTINGS,
) = range(10)


class Shared(NamedTuple):
    """What threads share: the board of node 0, tables, settings, the tree."""

    root: Any
    shape: Any
    keys: Any
    table: Any
    inside: Any
    outward: Any
    inward: Any
    turn_key: Any  # uint64[1]
    rates: Any
    weights: Any
    settings: Any
    tree: Any
    used: Any  # int32[1]
    stop: Any


class Own(NamedTuple):
    """What each thread has of its own."""

    work: Any
    reading: Any
    scratch: Any  # int64, see `policy`
    points: Any  # int64[4, points]
    moves: Any  # int64[points]
    past: Any  # uint64: the game's repeat keys, then room for the path's
    path: Any  # int64
    played: Any  # int32
    players: Any  # int32
    owner: Any  # int64: see `mcts.spread_amaf`; the last one is the stamp
    owners: Any  # int64: see `playout.add_owners`, then the number of games and Black's half wins
    rng: Any


@inner
def _mends(board, geometry, point, colour):
    """Whether a stone in an own eye saves a string in atari: the one reason to play there."""
    for direction in range(4):
        beside = neighbour(point, direction, geometry)
        if board.colour[beside] == colour and board.count[head_of(board, beside)] == 1:
            return True
    return False


@inner
def _list_moves(board, geometry, moves):
    """Legal moves but for suicide and own eyes; a pass is the last."""
    colour = board.facts[TURN]
    count = 0
    for i in range(geometry.area):
        point = np.int64(geometry.inside[i])
        if board.colour[point] != EMPTY or not is_legal(board, geometry, point, colour):
            continue
        if is_eye(board, geometry, point, colour) and not _mends(board, geometry, point, colour):
            continue
        moves[count] = point
        count += 1
    if board.facts[HANDICAP] == 0:
        moves[count] = NOWHERE
        count += 1
    return count


@kernel
def list_sensible(arrays, shape, keys, table, inside, out):
    """Write the moves that a node of this board would get; returns how many."""
    return _list_moves(open_board(arrays), open_geometry(shape, keys, table, inside), pointer(out))


@inner
def _attach(node, start, moves, children, board, reading, geometry, outward, weights, points, scratch, tree):
    """Make the nodes from `start` on the children of a node, with their priors."""
    near_last, near_stone = pointer(points[0]), pointer(points[1])
    good, bad = pointer(points[2]), pointer(points[3])
    colour = board.facts[TURN]
    # `good` serves as scratch before it is filled.
    measure_distances(board, geometry, near_last, near_stone, good)
    read_strings(board, geometry, colour, weights, good, bad, reading)
    for i in range(children):
        child = start + i
        point = moves[i]
        tree[child, MOVE] = outward[point]
        tree[child, MOVER] = colour - 1
        tree[child, PRIOR] = prior_of(
            board, geometry, point, colour, weights, near_last, near_stone, good, bad, scratch
        )
    tree[node, FIRST_CHILD] = start
    tree[node, COUNT] = children
    atomics.store(tree, (node, STATUS), INNER)


@kernel
def plant(shared, own, moves):
    """Begin a tree: node 0 stands for the root's board and has these moves (int64, our points) and no others."""
    geometry = open_geometry(shared.shape, shared.keys, shared.table, shared.inside)
    board, reading = open_board(shared.root), open_board(own.reading)
    tree = shared.tree
    shared.used[0] = 1 + len(moves)
    tree[0, MOVER] = BLACK + WHITE - board.facts[TURN] - 1
    outward, weights, scratch = pointer(shared.outward), pointer(shared.weights), pointer(own.scratch)
    _attach(
        0, 1, pointer(moves), len(moves), board, reading, geometry, outward, weights, own.points, scratch, tree
    )


@inner
def _select(node, tree, settings, rng):
    """The child to try next: the best mixture of its games, those on credit, and those that had its move later."""
    start, children = np.uint64(tree[node, FIRST_CHILD]), np.uint64(tree[node, COUNT])
    explore = settings[EXPLORATION] * log_root(tree[node, VISITS])
    equivalence = settings[RAVE]
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
            games = np.float64(tried) + games_of(prior)
            value = (np.float64(tree[child, WINS]) + half_wins_of(prior)) / (2.0 * games)
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
def _repeat_key(board, turn_key, superko):
    bits = board.key[0]
    if superko == 2.0 and board.facts[TURN] == WHITE:
        bits ^= turn_key
    return bits


@inner
def _stood_before(wanted, keys, count):
    for i in range(count):
        if keys[count - 1 - i] == wanted:
            return True
    return False


@inner
def _points(area, placed, settings):
    """The score in thousandths for Black, by the rules' way of counting."""
    if settings[TERRITORY] != 0.0:
        area -= placed
    return 1000.0 * area - settings[KOMI]


@kernel
def simulate(shared, own, past, forced, simulations):
    """Run simulations from node 0; returns how many were done.

    `past` keys of the game stand in `own.past`. A child of the root that is `forced` is tried each time, if not 0.
    """
    geometry = open_geometry(shared.shape, shared.keys, shared.table, shared.inside)
    origin, board, reading = open_board(shared.root), open_board(own.work), open_board(own.reading)
    tree, settings, stop = shared.tree, shared.settings, shared.stop
    rates, weights, outward = pointer(shared.rates), pointer(shared.weights), pointer(shared.outward)
    scratch, moves, played = pointer(own.scratch), pointer(own.moves), pointer(own.played)
    keys, path, players, owner, rng = pointer(own.past), own.path, own.players, own.owner, own.rng
    owners = pointer(own.owners)
    superko = settings[SUPERKO]
    longest = len(path) - 2
    nobody = np.int32(len(owner) - 2)  # where a pass is put: it is no move that others could have made first
    for done in range(simulations):
        if atomics.load(stop, 0) != 0 or atomics.load(tree, (0, PROOF)) != OPEN:
            return done
        copy_board(origin, board, geometry)
        node = np.int64(0)
        depth = 0
        path[0] = 0
        result = OPEN
        while result == OPEN:
            tries = atomics.add(tree, (node, VISITS), 1)
            result = atomics.load(tree, (node, PROOF))
            if result != OPEN:
                break
            if board.facts[PASSES] >= 2:
                if settings[TERRITORY] != 0.0:
                    board.facts[PASSES] = 0
                    break
                area = count_area_exactly(board, geometry, pointer(own.points[0]), pointer(own.points[1]))
                result = result_of(_points(area, 0, settings))
                atomics.store(tree, (node, PROOF), result)
                break
            inner_node = atomics.load(tree, (node, STATUS)) == INNER
            if not inner_node and tries >= settings[EXPAND_AFTER]:
                if atomics.compare_and_swap(tree, (node, STATUS), LEAF, EXPANDING):
                    children = _list_moves(board, geometry, moves)
                    start = take_nodes(shared.used, len(tree), children)
                    if start < 0:
                        atomics.store(tree, (node, STATUS), LEAF)
                    else:
                        _attach(
                            node,
                            start,
                            moves,
                            children,
                            board,
                            reading,
                            geometry,
                            outward,
                            weights,
                            own.points,
                            scratch,
                            tree,
                        )
                        inner_node = True
            if not inner_node or depth == longest:
                break
            if depth == 0 and forced > 0:
                node = np.int64(forced)
            else:
                node = _select(node, tree, settings, rng)
            mover = board.facts[TURN]
            point = np.int64(shared.inward[np.uint64(tree[node, MOVE])])
            play(board, geometry, point)
            played[depth] = np.int32(point | mover << MOVER_SHIFT)
            if superko != 0.0 and point != NOWHERE:
                key = _repeat_key(board, shared.turn_key[0], superko)
                if _stood_before(key, keys, past + depth):
                    atomics.store(tree, (node, PROOF), np.int32(3 - mover))  # an illegal move is a lost one
                keys[past + depth] = key
            else:
                keys[past + depth] = np.uint64(0)
            depth += 1
            path[depth] = node
        length = depth
        if result == OPEN:
            placed = board.facts[PLACED]
            limit = min(len(own.played), length + np.int64(settings[LENGTH]))
            length = play_out(board, reading, geometry, rates, scratch, True, limit, played, length, rng)
            points = _points(count_area(board, geometry), placed, settings)
            result = result_of(points)
            add_owners(board, geometry, np.int64(result), owners)
            owners[3 * geometry.points] += 1
            owners[3 * geometry.points + 1] += half_wins(result, 0)
            narrow = 1.0 - abs(points) / (1000.0 * settings[WIDE])
            if narrow > 0.0 and settings[MARGIN] > 0.0 and uniform(rng) < settings[MARGIN] * narrow:
                result = DRAWN
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
            for step in range(length):
                move = np.int64(played[step])
                point = move & ((1 << MOVER_SHIFT) - 1)
                players[step] = np.int32((move >> MOVER_SHIFT) - 1)
                played[step] = outward[point] if point != NOWHERE else nobody
            owner[len(owner) - 1] += 1
            spread_amaf(path, depth, own.played, players, length, owner, owner[len(owner) - 1], result, tree)
    return simulations
