"""Monte-Carlo tree search for Go, on the nodes and the helpers of `search.kernels.mcts`. Compiled.

What is its own: the board and the playouts, likelihoods of moves, RAVE with them, owners of points, and the count
of the end.
Under territory rules the score is the area minus the stones that a side has placed more than the other, up to the
end of the tree: a stone in one's own territory costs a point there; in the playout the moves of both sides cancel.
Two passes end a game under area rules: what is on the board is counted as alive, and the result is proved. Under
territory rules stones may be dead, so a playout decides.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.rng import uniform
from tengen.engines.go.kernels.board import (
    BLACK,
    EMPTY,
    HANDICAP,
    LAST,
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
from tengen.engines.go.mcts.kernels.features import likelihoods
from tengen.engines.go.mcts.kernels.playout import MOVER_SHIFT, add_owners, play_out
from tengen.engines.go.mcts.kernels.root_reading import ANSWER
from tengen.engines.go.mcts.kernels.selection import credit, select, sort_by, spread_credit
from tengen.search.kernels.mcts import (
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
    prove,
    reserve_nodes,
    result_of,
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
    EVEN,  # games on credit for every move, half of them won
    LIKELY,  # games on credit that the best of moves could win by its likelihood
    WIDTH,  # children shown at first, or 0: all
    READING,  # whether reading tells how likely moves are
    SETTINGS,
) = range(14)


_PASS = 0.3  # of the games on credit of a pass that are won: it is looked at where moves do no better


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
    advice: Any  # float64[2, points]: how much likelier reading makes a move of either colour
    answers: Any  # int64[2, points]: see `policy.heavy_move`
    classes: Any  # see `shapes.shape_classes`
    gammas: Any  # see `looks`
    settings: Any
    tree: Any
    used: Any  # int32[1]
    stop: Any


class Own(NamedTuple):
    """What each thread has of its own."""

    work: Any
    reading: Any
    scratch: Any  # int64, see `policy`
    points: Any  # int64[5, points]
    moves: Any  # int64[points]
    chances: Any  # float64[points]
    looks: Any  # int64[MOST_LOOKS]
    past: Any  # uint64: the game's repeat keys, then room for the path's
    path: Any  # int64
    played: Any  # int32
    first: Any  # int64: see `spread_credit`; the last one is the stamp
    owners: Any  # int64: see `playout.add_owners`, then the number of games and Black's half wins
    scores: Any  # float64[2, points]: for each first move, the sum of Black's points, and how many games
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
def list_moves(board, geometry, moves):
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
    return list_moves(open_board(arrays), open_geometry(shape, keys, table, inside), pointer(out))


@inner
def _points(area, placed, settings):
    """The score in thousandths for Black, by the rules' way of counting."""
    if settings[TERRITORY] != 0.0:
        area -= placed
    return 1000.0 * area - settings[KOMI]


@inner
def _end_by_pass(node, child, board, geometry, shared, own):
    """A pass that ends the game by area is counted and proved, before anything is played: it may win, or draw."""
    tree, settings = shared.tree, shared.settings
    area = count_area_exactly(board, geometry, pointer(own.points[0]), pointer(own.points[1]))
    result = result_of(_points(area, 0, settings))
    tree[child, PROOF] = result
    if result == DRAWN:
        tree[child, PRIOR] = credit(settings[EVEN], 0.5 * settings[EVEN])
    elif result == board.facts[TURN]:
        atomics.store(tree, (node, PROOF), result)


@inner
def _heed(board, geometry, colour, moves, count, shared, chances):
    """Make moves likelier, or less so, by what reading found at the root; it goes for the whole tree."""
    advice, answers = pointer(shared.advice), pointer(shared.answers)
    last = board.facts[LAST]
    answer = NOWHERE if last == NOWHERE else answers[(2 - colour) * geometry.points + last]
    total = 0.0
    for i in range(count):
        chances[i] *= advice[(colour - 1) * geometry.points + moves[i]]
        if moves[i] == answer:
            chances[i] *= ANSWER
        total += chances[i]
    if total > 0.0:
        for i in range(count):
            chances[i] /= total


@inner
def _attach(node, start, moves, children, board, reading, geometry, shared, own):
    """Make the nodes from `start` on the children of a node, the likeliest first, a pass last."""
    points, scratch, looks = own.points, pointer(own.scratch), pointer(own.looks)
    chances, tree, settings, outward = pointer(own.chances), shared.tree, shared.settings, pointer(shared.outward)
    near = (pointer(points[0]), pointer(points[1]), pointer(points[2]), pointer(points[3]))
    marks, classes, gammas = pointer(points[4]), pointer(shared.classes), pointer(shared.gammas)
    colour = board.facts[TURN]
    count = children - 1 if children > 0 and moves[children - 1] == NOWHERE else children
    likelihoods(
        board,
        geometry,
        colour,
        moves,
        count,
        classes,
        gammas,
        near,
        marks,
        reading,
        settings[READING] != 0.0,
        scratch,
        looks,
        chances,
    )
    if settings[READING] != 0.0:
        _heed(board, geometry, colour, moves, count, shared, chances)
    sort_by(chances, moves, count)
    for i in range(children):
        child = start + i
        tree[child, MOVE] = outward[moves[i]]
        tree[child, MOVER] = colour - 1
        if i < count:
            # Games won by a move that is likelier than any, lost by one that is less so.
            likelier = settings[LIKELY] * (math.sqrt(chances[i]) - math.sqrt(1.0 / count))
            won = 0.5 * settings[EVEN] + max(likelier, 0.0)
            tree[child, PRIOR] = credit(settings[EVEN] + abs(likelier), won)
        else:
            tree[child, PRIOR] = credit(settings[EVEN], _PASS * settings[EVEN])
            if board.facts[PASSES] == 1 and settings[TERRITORY] == 0.0:
                _end_by_pass(node, child, board, geometry, shared, own)
    tree[node, FIRST_CHILD] = start
    tree[node, COUNT] = children
    atomics.store(tree, (node, STATUS), INNER)


@kernel
def plant(shared, own, moves):
    """Begin a tree: node 0 stands for the root's board and has these moves (int64, our points) and no others."""
    geometry = open_geometry(shared.shape, shared.keys, shared.table, shared.inside)
    board, reading = open_board(shared.root), open_board(own.reading)
    shared.used[0] = 1 + len(moves)
    shared.tree[0, MOVER] = BLACK + WHITE - board.facts[TURN] - 1
    _attach(0, 1, pointer(moves), len(moves), board, reading, geometry, shared, own)


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


@kernel
def simulate(shared, own, past, forced, simulations):
    """Run simulations from node 0; returns how many were done.

    `past` keys of the game stand in `own.past`. A child of the root that is `forced` is tried each time, if not 0.
    """
    geometry = open_geometry(shared.shape, shared.keys, shared.table, shared.inside)
    origin, board, reading = open_board(shared.root), open_board(own.work), open_board(own.reading)
    tree, settings, stop = shared.tree, shared.settings, shared.stop
    rates, answers, inward = pointer(shared.rates), pointer(shared.answers), pointer(shared.inward)
    scratch, moves, played = pointer(own.scratch), pointer(own.moves), pointer(own.played)
    keys, path, rng = pointer(own.past), own.path, own.rng
    first, owners = pointer(own.first), pointer(own.owners)
    equivalence, width = settings[RAVE], settings[WIDTH]
    superko = settings[SUPERKO]
    longest = len(path) - 2
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
                    children = list_moves(board, geometry, moves)
                    start = reserve_nodes(shared.used, len(tree), children)
                    if start < 0:
                        atomics.store(tree, (node, STATUS), LEAF)
                    else:
                        _attach(node, start, moves, children, board, reading, geometry, shared, own)
                        inner_node = True
                        result = atomics.load(tree, (node, PROOF))
                        if result != OPEN:
                            break
            if not inner_node or depth == longest:
                break
            if depth == 0 and forced > 0:
                node = np.int64(forced)
            else:
                node = select(node, tree, settings[EXPLORATION], equivalence, width, rng)
            mover = board.facts[TURN]
            point = np.int64(inward[np.uint64(tree[node, MOVE])])
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
            length = play_out(board, reading, geometry, rates, answers, scratch, True, limit, played, length, rng)
            points = _points(count_area(board, geometry), placed, settings)
            result = result_of(points)
            add_owners(board, geometry, np.int64(result), owners)
            owners[3 * geometry.points] += 1
            owners[3 * geometry.points + 1] += half_wins(result, 0)
            if depth > 0:
                begun = np.int64(played[0]) & ((1 << MOVER_SHIFT) - 1)
                own.scores[0, begun] += 0.001 * points
                own.scores[1, begun] += 1.0
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
        if equivalence > 0.0:
            own.first[len(own.first) - 1] += 1
            stamp = own.first[len(own.first) - 1]
            spread_credit(path, depth, played, length, inward, first, stamp, width, result, tree)
    return simulations
