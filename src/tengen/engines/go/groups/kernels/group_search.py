"""Local Monte-Carlo tree search for the life of a group: implements what `search.kernels.mcts` declares.

Both sides play only in a zone around the group. The attacker wins as soon as the target is captured; the defender
wins if the target is still on the board when both have passed. Empty points outside the zone are never played, so
they are lasting liberties: a group that reaches them has escaped. They are missing in the board's list of empty
points, which is how the zone is represented (see `zone.py`).

Ko is read in three modes, see `reading.kernels.candidates`: a ko that a side may retake at once is no ko for it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.dispatch import rule
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.records import record_type
from tengen.core.compiled.rng import below, uniform
from tengen.engines.go.groups.kernels.race_moves import is_in_zone, race_move
from tengen.engines.go.kernels.board import (
    NOWHERE,
    copy_board,
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
from tengen.engines.go.mcts.kernels.playout_policy import heavy_move
from tengen.engines.go.mcts.kernels.search import GAMES_SHIFT, pack_prior, sort_by_probability
from tengen.engines.go.reading.kernels.candidates import ATTACKER_RETAKES, DEFENDER_RETAKES
from tengen.search.kernels.mcts import BASE_SETTINGS, OPEN, inverse_root, log_root

SETTINGS = record_type(
    *BASE_SETTINGS,
    ("group_target", np.int64),  # a stone of the group; the group is captured when this stone is
    ("attacker", np.int64),
    ("ko_mode", np.int64),
    ("rival", np.int64),  # a stone of the attacker's group that races with the target, or NOWHERE
    ("race_rate", np.float64),  # of filling liberties of the target and its rival in playouts
    ("prior_games", np.float64),  # virtual games of every move, half of them won
    ("policy_games", np.float64),  # virtual wins of a move with probability 1
)
PASS_PRIOR_WIN_RATE = 0.2  # low, so that a pass is tried only where moves do no better
ESCAPE_CHECK_MASK = 7  # a playout checks after every eighth move whether the target has escaped
MAX_RANDOM_TRIES = 8  # random points tried after a response outside the zone


class GroupSearch(NamedTuple):
    """The data of a search."""

    root: Any
    board: Any
    ladder_board: Any
    tables: Any
    playout: Any  # see `mcts.kernels.playout_policy`
    policy: Any  # see `mcts.kernels.features`
    from_rules: Any
    outside: Any  # uint64[words]: the empty points outside the zone
    ko_seen: Any  # int64[1]: number of times that the ko mode mattered in the tree
    base: Any  # see `search.kernels.mcts`


@inner
def _apply_ko_mode(board, settings):
    """Lift the ban on a ko that the side to move may retake at once; returns whether there is a ko."""
    state = board.state[0]
    if state.ko == NOWHERE:
        return False
    free = ATTACKER_RETAKES if state.turn == settings.attacker else DEFENDER_RETAKES
    if settings.ko_mode == free:
        state.ko = NOWHERE
    return True


@inner
def _fills_useless_eye(board, geometry, point, colour):
    """Whether a move fills an own eye without saving a string in atari."""
    if not is_eye(board, geometry, point, colour):
        return False
    for direction in range(4):
        adjacent = neighbour(point, direction, geometry)
        if board.colour[adjacent] == colour and board.liberty_count[head_of(board, adjacent)] == 1:
            return False
    return True


@inner
def _list_zone_moves(board, geometry, moves):
    """List the legal moves in the zone except own eyes, a pass last; returns their number."""
    colour = board.state[0].turn
    count = 0
    for i in range(board.state[0].empty_count):
        point = np.int64(board.empties[i])
        if is_legal(board, geometry, point, colour) and not _fills_useless_eye(board, geometry, point, colour):
            moves[count] = point
            count += 1
    moves[count] = NOWHERE
    return count + 1


@kernel
def list_root_moves(arrays, shape, keys, table, inside, out):
    """Write the moves of a root with this board, a pass last; returns their number."""
    return _list_zone_moves(open_board(arrays), open_geometry(shape, keys, table, inside), pointer(out))


@inner
def _any_move(board, geometry, rng):
    """A random legal point of the zone that is not an own eye, or a pass."""
    colour, left = board.state[0].turn, board.state[0].empty_count
    for _ in range(MAX_RANDOM_TRIES if left > 0 else 0):
        point = np.int64(board.empties[np.int64(below(rng, left))])
        if is_legal(board, geometry, point, colour) and not is_eye(board, geometry, point, colour):
            return point
    return NOWHERE


@inner
def _has_escaped(settings, search, board, geometry):
    """Whether the target has a lasting liberty."""
    at = head_of(board, settings.group_target) * geometry.words
    found = np.uint64(0)
    for word in range(geometry.words):
        found |= board.libs[at + word] & search.outside[word]
    return found != 0


@inner
def _captor(settings, board):
    """The side that has captured the target or its rival, or OPEN."""
    if np.int64(board.colour[settings.group_target]) != 3 - settings.attacker:
        return settings.attacker
    if settings.rival != NOWHERE and np.int64(board.colour[settings.rival]) != settings.attacker:
        return 3 - settings.attacker
    return np.int64(OPEN)


@rule(SETTINGS.names)
def begin_simulation(settings, search):
    copy_board(open_board(search.root), open_board(search.board), geometry_of(search.tables))


@rule(SETTINGS.names)
def outcome(settings, search):
    board = open_board(search.board)
    captor = _captor(settings, board)
    if captor == OPEN and (
        board.state[0].passes > 1 or _has_escaped(settings, search, board, geometry_of(search.tables))
    ):
        return 3 - settings.attacker
    return captor


@rule(SETTINGS.names)
def list_children(settings, search):
    return _list_zone_moves(open_board(search.board), geometry_of(search.tables), pointer(search.base.moves))


@rule(SETTINGS.names)
def set_up_children(settings, search, node, start, count):
    board, geometry, moves = open_board(search.board), geometry_of(search.tables), pointer(search.base.moves)
    colour, probabilities = board.state[0].turn, pointer(search.policy.probabilities)
    points = count - 1
    ladder_board = open_board(search.ladder_board)
    move_probabilities(board, ladder_board, geometry, moves, points, search.policy, False)
    sort_by_probability(probabilities, moves, points)
    even_games = settings.prior_games
    for i in range(count):
        child = search.base.tree[start + i]
        child.move = search.playout.to_rules[moves[i]]
        child.mover = colour - 1
        if i < points:
            virtual_games = settings.policy_games * (math.sqrt(probabilities[i]) - math.sqrt(1.0 / points))
            won = 0.5 * even_games + max(virtual_games, 0.0)
            child.prior = pack_prior(even_games + abs(virtual_games), won)
        else:
            child.prior = pack_prior(even_games, PASS_PRIOR_WIN_RATE * even_games)


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
    if others > 0.0:
        share = others / (others + games + games * others / rave)
        value += share * (child.amaf_wins / (2.0 * others) - value)
    return value + explore * inverse_root(tried + 1)


@rule(SETTINGS.names)
def play_in_tree(settings, search, move, depth):
    board = open_board(search.board)
    play(board, geometry_of(search.tables), np.int64(search.from_rules[move]))
    if _apply_ko_mode(board, settings):
        search.ko_seen[0] += 1
    return True


@inner
def _playout_move(settings, board, ladder_board, geometry, playout):
    """A move of a playout in the zone."""
    colour, rng = board.state[0].turn, pointer(playout.rng)
    if settings.race_rate > 0.0 and uniform(rng) < settings.race_rate:
        target, rival = settings.group_target, settings.rival
        point = NOWHERE
        if colour == settings.attacker:
            point = race_move(board, geometry, target, rival, colour, rng)
        elif rival != NOWHERE:
            point = race_move(board, geometry, rival, target, colour, rng)
        if point != NOWHERE:
            return point
    point = heavy_move(board, ladder_board, geometry, playout)
    if point != NOWHERE and not is_in_zone(board, point):
        point = _any_move(board, geometry, rng)
    return point


@rule(SETTINGS.names)
def play_out(settings, search, depth):
    board, ladder_board = open_board(search.board), open_board(search.ladder_board)
    geometry, playout = geometry_of(search.tables), search.playout
    limit = min(np.int64(search.base.played.size), depth + settings.playout_length)
    length = depth
    while length < limit and board.state[0].passes < 2:
        point = _playout_move(settings, board, ladder_board, geometry, playout)
        playout.played[length] = np.int32(2 * playout.to_rules[point] + board.state[0].turn - 1)
        play(board, geometry, point)
        length += 1
        captor = _captor(settings, board)
        if captor != OPEN:
            return captor, length
        _apply_ko_mode(board, settings)
        if length & ESCAPE_CHECK_MASK == 0 and _has_escaped(settings, search, board, geometry):
            break
    return 3 - settings.attacker, length
