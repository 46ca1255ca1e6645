"""Monte-Carlo tree search for Go, on the nodes and helpers of `search.kernels.mcts`.

Specific to Go: the board and playouts, move probabilities as priors, RAVE, owner counts, and scoring. Under
territory rules the score is the area minus the difference in stones placed within the tree: there, a stone in
one's own territory costs a point; in the playout the moves of both sides cancel. Under area rules two passes end
the game with all stones alive, and the result is proved. Under territory rules stones may be dead, so a playout
decides.
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
    LAST_MOVE,
    NOWHERE,
    PASSES,
    PLACED_BALANCE,
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
from tengen.engines.go.mcts.kernels.features import move_probabilities
from tengen.engines.go.mcts.kernels.playout import MOVER_SHIFT, count_owners, play_out
from tengen.engines.go.mcts.kernels.root_reading import REPLY_FACTOR
from tengen.engines.go.mcts.kernels.selection import pack_prior, select_child, sort_by_probability, update_amaf
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

# Indices of `settings`: float64
(
    EXPLORATION,
    RAVE,
    EXPAND_AFTER,
    KOMI,  # in thousandths
    TERRITORY,
    SUPERKO,  # 0 none, 1 positional, 2 situational
    MARGIN,  # rate of counting the narrowest win as a draw
    CLOSE_MARGIN,  # score from which a win is no longer narrow
    PLAYOUT_LENGTH,  # maximum number of moves of a playout
    PRIOR_GAMES,  # virtual games of every move, half of them won
    POLICY_GAMES,  # virtual wins of a move with probability 1
    INITIAL_WIDTH,  # children visible at first; 0: all
    READING,  # whether reading changes the priors
    SETTING_COUNT,
) = range(14)


_PASS_PRIOR_WIN_RATE = 0.3  # low, so that a pass is tried only where moves do no better


class SharedData(NamedTuple):
    """Data shared by all threads: the root board, tables, settings, the tree."""

    root: Any
    shape: Any
    keys: Any
    table: Any
    inside: Any
    to_rules: Any
    from_rules: Any
    turn_key: Any  # uint64[1]
    rates: Any
    prior_factors: Any  # float64[2, points]: factors of move probabilities from reading, by colour
    replies: Any  # int64[2, points]: see `playout_policy.heavy_move`
    pattern_class: Any  # see `patterns.pattern_classes`
    feature_weights: Any  # see `features`
    settings: Any
    tree: Any
    used: Any  # int32[1]
    stop: Any


class ThreadData(NamedTuple):
    """Data of one thread."""

    board: Any
    ladder_board: Any
    scratch: Any  # int64, see `playout_policy`
    points: Any  # int64[5, points]
    moves: Any  # int64[points]
    probabilities: Any  # float64[points]
    features: Any  # int64[MAX_FEATURES]
    history: Any  # uint64: the repeat keys of the game, then space for those of the path
    path: Any  # int64
    played: Any  # int32
    first_players: Any  # int64: see `update_amaf`; the last entry is the stamp
    owner_counts: Any  # int64: see `playout.count_owners`, then the number of games and Black's half wins
    scores: Any  # float64[2, points]: sum of Black's scores and number of games, by first move
    rng: Any


@inner
def _saves_string(board, geometry, point, colour):
    """Whether filling an own eye saves a string in atari, the only reason to do so."""
    for direction in range(4):
        adjacent = neighbour(point, direction, geometry)
        if board.colour[adjacent] == colour and board.liberty_count[head_of(board, adjacent)] == 1:
            return True
    return False


@inner
def list_moves(board, geometry, moves):
    """List legal moves except suicide and own eyes, a pass last; returns their number."""
    colour = board.facts[TURN]
    count = 0
    for i in range(geometry.area):
        point = np.int64(geometry.inside[i])
        if board.colour[point] != EMPTY or not is_legal(board, geometry, point, colour):
            continue
        if is_eye(board, geometry, point, colour) and not _saves_string(board, geometry, point, colour):
            continue
        moves[count] = point
        count += 1
    if board.facts[HANDICAP] == 0:
        moves[count] = NOWHERE
        count += 1
    return count


@kernel
def list_search_moves(arrays, shape, keys, table, inside, out):
    """Write the moves that a node with this board would have; returns their number."""
    return list_moves(open_board(arrays), open_geometry(shape, keys, table, inside), pointer(out))


@inner
def _score(area, placed, settings):
    """Black's score in thousandths of a point."""
    if settings[TERRITORY] != 0.0:
        area -= placed
    return 1000.0 * area - settings[KOMI]


@inner
def _resolve_final_pass(node, child, board, geometry, shared, thread):
    """Count and prove the result of a pass that ends the game under area rules."""
    tree, settings = shared.tree, shared.settings
    area = count_area_exactly(board, geometry, pointer(thread.points[0]), pointer(thread.points[1]))
    result = result_of(_score(area, 0, settings))
    tree[child, PROOF] = result
    if result == DRAWN:
        tree[child, PRIOR] = pack_prior(settings[PRIOR_GAMES], 0.5 * settings[PRIOR_GAMES])
    elif result == board.facts[TURN]:
        atomics.store(tree, (node, PROOF), result)


@inner
def _apply_reading(board, geometry, colour, moves, count, shared, probabilities):
    """Adjust move probabilities by the root's reading results, which are used in the whole tree."""
    prior_factors, replies = pointer(shared.prior_factors), pointer(shared.replies)
    last = board.facts[LAST_MOVE]
    reply = NOWHERE if last == NOWHERE else replies[(2 - colour) * geometry.points + last]
    total = 0.0
    for i in range(count):
        probabilities[i] *= prior_factors[(colour - 1) * geometry.points + moves[i]]
        if moves[i] == reply:
            probabilities[i] *= REPLY_FACTOR
        total += probabilities[i]
    if total > 0.0:
        for i in range(count):
            probabilities[i] /= total


@inner
def _create_children(node, start, moves, children, board, ladder_board, geometry, shared, thread):
    """Set up the children of a node from index `start` on, by descending probability, a pass last."""
    points, scratch, features = thread.points, pointer(thread.scratch), pointer(thread.features)
    probabilities, to_rules = pointer(thread.probabilities), pointer(shared.to_rules)
    tree, settings = shared.tree, shared.settings
    distances = (pointer(points[0]), pointer(points[1]), pointer(points[2]), pointer(points[3]))
    marks, pattern_class = pointer(points[4]), pointer(shared.pattern_class)
    feature_weights = pointer(shared.feature_weights)
    colour = board.facts[TURN]
    count = children - 1 if children > 0 and moves[children - 1] == NOWHERE else children
    move_probabilities(
        board,
        geometry,
        colour,
        moves,
        count,
        pattern_class,
        feature_weights,
        distances,
        marks,
        ladder_board,
        settings[READING] != 0.0,
        scratch,
        features,
        probabilities,
    )
    if settings[READING] != 0.0:
        _apply_reading(board, geometry, colour, moves, count, shared, probabilities)
    sort_by_probability(probabilities, moves, count)
    for i in range(children):
        child = start + i
        tree[child, MOVE] = to_rules[moves[i]]
        tree[child, MOVER] = colour - 1
        if i < count:
            # Virtual wins if the move is likelier than under a uniform policy, virtual losses if less likely.
            virtual_games = settings[POLICY_GAMES] * (math.sqrt(probabilities[i]) - math.sqrt(1.0 / count))
            won = 0.5 * settings[PRIOR_GAMES] + max(virtual_games, 0.0)
            tree[child, PRIOR] = pack_prior(settings[PRIOR_GAMES] + abs(virtual_games), won)
        else:
            tree[child, PRIOR] = pack_prior(settings[PRIOR_GAMES], _PASS_PRIOR_WIN_RATE * settings[PRIOR_GAMES])
            if board.facts[PASSES] == 1 and settings[TERRITORY] == 0.0:
                _resolve_final_pass(node, child, board, geometry, shared, thread)
    tree[node, FIRST_CHILD] = start
    tree[node, COUNT] = children
    atomics.store(tree, (node, STATUS), INNER)


@kernel
def expand_root(shared, thread, moves):
    """Start a tree: node 0 is the root board, with exactly these moves (int64 points) as children."""
    geometry = open_geometry(shared.shape, shared.keys, shared.table, shared.inside)
    board, ladder_board = open_board(shared.root), open_board(thread.ladder_board)
    shared.used[0] = 1 + len(moves)
    shared.tree[0, MOVER] = BLACK + WHITE - board.facts[TURN] - 1
    _create_children(0, 1, pointer(moves), len(moves), board, ladder_board, geometry, shared, thread)


@inner
def _superko_key(board, turn_key, superko):
    bits = board.key[0]
    if superko == 2.0 and board.facts[TURN] == WHITE:
        bits ^= turn_key
    return bits


@inner
def _occurred_before(wanted, keys, count):
    for i in range(count):
        if keys[count - 1 - i] == wanted:
            return True
    return False


@kernel
def simulate(shared, thread, history_length, forced_child, simulations):
    """Run simulations from node 0; returns how many were done.

    `thread.history` starts with `history_length` keys of the game. A `forced_child` of the root other than 0 is
    visited by every simulation.
    """
    geometry = open_geometry(shared.shape, shared.keys, shared.table, shared.inside)
    root_board, board = open_board(shared.root), open_board(thread.board)
    ladder_board = open_board(thread.ladder_board)
    tree, settings, stop = shared.tree, shared.settings, shared.stop
    rates, replies, from_rules = pointer(shared.rates), pointer(shared.replies), pointer(shared.from_rules)
    scratch, moves, played = pointer(thread.scratch), pointer(thread.moves), pointer(thread.played)
    keys, path, rng = pointer(thread.history), thread.path, thread.rng
    first_players, owners = pointer(thread.first_players), pointer(thread.owner_counts)
    rave_equivalence, width = settings[RAVE], settings[INITIAL_WIDTH]
    superko = settings[SUPERKO]
    max_depth = len(path) - 2
    for done in range(simulations):
        if atomics.load(stop, 0) != 0 or atomics.load(tree, (0, PROOF)) != OPEN:
            return done
        copy_board(root_board, board, geometry)
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
                area = count_area_exactly(board, geometry, pointer(thread.points[0]), pointer(thread.points[1]))
                result = result_of(_score(area, 0, settings))
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
                        _create_children(
                            node, start, moves, children, board, ladder_board, geometry, shared, thread
                        )
                        inner_node = True
                        result = atomics.load(tree, (node, PROOF))
                        if result != OPEN:
                            break
            if not inner_node or depth == max_depth:
                break
            if depth == 0 and forced_child > 0:
                node = np.int64(forced_child)
            else:
                node = select_child(node, tree, settings[EXPLORATION], rave_equivalence, width, rng)
            mover = board.facts[TURN]
            point = np.int64(from_rules[np.uint64(tree[node, MOVE])])
            play(board, geometry, point)
            played[depth] = np.int32(point | mover << MOVER_SHIFT)
            if superko != 0.0 and point != NOWHERE:
                key = _superko_key(board, shared.turn_key[0], superko)
                if _occurred_before(key, keys, history_length + depth):
                    atomics.store(tree, (node, PROOF), np.int32(3 - mover))  # illegal, so treated as lost
                keys[history_length + depth] = key
            else:
                keys[history_length + depth] = np.uint64(0)
            depth += 1
            path[depth] = node
        length = depth
        if result == OPEN:
            placed = board.facts[PLACED_BALANCE]
            limit = min(len(thread.played), length + np.int64(settings[PLAYOUT_LENGTH]))
            length = play_out(
                board, ladder_board, geometry, rates, replies, scratch, True, limit, played, length, rng
            )
            points = _score(count_area(board, geometry), placed, settings)
            result = result_of(points)
            count_owners(board, geometry, np.int64(result), owners)
            owners[3 * geometry.points] += 1
            owners[3 * geometry.points + 1] += half_wins(result, 0)
            if depth > 0:
                first_move = np.int64(played[0]) & ((1 << MOVER_SHIFT) - 1)
                thread.scores[0, first_move] += 0.001 * points
                thread.scores[1, first_move] += 1.0
            closeness = 1.0 - abs(points) / (1000.0 * settings[CLOSE_MARGIN])
            if closeness > 0.0 and settings[MARGIN] > 0.0 and uniform(rng) < settings[MARGIN] * closeness:
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
        if rave_equivalence > 0.0:
            thread.first_players[len(thread.first_players) - 1] += 1
            stamp = thread.first_players[len(thread.first_players) - 1]
            update_amaf(path, depth, played, length, from_rules, first_players, stamp, width, result, tree)
    return simulations
