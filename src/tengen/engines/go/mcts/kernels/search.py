"""Monte-Carlo tree search for Go: implements what `search.kernels.mcts` declares.

Specific to Go: the board and playouts, move probabilities as priors, owner counts, progressive widening, and
scoring. Under territory rules the score is the area minus the difference in stones placed within the tree: there,
a stone in one's own territory costs a point; in the playout the moves of both sides cancel. Under area rules two
passes end the game with all stones alive, and the result is proved. Under territory rules stones may be dead, so a
playout decides.

A prior is a number of virtual games and wins. The children of a node are sorted by descending probability. With
progressive widening only the first ones are visible, more as the visits grow; hidden children cost nothing.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.dispatch import rule
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.records import record_type
from tengen.core.compiled.rng import uniform
from tengen.engines.go.kernels.board import (
    EMPTY,
    NOWHERE,
    WHITE,
    copy_board,
    count_area,
    count_area_exactly,
    geometry_of,
    head_of,
    is_eye,
    is_legal,
    neighbour,
    open_board,
    open_geometry,
    play,
)
from tengen.engines.go.mcts.kernels.features import move_probabilities
from tengen.engines.go.mcts.kernels.playout import count_owners, play_heavy
from tengen.engines.go.mcts.kernels.root_reading import REPLY_FACTOR
from tengen.search.kernels.mcts import (
    BASE_SETTINGS,
    DISPUTED,
    DRAWN,
    OPEN,
    half_wins,
    inverse_root,
    log_root,
    result_of,
)

SETTINGS = record_type(
    *BASE_SETTINGS,
    ("komi", np.float64),  # in thousandths
    ("territory", np.bool_),
    ("superko", np.int64),  # 0 none, 1 positional, 2 situational
    ("margin", np.float64),  # rate of counting the narrowest win as a draw
    ("close_margin", np.float64),  # score from which a win is no longer narrow
    ("prior_games", np.float64),  # virtual games of every move, half of them won
    ("policy_games", np.float64),  # virtual wins of a move with probability 1
    ("width", np.float64),  # children visible at first; 0: all
    ("reading", np.bool_),  # whether reading changes the priors
)
_PASS_PRIOR_WIN_RATE = 0.3  # low, so that a pass is tried only where moves do no better
GAMES_SHIFT = 16
_MAX_PRIOR_GAMES = 15000.0  # the largest number that fits


class Search(NamedTuple):
    """The data of a thread."""

    root: Any
    board: Any
    ladder_board: Any
    tables: Any
    playout: Any
    policy: Any
    prior_factors: Any  # float64[2, points]: factors of move probabilities from reading, by colour
    from_rules: Any
    turn_key: Any
    owner_counts: Any  # int64: see `playout.count_owners`, then the number of games and Black's half wins
    scores: Any  # float64[2, move_codes]: sum of Black's scores and number of games, by first move
    base: Any  # see `search.kernels.mcts`


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
    colour = board.state[0].turn
    count = 0
    for i in range(geometry.area):
        point = np.int64(geometry.inside[i])
        if board.colour[point] != EMPTY or not is_legal(board, geometry, point, colour):
            continue
        if is_eye(board, geometry, point, colour) and not _saves_string(board, geometry, point, colour):
            continue
        moves[count] = point
        count += 1
    if board.state[0].handicap == 0:
        moves[count] = NOWHERE
        count += 1
    return count


@kernel
def list_search_moves(arrays, shape, keys, table, inside, out):
    """Write the moves that a node with this board would have; returns their number."""
    return list_moves(open_board(arrays), open_geometry(shape, keys, table, inside), pointer(out))


@inner
def pack_prior(games, wins):
    """Pack a prior, a number of virtual games and wins, into one word."""
    games = min(games, _MAX_PRIOR_GAMES)
    return np.int64(games) << GAMES_SHIFT | min(np.int64(2.0 * wins), np.int64(2.0 * games))


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
def _score(area, placed, settings):
    """Black's score in thousandths of a point."""
    if settings.territory:
        area -= placed
    return 1000.0 * area - settings.komi


@inner
def _final_result(board, geometry, search, settings):
    """The result of a game that two passes ended under area rules."""
    area = count_area_exactly(board, geometry, pointer(search.policy.marks), pointer(search.policy.queue))
    return result_of(_score(area, 0, settings))


@inner
def apply_reading(board, search, moves, count):
    """Adjust move probabilities by the root's reading results, which are used in the whole tree."""
    probabilities, colour, last = (
        pointer(search.policy.probabilities),
        board.state[0].turn,
        board.state[0].last_move,
    )
    reply = NOWHERE if last == NOWHERE else search.playout.replies[2 - colour, last]
    total = 0.0
    for i in range(count):
        probabilities[i] *= search.prior_factors[colour - 1, moves[i]]
        if moves[i] == reply:
            probabilities[i] *= REPLY_FACTOR
        total += probabilities[i]
    if total > 0.0:
        for i in range(count):
            probabilities[i] /= total


@rule(SETTINGS.names)
def begin_simulation(settings, search):
    copy_board(open_board(search.root), open_board(search.board), geometry_of(search.tables))


@rule(SETTINGS.names)
def outcome(settings, search):
    board = open_board(search.board)
    if board.state[0].passes < 2:
        return OPEN
    if settings.territory:
        board.state[0].passes = 0
        return DISPUTED
    return _final_result(board, geometry_of(search.tables), search, settings)


@rule(SETTINGS.names)
def list_children(settings, search):
    return list_moves(open_board(search.board), geometry_of(search.tables), pointer(search.base.moves))


@inner
def count_points(moves, count):
    """The number of moves without the pass, which is the last one."""
    return count - 1 if count > 0 and moves[count - 1] == NOWHERE else count


@inner
def move_prior(settings, probability, points):
    """The prior of one of `points` moves.

    It has virtual wins if the move is likelier than under a uniform policy, and virtual losses if less likely.
    """
    virtual_games = settings.policy_games * (math.sqrt(probability) - math.sqrt(1.0 / points))
    won = 0.5 * settings.prior_games + max(virtual_games, 0.0)
    return pack_prior(settings.prior_games + abs(virtual_games), won)


@rule(SETTINGS.names)
def set_up_children(settings, search, node, start, count):
    board, geometry, moves = open_board(search.board), geometry_of(search.tables), pointer(search.base.moves)
    ladder_board, points = open_board(search.ladder_board), count_points(moves, count)
    colour, probabilities = board.state[0].turn, pointer(search.policy.probabilities)
    move_probabilities(board, ladder_board, geometry, moves, points, search.policy, settings.reading)
    if settings.reading:
        apply_reading(board, search, moves, points)
    sort_by_probability(probabilities, moves, points)
    even_games = settings.prior_games
    for i in range(count):
        child = search.base.tree[start + i]
        child.move = search.playout.to_rules[moves[i]]
        child.mover = colour - 1
        if i < points:
            child.prior = move_prior(settings, probabilities[i], points)
        else:
            child.prior = pack_prior(even_games, _PASS_PRIOR_WIN_RATE * even_games)
            if board.state[0].passes == 1 and not settings.territory:
                # A pass that ends the game is counted and proved at once.
                result = _final_result(board, geometry, search, settings)
                child.proof = result
                if result == DRAWN:
                    child.prior = pack_prior(even_games, 0.5 * even_games)
                elif result == colour:
                    atomics.store(search.base.tree[node], "proof", result)


@rule(SETTINGS.names)
def visible_children(settings, node):
    children = np.int64(node.child_count)
    if settings.width <= 0.0:
        return children
    return min(children, np.int64(settings.width * (1.0 + 0.1 * math.sqrt(np.float64(node.visits)))))


@rule(SETTINGS.names)
def selection_terms(settings, node):
    return settings.exploration * log_root(node.visits), settings.rave


@rule(SETTINGS.names)
def child_value(settings, child, terms):
    explore, rave = terms
    tried, prior = child.visits, child.prior
    games = np.float64(tried) + np.float64(prior >> GAMES_SHIFT)
    value = (np.float64(child.wins) + np.float64(prior & 0xFFFF)) / (2.0 * games)
    others = np.float64(child.amaf_visits)
    if rave > 0.0 and others > 0.0:
        share = others / (others + games + games * others / rave)
        value += share * (child.amaf_wins / (2.0 * others) - value)
    if explore > 0.0:
        value += explore * inverse_root(tried + 1)
    return value


@rule(SETTINGS.names)
def play_in_tree(settings, search, move, depth):
    board, keys, at = open_board(search.board), search.base.keys, search.base.past + depth
    point = np.int64(search.from_rules[move])
    play(board, geometry_of(search.tables), point)
    keys[at] = np.uint64(0)
    if settings.superko == 0 or point == NOWHERE:
        return True
    key = board.state[0].stones_key
    if settings.superko == 2 and board.state[0].turn == WHITE:
        key ^= search.turn_key
    keys[at] = key
    for i in range(at):
        if keys[at - 1 - i] == key:
            return False
    return True


@rule(SETTINGS.names)
def play_out(settings, search, depth):
    board, ladder_board = open_board(search.board), open_board(search.ladder_board)
    geometry, owners = geometry_of(search.tables), pointer(search.owner_counts)
    placed = board.state[0].placed_balance
    limit = min(np.int64(search.base.played.size), depth + settings.playout_length)
    length = play_heavy(board, ladder_board, geometry, search.playout, depth, limit)
    points = _score(count_area(board, geometry), placed, settings)
    result = np.int64(result_of(points))
    count_owners(board, geometry, result, owners)
    owners[3 * geometry.points] += 1
    owners[3 * geometry.points + 1] += half_wins(result, 0)
    if depth > 0:
        first_move = np.int64(search.base.played[0]) >> 1
        search.scores[0, first_move] += 0.001 * points
        search.scores[1, first_move] += 1.0
    closeness, rng = 1.0 - abs(points) / (1000.0 * settings.close_margin), pointer(search.base.rng)
    if closeness > 0.0 and settings.margin > 0.0 and uniform(rng) < settings.margin * closeness:
        result = np.int64(DRAWN)
    return result, length
